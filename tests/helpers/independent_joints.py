"""Joints of the independent derivation: poses, energies of springs along curves, and the user's data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from casadi import MX
from independent_beam import Pose, rotation
from scipy.interpolate import PchipInterpolator

POSITIONS = {
    "fixed": 0,
    "revolute": 1,
    "prismatic": 1,
    "helical": 1,
    "guided": 1,
    "cylindrical": 2,
    "universal": 2,
    "planar": 3,
    "spherical": 4,
    "free": 7,
}
VELOCITIES = POSITIONS | {"spherical": 3, "free": 6}


@dataclass(frozen=True)
class Joint:
    """A joint; the passive parameters hold one value per velocity coordinate."""

    type: str = "fixed"
    axes: tuple[np.ndarray, ...] = ()
    pitch: float = 0.0  # m per turn
    path: tuple[Sequence[float], ...] = ()  # m, of the powers 1, 2, ... of the angle
    damping: Sequence[float] = ()
    friction: Sequence[tuple[float, ...]] = ()  # coulomb, smoothing speed, viscous; stick, Stribeck speed
    spring: Sequence[tuple[float, float]] = ()  # stiffness, rest
    curve: Any = None  # of the spring: a polynomial or play
    gear_curve: Any = None  # of the transmission
    limits: Sequence[tuple[float, float, float, float, float]] = ()  # lower, upper, stiffness, damping, width
    # stiffness (None: rigid gear), rotor inertia, gear, damping; hysteresis and its smoothing velocity, if any
    transmission: tuple[float | None, ...] | None = None


def quaternion_matrix(quat: Any) -> Any:
    """Rotation matrix of a unit quaternion (w, x, y, z): (w^2 - u.u) I + 2 u u^T + 2 w u~."""
    w, u = quat[0], quat[1:4]
    return (w * w - ca.dot(u, u)) * ca.DM.eye(3) + 2 * u @ u.T + 2 * w * ca.skew(u)


def motion(delta: MX) -> Pose:
    """exp of the twist (omega, v) near zero, to fourth order: exact in every derivative used at zero."""
    generator = ca.vertcat(ca.horzcat(ca.skew(delta[0:3]), delta[3:6]), MX.zeros(1, 4))
    power = total = MX.eye(4)
    for k in range(1, 5):
        power = power @ generator / k
        total = total + power
    return total[0:3, 0:3], total[0:3, 3]


def compose(a: Pose, b: Pose) -> Pose:
    return a[0] @ b[0], a[1] + a[0] @ b[1]


def curve_energy(curve: Any, stiffness: float, x: Any) -> Any:
    """Energy of a spring's curve beside that of its stiffness: a table, a polynomial, or play with soft contact."""
    if curve is None:
        return 0.0
    if curve.table:
        return table_energy(curve.table, x)
    if np.any(curve.polynomial):
        return sum(c * x ** (k + 2) / (k + 2) for k, c in enumerate(np.atleast_1d(curve.polynomial).tolist()))
    b, w = curve.backlash / 2, (curve.width or curve.backlash / 10) / 2
    y = ca.fabs(x)
    touching = (y - b + w) ** 3 / (12 * w)
    beyond = (y - b) ** 2 / 2 + w**2 / 6
    energy = ca.if_else(y < b - w, 0.0, ca.if_else(y < b + w, touching, beyond))
    return stiffness * (energy - x**2 / 2)


def table_energy(table: Any, x: Any) -> Any:
    """Energy below a table of forces, monotone cubics between its rows and straight on beyond them."""
    force = PchipInterpolator(*np.array(table, float).T)
    energy = force.antiderivative()
    out = line_energy(force, energy, force.x[-1], x)
    for lower, upper, c in reversed([*zip(force.x, force.x[1:], energy.c.T)]):
        out = ca.if_else(x < upper, sum(a * (x - lower) ** k for k, a in enumerate(c[::-1])), out)
    return ca.if_else(x < force.x[0], line_energy(force, energy, force.x[0], x), out) - float(energy(0.0))


def line_energy(force: Any, energy: Any, at: float, x: Any) -> Any:
    """Energy beyond the end `at` of a table."""
    y = x - at
    return float(energy(at)) + float(force(at)) * y + float(force(at, 1)) * y**2 / 2


def joint_pose(joint: Joint, q: MX, z: MX) -> Pose:
    """Pose of the child in the joint's frame at the configuration q (+) z."""
    still, origin = MX.eye(3), MX.zeros(3)
    axes = [ca.DM(a / np.linalg.norm(a)) for a in joint.axes]
    kind = joint.type
    if kind == "fixed":
        return still, origin
    if kind == "spherical":
        return compose((quaternion_matrix(q), origin), motion(ca.vertcat(z, MX.zeros(3))))
    if kind == "free":
        return compose((quaternion_matrix(q[0:4]), q[4:7]), motion(z))
    x = q + z
    if kind == "revolute":
        return rotation(joint.axes[0], x), origin
    if kind == "prismatic":
        return still, axes[0] * x
    if kind == "helical":
        return rotation(joint.axes[0], x), axes[0] * x * joint.pitch / (2 * np.pi)
    if kind == "guided":
        R = rotation(joint.axes[0], x)
        return R, R @ sum(ca.DM(row) * x ** (k + 1) for k, row in enumerate(joint.path))
    if kind == "cylindrical":
        return rotation(joint.axes[0], x[0]), axes[0] * x[1]
    if kind == "universal":
        return rotation(joint.axes[0], x[0]) @ rotation(joint.axes[1], x[1]), origin
    if kind == "planar":
        return rotation(np.cross(*joint.axes), x[2]), axes[0] * x[0] + axes[1] * x[1]
    raise ValueError(f"unknown joint type {kind!r}")


def describe_joint(joint: Any) -> Joint:
    count = VELOCITIES[joint.type]

    def rows(block: Any, *names: str) -> list[tuple[float, ...]]:
        """One tuple of the named values per velocity coordinate; a single value stands for all."""
        if block is None:
            return []
        return list(zip(*(np.broadcast_to(getattr(block, name), count).tolist() for name in names)))

    gear = joint.transmission
    return Joint(
        type=joint.type,
        axes=tuple(np.array(axis) for axis in joint.axes),
        pitch=joint.pitch,
        path=joint.path,
        damping=np.broadcast_to(joint.damping, count).tolist(),
        friction=rows(joint.friction, "coulomb", "velocity", "viscous", "stick", "stribeck"),
        spring=rows(joint.spring, "stiffness", "rest"),
        curve=joint.spring and joint.spring.curve,
        gear_curve=gear and gear.curve,
        limits=rows(joint.limits, "lower", "upper", "stiffness", "damping", "width"),
        transmission=gear
        and (gear.stiffness, gear.rotor_inertia, gear.gear, gear.damping, gear.hysteresis, gear.hysteresis_velocity),
    )
