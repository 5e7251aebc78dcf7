"""Analysis: linear models, modes, statics, frequency response, spectra, energy balance.

What this package offers by name is public.
"""

from lissom.analysis.energy_audit import EnergyAudit, audit_energy, energy_audit
from lissom.analysis.equilibrium.deflection import Deflection
from lissom.analysis.equilibrium.equilibrium_state import Equilibrium
from lissom.analysis.equilibrium.statics import static_equilibrium
from lissom.analysis.equilibrium.steady_motion import SteadyMotion, steady_motion
from lissom.analysis.linear_models.frequency_response import FrequencyResponse, frequency_response
from lissom.analysis.linear_models.linear_model import LinearModel, Poles
from lissom.analysis.linear_models.linearisation import linearise
from lissom.analysis.linear_models.model_reduction import Reduction, reduce_model
from lissom.analysis.modes.mode_identification import IdentifiedModes, identify_modes
from lissom.analysis.modes.natural_modes import NaturalModes, natural_modes
from lissom.analysis.modes.participation import Participation
from lissom.analysis.modes.spectra import Peaks, Spectrum, amplitude_spectrum, find_peaks, power_density

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
