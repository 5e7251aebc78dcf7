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
from lissom.theory.screw_pde.closure import Closing
from lissom.theory.screw_pde.relative import Relative, least_solution, relative

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
        """Owner and kind."""
        return f"{self.owner}: {self.kind}"

    @property
    def slice(self) -> slice:
        """Where its rows or columns stand."""
        return slice(self.start, self.stop)


class Solution(NamedTuple):
    """The unknowns of the system, sorted."""

    accelerations: Array  # (nv,) of the model's coordinates
    wrenches: Array  # (joints, 6)
    closures: Array  # (closures, 6) wrench of the first frame on the second, in the axes of the second


@dataclass(frozen=True, eq=False)
class System:
    """matrix @ unknowns = right, at one state.

    Equations: 003 (36), (42)-(44).
    """

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
        r, c = _find_block(self.rows, row), _find_block(self.columns, column)
        return self.matrix[r.slice][:, c.slice].toarray()

    def solve(self) -> Solution:
        """Unknowns by a sparse direct solver, in the model's order; wrenches go to the formulation as well."""
        from scipy.sparse.linalg import splu

        held = sum(closure.size for closure in self.formulation.closures)
        try:
            return self.sorted(self._closed(held) if held else splu(self.matrix).solve(self.right))
        except RuntimeError:
            raise LissomError(
                "the stacked system is singular; `lissom.theory.screw_pde.check` names the cause"
            ) from None

    def _closed(self, held: int) -> Array:
        """Unknowns of a system whose last `held` rows and columns are those of closures.

        The tree is eliminated first. Closures that hold the same motion twice leave their wrench open: it is the least.
        """
        from scipy.sparse.linalg import splu

        tree = len(self.right) - held
        try:
            factor = splu(self.matrix[:tree, :tree].tocsc())
        except RuntimeError:  # a piece without mass, which only the closure lets move as it must
            return splu(self.matrix).solve(self.right)
        columns, rows = self.matrix[:tree, tree:].toarray(), self.matrix[tree:, :tree]
        alone, spread = factor.solve(self.right[:tree]), factor.solve(columns)
        wrench = least_solution(rows @ spread, rows @ alone - self.right[tree:])
        return np.concatenate([alone - spread @ wrench, wrench])

    def sorted(self, x: Array) -> Solution:
        """Accelerations and wrenches from a vector of unknowns."""
        f, table, work = self.formulation, self.formulation.table, self.formulation.work
        a, wrenches = np.zeros(f.model.nv), np.zeros_like(work.wrench)
        zdot = np.zeros_like(work.zdot)
        held: list[Array] = []
        for block in self.columns:
            values = x[block.slice]
            if block.kind == "closure wrench":
                k = len(held)
                held.append(f.closures[k].directions(relative(f, k).T).T @ values)
            elif block.kind == "rotor acceleration":
                a[table.gears.rotor_v[[f.model.bodies[k].joint for k in _links_with_rotors(f)].index(block.owner)]] = (
                    values[0]
                )
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
        return Solution(a, wrenches, np.array(held).reshape(-1, 6))


def _find_block(blocks: Sequence[Block], name: str) -> Block:
    for block in blocks:
        if block.name == name:
            return block
    raise LissomError(f"there is none; there are {', '.join(block.name for block in blocks)}", ("block",), name)


def _links_with_rotors(f: ScrewPDE) -> list[int]:
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
            rows.append((closure.name, "closure", closure.size))
            columns.append((closure.name, "closure wrench", closure.size))
        self.rows, self.columns = _place_blocks(rows), _place_blocks(columns)
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
        for k, i in enumerate(_links_with_rotors(f)):
            name = f.model.bodies[i].joint
            self.put(f"{name}: rotor", f"{name}: rotor acceleration", f.table.gears.inertia[k : k + 1, None])
            self.put_right(f"{name}: rotor", f.work.force[f.table.gears.rotor_v[k]])
        for k, closure in enumerate(f.closures):
            self._closure(closure, relative(f, k))
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
        """Add the twist and deformation rows of a link, with the wrenches of its own joint and of its children's.

        Equations: 003 (27)-(29).
        """
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

    def _closure(self, closure: Closing, motion: Relative) -> None:
        P = closure.directions(motion.T)
        for side, held in (
            (motion.second, P @ motion.second.map),
            (motion.first, -P @ motion.to_second @ motion.first.map),
        ):
            if side.owner >= 0:
                self.put_state(f"{closure.name}: closure", side.owner, held)
                self.put_wrench(side.owner, f"{closure.name}: closure wrench", -held.T)
        turning = closure.turning(motion.T, motion.twist)
        self.put_right(f"{closure.name}: closure", -P @ motion.drift - turning @ motion.twist)


def _place_blocks(parts: list[tuple[str, str, int]]) -> tuple[Block, ...]:
    """Blocks one after the other, those of no size left out."""
    blocks, start = [], 0
    for owner, kind, size in parts:
        if size:
            blocks.append(Block(owner, kind, start, start + size))
        start += size
    return tuple(blocks)
