"""Analysis: linear models, modes, statics, frequency response, spectra, energy balance."""

from lissom.analysis.deflection import Deflection
from lissom.analysis.energy_audit import EnergyAudit, audit_energy, energy_audit
from lissom.analysis.frequency_response import FrequencyResponse, frequency_response
from lissom.analysis.identify_modes import IdentifiedModes, identify_modes
from lissom.analysis.linear_model import LinearModel, Poles
from lissom.analysis.linearise import linearise
from lissom.analysis.natural_modes import NaturalModes, natural_modes
from lissom.analysis.participation import Participation
from lissom.analysis.reduction import Reduction, reduce_model
from lissom.analysis.spectra import Peaks, Spectrum, amplitude_spectrum, find_peaks, power_density
from lissom.analysis.statics import Equilibrium, static_equilibrium
from lissom.analysis.steady_motion import SteadyMotion, steady_motion

__all__ = [
    "linearise",
    "LinearModel",
    "Poles",
    "reduce_model",
    "Reduction",
    "natural_modes",
    "NaturalModes",
    "Participation",
    "static_equilibrium",
    "Equilibrium",
    "steady_motion",
    "SteadyMotion",
    "Deflection",
    "frequency_response",
    "FrequencyResponse",
    "amplitude_spectrum",
    "power_density",
    "find_peaks",
    "Spectrum",
    "Peaks",
    "identify_modes",
    "IdentifiedModes",
    "energy_audit",
    "audit_energy",
    "EnergyAudit",
]
