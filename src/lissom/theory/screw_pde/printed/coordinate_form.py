"""The stacked system in the paper's coordinates Z = (omega, r') of every body frame, matrix by matrix.

The formulation solves for the derivatives of twists V; the paper, for wrenches, Z' and amplitudes. With
V' = (1 + T_gamma) Z' + Gamma* the two are one system,

    M_dyn Psi_Z + M_D eta'' + h_dyn = W_s,      M_Dphi Psi_Z + M_Wphi eta'' + h_phi = 0,

and every matrix of it is summed here over the elements of the links' mass, apart from the compiled equations. It
follows the paper but for what the errata list: torque rows take moments of the deformed link, a joint has 6 - d rows
and d rows of its motors, sections turn with the deformation, wrenches at the ends work on the shape functions, and h_s
stays in (71).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lissom.lie import so3
from lissom.theory.coverage import Unsupported
from lissom.theory.screw_pde.compiled.link import move_particles, place_particles
from lissom.theory.screw_pde.formulation import ScrewPDE
from lissom.theory.screw_pde.system import Block, Solution, System, base_map

Array = np.ndarray


class LinkIntegrals(NamedTuple):
    """What the rows of one link consist of; integrals over its mass, torque rows before force rows."""

    inertia: Array  # (6, 6) M*_i of V'
    by_modes: Array  # (6, m) of eta''
    by_turning: Array  # (6, 3) of omega', by the deformation
    by_rates: Array  # (6,) velocity terms with the rates of the deformation
    bias: Array  # (6,) H*_i: what is left of the velocity terms, and gravity
    modal_mass: Array  # (m, m)
    modal_bias: Array  # (m,) what is left of the deformation rows, without elastic forces


def link_integrals(formulation: ScrewPDE, i: int, q: Array, v: Array) -> LinkIntegrals:
    """Sum the rows of link i over the elements of its mass, for the frames and twists in place.

    Equations: 003 (9)-(12), (14), (58), (60), (64)-(66), (96)-(97); 003 (50)-(53), (106)-(108).
    """
    table, work = formulation.table, formulation.work
    n, m = len(table.parent), int(table.modes[i])
    place_particles(*formulation.structs, i, q, v)
    if table.moved[i]:
        move_particles(*formulation.structs, i, n)
    part = slice(table.start[i], table.start[i + 1])
    count = part.stop - part.start
    weight, c = table.sign[part], table.carried[part]
    s, rate, drift = (np.array(a[:, :count]) for a in (work.s, work.ds, work.acc))
    phi = np.array(work.jac[:m, :, :count])  # (m, 3, N)
    station = formulation.frames.get(formulation.model.bodies[i].link, 0.0)
    reference = table.place[:, part] - np.outer([station, 0.0, 0.0], c)
    shift = s - reference
    omega, u = work.V[i, :3], work.V[i, 3:]
    gravity = work.world_R[i].T @ table.gravity

    def rows(field: Array) -> Array:
        """Moment and sum over the elements of a field (..., 3, N), as (6, ...)."""
        moment = np.cross(s, field, axisa=0, axisb=-2, axisc=-2)
        return np.moveaxis(np.concatenate([moment @ weight, field @ (weight * c)], axis=-1), -1, 0)

    turned = -np.moveaxis(so3.hat(reference.T), 0, -1).swapaxes(0, 1)  # (omega', 3, N): -r_b x e
    bent = -np.moveaxis(so3.hat(shift.T), 0, -1).swapaxes(0, 1)
    once = np.cross(omega, rate, axisb=0, axisc=0)
    twice = np.cross(omega, np.cross(omega, s, axisb=0, axisc=0), axisb=0, axisc=0)
    rest = drift + once + twice + np.outer(np.cross(omega, u) - gravity, c)
    carried = np.multiply.outer(np.eye(3), c)
    return LinkIntegrals(
        inertia=np.concatenate([rows(turned), rows(carried)], axis=1),
        by_modes=rows(phi),
        by_turning=rows(bent),
        by_rates=rows(once),
        bias=rows(rest),
        modal_mass=np.einsum("jan,kan,n->jk", phi, phi, weight),
        modal_bias=np.einsum("jan,an,n->j", phi, rest + once, weight),
    )


@dataclass(frozen=True, eq=False)
class CoordinateForm:
    """The system (72) at one state; N columns of Psi_Z = (W_0, Z_1', W_1, Z_2', ...), k amplitudes.

    Equations: 003 (63), (70).
    """

    system: System
    M_s: Array  # (N, N) (44)
    M_D: Array  # (N, k) (106)
    M_DPsi: Array  # (N, N) (107)
    T_gamma: Array  # (N, N) below (69)
    Gamma: Array  # (N,) (70)
    h_s: Array  # (N,) (46)
    h_MD: Array  # (N,) (108)
    W_s: Array  # (N,) (47)
    M_Dphi: Array  # (k, N) (64)
    M_Wphi: Array  # (k, k) (65)
    h_phi: Array  # (k,) (66)
    places: tuple[Block, ...]  # where the unknowns of the system stand in (Psi_Z, eta'')

    @classmethod
    def of(cls, formulation: ScrewPDE, q: Array, v: Array, tau: Array) -> CoordinateForm:
        """Return the form at the state (q, v) under forces tau.

        Equations: 003 (35)-(47), (61), (67).
        """
        return _Assembly(formulation, q, v, tau).form()

    @cached_property
    def h_Ms(self) -> Array:
        """Velocity terms that the coordinates bring, M_s Gamma*.

        Equations: 003 (70).
        """
        return self.M_s @ self.Gamma

    @cached_property
    def M_dyn(self) -> Array:
        """Matrix of Psi_Z in the dynamic rows, M_s (1 + T_gamma) + M_DPsi.

        Equations: 003 (68)-(69), (71).
        """
        return self.M_s + self.M_s @ self.T_gamma + self.M_DPsi

    @cached_property
    def h_dyn(self) -> Array:
        """Velocity terms of the dynamic rows, with the h_s that (71) has lost.

        Equations: 003 (71).
        """
        return self.h_s + self.h_Ms + self.h_MD

    @cached_property
    def M_sys(self) -> Array:
        """Matrix of the whole system.

        Equations: 003 (72)-(73).
        """
        return np.block([[self.M_dyn, self.M_D], [self.M_Dphi, self.M_Wphi]])

    @cached_property
    def H_sys(self) -> Array:
        """Velocity terms and elastic forces of the whole system.

        Equations: 003 (73).
        """
        return np.concatenate([self.h_dyn, self.h_phi])

    @cached_property
    def W_sys(self) -> Array:
        """Loads of the whole system.

        Equations: 003 (73).
        """
        return np.concatenate([self.W_s, np.zeros(len(self.h_phi))])

    def differential_block(self) -> Array:
        """Return the matrix of (V', eta'') in twist and deformation rows: its form is twice the kinetic energy.

        Equations: 003 (75)-(78).
        """
        n = len(self.Gamma)
        free = self.M_s + self.M_DPsi @ (np.eye(n) - self.T_gamma)  # in V: T_gamma^2 = 0, (1 + T)^-1 = 1 - T
        kept = [k for block, place in zip(self.system.columns, self.places, strict=True)
                if block.kind == "twist acceleration" for k in range(place.start, place.stop)]  # fmt: skip
        by_modes = self.M_D[kept]
        coupling = (self.M_Dphi @ (np.eye(n) - self.T_gamma))[:, kept]
        return np.block([[free[np.ix_(kept, kept)], by_modes], [coupling, self.M_Wphi]])

    def solve(self) -> Solution:
        """Return accelerations and wrenches from q_sys = M_sys^-1 (W_sys - H_sys).

        Equations: 003 (62), (79).
        """
        x = np.linalg.solve(self.M_sys, self.W_sys - self.H_sys)
        n = len(self.Gamma)
        x[:n] += self.T_gamma @ x[:n] + self.Gamma  # Z' becomes V'
        unknowns = np.zeros(len(x))
        for block, place in zip(self.system.columns, self.places, strict=True):
            unknowns[block.slice] = x[place.slice]
        return self.system.sorted(unknowns)


class _Assembly:
    """Puts integrals and joint rows in the paper's order: Psi_Z, then all amplitudes; then the same with rows."""

    def __init__(self, formulation: ScrewPDE, q: Array, v: Array, tau: Array) -> None:
        if formulation.closures or len(formulation.table.gears.rotor_v):
            raise Unsupported("the paper's matrices are those of a chain with rigid gears: no closures, no rotors")
        f = self.f = formulation
        flat = np.array(q, float)
        for body in f.model.bodies:
            flat[body.modes_q] = 0.0
        f.evaluate(flat, v, tau)
        self.straight = f.work.reach[:, :, :6].copy(), [base_map(f, i)[:, :6] for i in range(len(f.model.bodies))]
        self.system = f.system(q, v, tau)
        self.q, self.v = np.asarray(q, float), np.asarray(v, float)
        self.rows, dynamic, total_rows = _places(self.system.rows, "deformation")
        self.columns, self.first, total = _places(self.system.columns, "modal acceleration")
        assert dynamic == self.first
        assert total_rows == total

    def form(self) -> CoordinateForm:
        n, k = self.first, len(self.system.right) - self.first
        self.M_s, self.M_D, self.M_DPsi, T = np.zeros((n, n)), np.zeros((n, k)), np.zeros((n, n)), np.zeros((n, n))
        self.M_Dphi, self.M_Wphi, Gamma = np.zeros((k, n)), np.zeros((k, k)), np.zeros(n)
        self.h_s, self.h_MD, self.W_s, self.h_phi = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(k)
        work = self.f.work
        for i, body in enumerate(self.f.model.bodies):
            at = self.columns[f"{body.link}: twist acceleration"]
            r = work.world_R[i].T @ work.world_p[i]
            rate = work.V[i, 3:] - np.cross(work.V[i, :3], r)
            T[at.start + 3 : at.stop, at.start : at.start + 3] = -so3.hat(r)
            Gamma[at.start + 3 : at.stop] = np.cross(work.V[i, :3], rate)
        for i in range(len(self.f.model.bodies)):
            self._joint(i, Gamma, T)
        for i in range(len(self.f.model.bodies)):
            self._link(i, T, Gamma)
        return CoordinateForm(
            self.system, self.M_s, self.M_D, self.M_DPsi, T, Gamma, self.h_s, self.h_MD, self.W_s, self.M_Dphi,
            self.M_Wphi, self.h_phi, tuple(self.columns[block.name] for block in self.system.columns),
        )  # fmt: skip

    def _joint(self, i: int, Gamma: Array, T: Array) -> None:
        """Add the rows of a joint: V_B - V_T along what it holds, and its motors."""
        f, work = self.f, self.f.work
        body, up, d = f.model.bodies[i], int(f.table.parent[i]), int(f.table.dofs[i])
        reach, base = self.straight
        armature = f.table.armature[body.joint_v][:, None]
        S = work.S[i, :d]
        reflected = armature * np.linalg.pinv(S.T) if d and armature.any() else np.zeros((d, 6))
        for kind, left in (("constraint", work.P[i, : 6 - d]), ("actuator", reflected)):
            if not len(left):
                continue
            row = self.rows[f"{body.joint}: {kind}"].slice
            flowing = np.zeros(6)  # omega x displacement's rate, where the joint is
            sides = [(i, base_map(f, i), base[i], 1.0)]
            if up >= 0:
                sides.append((up, work.reach[i, :, : 6 + f.table.modes[up]], reach[i], -1.0))
            for link, bent, straight, sign in sides:
                own = f.model.bodies[link]
                at = self.columns[f"{own.link}: twist acceleration"].slice
                self.M_s[row, at] += sign * left @ straight
                extra = np.zeros((len(left), self.first))
                extra[:, at] = sign * left @ (bent[:, :6] - straight)
                self.M_DPsi[row] += extra + extra @ T
                self.h_s[row] += extra @ Gamma
                if f.table.modes[link]:
                    self.M_D[row, self._modes(own.link)] += sign * left @ bent[:, 6:]
            turned, moving = work.base_R[i].T, work.base_R[i] @ work.base_U[i, 3:]
            flowing[3:] += turned @ np.cross(work.V[i, :3], moving)
            if up >= 0:
                turned, moving = (work.R[i] @ work.joint_R[i]).T, work.R[i] @ work.U[i, 3:]
                flowing[3:] -= turned @ np.cross(work.V[up, :3], moving)
            self.h_MD[row] = left @ flowing
            drift = left @ (work.gamma[i] - work.base_gamma[i])
            self.h_s[row] -= drift + self.h_MD[row]
        if d:
            row = self.rows[f"{body.joint}: actuator"].slice
            self.M_s[row, self.columns[f"{body.joint}: wrench"].slice] = S
            self.W_s[row] = work.force[body.joint_v]

    def _link(self, i: int, T: Array, Gamma: Array) -> None:
        """Add the twist and deformation rows of a link."""
        f = self.f
        body, table, work = f.model.bodies[i], f.table, f.work
        m = int(table.modes[i])
        found = link_integrals(f, i, self.q, self.v)
        row, at = self.rows[f"{body.link}: twist"].slice, self.columns[f"{body.link}: twist acceleration"]
        self.M_s[row, at.slice] = found.inertia
        self.M_DPsi[row, at.start : at.start + 3] = found.by_turning
        self.h_s[row], self.h_MD[row], self.W_s[row] = found.bias, found.by_rates, work.external[i, :6]
        ends = [(f"{body.joint}: wrench", -base_map(f, i).T)]
        ends += [
            (f"{f.model.bodies[c].joint}: wrench", work.reach[c, :, : 6 + m].T)
            for c in np.flatnonzero(table.parent == i)
        ]
        for name, values in ends:
            self.M_s[row, self.columns[name].slice] = values[:6]
        if not m:
            return
        own = self._modes(body.link)
        self.M_D[row, own] = found.by_modes
        coupling = np.zeros((m, self.first))
        coupling[:, at.slice] = found.by_modes.T
        self.M_Dphi[own] = coupling + coupling @ T
        for name, values in ends:
            self.M_Dphi[own, self.columns[name].slice] += values[6:]
        self.M_Wphi[own, own] = found.modal_mass
        elastic = table.preload[i, :m] + table.stiffness[i, :m, :m] @ self.q[body.modes_q]
        elastic += table.damping[i, :m, :m] @ self.v[body.modes_v]
        bias = np.zeros(6 + m)
        terms = slice(table.cubic_start[i], table.cubic_start[i + 1])
        _add_cubic(bias, table.cubic_modes[terms], table.cubic[terms], table.cubic_damping[terms],
                   self.q[body.modes_q], self.v[body.modes_v])  # fmt: skip
        self.h_phi[own] = found.modal_bias + coupling @ Gamma + elastic + bias[6:]
        self.h_phi[own] -= work.external[i, 6 : 6 + m] + work.force[body.modes_v]

    def _modes(self, link: str) -> slice:
        block = self.columns[f"{link}: modal acceleration"]
        return slice(block.start - self.first, block.stop - self.first)


def _add_cubic(bias: Array, modes: Array, value: Array, damping: Array, eta: Array, rate: Array) -> None:
    """Add the forces of the strain energy's cubic terms of twist and bending."""
    for (a, b, c), k, d in zip(modes, value, damping, strict=True):
        for x, y, z in ((a, b, c), (b, c, a), (c, a, b)):
            bias[6 + x] += k * eta[y] * eta[z] + d * (rate[y] * eta[z] + eta[y] * rate[z])


def _places(blocks: tuple[Block, ...], last: str) -> tuple[dict[str, Block], int, int]:
    """Return blocks with those of the kind `last` at the end, how many entries come before these, and how many all."""
    found: dict[str, Block] = {}
    at = first = 0
    for final in (False, True):
        for block in blocks:
            if (block.kind == last) == final:
                size = block.stop - block.start
                found[block.name] = Block(block.owner, block.kind, at, at + size)
                at += size
        first = first if final else at
    return found, first, at
