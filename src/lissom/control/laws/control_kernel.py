"""Compiled evaluation of references and control laws, for real and complex states."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.algorithms.newton_euler import inverse_dynamics
from lissom.kernel.compile import Pointer, Struct, inline, kernel
from lissom.kernel.compile.pointer import Unused
from lissom.kernel.kinematics.forward_kinematics import world_frames
from lissom.kernel.maths.algebra import add, cross, matrix, rotate, rotate_back, store_vector, vector
from lissom.kernel.maths.elementary_functions import clamp
from lissom.model.model import Model


class Law(IntEnum):
    """Laws that `control_forces` knows, and those whose kernel it calls by a pointer."""

    PD = 0
    GRAVITY = 1
    COMPUTED_TORQUE = 2
    OUTSIDE = 3
    FEEDFORWARD = 4
    IMPEDANCE = 5


class Gain(IntEnum):
    """What the gains kp and kd of a law are."""

    STIFFNESS = 0  # stiffness and damping of the coordinate: implicit steps and shapers take them as such
    PER_INERTIA = 1  # per unit of the joint's inertia, in 1/s2 and 1/s
    OWN = 2  # of a meaning of their own


class LawArrays(NamedTuple):
    """A control law as the loop reads it: `parts` laws on `na` coordinates in all; see `ControlLaw`."""

    law: np.ndarray  # (na,) the Law that each coordinate is under
    gain: np.ndarray  # (na,) the Gain that kp and kd are
    begin: np.ndarray  # (parts + 1,) the first coordinate of each part, and na
    force: np.ndarray  # (na,) index into v of the force
    measured_q: np.ndarray  # (na,)
    measured_v: np.ndarray  # (na,)
    twin_index: np.ndarray  # (na,) the same coordinates in the rigid twin
    twin_at: np.ndarray  # (na,) where they stand in its q
    twin_q: np.ndarray  # (parts, twin nq) index into q: where the twin's configuration is measured
    twin_v: np.ndarray  # (parts, twin nv) index into v: where its velocities are
    kp: np.ndarray
    kd: np.ndarray
    constants: np.ndarray  # (parts, c) numbers of laws from outside; of an impedance see `tip_force`
    tip: np.ndarray  # (parts,) row of the twin's link whose tip an impedance holds
    lower: np.ndarray
    upper: np.ndarray
    breaks: np.ndarray  # (p + 1,) of the reference
    coefficients: np.ndarray  # (p, na, 6)
    aim_breaks: np.ndarray  # (m + 1,) of where tips are to be
    aim_coefficients: np.ndarray  # (m, 3 parts, 6)
    feed_breaks: np.ndarray  # (f + 1,) of the feedforward torque
    feed_coefficients: np.ndarray  # (f, na, 6)
    # what derivatives by a scale, an offset and a delay of that torque are taken of; 1, 0 and 0 in every run
    feed_scale: np.ndarray
    feed_offset: np.ndarray
    feed_delay: np.ndarray


class LawScratch(NamedTuple):
    """Memory of a law in one number type."""

    zero: Any
    torque: np.ndarray  # (na,) before feedforward and saturation
    outside: Any  # Pointer to the kernel of a law from outside
    inverse: Any  # Pointer to the kernel's inverse dynamics
    work: Any  # WorkspaceStruct of the rigid twin
    q: np.ndarray  # its configuration, velocities, accelerations, forces and external wrenches
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray
    wrench: np.ndarray


@kernel
def no_torques(law, part, t, q, v, torque):
    """Stand for the kernel of a law from outside where there is none."""


def law_scratch(law: Struct, outside: Any, twin: Model, number: type) -> Struct:
    """Make the memory of a packed law whose kernel from outside, if it has one, is `outside`."""

    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape, number)

    q: np.ndarray = twin.neutral().astype(number)
    v, wrench, torque, work = zeros(twin.nv), zeros(twin.rows, 6), zeros(len(law.fields.kp)), twin.workspace(number)
    point = Unused if outside is None else Pointer
    return Struct(
        LawScratch(
            zero=number(0),
            torque=torque,
            outside=point(outside or no_torques, law, 0, 0.0, q, v, torque),
            inverse=Pointer(inverse_dynamics, twin.struct, work, q, v, v, wrench, v),
            work=work,
            q=q,
            v=v,
            a=zeros(twin.nv),
            tau=zeros(twin.nv),
            wrench=wrench,
        )
    )


@inline
def piece_at(breaks, t):
    """Return the piece of a piecewise function that holds `t`: the first before its begin, the last after its end."""
    low = 0
    high = breaks.shape[0] - 2
    while low < high:
        middle = (low + high + 1) // 2
        if breaks[middle] <= t:
            low = middle
        else:
            high = middle - 1
    return low


@inline
def polynomial(c, s):
    """Return value, rate and acceleration of the polynomial c_0 + c_1 s + ... + c_5 s^5, by Horner's rule."""
    r = c[5]
    rd = 5.0 * c[5]
    rdd = 20.0 * c[5]
    for k in range(4, -1, -1):
        r = r * s + c[k]
    for k in range(4, 0, -1):
        rd = rd * s + k * c[k]
    for k in range(4, 1, -1):
        rdd = rdd * s + k * (k - 1) * c[k]
    return r, rd, rdd


@inline
def evaluate(breaks, coefficients, channel, t):
    """Return value, rate and acceleration of a piecewise polynomial, which is held outside its range."""
    last = breaks.shape[0] - 1
    moving = 1.0
    if t < breaks[0]:
        t = breaks[0]
        moving = 0.0
    elif t >= breaks[last]:
        t = breaks[last]
        moving = 0.0
    piece = piece_at(breaks, t)
    r, rd, rdd = polynomial(coefficients[piece, channel], t - breaks[piece])
    return r, moving * rd, moving * rdd


@inline
def tip_force(law, part, twin, scratch, t):
    """Put the force F = K (x_r - x) + D (x_r' - x') at a tip into scratch.wrench, against the twin; its rates are zero.

    Constants of the part: the place of the tip on its link (3), stiffnesses K (3) and dampings D (3) along the world's
    axes. With it, the inverse dynamics of the twin at rest gives the torques that hold the weight and exert F.
    """
    row = law.tip[part]
    scratch.inverse(twin, scratch.work, scratch.q, scratch.v, scratch.a, scratch.wrench, scratch.tau)
    world_frames(twin, scratch.work)
    R = matrix(scratch.work.world_rotation[row])
    lever = (law.constants[part, 0], law.constants[part, 1], law.constants[part, 2])
    x = add(vector(scratch.work.world_position[row]), rotate(R, lever))
    spin = cross(vector(scratch.work.omega[row]), lever)
    rate = rotate(R, add(vector(scratch.work.velocity[row]), spin))
    fx, fy, fz = scratch.zero, scratch.zero, scratch.zero
    for axis in range(3):
        r, rd, _ = evaluate(law.aim_breaks, law.aim_coefficients, 3 * part + axis, t)
        place = x[0] if axis == 0 else (x[1] if axis == 1 else x[2])
        speed = rate[0] if axis == 0 else (rate[1] if axis == 1 else rate[2])
        force = law.constants[part, 3 + axis] * (r - place) + law.constants[part, 6 + axis] * (rd - speed)
        fx = force if axis == 0 else fx
        fy = force if axis == 1 else fy
        fz = force if axis == 2 else fz
    against = rotate_back(R, (-fx, -fy, -fz))
    store_vector(scratch.wrench[row, 0:3], cross(lever, against))
    store_vector(scratch.wrench[row, 3:6], against)
    for k in range(scratch.v.shape[0]):
        scratch.v[k] = scratch.zero


@inline
def feedback_torques(law, part, twin, scratch, t, q, v):
    """Fill scratch.torque of one part of a law.

    With the error e = r - q and the inverse dynamics ID of the rigid twin it is kp e + kd e' for PD,
    kp e + kd e' + ID(q, 0, 0) for GRAVITY, kp e + kd e' + ID(r, r', r'') for FEEDFORWARD,
    ID(q, v, r'' + kp e + kd e') for COMPUTED_TORQUE, and kp e + kd e' + ID(q, 0, 0; -F) for IMPEDANCE, with the force F
    of a spring and a damper at the tip.
    """
    zero = scratch.zero
    first, end = law.begin[part], law.begin[part + 1]
    kind = law.law[first]
    if kind != Law.PD:
        for k in range(scratch.a.shape[0]):
            scratch.a[k] = zero
    # kp e + kd e': a torque, or an acceleration of the twin
    for k in range(first, end):
        r, rd, rdd = evaluate(law.breaks, law.coefficients, k, t)
        feedback = law.kp[k] * (r - q[law.measured_q[k]]) + law.kd[k] * (rd - v[law.measured_v[k]])
        if kind == Law.COMPUTED_TORQUE:
            scratch.a[law.twin_index[k]] = rdd + feedback
            scratch.torque[k] = zero
        else:
            scratch.torque[k] = zero + feedback
        if kind == Law.FEEDFORWARD:
            scratch.a[law.twin_index[k]] = zero + rdd
    # ID of the twin where the arm is measured
    if kind != Law.PD:
        for k in range(law.twin_q.shape[1]):
            scratch.q[k] = q[law.twin_q[part, k]]
        for k in range(law.twin_v.shape[1]):
            measures = kind == Law.COMPUTED_TORQUE or kind == Law.IMPEDANCE
            scratch.v[k] = v[law.twin_v[part, k]] if measures else zero
        if kind == Law.FEEDFORWARD:
            for k in range(first, end):
                r, rd, rdd = evaluate(law.breaks, law.coefficients, k, t)
                scratch.q[law.twin_at[k]] = zero + r
                scratch.v[law.twin_index[k]] = zero + rd
        if kind == Law.IMPEDANCE:
            tip_force(law, part, twin, scratch, t)
        scratch.inverse(twin, scratch.work, scratch.q, scratch.v, scratch.a, scratch.wrench, scratch.tau)
        for k in range(first, end):
            scratch.torque[k] += scratch.tau[law.twin_index[k]]
        if kind == Law.IMPEDANCE:
            for row in range(6):
                scratch.wrench[law.tip[part], row] = zero


@kernel
def control_forces(law, twin, scratch, t, q, v, force):
    """Add the forces of a law at the state (q, v) to `force` (nv,): sat(feedforward + torque) of every coordinate."""
    zero = scratch.zero
    for part in range(law.begin.shape[0] - 1):
        first, end = law.begin[part], law.begin[part + 1]
        if law.law[first] == Law.OUTSIDE:
            scratch.outside(law, part, t, q, v, scratch.torque)
        else:
            feedback_torques(law, part, twin, scratch, t, q, v)
        for k in range(first, end):
            feed, feed_rate, _ = evaluate(law.feed_breaks, law.feed_coefficients, k, t)
            tau = zero + law.feed_scale[k] * (feed - law.feed_delay[k] * feed_rate) + law.feed_offset[k]
            force[law.force[k]] += clamp(tau + scratch.torque[k], law.lower[k], law.upper[k])
