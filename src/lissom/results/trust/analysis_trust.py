"""Error bars of what a function computes of a robot: natural modes, statics, responses, sensitivities."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from lissom.errors import LissomError
from lissom.model.any_robot import as_model, as_robot
from lissom.model.description.robot import Robot
from lissom.model.model import Model
from lissom.results.trust.carried_inputs import carried_controller, carried_state
from lissom.results.trust.headline import Headline, Numbers
from lissom.results.trust.measurement import Computed, Question

FINER = 1e-8  # rtol, where a function integrates with 1e-6 unless told otherwise
TIGHTER = 100.0  # times smaller than what it is told
MOST = 50  # numbers of one array: of longer ones the largest alone has an error bar


def analysis_question(function: Callable[..., Any], arguments: Sequence[Any], more: Mapping[str, Any]) -> Question:
    """Return the numbers that a function gives of a robot, its first argument, and how they are computed again."""
    if not callable(function) or not arguments:
        raise LissomError("takes a run, or a function of a robot and its arguments: trust(natural_modes, 'ella')")
    given, *rest = arguments
    robot = as_robot(given)
    try:
        named = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        named = []

    def compute(other: Robot, finer: bool) -> Computed:
        began = time.perf_counter()
        call = dict(zip(named[1:], rest)) | dict(more) if len(named) > len(rest) else dict(more)
        loose = [] if len(named) > len(rest) else rest
        if other is not robot:
            call = _carry_arguments(as_model(robot), as_model(other), call)
        if finer and "rtol" in named:
            call["rtol"] = call["rtol"] / TIGHTER if "rtol" in call else FINER
        return Computed(
            numbers_of(function(given if other is robot else other, *loose, **call)), time.perf_counter() - began
        )

    plain = compute(robot, False)
    remedies = {"time": f"rtol={FINER:g}"}
    return Question(robot, plain.numbers, compute, plain.wall, remedies, steps="rtol" in named)


def numbers_of(result: Any) -> Numbers:
    """Return the numbers of a result by name: those that it calls its main ones, or all of an array or a mapping."""
    own = getattr(result, "main_numbers", None)
    if own is not None:
        return {name: Headline(float(value), unit) for name, (value, unit) in own().items()}
    if isinstance(result, Mapping):
        parts = {str(key): numbers_of(value) for key, value in result.items()}
        return {
            key if len(part) == 1 else f"{key} {name}": one for key, part in parts.items() for name, one in part.items()
        }
    values = np.asarray(result)
    if values.dtype.kind not in "biufc":
        raise LissomError(
            f"a {type(result).__name__} has no numbers; let the function return some, such as {{name: 1.0}}"
        )
    values = np.abs(values) if values.dtype.kind == "c" else values.astype(float)
    if values.size == 1:
        return {"value": Headline(float(values.ravel()[0]), "")}
    if values.size > MOST:
        return {"largest": Headline(float(np.abs(values).max()), "")}
    return {f"value {', '.join(map(str, at))}": Headline(float(one), "") for at, one in np.ndenumerate(values)}


def _carry_arguments(old: Model, new: Model, call: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a function for another model: states as arrays, and controllers, are carried over."""
    out = dict(call)
    q, v = out.get("q"), out.get("v")
    places, speeds = _is_state(q, old.nq), _is_state(v, old.nv)
    if places or speeds:
        carried = carried_state(
            old,
            new,
            np.asarray(q, float) if places else old.neutral(),
            np.asarray(v, float) if speeds else np.zeros(old.nv),
        )
        out |= ({"q": carried[0]} if places else {}) | ({"v": carried[1]} if speeds else {})
    if "controller" in out:
        out["controller"] = carried_controller(old, new, out["controller"])
    start = out.get("start")
    own = getattr(start, "q", None)  # of an equilibrium
    start = own if isinstance(own, np.ndarray) else start
    if isinstance(start, tuple) and len(start) == 2:
        out["start"] = carried_state(old, new, *(np.asarray(part, float) for part in start))
    elif _is_state(start, old.nq):
        out["start"] = carried_state(old, new, np.asarray(start, float), np.zeros(old.nv))[0]
    return out


def _is_state(value: Any, size: int) -> bool:
    """Return whether an argument is a state as an array, of so many numbers."""
    return isinstance(value, np.ndarray | list | tuple) and np.size(value) == size
