"""Scratch memory of the kernels: allocated once per model and number type, reused by every call."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, NamedTuple

import numpy as np

from lissom.kernel.data.aligned_memory import on_lines
from lissom.kernel.data.arrays import ROW_WIDTH, STATES_MOST, Arrays, Axis, Number, Whole, padded
from lissom.kernel.data.table_operations import layout


class Extent(Enum):
    """What the entries along an axis stand for, beside those of `Axis`."""

    UNKNOWN = "accelerations of a body: those of its modes, then of its twist"
    COLUMN = "the same and a right-hand side, padded"
    TURNED = "modes of a body and turns of it"
    TANGENT = "modes of a link and three more, padded"


class Workspace(NamedTuple):
    """Per-body results of the passes. Frames: `body` axes unless said otherwise; row 0 is the world."""

    zero: Any  # the number 0 in the workspace's number type
    rotation: Annotated[Number, Axis.BODY, 3, 3]  # body axes in the parent's axes
    position: Annotated[Number, Axis.BODY, 3]  # body origin in the parent's frame
    omega: Annotated[Number, Axis.BODY, 3]  # angular velocity
    velocity: Annotated[Number, Axis.BODY, 3]  # velocity of the body origin
    # acceleration of the body frame at zero qdd and zero parent acceleration
    velocity_product: Annotated[Number, Axis.BODY, 6]
    subspace: Annotated[Number, Axis.BODY, 6, 6]  # row k: motion of the frame per unit of joint velocity k
    reach: Annotated[Number, Axis.BODY, 6, Axis.MODE]  # motion of the body origin per parent mode, parent axes
    acceleration: Annotated[Number, Axis.BODY, 6]  # angular and linear acceleration of the body frame, gravity included
    inertia: Annotated[Number, Axis.BODY, Extent.UNKNOWN, Extent.COLUMN]  # [modes, twist | bias], upper triangle
    modal_inverse: Annotated[Number, Axis.BODY, Axis.MODE]  # pivots of the modes, inverted
    wrench: Annotated[Number, Axis.BODY, 6]  # wrench from the parent at the body origin
    U: Annotated[Number, Axis.BODY, 6, 6]  # row k: articulated inertia times joint axis k
    D_inverse: Annotated[Number, Axis.BODY, 6]  # its pivot, inverted
    u: Annotated[Number, Axis.BODY, 6]  # its right-hand side
    force: Annotated[Number, Axis.VELOCITY]  # joint forces: applied and passive
    section_modes: Annotated[Number, 2, Axis.MODE]  # scratch: displacement along x, rotation about x of a section
    section: Annotated[Number, 8, 3]  # scratch, of an exact link: rotation, place, rate, drift, spin, its drift
    # addresses of the kernels of exact links, elements, actuators; zero where there are none
    indirect: Annotated[Whole, 7]
    coupling: Annotated[Number, Axis.COUPLING]  # scratch: inertia couplings at the current deformation
    coupling_rows: Annotated[Number, Axis.MODE, 12]  # the same, mode by mode
    half_moment_change: Annotated[Number, 12]  # scratch: half of what the deformation adds to the moments
    rate: Annotated[Number, 12]  # scratch: rates of the moments
    # scratch: torque and force of the foreshortening's drift
    foreshortening_force: Annotated[Number, 6]
    shortening: Annotated[Number, 2, Axis.MODE]  # scratch: A_p eta, A_p etadot
    bow: Annotated[Number, Axis.BOW, 14]  # at nodes of links with terms of fourth order, see `bow`
    modal_force: Annotated[Number, Axis.MODE]  # scratch: bias of the modal rows
    gyration: Annotated[Number, 3, Axis.MODE]  # scratch: gyroscopic force per unit of twice the angular velocity
    tangent: Annotated[Number, 3, Axis.STATION, Extent.TANGENT]  # x-derivative of velocity per mode, place, rate, drift
    motion: Annotated[Number, 6, Extent.COLUMN]  # scratch: velocity, spin of a station per mode, twist; bias
    station_bend: Annotated[Number, Axis.STATION, 18]  # angle functions (6), rotation vector, stretch, shears; rates
    station_turn: Annotated[Number, Axis.STATION, 3, 3]  # rotation R of a station's section
    station_lever: Annotated[Number, Axis.STATION, 3, 3]  # its spin per rate of the rotation vector, section axes
    station_spin: Annotated[Number, Axis.STATION, 3]  # its angular velocity in the link, section axes
    station_spin_drift: Annotated[Number, Axis.STATION, 3]  # rate of that at zero modal acceleration
    station_pull: Annotated[Number, Axis.STATION, 3]  # force at a node of all that hangs beyond it, link axes
    link_stiffness: Annotated[Number, Axis.BODY, Axis.MODE, Axis.MODE]  # of a link by itself, see `link_stiffness`
    link_damping: Annotated[Number, Axis.BODY, Axis.MODE, Axis.MODE]
    turn_stiffness: Annotated[Number, Axis.BODY, Extent.TURNED, 3]  # forces on modes, torques, per turn of a body
    transformed_rows: Annotated[Number, 6, Extent.COLUMN]  # scratch
    articulated_inertia: Annotated[Number, 6, 8]  # scratch: inertia and bias, padded
    world_rotation: Annotated[Number, Axis.BODY, 3, 3]  # body axes in world axes
    world_position: Annotated[Number, Axis.BODY, 3]  # body origin in the world
    load: Annotated[Number, Axis.BODY, 6]  # external wrenches, those of elements and contacts included
    power: Annotated[Number, 1]  # of loads and of the thrust of cylinders
    element: Annotated[Number, Axis.ELEMENT, 5]  # length, its rate, tension, energy, power lost; see `element_forces`
    actuator: Annotated[Number, Axis.ACTUATOR, 6]  # place, rate, effort, power in, energy, power lost
    # derivatives of efforts and of rates of states by place, rate and states
    slope: Annotated[Number, Axis.ACTUATOR, STATES_MOST + 2, STATES_MOST + 1]
    touch: Annotated[Number, Axis.CONTACT, 9]  # gap, rate, normal force, energy, power lost, sliding speed, force


def workspace(model: Arrays, dtype: Any = np.float64) -> Workspace:
    """Make the workspace of `model` in the number type `dtype` (float64, complex128 or object)."""
    m = model.inertia.modal_mass.shape[1]
    # lengths of the axes that the annotations of `Workspace` name
    sizes: dict[Axis | Extent, int] = {
        Axis.BODY: model.tree.parent.shape[0],
        Axis.VELOCITY: model.velocities.prescribed.shape[0],
        Axis.MODE: m,
        Axis.COUPLING: 12 * m,
        Extent.UNKNOWN: m + 6,
        Extent.COLUMN: padded(m + 7 + ROW_WIDTH),
        Extent.TANGENT: padded(m + 3),
        Extent.TURNED: m + 3,
        Axis.BOW: len(model.bow.nodes),
        Axis.STATION: model.exact.mass.shape[0],
        Axis.ELEMENT: len(model.elements.kind),
        Axis.CONTACT: len(model.contacts.shape),
        Axis.ACTUATOR: len(model.actuators.kind),
    }

    def zeros(number: Any, *axes: Axis | Extent | int) -> Any:
        shape = [axis if isinstance(axis, int) else sizes[axis] for axis in axes]
        if not axes:
            return 0.0 if dtype is object else dtype(0)
        if dtype is object and number is None:
            return np.full(shape, 0.0, dtype=object)
        return on_lines(*shape, number=number or dtype)

    tables = {name: zeros(number, *axes) for name, (number, axes) in layout(Workspace).items()}
    # two views of the same memory: entry by entry, and mode by mode
    tables["coupling_rows"] = tables["coupling"].reshape(m, 12)
    work = Workspace(**tables)
    # body 0 is the world, whose frame never changes
    one = work.zero + 1.0
    for k in range(3):
        work.rotation[0, k, k] = work.world_rotation[0, k, k] = one
    return work
