"""Published formulations of the same physics, each derived on its own and checked against the kernel."""

from lissom.theory.coverage import Feature, Unsupported
from lissom.theory.dual_screws import DualScrew as dual_screw
from lissom.theory.formulation import Entry, Formulation, Limit, Offer, build, entries, names, register
from lissom.theory.formulation_run import Stopped, simulate

__all__ = [
    "Entry",
    "Feature",
    "Formulation",
    "Limit",
    "Offer",
    "Stopped",
    "Unsupported",
    "build",
    "dual_screw",
    "entries",
    "names",
    "register",
    "simulate",
]
