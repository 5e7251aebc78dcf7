"""The deformation field of every link, and how well it satisfies its equation and its boundary conditions.

Modal projection makes the deformation equation hold against the link's own shapes. Against all others it leaves a
residual. Here the solution is put into a richer basis that contains its own, the weak form is evaluated there, and what
it leaves is measured in the norm that belongs to it, sqrt(r^T K^-1 r): the size of the deformation that would be needed
to remove it, relative to the deformation there is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from lissom.beam import BeamLink
from lissom.beam.damping import rayleigh
from lissom.errors import LissomError
from lissom.lie import se3
from lissom.model.model import Model
from lissom.theory.screw_pde.formulation import ScrewPDE

Array = np.ndarray
NESTED = ("auto", "legendre")  # bases whose larger sets contain the smaller ones


def deformation(formulation: ScrewPDE, q: Array, link: str, x: Array) -> Array:
    """r(x, t) less (x, 0, 0): displacement (..., k, 3) of a link's centre line at stations x (k,), for q (..., nq).

    Equations: 003 (49).
    """
    beam = _beam(formulation.model, link)
    return beam.displacement(np.asarray(x, float), np.asarray(q)[..., formulation.model.link(link).modes_q])


@dataclass(frozen=True)
class PDEResidual:
    """What the deformation equation of one link leaves, relative to the link's deformation in the energy norm."""

    link: str
    relative: float
    elastic_energy: float  # of the deformation, J


def pde_residual(formulation: ScrewPDE, q: Array, v: Array, tau: Array, modes: int = 12) -> dict[str, PDEResidual]:
    """Residual of every link's deformation equation at a state, tested with `modes` functions in every direction.

    Links need a basis whose larger sets contain the smaller ones: `ends: auto` (two functions or more per direction) or
    `legendre`.

    Equations: 003 (17).
    """
    model = formulation.model
    rich_model = _enrich(model, modes)
    a = formulation.accelerations(q, v, tau)
    rich = ScrewPDE(rich_model)
    embed_q, embed_v = _embedding(model, rich_model)
    wrenches = rich.wrenches(embed_q(q), embed_v(v), embed_v(a))
    out = {}
    for i, body in enumerate(rich_model.bodies):
        if body.link not in model.flexible:
            continue
        m = int(rich.table.modes[i])
        lower = np.tril(rich.work.mass[i, : 6 + m, : 6 + m])
        mass = lower + np.tril(lower, -1).T
        rows = mass[6:] @ rich.work.zdot[i, : 6 + m] + rich.work.bias[i, 6 : 6 + m]
        for c in np.flatnonzero(rich.table.parent == i):
            rows += rich.work.reach[c, :, 6 : 6 + m].T @ wrenches[c]
        K = rich_model.flexible[body.link].stiffness()
        eta = embed_q(q)[body.modes_q]
        energy = float(eta @ K @ eta) / 2
        correction = float(rows @ np.linalg.solve(K, rows)) / 2
        out[body.link] = PDEResidual(body.link, float(np.sqrt(correction / energy)), energy)
    return out


@dataclass(frozen=True)
class Ends:
    """Moments (torsion, about y, about z) at both ends of a link: what the field's curvature says, what acts there."""

    link: str
    base_field: Array  # GJ t', -EIy w'', EIz v'' with their damping
    base_wrench: Array  # minus the joint's torque
    tip_field: Array
    tip_wrench: Array  # what the links beyond exert

    @property
    def error(self) -> float:
        """Largest difference at either end, relative to the largest moment."""
        size = max(np.abs(self.base_wrench).max(), np.abs(self.tip_wrench).max(), 1e-300)
        return float(max(np.abs(self.base_field - self.base_wrench).max(),
                         np.abs(self.tip_field - self.tip_wrench).max()) / size)  # fmt: skip


def boundary_moments(formulation: ScrewPDE, q: Array, v: Array, tau: Array) -> dict[str, Ends]:
    """Return the boundary conditions (20), (21) of every flexible link at a state.

    Masses lumped at a tip must be points.

    Equations: 003 (20)-(22).
    """
    if formulation.frames:
        raise LissomError("boundary_moments takes body frames at the bases; build the formulation without frames")
    model = formulation.model
    _, wrenches = formulation.solve(q, v, tau)
    table, work = formulation.table, formulation.work
    out = {}
    for i, body in enumerate(model.bodies):
        if body.link not in model.flexible:
            continue
        beam = _beam(model, body.link)
        eta, rate = q[body.modes_q], v[body.modes_v]
        beyond = np.zeros(3)
        for c in np.flatnonzero(table.parent == i):
            at = model.robot.bodies[c].at
            if at is None or at == beam.length:
                joint = se3.from_parts(work.joint_R[c], work.joint_p[c])
                beyond -= se3.transform_wrench(joint, wrenches[c])[:3]
        base, tip = _moments(beam, 0.0, eta, rate), _moments(beam, beam.length, eta, rate)
        out[body.link] = Ends(body.link, base, -wrenches[i, :3], tip, beyond)
    return out


def _moments(beam: BeamLink, x: float, eta: Array, rate: Array) -> Array:
    """Moments of the field in a section, GJ t', -EIy w'', EIz v'' in a plain link; with proportional damping."""
    beta = (rayleigh(beam.damping) or (0.0, 0.0))[0]
    forces = beam.field.forces(beam.section, beam.field.fraction(x))[0]
    return forces[3:] @ (eta + beta * rate)


def _beam(model: Model, link: str) -> BeamLink:
    beam = model.flexible.get(link)
    if not isinstance(beam, BeamLink):
        raise LissomError(f"does not bend; links that do: {', '.join(model.flexible) or 'none'}", ("link",), link)
    return beam


def _enrich(model: Model, modes: int) -> Model:
    """Return the robot with `modes` functions in every direction that has any."""
    robot = model.robot
    for link in robot.bodies:
        if link.beam is None:
            continue
        if link.beam.ends not in NESTED:
            text = f"the residual needs {' or '.join(NESTED)}"
            raise LissomError(text, ("links", link.name, "beam", "ends"), link.beam.ends)
        counts = link.beam.mode_counts(robot.materials)
        for direction, count in counts.items():
            if count > modes:
                raise LissomError(f"{link.name} has {count} in direction {direction}; take more", ("modes",), modes)
        more = {direction: modes for direction, count in counts.items() if count}
        robot = robot.with_value(f"links.{link.name}.beam.modes", more)
    return robot.compile()


Map: TypeAlias = Callable[[np.ndarray], np.ndarray]


def _embedding(model: Model, rich: Model) -> tuple[Map, Map]:
    """Return maps of (nq,) and (nv,) of a model to those of the richer one: the same motion in the larger basis."""
    blocks = {}
    for name in model.flexible:
        beam, larger = _beam(model, name), _beam(rich, name)
        rule = larger.basis.rule
        C = np.zeros((larger.count, beam.count))
        for direction, shapes in beam.basis.directions.items():
            more = larger.basis.directions[direction]
            if shapes.count:
                f, g = shapes.values(rule.nodes)[0], more.values(rule.nodes)[0]
                gram = g.T @ (rule.weights[:, None] * g)
                part = np.linalg.solve(gram, g.T @ (rule.weights[:, None] * f))
                C[larger.basis.slices[direction], beam.basis.slices[direction]] = part
        blocks[name] = C

    def embed(x: Array, joints: str, coordinates: str, rotor: str, size: int) -> Array:
        out = np.zeros(size)
        for small, large in zip(model.bodies, rich.bodies, strict=True):
            out[getattr(large, joints)] = x[getattr(small, joints)]
            if small.link in blocks:
                out[getattr(large, coordinates)] = blocks[small.link] @ x[getattr(small, coordinates)]
            if small.rotor_q is not None:
                out[getattr(large, rotor)] = x[getattr(small, rotor)]
        return out

    return (
        lambda q: embed(q, "joint_q", "modes_q", "rotor_q", rich.nq),
        lambda v: embed(v, "joint_v", "modes_v", "rotor_v", rich.nv),
    )
