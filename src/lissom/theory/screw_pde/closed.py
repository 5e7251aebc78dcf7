"""Time integration with closures: the wrench of each is an unknown of the stacked system, its section stays held.

States are the model's own coordinates, so that joints hold by themselves; closures hold at acceleration level, and the
result says how far their sections have drifted. Steps are those of Dormand and Prince 1980, order 5.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from lissom.errors import LissomError
from lissom.lie import se3
from lissom.theory.screw_pde.formulation import ScrewPDE
from lissom.theory.screw_pde.motion import STAGES, WEIGHTS, Motion
from lissom.theory.screw_pde.system import System

Array = np.ndarray


def integrate_closed(
    formulation: ScrewPDE,
    times: Array,
    step: float,
    forces: Callable[[float, Array, Array], Array],
    start: tuple[Array, Array],
    progress: Callable[[float], None] | None,
) -> Motion:
    """The motion at `times` from the state `start`; `forces(t, q, v)` are those of a continuous law."""
    f, model = formulation, formulation.model
    if model.nq != model.nv:
        raise LissomError("closures are integrated in scalar coordinates; leave out joints with quaternions")
    q, v = (np.array(x, float) for x in start)
    began, (held, samples) = time.perf_counter(), (_sections(f, q), [])
    per_sample = max(1, int(np.ceil((times[1] - times[0]) / step - 1e-9))) if len(times) > 1 else 1
    for k, t in enumerate(times):
        if k:
            h = (t - times[k - 1]) / per_sample
            for s in range(per_sample):
                q, v = _stepped(f, forces, times[k - 1] + s * h, h, q, v)
        samples.append(_sample(f, q, v, forces(float(t), q, v), held))
        if progress is not None:
            progress(float(t))
    steps = per_sample * (len(times) - 1)
    columns: dict[str, Any] = {name: np.array([sample[name] for sample in samples]) for name in samples[0]}
    drift = columns["position_drift"]
    return Motion(
        time=times,
        step_drift=float(drift.max()),
        method="closed",
        steps=steps,
        evaluations=steps * len(STAGES),
        wall=time.perf_counter() - began,
        **columns,
    )


def _stepped(f: ScrewPDE, forces: Callable, t: float, h: float, q: Array, v: Array) -> tuple[Array, Array]:
    """State at the end of a step."""
    speeds: list[Array] = []
    pushes: list[Array] = []
    for weights in STAGES:
        place = q + h * sum((w * x for w, x in zip(weights, speeds)), np.zeros_like(q))
        speed = v + h * sum((w * x for w, x in zip(weights, pushes)), np.zeros_like(v))
        speeds.append(speed)
        pushes.append(f.accelerations(place, speed, forces(t + h * sum(weights), place, speed)))
    end = [sum((w * x for w, x in zip(WEIGHTS, parts)), np.zeros_like(q)) for parts in (speeds, pushes)]
    return q + h * end[0], v + h * end[1]


def _sections(f: ScrewPDE, q: Array) -> list[Array]:
    """Poses (4, 4) of the sections that closures hold."""
    return [f.pose(q, closure.link, closure.x) for closure in f.closures]


def _sample(f: ScrewPDE, q: Array, v: Array, tau: Array, held: list[Array]) -> dict[str, Any]:
    """Everything that is kept of one state."""
    gaps = [
        closure.directions @ se3.log(se3.inverse(before) @ now)
        for closure, before, now in zip(f.closures, held, _sections(f, q), strict=True)
    ]
    f.evaluate(q, v, tau)
    solution = System.of(f).solve()
    energy = f.energy(q, v)
    f.place(q, v)
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
        "position_drift": max(float(np.abs(gap).max()) for gap in gaps),
        "velocity_drift": 0.0,
    }
