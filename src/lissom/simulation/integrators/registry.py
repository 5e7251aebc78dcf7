"""The integrators by name, and which one suits a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import LissomError

if TYPE_CHECKING:
    from lissom.model.model import Model
    from lissom.simulation.integrators.integrator_state import State
    from lissom.simulation.settings import RunSettings

EXPLICIT = {
    "euler": "lissom.simulation.integrators.forward_euler",
    "rk4": "lissom.simulation.integrators.runge_kutta_4",
    "dopri5": "lissom.simulation.integrators.dopri5",
    "dop853": "lissom.simulation.integrators.dop853",
}
IMPLICIT = ("generalised-alpha", "radau")
SUNDIALS = ("cvode-adams", "cvode-bdf")
STABILITY = {"euler": 2.0, "rk4": 2.78, "dopri5": 3.3, "dop853": 6.0}  # largest step times fastest decay rate
EXPLICIT_STEPS = 200  # what stability may cost an explicit method; from there on `radau` was faster on every arm tried
UNDAMPED = 1e-3  # damping ratio below which a vibration lasts
FAST = 100.0  # Hz, of a vibration that is no part of an arm's purpose
METHODS = ("auto", *EXPLICIT, *IMPLICIT, *SUNDIALS)


@dataclass(frozen=True)
class Method:
    """A compiled march and its memory."""

    name: str
    march: Callable[..., int]
    work: Any
    fixed: bool  # steps of one size, as asked
    implicit: bool
    projector: Any = None  # Closure by which an implicit method brings states to closed loops
    over: Callable[[], None] = lambda: None  # leaves memory to the next run of the model


def check_installed(name: str) -> None:
    """Refuse a method of SUNDIALS whose package is missing, before any work."""
    if name in (*SUNDIALS, "ida") and find_spec("sksundae") is None:
        raise LissomError('needs SUNDIALS: pip install "lissom[sundials]"', ("method",), name)


def choose(name: str, settings: RunSettings, state: State, model: Model, system: Any, scratch: Any) -> Method:
    """The integrator called `name` for a run; a given step makes its steps fixed.

    `system` and `scratch` as kernels take them.
    """
    step = settings.step
    n = len(state.v)
    if name in EXPLICIT:
        from lissom.simulation.integrators import explicit_runge_kutta

        tableau = import_module(EXPLICIT[name]).TABLEAU
        return Method(
            name, explicit_runge_kutta.march, explicit_runge_kutta.make_work(n, tableau), step is not None, False
        )
    if name == "generalised-alpha":
        from lissom.simulation.integrators import generalised_alpha

        work = generalised_alpha.make_work(model, system, scratch, settings.radius)
        return Method(name, generalised_alpha.march, work, step is not None, True, work.fields.projector)
    if name == "radau":
        from lissom.simulation.integrators.radau import radau_steps

        work = radau_steps.make_work(model, system, scratch, settings.follow)
        keep = partial(radau_steps.keep_work, model, system, scratch, settings.follow, work)
        return Method(name, radau_steps.march, work, step is not None, True, work.fields.matrix.fields.projector, keep)
    from lissom.simulation.integrators.cvode import make_march

    return Method(name, make_march(name, state), None, False, False)


def recommend(fastest: float, duration: float, loops: bool = False) -> tuple[str, str]:
    """The method for a system whose fastest eigenvalue is `fastest` (1/s) over `duration` (s), and the reason.

    `loops`: whether it has closed ones. Explicit stages leave the loops' branch where two of them meet.
    """
    if loops:
        return "radau", "loops stay closed at every stage of it, so that they keep their branch at singular positions"
    if fastest == 0.0:
        return "dop853", "no link, joint or gain oscillates or decays, so an explicit method of high order is best"
    limit = 3.0 / fastest  # stability of explicit methods
    steps = duration / limit
    if steps < EXPLICIT_STEPS:
        reason = f"the fastest eigenvalue, {fastest:.3g} 1/s, allows explicit steps of {limit:.2g} s"
        return "dop853", reason
    reason = (
        f"the fastest eigenvalue, {fastest:.3g} 1/s, would hold explicit methods to steps of {limit:.2g} s "
        f"({steps:.3g} of them)"
    )
    return "radau", reason


def followed_vibrations(poles: np.ndarray, step: float, atol: float) -> str:
    """What to change where steps of the mean size `step` (s) follow fast undamped vibrations; "" where they do not."""
    fast = poles[(poles.imag > 2 * np.pi * FAST) & (-poles.real < UNDAMPED * np.abs(poles))]
    if not fast.size or step > 0.1 / FAST:
        return ""
    hz = fast.imag.min() / (2 * np.pi)
    return (
        f"; steps of {1e3 * step:.2g} ms follow undamped vibrations of {hz:.3g} Hz and more: give links and gears "
        f"damping, tell with follow=... which is the highest frequency that matters, or where less than "
        f"{10 * atol:.0e} m of them matters, raise atol to that"
    )
