"""Scratch memory of the kernels: allocated once per model and number type, reused by every call."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.arrays import LANES, Arrays, padded
from lissom.kernel.cache_lines import on_lines


class Workspace(NamedTuple):
    """Per-body results of the passes. Frames: `body` axes unless said otherwise; row 0 is the world."""

    zero: Any  # the number 0 in the workspace's number type
    rotation: np.ndarray  # (n, 3, 3) body axes in the parent's axes
    position: np.ndarray  # (n, 3) body origin in the parent's frame
    omega: np.ndarray  # (n, 3) angular velocity
    velocity: np.ndarray  # (n, 3) velocity of the body origin
    drift: np.ndarray  # (n, 6) acceleration of the body frame at zero qdd and zero parent acceleration
    subspace: np.ndarray  # (n, 6, 6) row k: motion of the frame per unit of joint velocity k
    reach: np.ndarray  # (n, 6, m) motion of the body origin per parent mode, parent axes
    acceleration: np.ndarray  # (n, 6) angular and linear acceleration of the body frame, gravity included
    inertia: np.ndarray  # (n, m + 6, m + 7) [modes, twist | bias]: symmetric (upper triangle) and bias column, padded
    modal_inverse: np.ndarray  # (n, m) pivots of the modes, inverted
    wrench: np.ndarray  # (n, 6) wrench from the parent at the body origin
    pull: np.ndarray  # (n, 6, 6) row k: articulated inertia times joint axis k
    pull_inverse: np.ndarray  # (n, 6) its pivot, inverted
    pull_force: np.ndarray  # (n, 6) its right-hand side
    force: np.ndarray  # (nv,) joint forces: applied and passive
    section_modes: np.ndarray  # (2, m) scratch: displacement along x and rotation about x of a section per mode
    section: np.ndarray  # (8, 3) scratch: rotation, place, rate, drift, spin, spin drift of an exact link's section
    late: np.ndarray  # (5,) addresses of the kernels of exact links and of elements, zero where the model has none
    coupling: np.ndarray  # (12 m,) scratch: inertia couplings at the current deformation
    coupling_rows: np.ndarray  # (m, 12) the same, mode by mode
    gain: np.ndarray  # (12,) scratch: half of what the deformation adds to the moments
    rate: np.ndarray  # (12,) scratch: rates of the moments
    swing: np.ndarray  # (3,) scratch: force along x, torques about y and z of the foreshortening's drift
    shortening: np.ndarray  # (2, m) scratch: A_p eta, A_p etadot
    bow: np.ndarray  # (nb, 6) at the nodes of links that bow: slopes, their rates, curvatures, about y and z each
    modal_force: np.ndarray  # (m,) scratch: bias of the modal rows
    gyration: np.ndarray  # (3, m) scratch: gyroscopic force on the modes per unit of twice the angular velocity
    tangent: np.ndarray  # (3, ns, m + 3) x-derivative of a station's velocity per mode, of its place, rate and drift
    motion: np.ndarray  # (6, m + 7) scratch, padded: velocity, angular velocity of a station per mode, twist; bias
    station_bend: np.ndarray  # (ns, 18) its angle functions (6), rotation vector and rate, stretch with shears and rate
    station_turn: np.ndarray  # (ns, 3, 3) rotation R of a station's section
    station_lever: np.ndarray  # (ns, 3, 3) its angular velocity per rate of the rotation vector, section axes
    station_spin: np.ndarray  # (ns, 3) its angular velocity in the link, section axes
    station_spin_drift: np.ndarray  # (ns, 3) rate of that at zero modal acceleration
    station_pull: np.ndarray  # (ns, 3) force at a node of all that hangs on the axis beyond it, link axes
    link_stiffness: np.ndarray  # (n, m, m) of a link by itself, see `link_stiffness`
    link_damping: np.ndarray  # (n, m, m)
    turn_stiffness: np.ndarray  # (n, m + 3, 3) forces on modes of a body, torques on it, per turn of it
    carried: np.ndarray  # (6, m + 7) scratch, padded
    articulated: np.ndarray  # (6, 7) scratch
    world_rotation: np.ndarray  # (n, 3, 3) body axes in world axes
    world_position: np.ndarray  # (n, 3) body origin in the world
    load: np.ndarray  # (n, 6) external wrenches, those of elements and contacts included
    power: np.ndarray  # (1,) of loads and of the thrust of cylinders
    element: np.ndarray  # (elements, 5) length, its rate, tension, energy, power lost; see `elements`
    touch: np.ndarray  # (contacts, 9) gap, its rate, normal force, energy, power lost, sliding speed, force on sphere


def workspace(model: Arrays, dtype: Any = np.float64) -> Workspace:
    """Workspace for `model` in the number type `dtype` (float64, complex128 or object)."""
    n = model.tree.parent.shape[0]
    m = model.inertia.modal_mass.shape[1]
    nv = model.velocities.prescribed.shape[0]
    stations = model.exact.mass.shape[0]

    def zeros(*shape: int) -> np.ndarray:
        if dtype is object:
            return np.full(shape, 0.0, dtype=object)
        return on_lines(*shape, number=dtype)

    coupling = zeros(12 * m)
    work = Workspace(
        zero=0.0 if dtype is object else dtype(0),
        rotation=zeros(n, 3, 3),
        position=zeros(n, 3),
        omega=zeros(n, 3),
        velocity=zeros(n, 3),
        drift=zeros(n, 6),
        subspace=zeros(n, 6, 6),
        reach=zeros(n, 6, m),
        acceleration=zeros(n, 6),
        inertia=zeros(n, m + 6, padded(m + 7 + LANES)),
        modal_inverse=zeros(n, m),
        wrench=zeros(n, 6),
        pull=zeros(n, 6, 6),
        pull_inverse=zeros(n, 6),
        pull_force=zeros(n, 6),
        force=zeros(nv),
        section_modes=zeros(2, m),
        section=zeros(8, 3),
        late=np.zeros(5, np.int64),
        coupling=coupling,
        coupling_rows=coupling.reshape(m, 12),
        gain=zeros(12),
        rate=zeros(12),
        swing=zeros(3),
        shortening=zeros(2, m),
        bow=zeros(len(model.bow.rigidity), 6),
        modal_force=zeros(m),
        gyration=zeros(3, m),
        tangent=zeros(3, stations, padded(m + 3)),
        motion=zeros(6, padded(m + 7 + LANES)),
        station_bend=zeros(stations, 18),
        station_turn=zeros(stations, 3, 3),
        station_lever=zeros(stations, 3, 3),
        station_spin=zeros(stations, 3),
        station_spin_drift=zeros(stations, 3),
        station_pull=zeros(stations, 3),
        link_stiffness=zeros(n, m, m),
        link_damping=zeros(n, m, m),
        turn_stiffness=zeros(n, m + 3, 3),
        carried=zeros(6, padded(m + 7 + LANES)),
        articulated=zeros(6, 7),
        world_rotation=zeros(n, 3, 3),
        world_position=zeros(n, 3),
        load=zeros(n, 6),
        power=zeros(1),
        element=zeros(len(model.elements.kind), 5),
        touch=zeros(len(model.contacts.shape), 9),
    )
    one = work.zero + 1.0
    for k in range(3):
        work.rotation[0, k, k] = work.world_rotation[0, k, k] = one
    return work
