"""The motion of least energy between two poses: with and without the closed-form gradient, and its check.

The same as `lissom example optimal-motion`.
"""

from pathlib import Path
from tempfile import mkdtemp

from lissom.examples import optimal_motion

gradient, no_gradient, fine, seven = optimal_motion.main(Path(mkdtemp()))

# both searches find the same minimum; the gradient needs far fewer evaluations
assert abs(gradient.best / no_gradient.best - 1) < 1e-7
assert gradient.evaluations * 5 < no_gradient.evaluations
# a geodesic has constant kinetic energy; ten functions per joint come close to one
assert fine.best < gradient.best < gradient.straight
assert fine.spread < 1e-3
assert seven.best < seven.straight
