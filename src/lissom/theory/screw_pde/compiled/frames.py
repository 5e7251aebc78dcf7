"""Motion of sections that carry frames: rows of the sections that closures hold, behind those of joints and links."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import Pointer, Struct, inline, kernel
from lissom.kernel.maths.algebra import (
    add,
    compose,
    matrix,
    rotate,
    rotate_back,
    scale,
    store_matrix,
    store_vector,
    vector,
)
from lissom.theory.screw_pairs import add_pair, bracket, load_pair, store_pair, twist_at, work_pair, wrench_from
from lissom.theory.screw_pde.compiled.energy import link_accelerations
from lissom.theory.screw_pde.compiled.evaluate import constraint_rows, place_frames, relative_motions


class ScrewPdeFrames(NamedTuple):
    """Constants and memory with a section for every frame, and the steps of their motion."""

    tables: Any  # Struct
    work: Any  # Struct
    prepare: Any  # Pointer to what writes sections of links whose fields are of higher order
    relative_motions: Any  # Pointers
    place_frames: Any
    constraint_rows: Any
    link_accelerations: Any
    section: np.ndarray  # (f,) row of the section of each frame
    a: np.ndarray  # (nv,) scratch


def make_frames(table: Struct, work: Struct, prepare: Any, section: np.ndarray, nq: int, nv: int) -> Struct:
    """Everything that `fill` needs."""
    q, v = np.zeros(nq), np.zeros(nv)
    own = ScrewPdeFrames(
        tables=table,
        work=work,
        prepare=Pointer(prepare, q, v),
        relative_motions=Pointer(relative_motions, table, work, q, v),
        place_frames=Pointer(place_frames, table, work),
        constraint_rows=Pointer(constraint_rows, table, work),
        link_accelerations=Pointer(link_accelerations, table, work, v),
        section=section,
        a=v,
    )
    return Struct(own)


@kernel
def prepare_nothing(q, v):
    """Leave the sections to `relative_motions`."""


@inline
def section_rate(own, k, i, twist):
    """Rate of the twist of section k on link i, for accelerations in place: Ad(g^-1) V' + J eta'' + dU + ad(V) U."""
    work = own.work
    a, b = load_pair(work.zdot[i])
    a, b = twist_at(matrix(work.R[k]), vector(work.p[k]), a, b)
    c, d = load_pair(work.U[k])
    c, d = bracket(twist[0], twist[1], c, d)
    a, b = add(a, c), add(b, d)
    c, d = load_pair(work.dU[k])
    a, b = add(a, c), add(b, d)
    for j in range(own.tables.modes[i]):
        c, d = load_pair(work.J[k, j])
        a, b = add(a, scale(work.zdot[i, 6 + j], c)), add(b, scale(work.zdot[i, 6 + j], d))
    return a, b


@inline
def section_twist(own, k, i):
    """Twist of section k on link i."""
    a, b = load_pair(own.work.V[i])
    a, b = twist_at(matrix(own.work.R[k]), vector(own.work.p[k]), a, b)
    c, d = load_pair(own.work.U[k])
    return add(a, c), add(b, d)


@kernel
def fill(own, q, v, motion):
    """Compute pose, twist, drift and Jacobian of the section of every frame.

    Equations: 003 (13).
    """
    tables, work = own.tables, own.work
    own.prepare(q, v)
    own.relative_motions(tables, work, q, v)
    own.place_frames(tables, work)
    own.constraint_rows(tables, work)
    n = own.a.shape[0]
    for j in range(n):
        own.a[j] = 0.0
    own.link_accelerations(tables, work, own.a)
    for k in range(1, motion.owner.shape[0]):
        if motion.owner[k] > 0:
            i, s = motion.owner[k] - 1, own.section[k]
            R = matrix(work.world_R[i])
            store_matrix(motion.R[k], compose(R, matrix(work.R[s])))
            store_vector(motion.p[k], add(vector(work.world_p[i]), rotate(R, vector(work.p[s]))))
            twist = section_twist(own, s, i)
            a, b = section_rate(own, s, i, twist)
            store_pair(motion.V[k], twist[0], twist[1])
            store_pair(motion.drift[k], a, b)
    for j in range(n):
        own.a[j] = 1.0
        own.link_accelerations(tables, work, own.a)
        own.a[j] = 0.0
        for k in range(1, motion.owner.shape[0]):
            if motion.owner[k] > 0:
                i, s = motion.owner[k] - 1, own.section[k]
                a, b = section_rate(own, s, i, section_twist(own, s, i))
                for r in range(3):
                    motion.J[k, r, j] = a[r] - motion.drift[k, r]
                    motion.J[k, 3 + r, j] = b[r] - motion.drift[k, 3 + r]


@kernel
def add_section_wrenches(tables, work, section, owner, wrench, in_world, offset_R, offset_p, world_R, external):
    """Add [Ad(g^-1), J]^T W of wrenches on frames to the external forces (n, 6 + m) in the rows of their links.

    Equations: 003 (13).
    """
    for k in range(section.shape[0]):
        i, s = owner[k], section[k]
        Q, R = matrix(offset_R[k]), matrix(work.R[s])
        t, f = load_pair(wrench[k])
        if in_world[k] == 1:
            turn = compose(compose(matrix(world_R[i]), R), Q)
            t, f = rotate_back(turn, t), rotate_back(turn, f)
        t, f = wrench_from(Q, vector(offset_p[k]), t, f)
        for j in range(tables.modes[i]):
            external[i, 6 + j] += work_pair(work.J[s, j], t, f)
        t, f = wrench_from(R, vector(work.p[s]), t, f)
        add_pair(external[i], t, f)
