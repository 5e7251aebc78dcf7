"""Whether links of the second-order field spin so fast that the inertia of their sections changes their stiffness.

The mass of a section turns with it to first order. What its rotation has beyond (`second_order_rotation` of
`beam.displacement_fields`) makes the propeller moment: a spin Omega turns a strip flat by (Iyy - Izz) Omega^2 t, and
acts on slopes alike. The exact field has it, and so has `first` where a link's width is drawn in (`width_forms`); it is
in doubt where what it leaves out matters.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from lissom.beam import BeamLink
from lissom.beam.displacement_fields.second_order_rotation import share_of_stiffness
from lissom.dynamics import point_velocity
from lissom.dynamics.state_checks import Vector
from lissom.model.model import Model

STIFFNESS = 0.02  # share of a link's stiffness that is left out: 1 % of a frequency


def second_order_links(model: Model) -> Iterator[tuple[str, BeamLink]]:
    """Return the links that bend in the second-order field, by name."""
    for name, beam in model.flexible.items():
        if isinstance(beam, BeamLink) and beam.second_order and beam.count:
            yield name, beam


def spin_of(model: Model, q: Vector, v: Vector, link: str) -> Vector:
    """Return the angular velocity (3,) of a link's frame, in its own axes."""
    return np.real(point_velocity(model, q, v, link, x=0.0, frame="local"))[:3]


def doubt(link: str, speed: float, share: float) -> str:
    """Return what is left out of a link that spins by `speed`, rad/s, in a sentence."""
    return (
        f"{link}: it spins by up to {speed:.3g} rad/s, where the inertia of its sections changes its stiffness by "
        f"{share:.1%} (propeller moment); stiffening: first leaves that out, use stiffening: exact"
    )


def warn_of_propeller_moments(model: Model, q: Vector, v: Vector, stacklevel: int) -> None:
    """Warn of every link that spins so fast at a state that its stiffness changes by what its field leaves out."""
    if not np.any(v):
        return
    for name, beam in second_order_links(model):
        spin = spin_of(model, q, v, name)
        share = largest_share(beam, spin)
        if share > STIFFNESS:
            warnings.warn(doubt(name, float(np.linalg.norm(spin)), share), UserWarning, stacklevel=stacklevel + 1)


def turning_shares(beam: BeamLink) -> np.ndarray:
    """Return bounds (6,) of what unit squares and products of a spin (xx, yy, zz, xy, xz, yz) change of stiffness."""
    pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
    squares = [np.eye(3)[[a]].T @ np.eye(3)[[b]] for a, b in pairs]
    return np.array([_share(beam, each + each.T - np.trace(each + each.T) * np.eye(3)) for each in squares])


def largest_share(beam: BeamLink, spin: np.ndarray) -> float:
    """Return the largest share of a link's stiffness that its sections' second-order rotation adds or takes."""
    return _share(beam, np.outer(spin, spin) - spin @ spin * np.eye(3))


def _share(beam: BeamLink, squares: np.ndarray) -> float:
    """Return the largest share of a link's stiffness that it leaves out at omega omega^T - omega^2 1."""
    return share_of_stiffness(beam.missed_turn, beam.shapes_of_unit_stiffness, squares)
