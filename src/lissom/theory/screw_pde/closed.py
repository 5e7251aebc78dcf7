"""Time integration with closures: the wrench of each is an unknown of the stacked system.

States are the model's own coordinates, so that joints hold by themselves; steps are those of Dormand and Prince 1980,
order 5, with quaternions on their group. Closures hold at acceleration level; where steps are projected, each ends on
their positions and velocities. The result says how far frames have drifted apart.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from lissom.dynamics.state_checks import integrate as moved
from lissom.kernel.maths.chart import chart_rate
from lissom.theory.screw_pde.closure import Closure
from lissom.theory.screw_pde.formulation import ScrewPDE
from lissom.theory.screw_pde.motion import STAGES, WEIGHTS, IntegratedMotion
from lissom.theory.screw_pde.relative import gaps, rates, relative
from lissom.theory.screw_pde.system import System

Array = np.ndarray
Forces = Callable[[float, Array, Array], Array]
CLOSED = 1e-13  # m or rad: no correction makes it better
SINGULAR = 1e-9  # of the largest: directions that closures hold twice


def integrate_closed(
    formulation: ScrewPDE,
    times: Array,
    step: float,
    forces: Forces,
    start: tuple[Array, Array],
    progress: Callable[[float], None] | None,
    project: bool,
) -> IntegratedMotion:
    """Integrate the motion at `times` from the state `start`; `forces(t, q, v)` are those of a continuous law."""
    q, v = (np.array(x, float) for x in start)
    began, f, samples = time.perf_counter(), _hold_sections(formulation, q), []
    per_sample = max(1, int(np.ceil((times[1] - times[0]) / step - 1e-9))) if len(times) > 1 else 1
    drift = 0.0
    for k, t in enumerate(times):
        if k:
            h = (t - times[k - 1]) / per_sample
            for s in range(per_sample):
                q, v = _step(f, forces, times[k - 1] + s * h, h, q, v)
                drift = max(drift, _gaping(f, q, v)[0])
                if project:
                    q, v = _project(f, q, v)
        samples.append(_sample(f, q, v, forces(float(t), q, v)))
        if progress is not None:
            progress(float(t))
    steps = per_sample * (len(times) - 1)
    columns: dict[str, Any] = {name: np.array([sample[name] for sample in samples]) for name in samples[0]}
    return IntegratedMotion(
        time=times,
        step_drift=drift,
        method="projected" if project else "exponential",
        steps=steps,
        evaluations=steps * len(STAGES),
        wall=time.perf_counter() - began,
        **columns,
    )


def _hold_sections(formulation: ScrewPDE, q: Array) -> ScrewPDE:
    """Return the formulation, with sections that are held in the world held where they are."""
    f = copy.copy(formulation)
    f.place(q, np.zeros(f.model.nv))
    places = [relative(f, k).second.pose for k in range(len(f.closures))]
    held = zip(f.closures, places, strict=True)
    f.closures = tuple(replace(each, place=at) if isinstance(each, Closure) else each for each, at in held)
    return f


def _step(f: ScrewPDE, forces: Forces, t: float, h: float, q: Array, v: Array) -> tuple[Array, Array]:
    """State at the end of a step."""
    still = np.zeros_like(v)
    turns: list[Array] = []
    pushes: list[Array] = []
    for weights in STAGES:
        u = h * sum((w * x for w, x in zip(weights, turns)), still)
        speed = v + h * sum((w * x for w, x in zip(weights, pushes)), still)
        place, rate = moved(f.model, q, u), np.zeros_like(v)
        chart_rate(f.model.struct, u, speed, rate)
        turns.append(rate)
        pushes.append(f.accelerations(place, speed, forces(t + h * sum(weights), place, speed)))
    u, change = (h * sum((w * x for w, x in zip(WEIGHTS, parts)), still) for parts in (turns, pushes))
    return moved(f.model, q, u), v + change


def _project(f: ScrewPDE, q: Array, v: Array) -> tuple[Array, Array]:
    """Return the nearest state on the closures' positions and velocities."""
    G = _jacobian(f, q)
    for _ in range(4):
        f.place(q, 0 * v)
        gap = gaps(f)
        if np.abs(gap).max() < CLOSED:
            break
        q = moved(f.model, q, -np.linalg.pinv(G, SINGULAR) @ gap)
        G = _jacobian(f, q)
    return q, v - np.linalg.pinv(G, SINGULAR) @ (G @ v)


def _jacobian(f: ScrewPDE, q: Array) -> Array:
    """Speeds along the directions held per velocity of the model, (k, nv)."""
    columns = []
    for unit in np.eye(f.model.nv):
        f.place(q, unit)
        columns.append(rates(f))
    return np.stack(columns, axis=1)


def _gaping(f: ScrewPDE, q: Array, v: Array) -> tuple[float, float]:
    """Largest gap of a closure and its rate."""
    f.place(q, v)
    return float(np.abs(gaps(f)).max()), float(np.abs(rates(f)).max())


def _sample(f: ScrewPDE, q: Array, v: Array, tau: Array) -> dict[str, Any]:
    """Everything that is kept of one state."""
    f.evaluate(q, v, tau)
    solution = System.of(f).solve()
    energy, (gap, rate) = f.energy(q, v), _gaping(f, q, v)
    return {
        "q": q,
        "v": v,
        "tau": tau,
        "poses": f.frame_poses(),
        "twists": f.work.V.copy(),
        "accelerations": solution.accelerations,
        "wrenches": solution.wrenches,
        "closures": solution.closures,
        "energy": energy.total,
        "kinetic": energy.kinetic,
        "position_drift": gap,
        "velocity_drift": rate,
    }
