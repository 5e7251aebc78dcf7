"""Models from measurements: parameters of a robot from measured histories and frequencies.

>>> found = lissom.fit("my_arm.yaml", ["links.upper.beam.section.EIz"], record)
>>> found.intervals, found.unidentifiable, found.robot
"""

from lissom.identify.estimate import fit
from lissom.identify.frequencies import MeasuredFrequency
from lissom.identify.misfit import Misfit
from lissom.identify.parameters import Prior, Unknown
from lissom.identify.records import Channel, Record, TimeBase
from lissom.identify.result import Fit
from lissom.identify.schema import FitFile, load
from lissom.identify.validate import Validation, validate

__all__ = [
    "fit",
    "Fit",
    "Record",
    "Channel",
    "TimeBase",
    "MeasuredFrequency",
    "Unknown",
    "Prior",
    "Misfit",
    "FitFile",
    "load",
    "validate",
    "Validation",
]
