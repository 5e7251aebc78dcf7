"""Continuous control laws, run inside the compiled simulation: PD, gravity compensation, computed torque."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.control import argument_checks
from lissom.control.choices import SIDES, Side
from lissom.control.laws.channels import ControlledCoordinate, by_channel, channels, check_units, indices, reference_of
from lissom.control.laws.control_law import ControlLaw, JointLaw
from lissom.control.laws.law_kinds import COMPUTED_TORQUE, FEEDFORWARD, GRAVITY, IMPEDANCE, PD, LawKind
from lissom.control.laws.rigid_model import rigid_twin
from lissom.control.references.reference import Reference
from lissom.errors import LissomError
from lissom.messages import did_you_mean, listed
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.compilation.tip_frames import tip_of
from lissom.model.model import Model
from lissom.model.schema.number_fields import kind_of
from lissom.model.schema.units import DAMPING, FORCE, STIFFNESS

Gains = Mapping[str, Mapping[str, ArrayLike]]
_P = "give p in N m/rad (N/m when sliding)"
_D = "give d in N m s/rad (N s/m when sliding), 0 for none"


def pd(
    robot: AnyRobot,
    gains: Gains,
    reference: Any,
    side: Side = "joint",
    gravity_compensation: bool = False,
    saturation: Any = None,
    feedforward: Any = None,
    inverse_dynamics: bool = False,
) -> ControlLaw:
    """Return proportional-derivative control of the joints that `gains` name; the other joints are left alone.

    Parameters
    ----------
    robot : str, Robot or Model
        What is controlled.
    gains : mapping
        {joint: {"p": ..., "d": ...}} in N m/rad and N m s/rad; a number or one per coordinate.
    reference : Reference, array_like or mapping
        A Reference with one channel per controlled coordinate in the model's order, numbers (a set-point), or
        {joint: Reference or numbers}.
    side : {"joint", "motor"}
        What is measured where a joint has an elastic transmission: the joint, or the motor behind the gear. The torque
        acts on the motor in any case.
    gravity_compensation : bool
        Whether the torque is added that holds the rigid twin at the measured angles.
    saturation : float or mapping, optional
        The largest torque: a number, or {joint: limit or [lower, upper]}.
    feedforward : mapping, optional
        Torques to add: {joint: Reference or number}, zero for joints that are not named.
    inverse_dynamics : bool
        Whether the torque is added that the rigid twin needs to move as the reference does, the damping and friction
        of its joints included.

    Returns
    -------
    ControlLaw
        The law, for `simulate`; called with (t, q, v) it returns its forces (nv,).

    Examples
    --------
    >>> law = pd("ella", {"elbow": {"p": 600.0, "d": 40.0}}, [0.3], saturation=50.0)
    >>> law.names
    ('elbow',)

    Equations: 003 (83).
    """
    if gravity_compensation and inverse_dynamics:
        text = "holds the weight already, along the reference; leave one of the two out"
        raise LissomError(text, ("inverse_dynamics",), inverse_dynamics)
    kind = FEEDFORWARD if inverse_dynamics else GRAVITY if gravity_compensation else PD
    return joint_law(robot, kind, gains, reference, side, saturation, feedforward)


def computed_torque(
    robot: AnyRobot, gains: Gains, reference: Any, side: Side = "joint", saturation: Any = None
) -> ControlLaw:
    """Return computed torque: the rigid twin's inverse dynamics linearises the joints, PD acts on their errors.

    Joints without gains are taken to move without acceleration. Rotors behind elastic gears count as inertia of their
    joints.

    Parameters
    ----------
    robot : str, Robot or Model
        What is controlled.
    gains : mapping
        {joint: {"p": ..., "d": ...}} per unit of inertia: p = omega^2 in 1/s2 and d = 2 zeta omega in 1/s.
    reference, side, saturation
        As in `pd`.

    Returns
    -------
    ControlLaw
        The law, for `simulate`.
    """
    return joint_law(robot, COMPUTED_TORQUE, gains, reference, side, saturation)


def impedance(
    robot: AnyRobot,
    link: str,
    stiffness: Any,
    damping: Any,
    reference: Any = None,
    joint_damping: Any = 0.0,
    side: Side = "joint",
    saturation: Any = None,
) -> ControlLaw:
    """Return the law that lets a tip give way like a spring and a damper, the weight balanced.

    The joints of the links from the base to the tip exert J^T F with F = K (x_r - x) + D (x_r' - x'), x the tip of the
    rigid twin at the measured joints and J its Jacobian, beside the torques that hold the twin.

    Parameters
    ----------
    robot : str, Robot or Model
        What is controlled.
    link : str
        The link whose tip it is.
    stiffness, damping : float or array_like
        K in N/m and D in N s/m, one for all or one for each axis of the world.
    reference : Reference or array_like, optional
        Where the tip is to be, three channels or numbers, in the world; where it is in the neutral pose unless given.
    joint_damping : float or mapping
        N m s/rad at the joints, which calms motions that leave the tip where it is: one for all, or {joint: value}.
    side, saturation
        As in `pd`.

    Returns
    -------
    ControlLaw
        The law, for `simulate`.

    Examples
    --------
    >>> law = impedance("rigid-7-axis", "link7", 500.0, 60.0, [0.4, 0.2, 0.6], joint_damping=2.0)
    >>> len(law.names)
    7
    """
    from lissom.dynamics import tip_pose

    model = as_model(robot)
    model.row(link)
    springs = argument_checks.numbers(stiffness, "stiffness", "give N/m, one or one for each axis", 3, at_least=0)
    dampers = argument_checks.numbers(damping, "damping", "give N s/m, one or one for each axis", 3, at_least=0)
    chain = [body.joint for body in model.bodies if body.link in _links_to(model, link) and len(body.v_names)]
    chain = [name for name in chain if not model.robot.link(model.joint(name).link).joint.kind.on_group]
    selected = channels(model, chain, "link")
    kd = by_channel(model, selected, joint_damping, "joint_damping", _D, at_least=0)
    aim = reference if reference is not None else tip_pose(model, model.neutral(), link)[:3, 3]
    if not isinstance(aim, Reference):
        aim = Reference.constant(argument_checks.numbers(aim, "reference", "give x, y, z in metres", 3))
    if aim.channels != 3:
        raise LissomError(f"has {aim.channels} channels, not 3; give x, y, z in metres", ("reference",))
    none = np.zeros(len(selected))
    law = _law(model, selected, (none, kd), none, side, saturation, IMPEDANCE, None)
    part = law.parts[0]
    assert part.twin is not None, "an impedance computes with one"
    lever = tip_of(part.twin, link)
    constants = tuple(float(x) for x in (*lever, *springs, *dampers))
    return ControlLaw((replace(part, constants=constants, tip=part.twin.row(link), aim=aim),))


def _links_to(model: Model, link: str) -> set[str]:
    """Return the links from the base to a link."""
    found: set[str] = set()
    while link in model.links:
        found.add(link)
        link = model.robot.link(link).parent
    return found


def torques(robot: AnyRobot, values: Mapping[str, Any], saturation: Any = None) -> ControlLaw:
    """Return a law in open loop: torques or forces over time.

    Parameters
    ----------
    robot : str, Robot or Model
        What is driven.
    values : mapping
        {joint: Reference or number}. A joint with several coordinates takes one number each, or single ones by name:
        {"base.vx": 20.0} pushes a free base along its x axis.
    saturation : float or mapping, optional
        The largest torque, as in `pd`.

    Returns
    -------
    ControlLaw
        The law, for `simulate`.
    """
    model = as_model(robot)
    if not isinstance(values, Mapping):
        raise LissomError("must be {joint: Reference or number}", ("torques",), values)
    selected = channels(model, values, "torques", measured=False)
    none = np.zeros(len(selected))
    feed = _torques(model, selected, values, "torques")
    return _law(model, selected, (none, none), none, "joint", saturation, PD, feed)


def joint_law(
    robot: AnyRobot,
    kind: LawKind,
    gains: Gains,
    reference: Any,
    side: Side = "joint",
    saturation: Any = None,
    feedforward: Any = None,
    constants: Sequence[float] = (),
) -> ControlLaw:
    """Return a law of any kind on the joints that `gains` name.

    Parameters
    ----------
    robot : str, Robot or Model
        What is controlled.
    kind : LawKind
        The kind of the law.
    gains, reference, side, saturation, feedforward
        As in `pd`; the kind says what its gains are.
    constants : sequence of float
        Further numbers that the kernel of a law from outside reads, `law.constants[part]`.

    Returns
    -------
    ControlLaw
        The law, for `simulate`.
    """
    model = as_model(robot)
    selected, *pair = _gains(model, gains)
    feed = None if feedforward is None else _torques(model, selected, feedforward, "feedforward")
    return _law(model, selected, pair, reference, side, saturation, kind, feed, tuple(map(float, constants)))


def _law(
    model: Model,
    selected: tuple[ControlledCoordinate, ...],
    gains: Sequence[np.ndarray],
    reference: Any,
    side: Side,
    saturation: Any,
    kind: LawKind,
    feedforward: Reference | None,
    constants: tuple[float, ...] = (),
) -> ControlLaw:
    if side not in SIDES:
        raise LissomError(f"is unknown{did_you_mean(side, SIDES)}; choose {listed(SIDES)}", ("side",), side)
    lower, upper = saturation_of(model, selected, saturation)
    _check_actuators(model, selected, kind)
    twin = rigid_twin(model.robot, rotors=True, friction=kind.twin_friction).compile() if kind.needs_twin else None
    names = tuple(channel.name for channel in selected)
    part = JointLaw(
        names=names,
        nv=model.nv,
        force=_index(channel.force for channel in selected),
        measured_q=_index(getattr(channel, f"{side}_q") for channel in selected),
        measured_v=_index(getattr(channel, f"{side}_v") for channel in selected),
        kp=gains[0],
        kd=gains[1],
        lower=lower,
        upper=upper,
        reference=reference_of(model, selected, reference),
        feedforward=feedforward or Reference.constant(np.zeros(len(selected))),
        kind=kind,
        constants=constants,
        twin=twin,
    )
    return ControlLaw((part if twin is None else replace(part, **_twin_indices(model, twin, names, side)),))


def _check_actuators(model: Model, selected: Sequence[ControlledCoordinate], kind: LawKind) -> None:
    """Refuse torques on joints that an actuator turns, and laws that compute torques where actuators take commands."""
    turned = {actuator.on_coordinate(): actuator.name for actuator in model.robot.drives}
    commanded = {own.actuator for own in model.states if own.command is not None}
    for channel in selected:
        if channel.command and kind.needs_twin:
            text = f"computes torques, but {channel.name!r} takes commands in {channel.command}; take pd, or a function"
            raise LissomError(text, ("kind",), kind.name)
        if not channel.command and turned.get(channel.name) in commanded:
            text = f"is turned by the actuator {turned[channel.name]!r}; give its command instead"
            raise LissomError(text, ("control",), channel.name)


def _twin_indices(model: Model, twin: Model, names: tuple[str, ...], side: Side) -> dict[str, Any]:
    """Return where the twin's coordinates are measured on the model."""
    on_q: list[Any] = []
    on_v: list[Any] = []
    for body in model.bodies:
        motor = side == "motor" and body.rotor_q is not None
        on_q += [body.rotor_q] if motor else list(range(body.joint_q.start, body.joint_q.stop))
        on_v += [body.rotor_v] if motor else list(range(body.joint_v.start, body.joint_v.stop))
    index = [twin.coordinates.index(name) for name in names]
    at = [
        next(b.joint_q.start + k - b.joint_v.start for b in twin.bodies if k in range(twin.nv)[b.joint_v])
        for k in index
    ]
    return {"twin_index": _index(index), "twin_at": _index(at), "twin_q": _index(on_q), "twin_v": _index(on_v)}


def _gains(model: Model, gains: Any) -> tuple[tuple[ControlledCoordinate, ...], np.ndarray, np.ndarray]:
    if not isinstance(gains, Mapping):
        text = f"must be a mapping, not {kind_of(gains)}; give {{joint: {{p: ..., d: ...}}}}"
        raise LissomError(text, ("gains",), gains)
    selected = channels(model, gains, "gains")
    for joint, pair in gains.items():
        if not isinstance(pair, Mapping):
            text = f"must be {{p: ..., d: ...}}, not {kind_of(pair)}; {_P}, {_D}"
            raise LissomError(text, ("gains", joint), pair)
        for key in pair:
            if key not in ("p", "d"):
                raise LissomError("is unknown; give p and d", ("gains", joint, key), pair[key])
        for key, remedy in (("p", _P), ("d", _D)):
            if key not in pair:
                raise LissomError(f"missing; {remedy}", ("gains", joint, key))
    out = []
    for key, remedy, unit in (("p", _P, STIFFNESS), ("d", _D, DAMPING)):
        gain = np.zeros(len(selected))
        for joint, pair in gains.items():
            index = indices(model, selected, joint, "gains")
            check_units(model, [selected[k] for k in index], pair[key], unit, ("gains", joint, key))
            # a command may well turn its joint the other way round
            least = None if selected[index[0]].command else 0
            gain[index] = argument_checks.numbers(pair[key], ("gains", joint, key), remedy, len(index), at_least=least)
        out.append(gain)
    return selected, out[0], out[1]


def saturation_of(
    model: Model, selected: tuple[ControlledCoordinate, ...], limits: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and the largest torque of every channel, infinite where none is given."""
    lower, upper = np.full(len(selected), -np.inf), np.full(len(selected), np.inf)
    remedy = "give the largest torque in N m (N when sliding)"
    if limits is None:
        return lower, upper
    check_units(model, selected, limits, FORCE, "saturation")
    if not isinstance(limits, Mapping):
        upper = by_channel(model, selected, limits, "saturation", remedy, at_least=0)
        return -upper, upper
    for joint, limit in limits.items():
        path = ("saturation", joint)
        for k in indices(model, selected, joint, "saturation"):
            if isinstance(limit, list | tuple):
                low, high = argument_checks.numbers(limit, path, "give [lower, upper]", 2)
                if low >= high:
                    raise LissomError("lower must be below upper; swap them", path, limit)
                lower[k], upper[k] = low, high
            else:
                upper[k] = argument_checks.number(limit, path, remedy, at_least=0)
                lower[k] = -upper[k]
    return lower, upper


def _torques(model: Model, selected: tuple[ControlledCoordinate, ...], values: Any, field: str) -> Reference:
    """Return the torques per channel, zero for the joints that are not named."""
    check_units(model, selected, values, FORCE, field)
    if not isinstance(values, Mapping):
        return reference_of(model, selected, values, field)
    given: set[int] = set()
    for name in values:
        given.update(indices(model, selected, name, field))
    rest = {c.name: 0.0 for k, c in enumerate(selected) if k not in given}
    return reference_of(model, selected, {**values, **rest}, field)


def _index(values: Any) -> np.ndarray:
    return np.array(list(values), np.int64)
