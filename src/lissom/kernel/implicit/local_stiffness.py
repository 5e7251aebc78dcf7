"""The local parts of the Newton matrix at one configuration: what links, joints, gears and gains do by themselves."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import kernel
from lissom.kernel.data.arrays import ROW_WIDTH, Arrays
from lissom.kernel.implicit.actuator_stiffness import add_state_product, make_slopes
from lissom.kernel.maths.algebra import matrix, store_matrix, store_vector, vector
from lissom.kernel.maths.simd_rows import set_lanes


class Local(NamedTuple):
    """What J is made of, at one configuration.

    `work` may serve for other states once J is factorised: solutions read the frames that are kept here.
    """

    work: Any  # real Workspace: inertias, stiffness and damping of links
    rotation: np.ndarray  # (n, 3, 3) frames of the bodies, as in the workspace
    position: np.ndarray  # (n, 3)
    subspace: np.ndarray  # (n, 6, 6)
    reach: np.ndarray  # (n, 6, m)
    q: np.ndarray  # (nq,) the configuration
    v: np.ndarray  # (nv,)
    a: np.ndarray  # (nv,)
    force: np.ndarray  # (nv,) scratch
    stiffness: np.ndarray  # (nv,) of joints and rotors by themselves, gears apart
    damping: np.ndarray  # (nv,)
    winding: np.ndarray  # (nr,) stiffness of a gear at its stretch
    slipping: np.ndarray  # (nr,) damping of a gear at the rate of its stretch
    gear_stiffness: np.ndarray  # (nr,) force on a rotor per joint coordinate, of a law that measures the joint
    gear_damping: np.ndarray  # (nr,)
    state_zz: np.ndarray  # (a, 3, 3) derivatives of minus the rates of an actuator's states by its states
    state_zq: np.ndarray  # (a, 3) by the coordinate that it works on
    state_zv: np.ndarray  # (a, 3) by the rate of that
    state_ez: np.ndarray  # (a, 3) of minus the force on that coordinate by states
    gear_of: np.ndarray  # (nv,) transmission that drives the coordinate, or -1


def sizes(model: Arrays) -> tuple[int, int, int, int]:
    """Return the numbers of bodies, of modes of a link (padded), of velocities, of elastic gears."""
    modes = model.inertia.modal_mass.shape[1]
    return len(model.tree.parent), modes, len(model.velocities.prescribed), len(model.gears.rotor_v)


def make_local(model: Arrays, work: Any, nq: int) -> Local:
    """Make the memory for one configuration; `work` is a Workspace of its own, as kernels take it."""
    n, m, nv, gears = sizes(model)
    gear_of = np.full(nv, -1, np.int64)
    gear_of[model.gears.joint_v] = np.arange(gears)
    v, a, force, stiffness, damping = np.zeros((5, nv))
    winding, slipping, gear_stiffness, gear_damping = np.zeros((4, gears))
    return Local(
        work=work,
        rotation=np.zeros((n, 3, 3)),
        position=np.zeros((n, 3)),
        subspace=np.zeros((n, 6, 6)),
        reach=np.zeros((n, 6, m)),
        q=np.zeros(nq),
        v=v,
        a=a,
        force=force,
        stiffness=stiffness,
        damping=damping,
        winding=winding,
        slipping=slipping,
        gear_stiffness=gear_stiffness,
        gear_damping=gear_damping,
        **make_slopes(model),
        gear_of=gear_of,
    )


@kernel
def keep_frames(model, local):
    """Copy the frames from the workspace, which may serve for other states afterwards."""
    work = local.work
    for i in range(1, model.tree.parent.shape[0]):
        store_matrix(local.rotation[i], matrix(work.rotation[i]))
        store_vector(local.position[i], vector(work.position[i]))
        for k in range(model.joints.dofs[i]):
            for r in range(6):
                local.subspace[i, k, r] = work.subspace[i, k, r]
        m = model.tree.modes[model.tree.parent[i]]
        for r in range(6):
            for j in range(0, m, ROW_WIDTH):
                set_lanes(local.reach[i, r], j, (1.0,), (work.reach[i, r],))


@kernel
def add_local_product(model, local, c, d, rate, place, out):
    """Add c D rate + d K place to out, all (nv,)."""
    for i in range(1, model.tree.parent.shape[0]):
        at = model.tree.modes_v[i]
        for j in range(model.tree.modes[i]):
            K = local.work.link_stiffness[i, j]
            D = local.work.link_damping[i, j]
            force = 0.0
            for k in range(model.tree.modes[i]):
                force += c * D[k] * rate[at + k] + d * K[k] * place[at + k]
            out[at + j] += force
    for k in range(out.shape[0]):
        out[k] += c * local.damping[k] * rate[k] + d * local.stiffness[k] * place[k]
    for k in range(model.gears.rotor_v.shape[0]):
        rotor = model.gears.rotor_v[k]
        joint = model.gears.joint_v[k]
        slip = c * local.slipping[k] * (rate[rotor] - rate[joint])
        wind = d * local.winding[k] * (place[rotor] - place[joint])
        law = c * local.gear_damping[k] * rate[joint] + d * local.gear_stiffness[k] * place[joint]
        out[rotor] += slip + wind + law
        out[joint] -= slip + wind
    add_state_product(model, local, c, d, rate, place, out)
