"""The best of what a robot can be: motions that do not shake it, and the lightest sections that carry it.

>>> best = lissom.optimise.Motion(scenario="ella", to={"elbow": 0.4}, duration=1.5, limits={"torque": 120}).solve()
>>> best.reference, best.torque, best.verify()
>>> sizes = {"links.boom.beam.section.outer": (0.1, 0.3)}
>>> lissom.optimise.Sizing(scenario="boom.yaml", sizes=sizes, limits={"frequency": 2.0}).solve().robot
"""

from lissom import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
