"""Results of runs: every quantity by name with axes and unit, section forces, summaries, files.

`Trajectory` is what users have in hand; it is made of a `RawRun` of the simulation. `register_quantity` adds a quantity
to the results of all runs.
"""

from lissom import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
