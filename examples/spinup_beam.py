"""A beam on a shaft that spins up: zero order diverges, high order meets the fully nonlinear beam.

A short form of `lissom example spinup-beam`, which runs all five speeds.
"""

from pathlib import Path
from tempfile import mkdtemp

from lissom.examples import spinup_beam

zero, high = spinup_beam.main(Path(mkdtemp()), speeds=(8.0,), duration=8.5)

assert zero.diverged and zero.time[-1] < 8.5
assert abs(high.tip.min() / spinup_beam.NONLINEAR[8.0] - 1) < 2e-3
