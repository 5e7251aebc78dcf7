"""Controllers for many poses: designs at several of them, blended by where the reference stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lissom.control.design.sampled_loop import check_range
from lissom.control.laws.channels import channels, reference_of
from lissom.control.laws.digital_law import as_digital, check_path
from lissom.control.laws.sampled_control import Sampled
from lissom.control.references.reference import Reference
from lissom.dynamics.coordinates import configuration
from lissom.errors import LissomError, within
from lissom.model.any_robot import AnyRobot, as_model

MORE = "design at more poses, or for less bandwidth"


def schedule(
    robot: AnyRobot,
    design: Callable[..., Sampled],
    poses: Any,
    *,
    reference: Any = None,
    each: Sequence[Mapping[str, Any]] = (),
    **options: Any,
) -> Sampled:
    """Return designs at several poses as one controller, blended by where the reference stands.

    All designs run beside each other on what acts, so that none of them jumps when its turn comes; the torque is the
    mean of the two whose poses the reference is between, weighted by how near it is (a local controller network, Hunt
    and Johansen 1997).

    Parameters
    ----------
    robot : str, Robot or Model
        What is controlled.
    design : callable
        `lqr`, `lqg` or `pid`, or a function with the same arguments.
    poses : sequence or int
        Poses in order along a path, {joint: value} or (nq,), in rad or m; or how many at equal distances of time along
        the reference.
    reference
        What is followed, as in `pd`; the first pose unless given.
    each : sequence of mapping
        Arguments of single designs, one mapping for each pose: [{"gains": ...}, {"gains": ...}].
    **options
        Further arguments of all designs.

    Returns
    -------
    Sampled
        A controller for `simulate`, C code and FMUs.

    Examples
    --------
    >>> from lissom import control
    >>> motion = control.Reference.quintic([0.0], [1.2], 1.0)
    >>> law = control.schedule("spinup-beam", control.lqr, 3, reference=motion)
    >>> len(law.function.designs)
    3
    """
    model = as_model(robot)
    whole = isinstance(poses, int) and not isinstance(poses, bool)
    if whole and (poses < 2 or not isinstance(reference, Reference)):
        text = "must be 2 or more, and needs a Reference to go along; or give the poses themselves"
        raise LissomError(text, ("poses",), poses)
    if not whole and (not isinstance(poses, Sequence | np.ndarray) or isinstance(poses, str) or len(poses) < 2):
        raise LissomError("must be two poses or more, {joint: value} each, or how many", ("poses",), poses)
    count = poses if whole else len(poses)
    if each and len(each) != count:
        raise LissomError(f"has {len(each)} mappings for {count} poses; give one for each", ("each",))
    made = []
    for k in range(count):
        own = {**options, **(dict(each[k]) if each else {})}
        gains = own.pop("gains", None)
        names = own.get("joints") if gains is None else gains
        with within("poses", k):
            q = _along(model, reference, k / (count - 1), names) if whole else configuration(model, poses[k], "pose")
            if gains is None:
                found = design(model, q, **own)
            else:  # a law of single joints, which stands where the pose is
                rest = {channel.name: q[channel.joint_q] for channel in channels(model, gains, "gains")}
                found = design(model, gains, rest, **own)
        law = as_digital(found.function)
        if law is None:
            raise LissomError("must be lqr, lqg or pid, whose designs are data", ("design",), design)
        made.append((found, replace(law, poses=np.array([[q[index[0]] for index in law.positions]]))))
    first = made[0][1]
    for k, (_, law) in enumerate(made):
        if law.names != first.names or law.measured != first.measured:
            raise LissomError("controls or measures other things than the first one", ("poses", k))
    path = np.concatenate([law.poses for _, law in made])
    check_path(path)
    law = replace(
        first,
        name=f"{first.name}, scheduled",
        designs=tuple(design for _, law in made for design in law.designs),
        poses=path,
    )
    if reference is not None:
        law = law.following(reference_of(model, channels(model, law.names, "reference"), reference))
    controller = Sampled(law, made[0][0].rate, made[0][0].delay, law.sensors)
    check_range(model, controller, law.reference, "schedule", MORE)
    return controller


def _along(model: Any, reference: Reference, share: float, names: Any) -> np.ndarray:
    """Return the configuration at a share of the time of a reference."""
    from lissom.control.design.state_feedback import controlled_coordinates

    selected = channels(model, names, "gains") if isinstance(names, Mapping) else controlled_coordinates(model, names)
    begin = float(reference.breaks[0])
    r = reference(begin + share * (reference.end - begin))[0]
    q = model.neutral()
    for k, channel in enumerate(selected):
        q[[channel.joint_q, channel.motor_q]] = r[k]
    return q
