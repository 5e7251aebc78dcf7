"""Scenarios: what `lissom run` takes. A robot, where it starts, what controls or drives it, and for how long.

`load` and `Scenario` are public.

>>> scenario = lissom.scenario.load("ella")
>>> run = scenario.run()
>>> longer = scenario.with_value("links.upper.beam.length", 1.2).run()
"""

from typing import TYPE_CHECKING

from lissom import lazy

if TYPE_CHECKING:
    from lissom.scenario.scenario_files import builtin_names, load
    from lissom.scenario.scenario_schema import Output, Scenario

__all__ = ["Scenario", "Output", "load", "builtin_names"]

FREE_MOTION = 2.0  # s, of a robot without a scenario

__getattr__, __dir__ = lazy.names(
    __name__,
    {
        "lissom.scenario.scenario_files": ("builtin_names", "load"),
        "lissom.scenario.scenario_schema": ("Output", "Scenario"),
    },
)
