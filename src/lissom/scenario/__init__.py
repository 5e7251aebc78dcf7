"""Scenarios: what `lissom run` takes. A robot, where it starts, what controls or drives it, and for how long.

`load` and `Scenario` are public.

>>> scenario = lissom.scenario.load("ella")
>>> run = scenario.run()
>>> longer = scenario.with_value("links.upper.beam.length", 1.2).run()
"""

from lissom import lazy

FREE_MOTION = 2.0  # s, of a robot without a scenario

__getattr__, __dir__, __all__ = lazy.attach(__name__)
