"""Simulation: from a model, its inputs and a start to the record of a run. Names load when they are first used.

`simulate` (`run_simulation`) and `sensitivity` stand above the layer `results`, whose objects they return.
"""

from lissom import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
