"""Why a run ends before its time, in words with a remedy."""

from __future__ import annotations

import traceback
from typing import NamedTuple

import numpy as np

from lissom.errors import LissomError
from lissom.simulation.ending import Ending
from lissom.simulation.fastest import fastest_rate
from lissom.simulation.loop_doubt import dead_centre, overdetermined
from lissom.simulation.memory import Memory
from lissom.simulation.methods import STABILITY, Method
from lissom.simulation.stepping import NEXT_STEP, TIME, Status
from lissom.simulation.watch import Watch

FAILURES = {Status.FAILED: Ending.NOT_CONVERGED, Status.NOT_FINITE: Ending.NOT_FINITE}


class Stop(NamedTuple):
    """Why a run ends where it does."""

    ending: Ending
    message: str = ""


def march_failure(code: int, memory: Memory, method: Method, watch: Watch) -> Stop:
    """Of a method that ended with a code of `FAILURES`."""
    t, h = memory.state.clock[TIME], memory.state.clock[NEXT_STEP]
    worst = watch.worst(memory.state)
    if code == Status.NOT_FINITE:
        remedy = f"take a smaller step than {memory.step:.3g} s" if method.fixed else "check forces and masses"
        text = unstable(memory, method) or f"the state became infinite after t = {t:.6g} s ({worst}); {remedy}"
    else:
        text = f"{method.name} did not converge at t = {t:.6g} s with steps down to {h:.2g} s ({worst}); "
        remedy = "loosen rtol or atol, or look for a jump or a stiff stop there"
        told = overdetermined(memory.model, memory.state.q) or dead_centre(memory.model, memory.state.q)
        text += told or remedy
    return Stop(FAILURES[Status(code)], text)


def unstable(memory: Memory, method: Method) -> str:
    """Whether an explicit method's fixed step was too large for the start already, and by how much."""
    if method.implicit or not method.fixed or memory.step is None:
        return ""
    s = memory.state
    s.q[:], s.v[:] = memory.start
    memory.accelerate(0.0)
    fastest = fastest_rate(memory.model, memory.packed, memory.scratch, s)
    limit = STABILITY.get(method.name, 3.0) / fastest if fastest > 0 else np.inf
    if memory.step < limit:
        return ""
    return (
        f"{method.name} is unstable with steps of {memory.step:.3g} s at t = {s.clock[TIME]:.6g} s: the fastest "
        f"eigenvalue, {fastest:.3g} 1/s, asks for less than {limit:.2g} s; take smaller steps, or method radau"
    )


def function_failure(error: Exception, t: float, whose: str = "the controller") -> str:
    """What to tell about an error in a controller's or load's function: its own words, or what it is and where."""
    if isinstance(error, LissomError):
        return str(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__}: {error}"
    return f"{whose} failed at t = {t:.6g} s with {what} ({place.filename}, line {place.lineno})"
