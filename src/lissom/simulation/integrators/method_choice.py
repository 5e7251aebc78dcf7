"""Which integrator suits a model, and what to change where its steps follow vibrations that nobody asked for."""

from __future__ import annotations

import numpy as np

STIFF, NONSTIFF = "radau", "dop853"  # what `auto` takes
STABLE = 3.0  # step times fastest eigenvalue at which explicit methods of high order are stable
EXPLICIT_STEPS = 200  # what stability may cost an explicit method; from there on `radau` was faster on every arm tried
UNDAMPED = 1e-3  # damping ratio below which a vibration lasts
FAST = 100.0  # Hz, of a vibration that is no part of an arm's purpose


def recommend(fastest: float, duration: float, loops: bool = False) -> tuple[str, str]:
    """Return the method for a system whose fastest eigenvalue is `fastest` (1/s) over `duration` (s), and the reason.

    `loops`: whether it has closed ones. Explicit stages leave the loops' branch where two of them meet.
    """
    if loops:
        return STIFF, "loops stay closed at every stage of it, so that they keep their branch at singular positions"
    if fastest == 0.0:
        return NONSTIFF, "no link, joint or gain oscillates or decays, so an explicit method of high order is best"
    limit = STABLE / fastest
    steps = duration / limit
    if steps < EXPLICIT_STEPS:
        return NONSTIFF, f"the fastest eigenvalue, {fastest:.3g} 1/s, allows explicit steps of {limit:.2g} s"
    reason = (
        f"the fastest eigenvalue, {fastest:.3g} 1/s, would hold explicit methods to steps of {limit:.2g} s "
        f"({steps:.3g} of them)"
    )
    return STIFF, reason


def followed_vibrations(poles: np.ndarray, step: float, atol: float) -> str:
    """Return what to change where steps of the mean size `step` (s) follow fast undamped vibrations, "" elsewhere."""
    fast = poles[(poles.imag > 2 * np.pi * FAST) & (-poles.real < UNDAMPED * np.abs(poles))]
    if not fast.size or step > 0.1 / FAST:
        return ""
    hz = fast.imag.min() / (2 * np.pi)
    return (
        f"; steps of {1e3 * step:.2g} ms follow undamped vibrations of {hz:.3g} Hz and more: give links and gears "
        f"damping, tell with follow=... which is the highest frequency that matters, or where less than "
        f"{10 * atol:.0e} m of them matters, raise atol to that"
    )
