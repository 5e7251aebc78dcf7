"""Models from measurements: parameters of a robot from measured histories and frequencies.

>>> found = lissom.fit("my_arm.yaml", ["links.upper.beam.section.EIz"], record)
>>> found.intervals, found.unidentifiable, found.robot
"""

from lissom import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
