"""Any formulation in time: one implicit integrator for all, so that only the physics differs.

Forces or accelerations come from the formulation alone. The kernel's exact Jacobian serves as the Newton matrix of the
implicit method: it decides how fast Newton's method converges, never to what.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lissom.errors import LissomError
from lissom.theory.formulation import KERNEL, Formulation, Limit, Offer

if TYPE_CHECKING:
    from lissom.control.references.reference import Reference
    from lissom.results.trajectory import Trajectory
    from lissom.simulation.equations.system import Dynamics
    from lissom.simulation.raw_run import RawRun
    from lissom.simulation.settings import RunSettings


class Stopped(LissomError):
    """A simulation that could not go on; `run` is the Trajectory of what was computed before."""

    def __init__(self, message: str, run: Trajectory) -> None:
        super().__init__(message)
        self.run = run


def simulate(
    formulation: Formulation,
    duration: float,
    *,
    controller: Any = None,
    start: Any = None,
    motion: Mapping[str, Reference] | None = None,
    loads: Any = None,
    rtol: float = 1e-7,
    atol: float = 1e-9,
    progress: Callable[[float], Any] | None = None,
    **options: Any,
) -> Trajectory:
    """Simulate a formulation by Radau IIA of order 5 (Hairer and Wanner 1996), in lissom's own time loop.

    A formulation with compiled `dynamics` runs at full speed; the methods of others are called back. Where a
    formulation reaches its `limit`, or an integration fails, `Stopped` carries what was computed before.

    Parameters
    ----------
    duration, controller, start, **options
        As in `lissom.simulate`.
    motion : mapping of Reference, optional
        References of the joints that the model was compiled with as prescribed.
    loads : sequence of lissom.Load, optional
        Forces and torques over time on links, as in `lissom.simulate`, through the formulation's own kinematics.
    rtol, atol : float
        Error allowed per step, relative and absolute; in velocities atol times each coordinate's frequency.
    progress : function of float, optional
        Called now and then with the time that is reached.

    Returns
    -------
    Trajectory
        Its wrenches are those of the formulation.
    """
    from lissom.simulation.settings import RunSettings

    _check_motion(formulation, motion or {})
    settings = RunSettings.of(duration, rtol=rtol, atol=atol, method="radau", audit=False, **options)
    drive = {"controller": controller, "start": start, "motion": motion, "loads": loads, "progress": progress}
    if loads and formulation.name != KERNEL:
        from lissom.simulation.inputs.loads import activate, as_loads
        from lissom.theory.connections.connected import ConnectedFormulation

        base = formulation.base if isinstance(formulation, ConnectedFormulation) else formulation.of_tree()
        active = activate(formulation.model, as_loads(loads), duration)[1]
        formulation = ConnectedFormulation(base, formulation.model, active.frames, active.in_world)
    return _finish(formulation, _run(formulation, settings, **drive))


def _check_motion(formulation: Formulation, motion: Mapping[str, Reference]) -> None:
    driven = {element.name for element in formulation.model.robot.elements}  # cylinders that follow a reference
    if set(formulation.model.prescribed) != set(motion) - driven:
        text = "give a reference for every joint that the model was compiled with as prescribed, and for no other"
        raise LissomError(text, ("motion",))


def _run(formulation: Formulation, settings: RunSettings, **drive: Any) -> RawRun:
    """Return a run of the formulation's own equations, compiled or called back."""
    from lissom.simulation.status.run_ending import Ending
    from lissom.theory.callback import last_error

    with formulation.called():
        try:
            raw = _solve_forces(formulation, formulation.tree_dynamics, settings, **drive)
        except LissomError as error:
            raise last_error() or error from None
        cause, after = last_error(), f"after t = {raw.time[-1]:.6g} s"
    if cause is None or raw.status not in (Ending.NOT_CONVERGED, Ending.NOT_FINITE):
        return raw
    if isinstance(cause, KeyboardInterrupt):
        text = f"stopped by hand {after}; what was computed is kept"
        return replace(raw, status=Ending.INTERRUPTED, message=text)
    return replace(raw, status=Ending.FORMULATION_FAILED, message=f"{after}: {cause}")


def _solve_forces(formulation: Formulation, dynamics: Dynamics, settings: RunSettings, **drive: Any) -> RawRun:
    """Newton's method solves for the forces, which asks for a mass matrix less than twice the kernel's.

    Where it does not converge within what the formulation describes, or there is no inverse dynamics, it solves for the
    accelerations: that asks for short steps alone.
    """
    from lissom.simulation.status.run_ending import Ending
    from lissom.simulation.stepping.time_loop import simulate_raw
    from lissom.theory.callback import last_error

    if Offer.INVERSE_DYNAMICS in formulation.offers:
        raw = simulate_raw(formulation.model, settings, dynamics=dynamics, **drive)
        if raw.status is not Ending.NOT_CONVERGED or last_error() is not None or formulation.limit(raw) is not None:
            return raw
    from lissom.theory.on_accelerations import on_accelerations

    on_those = on_accelerations(formulation.loaded, dynamics)
    return simulate_raw(formulation.model, settings, dynamics=on_those, **drive)


def _finish(formulation: Formulation, raw: RawRun) -> Trajectory:
    """Return the trajectory of a run; `Stopped` where it did not get to the end."""
    from lissom.simulation.status.run_ending import Ending
    from lissom.theory.own_wrenches import from_run

    limit = formulation.limit(raw)
    if limit is not None:
        raw = _cut_outputs(raw, limit)
    run = from_run(raw, formulation)
    if raw.status is not Ending.FINISHED:
        raise Stopped(raw.message, run)
    return run


def _cut_outputs(raw: RawRun, limit: Limit) -> RawRun:
    """Return the outputs of a run that are good, where it had to stop there."""
    from lissom.simulation.status.run_ending import Ending

    n = limit.outputs
    return replace(
        raw,
        time=raw.time[:n],
        q=raw.q[:n],
        v=raw.v[:n],
        a=raw.a[:n],
        tau=raw.tau[:n],
        work=raw.work[:n],
        dissipated=raw.dissipated[:n],
        status=Ending.OUT_OF_RANGE,
        message=limit.reason,
    )
