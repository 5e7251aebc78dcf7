"""Why a run ends before its time, in words with a remedy."""

from __future__ import annotations

import traceback
from typing import NamedTuple

import numpy as np

from lissom.errors import LissomError
from lissom.kernel.data.arrays import Element
from lissom.lie import quaternion
from lissom.simulation.equations.system import acceleration
from lissom.simulation.integrators.integrator_state import NEXT_STEP, TIME, State, Status
from lissom.simulation.integrators.method_choice import STIFF
from lissom.simulation.integrators.registry import Method
from lissom.simulation.postprocess import Wanted, observe
from lissom.simulation.status.loop_singularity import dead_centre, describe_overdetermined
from lissom.simulation.status.run_ending import Ending
from lissom.simulation.status.run_limits import RunLimits
from lissom.simulation.stepping.run_memory import RunMemory
from lissom.simulation.stepping.spectral_radius import spectral_radius

LARGE_TURN = 150.0  # degrees of a bushing, by which a run is likely to have ended at half a turn
FAILURES = {Status.FAILED: Ending.NOT_CONVERGED, Status.NOT_FINITE: Ending.NOT_FINITE}


class Stop(NamedTuple):
    """Why a run ends where it does."""

    ending: Ending
    message: str = ""


def march_failure(status: Status, memory: RunMemory, method: Method, limits: RunLimits) -> Stop:
    """Return why a run ends whose method stopped with a status of `FAILURES`."""
    t, h = memory.state.clock[TIME], memory.state.clock[NEXT_STEP]
    worst = limits.worst(memory.state)
    if status is Status.NOT_FINITE:
        remedy = f"take a smaller step than {memory.step:.3g} s" if method.fixed else "check forces and masses"
        text = unstable(memory, method) or f"the state became infinite after t = {t:.6g} s ({worst}); "
        text += "" if text.endswith(STIFF) else find_turned_bushing(memory) or remedy
    else:
        text = f"{method.name} did not converge at t = {t:.6g} s with steps down to {h:.2g} s ({worst}); "
        remedy = "loosen rtol or atol, or look for a jump or a stiff stop there"
        told = describe_overdetermined(memory.model, memory.state.q) or dead_centre(memory.model, memory.state.q)
        text += told or find_turned_bushing(memory) or remedy
    return Stop(FAILURES[status], text)


def find_turned_bushing(memory: RunMemory) -> str:
    """Return which bushing had turned nearly by half a turn at the last sample, where its springs have no direction."""
    model, last = memory.model, int(memory.record.next[0]) - 1
    named = {k: part.name for k, part in enumerate(model.robot.elements) if part.kind is Element.BUSHING}
    if not named or last < 0:
        return ""
    still = np.zeros((1, model.nv))
    seen = observe(model, memory.record.q[last : last + 1], still, still, look=Wanted.PLACES)
    links = quaternion.to_matrix(seen.link_orientation[0])
    axes = np.concatenate([np.eye(3)[None], links, seen.frame_axes[0]])  # by the kernel's rows
    elements = model.arrays.elements
    for k, name in named.items():
        relative = axes[elements.first[k]].T @ axes[elements.second[k]]
        angle = np.degrees(np.arccos(np.clip((np.trace(relative) - 1) / 2, -1, 1)))
        if angle > LARGE_TURN:
            return (
                f"the bushing {name} is turned by {angle:.0f} degrees and its springs have no direction at 180; "
                "stiffen it, stop the turn, or take a joint with a spring for large turns"
            )
    return ""


def unstable(memory: RunMemory, method: Method) -> str:
    """Return whether an explicit method's fixed step was too large for the start already, and by how much."""
    if method.integrator.implicit or not method.fixed or memory.step is None:
        return ""
    s = State(*(array.copy() for array in memory.state))
    s.q[:], s.v[:] = memory.start
    acceleration(memory.packed, memory.scratch, 0.0, s.q, s.v, s.a)
    fastest = spectral_radius(memory.model, memory.packed, memory.scratch, s)
    limit = method.integrator.stability / fastest if fastest > 0 else np.inf
    if memory.step < limit:
        return ""
    return (
        f"{method.name} is unstable with steps of {memory.step:.3g} s at t = {s.clock[TIME]:.6g} s: the fastest "
        f"eigenvalue, {fastest:.3g} 1/s, asks for less than {limit:.2g} s; take smaller steps, or method {STIFF}"
    )


def function_failure(error: Exception, t: float, whose: str = "the controller") -> str:
    """Return what to tell about an error in a user's function: its own words, or what it is and where."""
    if isinstance(error, LissomError):
        return str(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__}: {error}"
    return f"{whose} failed at t = {t:.6g} s with {what} ({place.filename}, line {place.lineno})"
