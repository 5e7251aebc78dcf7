"""Models from measurements: parameters of a robot from measured histories and frequencies.

>>> found = lissom.fit("my_arm.yaml", ["links.upper.beam.section.EIz"], record)
>>> found.intervals, found.unidentifiable, found.robot
"""

from lissom.identify.estimation import fit
from lissom.identify.fit_parameters import Prior, Unknown
from lissom.identify.fit_result import Fit
from lissom.identify.fit_schema import FitFile, load
from lissom.identify.measured_frequencies import MeasuredFrequency
from lissom.identify.measured_records import Channel, Record, TimeBase
from lissom.identify.residuals import Residuals
from lissom.identify.validation import Validation, validate

__all__ = [
    "fit",
    "Fit",
    "Record",
    "Channel",
    "TimeBase",
    "MeasuredFrequency",
    "Unknown",
    "Prior",
    "Residuals",
    "FitFile",
    "load",
    "validate",
    "Validation",
]
