"""Words with a fixed meaning in controllers and references, for Python and for files alike."""

from typing import Literal, get_args

Side = Literal["joint", "motor"]  # what is measured where a gear is elastic
SIDES: tuple[Side, ...] = get_args(Side)

ShaperKind = Literal["zv", "zvd", "zvdd", "ei"]  # each more robust than the one before
SHAPERS: tuple[ShaperKind, ...] = get_args(ShaperKind)

Reduced = Literal["balanced", "modal"]  # how a model is reduced
REDUCTIONS: tuple[Reduced, ...] = get_args(Reduced)

Sweep = Literal["linear", "exponential"]  # how the frequency of a chirp rises
SWEEPS: tuple[Sweep, ...] = get_args(Sweep)

Interpolation = Literal["cubic", "linear"]
INTERPOLATIONS: tuple[Interpolation, ...] = get_args(Interpolation)
