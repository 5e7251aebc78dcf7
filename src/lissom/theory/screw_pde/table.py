"""What the compiled equations read and write: constants of a robot, and scratch memory for one evaluation.

Links are numbered from 0 in the order of the model; a parent comes before its children, -1 is the world. Arrays with an
axis per mode are padded to the largest count m. Twists and wrenches have the angular part first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.beam import FlexibleLink
from lissom.kernel.data.arrays import Gears, JointMotion, Passive
from lissom.lie import so3
from lissom.model.description.joint_kinds import joint_steps
from lissom.model.description.robot import Link
from lissom.model.model import Model
from lissom.theory.coverage import Unsupported
from lissom.theory.screw_pde.closure import held_directions
from lissom.theory.screw_pde.particles import Particles, particles

Array = np.ndarray
Station = tuple[str, Any]


class Table(NamedTuple):
    """Constants of a robot with n links, N particles and nv velocities."""

    # chain or tree
    parent: Array  # (n,)
    modes: Array  # (n,)
    joint_q: Array  # (n,) first joint coordinate in q
    joint_v: Array  # (n,)
    modes_q: Array  # (n,) first modal coordinate in q
    modes_v: Array  # (n,)
    gravity: Array  # (3,) in the world

    # r sections: row i is the one on the parent that carries joint i, row n + i the one that carries link i's body
    # frame, row 2 n + k the one that closure k holds
    flexible: Array  # (r,) 1 where the section belongs to a flexible link
    second_order: Array  # (r,) 1 where its motion has second-order terms
    position: Array  # (r, 3) undeformed
    phi: Array  # (r, m, 3) displacement per coordinate
    psi: Array  # (r, m, 3) rotation per coordinate
    shortening: Array  # (r, m, m) B
    twist: Array  # (r, m, m) D
    closed: Array  # (nk,) link of every closure
    moved: Array  # (n,) 1 where the body frame is not at the base
    given: Array  # (n,) 1 where sections and rows of a link are written from outside: fields of higher order

    # joints
    origin_R: Array  # (n, 3, 3) joint frame in the section's frame
    origin_p: Array  # (n, 3)
    steps: Array  # (n,)
    motion: Array  # (n, 3) `JointMotion` of each step
    screw: Array  # (n, 3, 6) unit twist of each step
    dofs: Array  # (n,)
    locked: Array  # (n, 6, 6) columns of P: the directions in which the joint holds, before its last turn
    turned: Array  # (n,) 1 where P turns with the last step (universal joints)

    # particles of link i: rows start[i] to start[i + 1], particle by particle along the last axis
    start: Array  # (n + 1,)
    foreshortened: Array  # (n,) how many of them foreshorten; these come first
    sign: Array  # (N,)
    carried: Array  # (N,)
    place: Array  # (3, N)
    shape: Array  # (m, 3, N)
    forms: Array  # (N, m, m)
    bending: Array  # (n,) number of bending coordinates, which come first

    # elasticity of the links
    preload: Array  # (n, m) what heat and tendons push
    stiffness: Array  # (n, m, m)
    damping: Array  # (n, m, m)
    cubic_start: Array  # (n + 1,)
    cubic_modes: Array  # (nc, 3)
    cubic: Array  # (nc,)
    cubic_damping: Array  # (nc,)

    # joints' own forces, as the kernel has them
    armature: Array  # (nv,) rotor inertia behind a rigid gear
    passive: Passive
    gears: Gears


class Work(NamedTuple):
    """Memory of one evaluation; s = 6 + m is the size of z = (V, eta)."""

    # sections of Table, relative to the body frame of their link; components in the section's own axes
    R: Array  # (r, 3, 3) in the axes of the body frame
    p: Array  # (r, 3)
    J: Array  # (r, m, 6) twist of the section per modal velocity
    U: Array  # (r, 6) that twist
    dU: Array  # (r, 6) its rate without modal accelerations
    # base of a link, relative to its own body frame
    base_R: Array  # (n, 3, 3)
    base_p: Array  # (n, 3)
    base_J: Array  # (n, m, 6)
    base_U: Array  # (n, 6)
    base_dU: Array  # (n, 6)
    # joints
    joint_R: Array  # (n, 3, 3) child base in the parent's section frame
    joint_p: Array  # (n, 3)
    S: Array  # (n, 6, 6) row k: motion of the child's base per velocity k, in its axes
    P: Array  # (n, 6, 6) row k: a direction the joint holds
    joint_U: Array  # (n, 6) S q'
    joint_dU: Array  # (n, 6) S' q'
    force: Array  # (nv,) what acts in every coordinate: applied and passive
    # motion of the body frames
    world_R: Array  # (n, 3, 3)
    world_p: Array  # (n, 3)
    V: Array  # (n, 6)
    base_V: Array  # (n, 6) twist of the base
    reach: Array  # (n, 6, s) X_i: acceleration of joint i's base by the parent's z', held joint
    gamma: Array  # (n, 6) what is left of it without any z'
    base_gamma: Array  # (n, 6) acceleration of the base without z'
    # links: mass z' + bias = B^T W_i - sum X_c^T W_c
    mass: Array  # (n, s, s) lower triangle
    bias: Array  # (n, s)
    external: Array  # (n, s) loads
    # elimination
    A: Array  # (n, s, s)
    b: Array  # (n, s)
    hinge: Array  # (n, 6, 6) inertia felt across the joint, W = hinge y + hold
    hold: Array  # (n, 6)
    AS: Array  # (n, 6, 6) row k: inertia times motion k of the joint
    D: Array  # (n, 6, 6) its factor in the joint's coordinates
    pivot: Array  # (n,) smallest pivot, relative
    # results
    zdot: Array  # (n, s)
    wrench: Array  # (n, 6)
    # scratch of one link
    s: Array  # (3, K) positions of its particles
    ds: Array  # (3, K)
    acc: Array  # (3, K) accelerations without z', times sign
    jac: Array  # (m, 3, K)
    signed: Array  # (m, 3, K)
    eta_B: Array  # (2, m)
    X: Array  # (6, s)


def of_higher_order(link: FlexibleLink) -> bool:
    """Return whether the field of a link goes beyond the second order."""
    return link.stiffening == "exact" or link.bow is not None


def tables(model: Model, frames: Mapping[str, float], held: Sequence[Station] = ()) -> tuple[Table, Work]:
    """Constants and memory for `model`.

    Args:
        frames: stations (metres) of body frames that are not at the base, by link.
        held: frames of closures on links: link and station (None for the tip).
    """
    links, beams = model.robot.bodies, model.flexible
    n, m = len(links), max((beam.count for beam in beams.values()), default=0)
    rows = {link.name: i for i, link in enumerate(links)}
    fields: dict[str, Any] = {
        "parent": np.array([rows.get(link.parent, -1) for link in links]),
        "modes": np.array([beams[link.name].count if link.name in beams else 0 for link in links]),
        "gravity": np.asarray(model.robot.gravity, float),
        "moved": np.array([int(frames.get(link.name, 0.0) != 0.0) for link in links]),
        "given": np.array([int(link.name in beams and of_higher_order(beams[link.name])) for link in links]),
        "bending": np.array([beams[k.name].bending_count if k.name in beams else 0 for k in links]),
    }
    for name in ("joint_q", "joint_v", "modes_q", "modes_v"):
        fields[name] = np.array([getattr(body, name).start for body in model.bodies])
    fields |= _sections(links, beams, frames, held, m) | _joints(links) | _particles(links, beams, m)
    arrays = model.arrays
    fields |= _elasticity(links, beams, m)
    fields |= {"armature": arrays.velocities.armature, "passive": arrays.passive, "gears": arrays.gears}
    table = Table(**fields)
    _check_supported(model)
    return table, _work(table, model.nv, n, m)


def _check_supported(model: Model) -> None:
    if np.iscomplexobj(model.arrays.gravity):
        raise Unsupported("screw_pde takes real parameters; compile the robot without complex values")


def section_places(
    links: tuple[Link, ...], frames: Mapping[str, float], held: Sequence[Station]
) -> list[tuple[int, str, Any]]:
    """Return row, link and station of every section: that carry joints, that carry body frames, that closures hold."""
    n = len(links)
    places: list[tuple[int, str, Any]] = [(i, link.parent, link.at) for i, link in enumerate(links)]
    places += [(n + i, link.name, frames.get(link.name, 0.0)) for i, link in enumerate(links)]
    return places + [(2 * n + k, *station) for k, station in enumerate(held)]


def _sections(
    links: tuple[Link, ...],
    beams: Mapping[str, FlexibleLink],
    frames: Mapping[str, float],
    held: Sequence[Station],
    m: int,
) -> dict[str, Array]:
    n = len(links)
    names = [link.name for link in links]
    rows = 2 * n + len(held)
    out: dict[str, Array] = {
        "flexible": np.zeros(rows, np.int64),
        "second_order": np.zeros(rows, np.int64),
        "position": np.zeros((rows, 3)),
        "phi": np.zeros((rows, m, 3)),
        "psi": np.zeros((rows, m, 3)),
        "shortening": np.zeros((rows, m, m)),
        "twist": np.zeros((rows, m, m)),
        "closed": np.array([names.index(link) for link, _ in held], np.int64),
    }
    for row, owner, at in section_places(links, frames, held):
        if owner not in beams:
            continue
        beam = beams[owner]
        section, k = beam.section_map(beam.length if at is None else at), beam.count
        out["flexible"][row], out["second_order"][row] = 1, int(beam.second_order)
        out["position"][row] = section.position
        out["phi"][row, :k], out["psi"][row, :k] = section.phi.T, section.psi.T
        out["shortening"][row, :k, :k], out["twist"][row, :k, :k] = section.foreshortening, section.twist
    return out


def _joints(links: tuple[Link, ...]) -> dict[str, Array]:
    n = len(links)
    steps, dofs, turned = (np.zeros(n, np.int64) for _ in range(3))
    motion, screw, locked = np.zeros((n, 3), np.int64), np.zeros((n, 3, 6)), np.zeros((n, 6, 6))
    for i, link in enumerate(links):
        for k, step in enumerate(joint_steps(link.joint)):
            motion[i, k], screw[i, k], steps[i] = step.motion, step.screw, k + 1
        dofs[i] = link.joint.nv
        turned[i] = int(np.array_equal(motion[i, : steps[i]], [JointMotion.TURN, JointMotion.TURN]))
        held = held_directions(link.joint)
        locked[i, : len(held)] = held
    return {
        "origin_R": np.array([so3.from_rpy(np.asarray(link.origin.rpy)) for link in links]),
        "origin_p": np.array([link.origin.xyz for link in links]),
        "steps": steps,
        "motion": motion,
        "screw": screw,
        "dofs": dofs,
        "locked": locked,
        "turned": turned,
    }


def _particles(links: tuple[Link, ...], beams: Mapping[str, FlexibleLink], m: int) -> dict[str, Array]:
    none = Particles(np.zeros(0), np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, 0)), np.zeros((0, 0, 0)))
    bends = [beams.get(link.name) for link in links]
    sets = [none if bend and of_higher_order(bend) else particles(link, bend) for link, bend in zip(links, bends)]
    start = np.cumsum([0, *(len(p.sign) for p in sets)])
    shape, forms = np.zeros((m, 3, start[-1])), np.zeros((start[-1], m, m))
    for first, p in zip(start, sets):
        k = p.shape.shape[2]
        shape[:k, :, first : first + len(p.sign)] = p.shape.transpose(2, 1, 0)
        forms[first : first + len(p.shortening), :k, :k] = p.shortening
    return {
        "start": start,
        "foreshortened": np.array([len(p.shortening) for p in sets]),
        "sign": np.concatenate([p.sign for p in sets]),
        "carried": np.concatenate([p.carried for p in sets]),
        "place": np.ascontiguousarray(np.concatenate([p.place for p in sets]).T),
        "shape": shape,
        "forms": forms,
    }


def _elasticity(links: tuple[Link, ...], beams: Mapping[str, FlexibleLink], m: int) -> dict[str, Array]:
    n = len(links)
    stiffness, damping, preload = np.zeros((n, m, m)), np.zeros((n, m, m)), np.zeros((n, m))
    starts, index, value, rate = [0], [np.zeros((0, 3), np.int64)], [np.zeros(0)], [np.zeros(0)]
    for i, link in enumerate(links):
        if link.name in beams and not of_higher_order(beams[link.name]):
            beam = beams[link.name]
            k = beam.count
            stiffness[i, :k, :k], damping[i, :k, :k] = beam.stiffness(), beam.damping_matrix()
            preload[i, :k] = beam.preload()
            terms = beam.cubic_terms()
            index.append(terms[0])
            value.append(terms[1])
            rate.append(terms[2])
        starts.append(sum(map(len, value)))
    return {
        "preload": preload,
        "stiffness": stiffness,
        "damping": damping,
        "cubic_start": np.array(starts),
        "cubic_modes": np.concatenate(index),
        "cubic": np.concatenate(value),
        "cubic_damping": np.concatenate(rate),
    }


def _work(table: Table, nv: int, n: int, m: int) -> Work:
    s, most, r = 6 + m, int(np.diff(table.start).max(initial=0)), len(table.flexible)
    shapes: dict[str, tuple[int, ...]] = {
        "R": (r, 3, 3), "p": (r, 3), "J": (r, m, 6), "U": (r, 6), "dU": (r, 6),
        "base_R": (n, 3, 3), "base_p": (n, 3), "base_J": (n, m, 6), "base_U": (n, 6), "base_dU": (n, 6),
        "joint_R": (n, 3, 3), "joint_p": (n, 3), "S": (n, 6, 6), "P": (n, 6, 6), "joint_U": (n, 6),
        "joint_dU": (n, 6), "force": (nv,), "world_R": (n, 3, 3), "world_p": (n, 3), "V": (n, 6), "base_V": (n, 6),
        "reach": (n, 6, s), "gamma": (n, 6), "base_gamma": (n, 6), "mass": (n, s, s), "bias": (n, s),
        "external": (n, s), "A": (n, s, s), "b": (n, s), "hinge": (n, 6, 6), "hold": (n, 6), "AS": (n, 6, 6),
        "D": (n, 6, 6), "pivot": (n,), "zdot": (n, s), "wrench": (n, 6), "s": (3, most), "ds": (3, most),
        "acc": (3, most), "jac": (m, 3, most), "signed": (m, 3, most), "eta_B": (2, m), "X": (6, s),
    }  # fmt: skip
    work = Work(**{name: np.zeros(shape) for name, shape in shapes.items()})
    for name in ("R", "base_R", "joint_R", "world_R"):
        getattr(work, name)[:] = np.eye(3)
    return work
