"""The stacked differential-algebraic system as an object to look at: named blocks of one sparse matrix.

For link i with z = (V, eta'), joint wrench W_i, base map B_i, parent map X_i, joint motions S_i, held directions P_i:

    constraint   P_i^T (B_i z_i' - X_i z_up')                     = P_i^T gamma_i
    actuator     S_i^T W_i                                        = force_i
    twist        mass_i z_i' - B_i^T W_i + sum_c X_c^T W_c        = -bias_i      (6 rows)
    deformation  the same                                                        (m rows)

This is (42), (67) and (72) of Yaqubi et al. 2026 with the columns in their places: near block-tridiagonal for a chain.
A rigid gear's reflected inertia stands in the actuator rows, a rotor behind an elastic gear has a row of its own, and a
closure adds its directions as rows and its wrench as columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.errors import LissomError

if TYPE_CHECKING:
    from scipy.sparse import csc_array

    from lissom.theory.screw_pde.formulation import ScrewPDE

Array = np.ndarray


class Block(NamedTuple):
    """A run of rows or columns: whose they are, what they say, where they stand."""

    owner: str  # link or joint
    kind: str
    start: int
    stop: int

    @property
    def name(self) -> str:
        return f"{self.owner}: {self.kind}"

    @property
    def slice(self) -> slice:
        return slice(self.start, self.stop)


class Solution(NamedTuple):
    """The unknowns of the system, sorted."""

    accelerations: Array  # (nv,) of the model's coordinates
    wrenches: Array  # (joints, 6)
    closures: Array  # wrench components of closures, one after the other


@dataclass(frozen=True, eq=False)
class System:
    """matrix @ unknowns = right, at one state."""

    formulation: ScrewPDE
    matrix: csc_array
    right: Array
    rows: tuple[Block, ...]
    columns: tuple[Block, ...]

    @classmethod
    def of(cls, formulation: ScrewPDE) -> System:
        """Stack the blocks that the formulation evaluated last."""
        return _Stack(formulation).system()

    def block(self, row: str, column: str) -> Array:
        """One block by names such as "upper: twist", "elbow: wrench": a dense array."""
        r, c = _named(self.rows, row), _named(self.columns, column)
        return self.matrix[r.slice][:, c.slice].toarray()

    def solve(self) -> Solution:
        """Unknowns by a sparse direct solver, in the model's order; wrenches go to the formulation as well."""
        from scipy.sparse.linalg import splu

        try:
            x = splu(self.matrix).solve(self.right)
        except RuntimeError:
            raise LissomError(
                "the stacked system is singular; `lissom.theory.screw_pde.check` names the cause"
            ) from None
        return self.sorted(x)

    def sorted(self, x: Array) -> Solution:
        """Accelerations and wrenches from a vector of unknowns."""
        f, table, work = self.formulation, self.formulation.table, self.formulation.work
        a, wrenches = np.zeros(f.model.nv), np.zeros_like(work.wrench)
        zdot = np.zeros_like(work.zdot)
        held: list[Array] = [np.zeros(0)]
        for block in self.columns:
            values = x[block.slice]
            if block.kind == "closure wrench":
                held.append(values)
            elif block.kind == "rotor acceleration":
                a[table.gears.rotor_v[[f.model.bodies[k].joint for k in _geared(f)].index(block.owner)]] = values[0]
            elif block.kind == "wrench":
                wrenches[f.model.joints.index(block.owner)] = values
            elif block.kind == "twist acceleration":
                zdot[f.row(block.owner), :6] = values
            else:
                i = f.row(block.owner)
                zdot[i, 6 : 6 + len(values)] = values
                a[f.model.bodies[i].modes_v] = values
        for i, body in enumerate(f.model.bodies):
            S = work.S[i, : table.dofs[i]]
            if len(S):
                a[body.joint_v] = np.linalg.lstsq(S.T, _across(f, i, zdot) - work.gamma[i], rcond=None)[0]
        work.wrench[:], work.zdot[:] = wrenches, zdot
        return Solution(a, wrenches, np.concatenate(held))


def _named(blocks: Sequence[Block], name: str) -> Block:
    for block in blocks:
        if block.name == name:
            return block
    raise LissomError(f"there is none; there are {', '.join(block.name for block in blocks)}", ("block",), name)


def _geared(f: ScrewPDE) -> list[int]:
    """Links whose joint has a rotor of its own, in the order of the rotors."""
    return [i for i, body in enumerate(f.model.bodies) if body.rotor_v is not None]


def _across(f: ScrewPDE, i: int, zdot: Array) -> Array:
    """Acceleration of joint i's base less what the parent hands on."""
    base = base_map(f, i) @ zdot[i, : 6 + f.table.modes[i]] + f.work.base_gamma[i]
    up = f.table.parent[i]
    return base if up < 0 else base - f.work.reach[i, :, : 6 + f.table.modes[up]] @ zdot[up, : 6 + f.table.modes[up]]


def base_map(f: ScrewPDE, i: int) -> Array:
    """B_i (6, 6 + m): twist of the base from (V, eta')."""
    from lissom.lie import se3

    m = f.table.modes[i]
    if f.table.moved[i] == 0:
        return np.eye(6, 6 + m)
    pose = se3.from_parts(f.work.base_R[i], f.work.base_p[i])
    return np.concatenate([se3.Ad(se3.inverse(pose)), f.work.base_J[i, :m].T], axis=1)


def section_map(f: ScrewPDE, row: int, owner: int) -> Array:
    """(6, 6 + m): twist of a section of link `owner` from (V, eta')."""
    from lissom.lie import se3

    m = f.table.modes[owner]
    pose = se3.from_parts(f.work.R[row], f.work.p[row])
    return np.concatenate([se3.Ad(se3.inverse(pose)), f.work.J[row, :m].T], axis=1)


class _Stack:
    """Puts the blocks of an evaluated formulation into one sparse matrix."""

    def __init__(self, formulation: ScrewPDE) -> None:
        self.f = formulation
        self.entries: list[tuple[Array, Array, Array]] = []
        model, table = formulation.model, formulation.table
        rows: list[tuple[str, str, int]] = []
        columns: list[tuple[str, str, int]] = []
        for i, body in enumerate(model.bodies):
            d, m = int(table.dofs[i]), int(table.modes[i])
            rows += [(body.joint, "constraint", 6 - d), (body.joint, "actuator", d)]
            rows += [(body.link, "twist", 6), (body.link, "deformation", m)]
            columns += [(body.joint, "wrench", 6), (body.link, "twist acceleration", 6)]
            columns += [(body.link, "modal acceleration", m)]
            if body.rotor_v is not None:
                rows.append((body.joint, "rotor", 1))
                columns.append((body.joint, "rotor acceleration", 1))
        for closure in formulation.closures:
            rows.append((closure.name, "closure", len(closure.directions)))
            columns.append((closure.name, "closure wrench", len(closure.directions)))
        self.rows, self.columns = _placed(rows), _placed(columns)
        self.right = np.zeros(sum(size for *_, size in rows))
        self.row = {block.name: block for block in self.rows}
        self.column = {block.name: block for block in self.columns}

    def put(self, row: str, column: str, values: Array) -> None:
        """Add a block; one of no size is no block."""
        if values.size == 0:
            return
        r, c = self.row[row], self.column[column]
        i, j = np.nonzero(values)
        self.entries.append((i + r.start, j + c.start, values[i, j]))

    def put_state(self, row: str, link: int, values: Array) -> None:
        """Add a block over the acceleration and the modal accelerations of a link."""
        name = self.f.model.bodies[link].link
        self.put(row, f"{name}: twist acceleration", values[:, :6])
        if self.f.table.modes[link]:
            self.put(row, f"{name}: modal acceleration", values[:, 6:])

    def put_right(self, row: str, values: Array) -> None:
        if row in self.row:
            self.right[self.row[row].slice] = values

    def put_wrench(self, link: int, column: str, values: Array) -> None:
        """Add a block (6 + m, k) to the twist and deformation rows of a link."""
        name = self.f.model.bodies[link].link
        self.put(f"{name}: twist", column, values[:6])
        if self.f.table.modes[link]:
            self.put(f"{name}: deformation", column, values[6:])

    def system(self) -> System:
        from scipy.sparse import coo_array

        f = self.f
        for i in range(len(f.model.bodies)):
            self._joint(i)
            self._link(i)
        for k, i in enumerate(_geared(f)):
            name = f.model.bodies[i].joint
            self.put(f"{name}: rotor", f"{name}: rotor acceleration", f.table.gears.inertia[k : k + 1, None])
            self.put_right(f"{name}: rotor", f.work.force[f.table.gears.rotor_v[k]])
        for k, closure in enumerate(f.closures):
            self._closure(k, closure.name, closure.directions)
        at_row, at_column, values = (np.concatenate(part) for part in zip(*self.entries))
        size = len(self.right)
        matrix: Any = coo_array((values, (at_row, at_column)), shape=(size, size)).tocsc()
        return System(f, matrix, self.right, self.rows, self.columns)

    def _joint(self, i: int) -> None:
        f, table, work = self.f, self.f.table, self.f.work
        body, d, up = f.model.bodies[i], int(table.dofs[i]), int(table.parent[i])
        P, S = work.P[i, : 6 - d], work.S[i, :d]
        armature = table.armature[body.joint_v][:, None]
        reflected = armature * np.linalg.pinv(S.T) if d and armature.any() else np.zeros((d, 6))
        drift = work.gamma[i] - work.base_gamma[i]
        for row, left in ((f"{body.joint}: constraint", P), (f"{body.joint}: actuator", reflected)):
            if not left.any():
                continue
            self.put_state(row, i, left @ base_map(f, i))
            if up >= 0:
                self.put_state(row, up, -left @ work.reach[i, :, : 6 + table.modes[up]])
        self.put_right(f"{body.joint}: constraint", P @ drift)
        if d:
            self.put(f"{body.joint}: actuator", f"{body.joint}: wrench", S)
            self.put_right(f"{body.joint}: actuator", work.force[body.joint_v] + reflected @ drift)

    def _link(self, i: int) -> None:
        f, table, work = self.f, self.f.table, self.f.work
        body, up, s = f.model.bodies[i], int(table.parent[i]), 6 + int(table.modes[i])
        lower = np.tril(work.mass[i, :s, :s])
        mass = lower + np.tril(lower, -1).T
        self.put_state(f"{body.link}: twist", i, mass[:6])
        self.put_right(f"{body.link}: twist", -work.bias[i, :6])
        if s > 6:
            self.put_state(f"{body.link}: deformation", i, mass[6:])
            self.put_right(f"{body.link}: deformation", -work.bias[i, 6:s])
        self.put_wrench(i, f"{body.joint}: wrench", -base_map(f, i).T)
        if up >= 0:
            self.put_wrench(up, f"{body.joint}: wrench", work.reach[i, :, : 6 + table.modes[up]].T)

    def _closure(self, k: int, name: str, directions: Array) -> None:
        from lissom.lie import se3

        f, work = self.f, self.f.work
        row, owner = 2 * len(f.model.bodies) + k, int(f.table.closed[k])
        held = directions @ section_map(f, row, owner)
        twist = section_map(f, row, owner)[:, :6] @ work.V[owner] + work.U[row]
        self.put_state(f"{name}: closure", owner, held)
        self.put_right(f"{name}: closure", -directions @ (work.dU[row] + se3.ad(twist) @ work.U[row]))
        self.put_wrench(owner, f"{name}: closure wrench", -held.T)


def _placed(parts: list[tuple[str, str, int]]) -> tuple[Block, ...]:
    """Blocks one after the other, those of no size left out."""
    blocks, start = [], 0
    for owner, kind, size in parts:
        if size:
            blocks.append(Block(owner, kind, start, start + size))
        start += size
    return tuple(blocks)
