"""What follows from the samples of a run, in one compiled loop: wrenches, tips, deflections, energies."""

from __future__ import annotations

from enum import IntEnum
from math import atan2, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.kernel.algorithms.body_energies import energies, energies_of_bodies
from lissom.kernel.algorithms.newton_euler import inverse_dynamics
from lissom.kernel.compile import Struct, inline, kernel
from lissom.kernel.constraints.loop_constraints import loop_values, loop_wrenches
from lissom.kernel.forces.element_forces import TENSION
from lissom.kernel.kinematics.forward_kinematics import forward_kinematics, world_frames
from lissom.kernel.maths.algebra import matrix, quaternion_of, rotate, store_matrix, store_vector, subtract, vector
from lissom.model.compilation.tip_frames import Probe, tips
from lissom.model.model import Model

if TYPE_CHECKING:
    from lissom.simulation.raw_run import RawRun


class Wanted(IntEnum):
    """How much is looked at; each includes the one before."""

    BENDING = 0  # deflection and rotation of tips
    PLACES = 1  # and positions, orientations and twists
    FORCES = 2  # and wrenches, energies, what elements and contacts do


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
    energy: np.ndarray  # (N, 5) kinetic, gravity, strain, joints, elements and contacts
    frame_position: np.ndarray  # (N, frames, 3) origins of the model's frames in the world
    frame_axes: np.ndarray  # (N, frames, 3, 3) their axes in world axes
    frame_wrench: np.ndarray  # (N, frames, 6) torque, force of their link on what acts there or is carried, own axes
    element: np.ndarray  # (N, elements, 5) length, its rate, tension, energy, power lost
    actuator: np.ndarray  # (N, actuators, 6) place, rate, effort, power, energy stored, power lost
    touch: np.ndarray  # (N, contacts, 9) gap, its rate, normal force, energy, power lost, sliding speed, force (world)
    loop_wrench: np.ndarray  # (N, c, 6) torque, force of the first frame of a loop on the second, axes of the second
    loop_position: np.ndarray  # (N, c, 3) origin of the second frame in the world
    loop_orientation: np.ndarray  # (N, c, 4) its axes in the world
    loop_gap: np.ndarray  # (N, c) the largest gap of the loop, m or rad


class GivenLoads(NamedTuple):
    """Loads at N samples: values (N, k), and for each the row and the entry of the wrench that it is."""

    values: np.ndarray
    row: np.ndarray
    entry: np.ndarray


class DrivenRows(NamedTuple):
    """The directions that loops hold, at N samples: their multipliers (N, rows), and what their values are to be."""

    multipliers: np.ndarray
    given: np.ndarray


def observe(
    model: Model,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    loads: GivenLoads | None = None,
    held: DrivenRows | None = None,
    *,
    look: Wanted = Wanted.FORCES,
    points: Probe | None = None,
    room: Struct | None = None,
) -> Observation:
    """Compute everything that follows from configurations (N, nq), velocities, accelerations (N, nv) and what acts.

    What `look` leaves out stays as it was, zero, and the rest is found in a fraction of the time. `points` are the
    `tips` of the model and `room` is an Observation to fill, where they are at hand.
    """
    q, v, a = (np.array(x, np.float64, order="C") for x in (q, v, a))
    arguments, out = observing(model, q, v, a, loads, held, look, points, room)
    fill_observation(*arguments)
    driven = model.held_elements
    if len(driven):
        out.element[:, driven, TENSION] = 0.0 if held is None else -held.multipliers[:, -len(driven) :]
    return out


def observing(
    model: Model,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    loads: GivenLoads | None = None,
    held: DrivenRows | None = None,
    look: Wanted = Wanted.FORCES,
    points: Probe | None = None,
    room: Struct | None = None,
) -> tuple[tuple[Any, ...], Observation]:
    """Return arguments of `fill_observation`, which share the memory of the samples, and the results that it fills."""
    rows = len(model.arrays.loops.hold)
    flexible = np.array([k for k, link in enumerate(model.links) if link in model.flexible], np.int64)
    room = room or make_room(model, len(q))
    points = points or tips(model)
    wrench, force = np.zeros((len(points.arrays.tree.parent), 6)), np.zeros(model.nv)
    none, no_rows = np.zeros(0, np.int64), np.zeros((len(q), rows))
    given = Struct(GivenLoads(np.zeros((len(q), 0)), none, none) if loads is None else loads)
    closed = Struct(DrivenRows(*map(np.ascontiguousarray, held or (no_rows, no_rows))))
    gap, zero = np.zeros(rows), np.zeros((rows, 3))
    scratch = (given, closed, wrench, force, zero, gap)
    return (points.struct, points.workspace(), int(look), flexible, q, v, a, *scratch, room), room.fields


def energies_of(model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Compute the energies alone, (N, 5), of configurations (N, nq) and velocities (N, nv)."""
    found = np.empty((len(q), 5))
    fill_energies(model.struct, model.workspace(), q, v, found)
    return found


def make_room(model: Model, samples: int) -> Struct:
    """Return an Observation of so many samples, all zero, as `observe` fills it."""
    links, flexible, loops = len(model.links), len(model.flexible), len(model.loops)
    sizes = {
        "wrench": (links, 6),
        "link_position": (links, 3),
        "link_orientation": (links, 4),
        "tip_position": (links, 3),
        "tip_orientation": (links, 4),
        "tip_twist": (links, 6),
        "deflection": (flexible, 3),
        "rotation": (flexible, 3),
        "energy": (5,),
        "frame_position": (len(model.frames), 3),
        "frame_axes": (len(model.frames), 3, 3),
        "frame_wrench": (len(model.frames), 6),
        "element": (len(model.arrays.elements.kind), 5),
        "actuator": (len(model.arrays.actuators.kind), 6),
        "touch": (len(model.arrays.contacts.shape), 9),
        "loop_wrench": (loops, 6),
        "loop_position": (loops, 3),
        "loop_orientation": (loops, 4),
        "loop_gap": (loops,),
    }
    return Struct(Observation(**{name: np.zeros((samples, *size)) for name, size in sizes.items()}))


def observe_run(
    raw: RawRun,
    look: Wanted = Wanted.FORCES,
    points: Probe | None = None,
    room: Struct | None = None,
) -> Observation:
    """Observe a run with its loads, loops and payloads; `room` is of use where no payload comes or goes."""
    model, loads, held, carried = raw.model, raw.loads, raw.held_rows, raw.carried
    given = None
    if loads is not None and loads.values is not None:
        given = GivenLoads(loads.values, loads.row, loads.entry)

    def seen(part: np.ndarray | slice, room: Struct | None = None) -> Observation:
        own = given and given._replace(values=given.values[part])
        rows = held and DrivenRows(*(table[part] for table in held))
        return observe(model, raw.q[part], raw.v[part], raw.a[part], own, rows, look=look, points=points, room=room)

    if carried is None or not carried.payloads:
        return seen(slice(None), room)
    # masses differ from time to time: one stretch between picking up and dropping after the other
    ends = np.searchsorted(raw.time, carried.times - 1e-9 * np.maximum(1.0, carried.times))
    parts = []
    for part in np.split(np.arange(len(raw.time)), ends):
        if len(part):
            list(carried.put((points or tips(model)).memory, float(raw.time[part[0]])))
        parts.append(seen(part))
    return Observation(*map(np.concatenate, zip(*parts, strict=True)))


@inline
def rotation_vector(R):
    """Return log(R), of length at most pi."""
    q = quaternion_of(R)
    w = q[0] if q[0] >= 0.0 else -q[0]
    s = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    f = 2.0 * atan2(s, w) / s if s > 0.0 else 2.0
    if q[0] < 0.0:
        f = -f
    return (f * q[1], f * q[2], f * q[3])


@inline
def store_orientation(samples, s, k, R):
    """Store sample s of orientation k: of the two quaternions that mean R, the one near sample s - 1."""
    q = quaternion_of(R)
    near = q[0]
    if s > 0:
        near = 0.0
        for j in range(4):
            near += q[j] * samples[s - 1, k, j]
    sign = -1.0 if near < 0.0 else 1.0
    for j in range(4):
        samples[s, k, j] = sign * q[j]


@inline
def store_places(model, work, q, held, s, before, none, gap, out):
    """Store sample s of positions, orientations and twists; arguments as those of `fill_observation`."""
    links = out.link_position.shape[1]
    loops = out.loop_gap.shape[1]
    for k in range(out.frame_position.shape[1]):
        store_vector(out.frame_position[s, k], work.world_position[links + 1 + k])
        store_matrix(out.frame_axes[s, k], matrix(work.world_rotation[links + 1 + k]))
    for k in range(links):
        link = k + 1
        store_vector(out.link_position[s, k], work.world_position[link])
        store_orientation(out.link_orientation, s, k, matrix(work.world_rotation[link]))
        tip = before + link
        R = matrix(work.world_rotation[tip])
        store_vector(out.tip_position[s, k], work.world_position[tip])
        store_orientation(out.tip_orientation, s, k, R)
        store_vector(out.tip_twist[s, k, 0:3], rotate(R, vector(work.omega[tip])))
        store_vector(out.tip_twist[s, k, 3:6], rotate(R, vector(work.velocity[tip])))
    loop_values(model, work, q, none, gap)
    for k in range(loops):
        joint = model.loops.second[k]
        store_vector(out.loop_position[s, k], work.world_position[joint])
        store_orientation(out.loop_orientation, s, k, matrix(work.world_rotation[joint]))
        for row in range(model.loops.rows[k, 0], model.loops.rows[k, 1]):
            out.loop_gap[s, k] = max(out.loop_gap[s, k], abs(gap[row] - held.given[s, row]))


@kernel
def fill_energies(model, work, q, v, out):
    """Compute energies of one sample after the other."""
    for s in range(q.shape[0]):
        energies(model, work, q[s], v[s], out[s])


@kernel
def fill_observation(model, work, look, flexible, q, v, a, loads, held, wrench, force, none, gap, out):
    """Fill `out` sample by sample; `model` has the tips of its links as last rows.

    `look` is a Look. `wrench` (n, 6), `force` (nv,) and `gap` (rows,) are scratch memory, `none` (rows, 3)
    is zero.
    """
    links = out.wrench.shape[1]
    before = model.tree.parent.shape[0] - links - 1  # the tip of row i is row before + i
    loops = out.loop_gap.shape[1]
    for s in range(q.shape[0]):
        # What acts from outside: reactions of loops as wrenches on their frames, and loads.
        if loops > 0:
            for i in range(wrench.shape[0]):
                for row in range(6):
                    wrench[i, row] = 0.0
            forward_kinematics(model, work, q[s], v[s])
            loop_wrenches(model, work, held.multipliers[s], out.loop_wrench[s], wrench)
        for k in range(loads.row.shape[0]):
            wrench[loads.row[k], loads.entry[k]] = loads.values[s, k]
        # Wrenches in joints, on frames, of elements and contacts, by the recursive Newton-Euler pass.
        if look == Wanted.FORCES:
            inverse_dynamics(model, work, q[s], v[s], a[s], wrench, force)
            for k in range(links):
                for row in range(6):
                    out.wrench[s, k, row] = work.wrench[k + 1, row]
            for k in range(out.frame_wrench.shape[1]):
                for row in range(6):
                    out.frame_wrench[s, k, row] = work.wrench[links + 1 + k, row]
            for e in range(out.element.shape[1]):
                for k in range(5):
                    out.element[s, e, k] = work.element[e, k]
            for e in range(out.actuator.shape[1]):
                for k in range(6):
                    out.actuator[s, e, k] = work.actuator[e, k]
            for c in range(out.touch.shape[1]):
                for k in range(9):
                    out.touch[s, c, k] = work.touch[c, k]
            energies_of_bodies(model, work, q[s], v[s], out.energy[s])
        else:
            forward_kinematics(model, work, q[s], v[s])
        if look == Wanted.PLACES:
            world_frames(model, work)
        if look >= Wanted.PLACES:
            store_places(model, work, q[s], held, s, before, none, gap, out)
        # Deflections: the tip's section against where it is undeformed, in the link's axes.
        for k in range(flexible.shape[0]):
            tip = before + flexible[k] + 1
            moved = subtract(vector(work.position[tip]), vector(model.sections.position[tip]))
            store_vector(out.deflection[s, k], moved)
            store_vector(out.rotation[s, k], rotation_vector(matrix(work.rotation[tip])))
