"""Prescribed motions from the `motion:` block of a scenario file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lissom.control import Reference, checks
from lissom.control.channels import channels
from lissom.control.config import reference_from_config
from lissom.errors import LissomError, ScenarioError
from lissom.messages import did_you_mean, listed
from lissom.model.compiled import Model

SMOOTH = ("quintic", "trapezoid", "via", "csv", "spin-up", "constant")
SPIN_UP = ("type", "speed", "duration", "begin")


def motions(model: Model, config: Mapping[str, Any], start: np.ndarray, duration: float) -> dict[str, Reference]:
    """{joint: Reference} for `lissom.simulate`.

    Args:
        model: the robot with all its joints free.
        config: {joint: {type: quintic, to: 1.0, duration: 2}}; besides the smooth references of controllers there is
            {type: spin-up, speed, duration}.
        start: configuration (nq,) at the start, from which motions begin unless they say otherwise.
        duration: s, of the whole run.
    """
    made = {}
    for joint, block in config.items():
        field = f"motion.{joint}"
        selected = channels(model, [joint], "motion")
        if joint not in model.joints:
            whole = selected[0].joint
            raise ScenarioError(
                f"{field}: a joint is prescribed as a whole; write {whole}: with one value per coordinate"
            )
        kind = block.get("type")
        if kind not in SMOOTH:
            given = f"type = {checks.brief(kind)}: is unknown{did_you_mean(kind, SMOOTH)}" if kind else "type: missing"
            if kind in ("step", "steps"):
                given = f"type = {checks.brief(kind)}: jumps, which would take an infinite torque"
            raise ScenarioError(f"{field}.{given}; choose {listed(SMOOTH)}")
        if kind == "spin-up":
            first = np.array([start[channel.joint_q] for channel in selected])
            reference = spin_up(block, first, duration, field)
        else:
            reference = reference_from_config(model, block, [joint], start, field=field)
        _check_smooth(reference, duration, field)
        made[joint] = reference
    return made


def spin_up(block: Mapping[str, Any], start: np.ndarray, duration: float, field: str) -> Reference:
    """From rest to a constant speed, see `Reference.spin_up`; `duration` is that of the run."""
    for key, value in block.items():
        if key not in SPIN_UP:
            what = f"is unknown{did_you_mean(key, SPIN_UP)}"
            raise ScenarioError(
                f"{field}.{key} = {checks.brief(value)}: {what}; known here are {listed(SPIN_UP, 'and')}"
            )
    for key in ("speed", "duration"):
        if block.get(key) is None:
            raise ScenarioError(f"{field}.{key}: missing; give the final speed and the time it takes to reach it")
    w = checks.numbers(block["speed"], f"{field}.speed", "give the final speed in rad/s or m/s", len(start))
    T = checks.number(block["duration"], f"{field}.duration", "give the time of spinning up in seconds", above=0)
    begin = checks.number(block.get("begin", 0.0), f"{field}.begin", "give a time in seconds", at_least=0)
    until = max(begin + T, duration) + 1.0  # a reference rests after its end: past that of the run
    return Reference.spin_up(w, T, until, start, begin)


def _check_smooth(reference: Reference, duration: float, field: str) -> None:
    jumps = reference.discontinuities(1)
    inside = jumps[(jumps > 0) & (jumps < duration * (1 - 1e-9))]
    if inside.size:
        raise LissomError(
            f"{field}: its value or its speed jumps at t = {inside[0]:.4g} s, which would take an infinite torque; "
            "prescribe a smooth motion from rest to rest, such as quintic"
        )
