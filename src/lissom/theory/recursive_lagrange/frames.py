"""Motion of frames on links by the 4 x 4 matrices of the recursion: T = W_i S, and its derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.compile import Pointer, Struct, inline, kernel
from lissom.model.description.frame import Frame
from lissom.model.model import Model
from lissom.theory.connections.frame_kernel import FrameKernel, on_links
from lissom.theory.recursive_lagrange.matrices import add_product, copy, multiply
from lissom.theory.recursive_lagrange.recursion import outward
from lissom.theory.recursive_lagrange.tables import Tables
from lissom.theory.recursive_lagrange.work import make_work


class RecursiveLagrangeFrames(NamedTuple):
    """Tables with a station for every frame, and memory of their own."""

    tables: Any  # Struct
    work: Any  # Struct
    outward: Any  # Pointer
    station: np.ndarray  # (f,) of each frame
    still: np.ndarray  # (nv,) zeros
    T: np.ndarray  # (4, 4) scratch
    Td: np.ndarray
    Tdd: np.ndarray
    G: np.ndarray  # from a frame on the way to the base, to the frame
    D: np.ndarray
    back: np.ndarray
    gravity: np.ndarray  # (3,)


def frame_kernel(model: Model, tables: Tables, stations: dict[Any, int], frames: Sequence[Frame]) -> FrameKernel:
    """Return the kinematics of frames; `stations` has those of the tables by link and place."""
    work, q, v = make_work(tables, np.float64), np.zeros(model.nq), np.zeros(model.nv)
    station = np.zeros(len(frames) + 1, int)
    for k, frame in on_links(frames):
        station[k] = stations[frame.link, frame.at]
    structs = Struct(tables), Struct(work)
    own = RecursiveLagrangeFrames(
        *structs,
        outward=Pointer(outward, *structs, q, v, v),
        station=station,
        still=v,
        **{name: np.zeros((4, 4)) for name in ("T", "Td", "Tdd", "G", "D", "back")},
        gravity=np.array(tables.gravity, float),
    )
    return FrameKernel(fill, Struct(own))


@inline
def store_body_twist(T, rate, out):
    """Write the vector of the twist T^-1 rate to out (6,)."""
    for r in range(3):
        out[3 + r] = T[0, r] * rate[0, 3] + T[1, r] * rate[1, 3] + T[2, r] * rate[2, 3]
    out[0] = T[0, 2] * rate[0, 1] + T[1, 2] * rate[1, 1] + T[2, 2] * rate[2, 1]
    out[1] = T[0, 0] * rate[0, 2] + T[1, 0] * rate[1, 2] + T[2, 0] * rate[2, 2]
    out[2] = T[0, 1] * rate[0, 0] + T[1, 1] * rate[1, 0] + T[2, 1] * rate[2, 0]


@inline
def modal_columns(own, i, s, J):
    """Write the columns of the modes of link i, on whose station s the frame hangs by own.G."""
    work, at = own.work, own.tables.modes_v[i]
    for f in range(own.tables.modes[i]):
        for r in range(3):
            for c in range(4):
                own.D[r, c] = work.dS[s, 4 * r + c, f]
        multiply(work.W[i], own.D, own.back)
        multiply(own.back, own.G, own.Td)
        store_column(own, own.Td, J, at + f)


@inline
def store_column(own, rate, J, j):
    """Write the twist of a rate of own.T to column j of J (6, nv)."""
    T = own.T
    for r in range(3):
        J[3 + r, j] = T[0, r] * rate[0, 3] + T[1, r] * rate[1, 3] + T[2, r] * rate[2, 3]
    J[0, j] = T[0, 2] * rate[0, 1] + T[1, 2] * rate[1, 1] + T[2, 2] * rate[2, 1]
    J[1, j] = T[0, 0] * rate[0, 2] + T[1, 0] * rate[1, 2] + T[2, 0] * rate[2, 2]
    J[2, j] = T[0, 1] * rate[0, 0] + T[1, 1] * rate[1, 0] + T[2, 1] * rate[2, 0]


@kernel
def fill(own, q, v, motion):
    """Compute pose, twist, drift and Jacobian of every frame: of T = W S, T^-1 T' and the derivatives along each way.

    Equations: 004 (7)-(9).
    """
    tables, work = own.tables, own.work
    own.outward(tables, work, q, v, own.still)
    for k in range(1, motion.owner.shape[0]):
        if motion.owner[k] > 0:
            i, s = motion.owner[k], own.station[k]
            T, Td, Tdd = own.T, own.Td, own.Tdd
            multiply(work.W[i], work.S[s], T)
            multiply(work.Wd[i], work.S[s], Td)
            add_product(work.W[i], work.Sd[s], 1.0, Td)
            multiply(work.Wdd[i], work.S[s], Tdd)
            add_product(work.Wd[i], work.Sd[s], 2.0, Tdd)
            add_product(work.W[i], work.Sdd[s], 1.0, Tdd)
            for r in range(3):
                Tdd[r, 3] += own.gravity[r]  # the base was accelerated against gravity
                motion.p[k, r] = T[r, 3]
                for c in range(3):
                    motion.R[k, r, c] = T[r, c]
            store_body_twist(T, Td, motion.V[k])
            # (T^-1 T')' = T^-1 T'' - (T^-1 T')^2; the square of a twist turns nothing, and moves by omega x v
            store_body_twist(T, Tdd, motion.drift[k])
            w, u = motion.V[k, 0:3], motion.V[k, 3:6]
            motion.drift[k, 3] -= w[1] * u[2] - w[2] * u[1]
            motion.drift[k, 4] -= w[2] * u[0] - w[0] * u[2]
            motion.drift[k, 5] -= w[0] * u[1] - w[1] * u[0]
            # the square of omega is symmetric: take it out of the rate of the turn
            motion.drift[k, 0] -= w[1] * w[2]
            motion.drift[k, 1] -= w[2] * w[0]
            motion.drift[k, 2] -= w[0] * w[1]
            for j in range(motion.J.shape[2]):
                for r in range(6):
                    motion.J[k, r, j] = 0.0
            columns(own, i, s, motion.J[k])


@inline
def columns(own, i, s, J):
    """Write the columns of all joints and modes between the base and the station s of link i."""
    tables, work = own.tables, own.work
    for r in range(4):
        for c in range(4):
            own.D[r, c] = 0.0
            own.G[r, c] = 1.0 if r == c else 0.0
    while i > 0:
        modal_columns(own, i, s, J)
        multiply(work.S[s], own.G, own.back)
        copy(own.back, own.G)
        for c in range(tables.dofs[i]):
            multiply(work.X[i, c], own.G, own.Td)
            store_column(own, own.Td, J, tables.joint_v[i] + c)
        multiply(work.A[i], own.G, own.back)
        copy(own.back, own.G)
        s = tables.attached[i]
        i = tables.parent[i]
