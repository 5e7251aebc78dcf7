"""What follows from the samples of a run, in one compiled loop: wrenches, tips, deflections, energies."""

from __future__ import annotations

from math import atan2, sqrt
from typing import NamedTuple

import numpy as np

from lissom.kernel.algebra import matrix, quaternion_of, rotate, store_vector, subtract, vector
from lissom.kernel.energy import energies
from lissom.kernel.inverse import inverse_dynamics
from lissom.kernel.machine import Struct, inline, kernel
from lissom.model.compiled import Model
from lissom.model.probe import tips


class Observation(NamedTuple):
    """Results at N samples of a robot with n links, f of them flexible. Quaternions are (w, x, y, z)."""

    wrench: np.ndarray  # (N, n, 6) torque, force of the parent on the child at each joint, child axes
    link_position: np.ndarray  # (N, n, 3) link origins in the world
    link_orientation: np.ndarray  # (N, n, 4) link axes in the world
    tip_position: np.ndarray  # (N, n, 3) tips in the world
    tip_orientation: np.ndarray  # (N, n, 4)
    tip_twist: np.ndarray  # (N, n, 6) angular velocity of the tip's section, velocity of the tip; world axes
    deflection: np.ndarray  # (N, f, 3) displacement of the tip from where the undeformed link has it, link axes
    rotation: np.ndarray  # (N, f, 3) rotation vector of the tip's section, link axes
    energy: np.ndarray  # (N, 4) kinetic, gravity, strain, joints


def observe(model: Model, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Observation:
    """Everything that follows from configurations (N, nq), velocities and accelerations (N, nv)."""
    links = len(model.links)
    flexible = np.array([k for k, link in enumerate(model.links) if link in model.flexible], np.int64)
    sizes = {
        "wrench": (links, 6),
        "link_position": (links, 3),
        "link_orientation": (links, 4),
        "tip_position": (links, 3),
        "tip_orientation": (links, 4),
        "tip_twist": (links, 6),
        "deflection": (len(flexible), 3),
        "rotation": (len(flexible), 3),
        "energy": (4,),
    }
    out = Observation(**{name: np.zeros((len(q), *size)) for name, size in sizes.items()})
    points = tips(model)
    q, v, a = (np.array(x, np.float64, order="C") for x in (q, v, a))
    no_load, force = np.zeros((len(points.arrays.tree.parent), 6)), np.zeros(model.nv)
    _observe(points.struct, points.workspace(), flexible, q, v, a, no_load, force, Struct(out))
    return out


@inline
def rotation_vector(R):
    """log(R), of length at most pi."""
    q = quaternion_of(R)
    w = q[0] if q[0] >= 0.0 else -q[0]
    s = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    f = 2.0 * atan2(s, w) / s if s > 0.0 else 2.0
    if q[0] < 0.0:
        f = -f
    return (f * q[1], f * q[2], f * q[3])


@inline
def store_orientation(samples, s, k, R):
    """Sample s of orientation k: of the two quaternions that mean R, the one near sample s - 1."""
    q = quaternion_of(R)
    near = q[0]
    if s > 0:
        near = 0.0
        for j in range(4):
            near += q[j] * samples[s - 1, k, j]
    sign = -1.0 if near < 0.0 else 1.0
    for j in range(4):
        samples[s, k, j] = sign * q[j]


@kernel
def _observe(model, work, flexible, q, v, a, no_load, force, out):
    """Fill `out` sample by sample; `model` has the tips of its links as last rows. `force` (nv,) is scratch memory."""
    links = out.wrench.shape[1]
    for s in range(q.shape[0]):
        inverse_dynamics(model, work, q[s], v[s], a[s], no_load, force)
        for k in range(links):
            for row in range(6):
                out.wrench[s, k, row] = work.wrench[k + 1, row]
        energies(model, work, q[s], v[s], out.energy[s])
        for k in range(links):
            link = k + 1
            store_vector(out.link_position[s, k], work.world_position[link])
            store_orientation(out.link_orientation, s, k, matrix(work.world_rotation[link]))
            tip = link + links
            R = matrix(work.world_rotation[tip])
            store_vector(out.tip_position[s, k], work.world_position[tip])
            store_orientation(out.tip_orientation, s, k, R)
            store_vector(out.tip_twist[s, k, 0:3], rotate(R, vector(work.omega[tip])))
            store_vector(out.tip_twist[s, k, 3:6], rotate(R, vector(work.velocity[tip])))
        for k in range(flexible.shape[0]):
            tip = flexible[k] + 1 + links
            moved = subtract(vector(work.position[tip]), vector(model.sections.position[tip]))
            store_vector(out.deflection[s, k], moved)
            store_vector(out.rotation[s, k], rotation_vector(matrix(work.rotation[tip])))
