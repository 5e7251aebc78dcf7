"""Well-posedness of the stacked system at a state, section 6 of Yaqubi et al. 2026, with the cause where it fails."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom.dynamics.state_checks import integrate as moved
from lissom.errors import LissomError
from lissom.messages import listed
from lissom.theory.screw_pde.absolute import Residual
from lissom.theory.screw_pde.compiled import absolute as compiled
from lissom.theory.screw_pde.formulation import ScrewPDE
from lissom.theory.screw_pde.system import System

Array = np.ndarray
RANK = 1e-11  # singular values below this part of the largest one count as zero
EULER_BERNOULLI = 1.8751  # first root of the clamped-free beam, in (89)


@dataclass(frozen=True)
class Steps:
    """Largest stable explicit steps in seconds; zero where there is none."""

    printed: float  # (89), by the stiffest link alone
    central: float  # 2/omega_max of the assembled arm: what (89) is for, central differences
    euler: float  # forward Euler on the assembled arm: 2 |Re lambda|/|lambda|^2, none without damping
    runge_kutta: float  # classical Runge-Kutta of order 4


@dataclass(frozen=True)
class Report:
    """What decides whether the system has one solution, and how hard it is to get."""

    size: int
    entries: int  # that are not zero
    rank: int
    condition: float  # of the matrix scaled to unit rows and columns
    definite: bool  # differential-modal block (78)
    smallest: float  # its smallest eigenvalue, scaled to a unit diagonal
    weakest: str  # the link it belongs to
    index: int | None  # differentiation index of the rows as stacked; None where the matrix is singular
    position_index: int  # of the same system with its constraints on positions
    residual: Residual
    steps: Steps | None
    causes: tuple[str, ...]

    @property
    def well_posed(self) -> bool:
        """Whether there is a unique solution."""
        return not self.causes

    def raise_if_singular(self) -> None:
        """Raise a LissomError that names the cause, where there is one."""
        if self.causes:
            raise LissomError("the system has no unique solution: " + "; ".join(self.causes))


def check(formulation: ScrewPDE, q: Array, v: Array, tau: Array | None = None) -> Report:
    """Report on the system at the state (q, v) under forces tau, zero unless given."""
    model = formulation.model
    tau = np.zeros(model.nv) if tau is None else np.asarray(tau, float)
    system = formulation.system(q, v, tau)
    scaled, columns = _equilibrate(system.matrix.toarray())
    _, values, right = np.linalg.svd(scaled)
    rank = int(np.sum(values > RANK * values[0]))
    causes = _causes(system, right[rank:].T * columns[:, None])
    smallest, weakest = _definiteness(formulation)
    closed = formulation.closures
    return Report(
        size=len(values),
        entries=int(system.matrix.nnz),
        rank=rank,
        condition=float(values[0] / values[-1]) if values[-1] > 0 else np.inf,
        definite=smallest > 1e-13,
        smallest=smallest,
        weakest=weakest,
        index=1 if rank == len(values) else None,
        position_index=3,
        residual=Residual(*compiled.residuals(*formulation.structs)),
        steps=None if causes or closed else stable_steps(formulation, q, v, tau),
        causes=tuple(causes),
    )


def _equilibrate(A: Array) -> tuple[Array, Array]:
    """Return A scaled to entries of order one, with the factors of its columns (Ruiz 2001)."""
    rows, columns = np.ones(len(A)), np.ones(len(A))
    for _ in range(20):
        B = rows[:, None] * A * columns
        by_row, by_column = np.abs(B).max(axis=1), np.abs(B).max(axis=0)
        rows /= np.sqrt(np.where(by_row > 0, by_row, 1.0))
        columns /= np.sqrt(np.where(by_column > 0, by_column, 1.0))
    return rows[:, None] * A * columns, columns


def _definiteness(f: ScrewPDE) -> tuple[float, str]:
    """Smallest eigenvalue of the differential-modal block (78), which is block-diagonal by links, and its link.

    Equations: 003 (78).
    """
    found = []
    for i, body in enumerate(f.model.bodies):
        s = 6 + int(f.table.modes[i])
        lower = np.tril(f.work.mass[i, :s, :s])
        mass = lower + np.tril(lower, -1).T
        scale = np.sqrt(np.maximum(np.diag(mass), 0.0))
        usable = scale > 0
        value = 0.0
        if usable.all():
            value = float(np.linalg.eigvalsh(mass / np.outer(scale, scale))[0])
        found.append((value, body.link))
    return min(found)


def _causes(system: System, right: Array) -> list[str]:
    """Words for every null vector: motions without inertia, wrenches that nothing decides."""
    f = system.formulation
    causes: list[str] = []
    massless = [
        body.link
        for i, body in enumerate(f.model.bodies)
        if not np.any(np.abs(np.diag(f.work.mass[i])) > 1e-14 * np.abs(f.work.mass).max())
    ]
    for vector in right.T:
        share = {block: np.abs(vector[block.slice]).max() for block in system.columns}
        wrench = {b.owner for b, x in share.items() if b.kind.endswith("wrench") and x > 1e-6 * max(share.values())}
        moving = {b.owner for b, x in share.items() if b.kind.endswith("acceleration")
                  and x > 1e-6 * max(share.values())}  # fmt: skip
        if moving:
            names = [name for name in f.model.links if name in moving]
            empty = [name for name in names if name in massless]
            if empty:
                causes.append(
                    f"{listed(empty, 'and')} has neither mass nor inertia, and a joint lets it move alone; "
                    "give it a mass, or fix it to its neighbour"
                )
            else:
                causes.append(
                    f"{listed(names, 'and')} can move without inertia along some direction; give it a rotary inertia"
                )
        elif wrench:
            names = [name for name in (*f.model.joints, *(c.name for c in f.closures)) if name in wrench]
            causes.append(
                f"dependent constraints: the wrenches of {listed(names, 'and')} are not unique, because they hold the "
                "same motion twice; release a direction of a closure, or let a link bend"
            )
    return list(dict.fromkeys(causes))


def stable_steps(formulation: ScrewPDE, q: Array, v: Array, tau: Array) -> Steps:
    """Limits of explicit stepping from the eigenvalues of the arm, linearised at the state."""
    eigenvalues = np.linalg.eigvals(_linearise(formulation, q, v, tau))
    eigenvalues = eigenvalues[np.abs(eigenvalues) > 1e-3 * np.abs(eigenvalues).max(initial=1.0)]
    printed = [_printed_limit(beam) for beam in formulation.model.flexible.values()]
    if not len(eigenvalues):  # nothing vibrates
        return Steps(min(printed, default=np.inf), np.inf, np.inf, np.inf)
    fastest = float(np.abs(eigenvalues).max())
    damping = -2 * eigenvalues.real / np.abs(eigenvalues) ** 2
    undamped = np.abs(eigenvalues.real) < 1e-7 * np.abs(eigenvalues)
    return Steps(
        printed=min(printed, default=np.inf),
        central=2 / fastest,
        euler=0.0 if undamped.any() else max(0.0, float(damping.min())),
        runge_kutta=2.785 / fastest,
    )


def _printed_limit(beam: object) -> float:
    """(89): 2 l^2/(1.8751^2 n^2) sqrt(rhoA/EI), with the number n of bending functions in the stiffer plane.

    Equations: 003 (89).
    """
    from lissom.beam import BeamLink

    if not isinstance(beam, BeamLink) or not beam.plain:
        return np.inf  # it is for one section, without shear
    s, n = beam.section, max(beam.basis.y.count, beam.basis.z.count, 1)
    EI = max(s.EIy, s.EIz)
    return float(2 * beam.length**2 / (EULER_BERNOULLI**2 * n**2) * np.sqrt(s.rhoA / EI))


def _linearise(formulation: ScrewPDE, q: Array, v: Array, tau: Array) -> Array:
    """d(v, a)/d(q, v) by central differences along velocity coordinates, (2 nv, 2 nv)."""
    model, n = formulation.model, formulation.model.nv
    A, unit = np.zeros((2 * n, 2 * n)), np.eye(n)
    A[:n, n:] = unit
    for k in range(n):
        h = 1e-6
        ahead, behind = (formulation.accelerations(moved(model, q, s * h * unit[k]), v, tau) for s in (1, -1))
        A[n:, k] = (ahead - behind) / (2 * h)
        ahead, behind = (formulation.accelerations(q, v + s * h * unit[k], tau) for s in (1, -1))
        A[n:, n + k] = (ahead - behind) / (2 * h)
    return A
