"""Whether links of the second-order field spin so fast that the inertia of their sections changes their stiffness.

The mass of a section turns with it to first order (`beam.invariants`). What its rotation has beyond (`beam.turning`)
makes the propeller moment: a spin Omega turns a strip flat by (Iyy - Izz) Omega^2 t, and acts on slopes alike. The
exact field has it; `first` does not, and is in doubt where it matters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.beam import BeamLink
from lissom.dynamics.kinematics import point_velocity
from lissom.simulation.raw import Event

if TYPE_CHECKING:
    from lissom.simulation.trajectory import Trajectory

STIFFNESS = 0.02  # share of a link's stiffness that is left out: 1 % of a frequency
LOOKS = 50  # samples at which the spin of a link is computed


def rotary_doubts(run: Trajectory) -> list[Event]:
    """An event for every link of the second-order field whose spin changes its stiffness, which that leaves out."""
    events = []
    fastest = _fastest(run)
    for body in run.model.bodies:
        beam = run.model.flexible.get(body.link)
        if not isinstance(beam, BeamLink) or not beam.second_order or not beam.count:
            continue
        per_spin = turning_shares(beam)
        if fastest**2 * np.abs(per_spin).sum() < STIFFNESS:  # no spin of its own could matter
            continue
        at = np.unique(np.linspace(0, len(run.time) - 1, LOOKS).astype(int))
        spins = np.array([_spin(run, body.link, k) for k in at])
        shares = [largest_share(beam, spin) for spin in spins]
        beyond = np.flatnonzero(np.array(shares) > STIFFNESS)
        if beyond.size:
            when, worst = float(run.time[at[beyond[0]]]), float(max(shares))
            text = (
                f"{body.link}: it spins by up to {np.linalg.norm(spins, axis=1).max():.3g} rad/s, where the inertia of "
                f"its sections changes its stiffness by {worst:.1%} (propeller moment); stiffening: first leaves that "
                "out, use stiffening: exact"
            )
            events.append(Event(when, body.link, "propeller moment", text, worst))
    return events


def turning_shares(beam: BeamLink) -> np.ndarray:
    """Bounds (6,) of what unit squares and products of a spin (xx, yy, zz, xy, xz, yz) change of a link's stiffness."""
    pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
    squares = [np.eye(3)[[a]].T @ np.eye(3)[[b]] for a, b in pairs]
    return np.array([_share(beam, each + each.T - np.trace(each + each.T) * np.eye(3)) for each in squares])


def largest_share(beam: BeamLink, spin: np.ndarray) -> float:
    """The largest share of a link's stiffness, in any shape, that its sections' second-order rotation adds or takes."""
    return _share(beam, np.outer(spin, spin) - spin @ spin * np.eye(3))


def _share(beam: BeamLink, whirl: np.ndarray) -> float:
    """Of omega omega^T - omega^2 1: its product with int s0 d_i d_j s is what the stiffness lacks."""
    lacking = np.einsum("ab,abij->ij", whirl, beam.turned_inertia()[:3])
    scale = 1 / np.sqrt(np.diag(np.real(beam.stiffness())))
    K, lacking = (np.real(part) * np.outer(scale, scale) for part in (beam.stiffness(), lacking))
    values, shapes = np.linalg.eigh(K)
    if values[0] <= 0:  # prestress buckles it: nothing to compare with
        return 0.0
    shapes = shapes / np.sqrt(values)
    return float(np.abs(np.linalg.eigvalsh(shapes.T @ lacking @ shapes)).max())


def _fastest(run: Trajectory) -> float:
    """More than the angular velocity of any link, rad/s: the sum of those of all joints, and of sections that bend."""
    turning = np.zeros(len(run.time))
    for body in run.model.bodies:
        turning += np.abs(run.v[:, body.joint_v]).sum(axis=1)
        if isinstance(beam := run.model.flexible.get(body.link), BeamLink):
            turning += np.abs(run.v[:, body.modes_v]) @ np.abs(np.real(beam.section_map(beam.length).psi)).sum(axis=0)
    return float(turning.max())


def _spin(run: Trajectory, link: str, k: int) -> np.ndarray:
    """Angular velocity (3,) of a link's frame at sample k, in its own axes."""
    return np.real(point_velocity(run.model, run.q[k], run.v[k], link, x=0.0, frame="local"))[:3]
