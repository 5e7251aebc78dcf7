"""The compiled model: one flat set of arrays that the kernels read, whatever the robot.

Row 0 of every per-body array is the world: no mass, no modes, no joint. A body's parent always has a smaller row, so a
loop upwards is an outward pass and a loop downwards an inward pass. Arrays with one axis per mode are padded to the
largest mode count, rounded up to whole vector registers; loops run over a body's own count.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

LANES = 4  # numbers that a kernel handles at a time


def padded(count: int) -> int:
    """`count` rounded up to whole vector registers."""
    return -(-count // LANES) * LANES


class Motion(IntEnum):
    """What one step of a joint does; a joint is a short sequence of these."""

    TURN = 0  # rotation by one coordinate about an axis
    SLIDE = 1  # translation by one coordinate along an axis
    BALL = 2  # rotation by a unit quaternion
    FLOAT = 3  # rotation by a unit quaternion and translation: a free body


class Arrays(NamedTuple):
    """Kernel data of a robot with `n` bodies (world included), `nv` velocities, at most `m` modes per link (padded).

    Float arrays are float64, complex128 (for derivatives with respect to parameters) or objects (symbols).
    """

    # tree
    parent: np.ndarray  # (n,) row of the parent
    modes: np.ndarray  # (n,) number of modes of the body
    bending: np.ndarray  # (n,) number of bending modes, which come first
    second_order: np.ndarray  # (n,) 1 where the body's field has second-order terms
    nodes: np.ndarray  # (n,) quadrature nodes where the body's field is geometrically exact, else 0
    joint_q: np.ndarray  # (n,) first joint coordinate in q
    joint_v: np.ndarray  # (n,) first joint coordinate in v
    modes_q: np.ndarray  # (n,) first modal coordinate in q
    modes_v: np.ndarray  # (n,) first modal coordinate in v

    # where a body's joint sits on its parent's section, and how it moves
    section_position: np.ndarray  # (n, 3) section origin on the undeformed parent
    section_phi: np.ndarray  # (n, 3, m) displacement of the section per parent mode
    section_psi: np.ndarray  # (n, 3, m) rotation of the section per parent mode
    section_shortening: np.ndarray  # (n, m, m) B of the foreshortening -1/2 eta B eta along x
    section_twist: np.ndarray  # (n, m, m) D of the second-order twist 1/2 eta D eta about x
    section_running: np.ndarray  # (n, K) exact field: from the tangent at the parent's nodes to the section's position
    has_origin: np.ndarray  # (n,) 0 where the joint's frame is the section itself
    origin_rotation: np.ndarray  # (n, 3, 3) joint frame in the section frame
    origin_position: np.ndarray  # (n, 3)
    steps: np.ndarray  # (n,) number of motion steps of the joint
    motion: np.ndarray  # (n, 3) Motion of each step
    axis: np.ndarray  # (n, 3, 3) axis of each step
    dofs: np.ndarray  # (n,) velocities of the joint
    tangent_q: np.ndarray  # (nv,) coordinate of q that velocity k moves, or the first of its quaternion
    tangent_axis: np.ndarray  # (nv,) -1; on a group 0, 1, 2: turn about a body axis, 3, 4, 5: glide along one
    prescribed: np.ndarray  # (nv,) 1 where the acceleration is given and the force is found
    armature: np.ndarray  # (nv,) rotor inertia reflected through a rigid gear

    # inertia invariants of a body: integrals over its mass of the linear field s = s0 + Phi eta
    mass: np.ndarray  # (n,)
    moment: np.ndarray  # (n, 3) int s0
    second_moment: np.ndarray  # (n, 3, 3) int s0 s0^T
    coupling: np.ndarray  # (n, 12 m) c_ab,j = int s_a d_j s_b at eta = 0, a in (x, y, z, 1), index 12 j + 3 a + b
    coupling_eta: np.ndarray  # (n, m, 12 m) its derivative by eta_l, index [l, 12 j + 3 a + b]
    gyroscopic: np.ndarray  # (n, 3, m, m) int Phi_l x Phi_j, index [axis, l, j]
    modal_mass: np.ndarray  # (n, m, m)
    short_start: np.ndarray  # (n + 1,) foreshortening functions psi_p of body i: rows start[i] to start[i+1]
    short_form: np.ndarray  # (ns, m, m) A_p of the foreshortening sum_p psi_p(x) 1/2 eta A_p eta
    short_weight: np.ndarray  # (ns,) int psi_p
    short_s0: np.ndarray  # (ns, 3) int psi_p s0
    short_phi: np.ndarray  # (ns, 3, m) int psi_p Phi
    stiffness: np.ndarray  # (n, m, m)
    damping: np.ndarray  # (n, m, m)
    cubic_start: np.ndarray  # (n + 1,) cubic strain-energy terms of body i: rows start[i] to start[i+1]
    cubic_modes: np.ndarray  # (nc, 3) the three modes of a term
    cubic: np.ndarray  # (nc,) its coefficient
    cubic_damping: np.ndarray  # (nc,) coefficient of its rate in the damping force

    # stations of links with the exact field: the nodes of a link, then its lumped masses
    station_start: np.ndarray  # (n + 1,) stations of body i: rows start[i] to start[i+1]
    station_weight: np.ndarray  # (ns,) of integrals over x, zero for lumped masses
    station_running: np.ndarray  # (ns, K) from values at the nodes to integrals over x up to the station
    station_psi: np.ndarray  # (ns, 4, m) rotation of the section (x, y, z) and stretch per mode
    station_psi_x: np.ndarray  # (ns, 3, m) x-derivative of the rotation
    station_mass: np.ndarray  # (ns,)
    station_offset: np.ndarray  # (ns, 3) centre of mass, section axes
    station_inertia: np.ndarray  # (ns, 3, 3) about the centre of mass, section axes
    rigidity: np.ndarray  # (n, 4) GJ, EIy, EIz, EA
    retardation: np.ndarray  # (n,) beta of stress = stiffness (strain + beta strain rate)

    # passive joint forces, one row per velocity coordinate that has any
    passive_q: np.ndarray  # (np,) coordinate in q, -1 where the coordinate is on a group
    passive_v: np.ndarray  # (np,) coordinate in v
    viscous: np.ndarray  # (np,)
    coulomb: np.ndarray  # (np,)
    coulomb_speed: np.ndarray  # (np,) speed over which Coulomb friction is smoothed
    spring: np.ndarray  # (np,)
    spring_rest: np.ndarray  # (np,)
    has_stop: np.ndarray  # (np,) 1 where the coordinate has limits
    lower: np.ndarray  # (np,)
    upper: np.ndarray  # (np,)
    stop_stiffness: np.ndarray  # (np,)
    stop_damping: np.ndarray  # (np,)
    stop_width: np.ndarray  # (np,)

    # elastic transmissions, one row per rotor
    rotor_q: np.ndarray  # (nr,) rotor coordinate in q
    rotor_v: np.ndarray  # (nr,) rotor coordinate in v
    geared_q: np.ndarray  # (nr,) joint coordinate it drives, in q
    geared_v: np.ndarray  # (nr,) and in v
    rotor_inertia: np.ndarray  # (nr,) reflected to the joint
    gear_stiffness: np.ndarray  # (nr,)
    gear_damping: np.ndarray  # (nr,)

    gravity: np.ndarray  # (3,) in the world frame
