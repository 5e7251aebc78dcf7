"""Energies."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.state_checks import finite, number_type, vector
from lissom.kernel.algorithms import body_energies
from lissom.model.any_robot import AnyRobot, as_model


class Energy(NamedTuple):
    """Energies in joule. Gravity is zero where the centre of mass lies at the world's origin."""

    kinetic: float
    gravity: float
    strain: float  # bending, torsion and extension of the links
    joints: float  # springs, stops and elastic transmissions
    elements: float = 0.0  # springs, ropes and bushings between links, contacts

    @property
    def potential(self) -> float:
        """Return all energies but the kinetic one, J."""
        return self.gravity + self.strain + self.joints + self.elements

    @property
    def total(self) -> float:
        """Return the sum of all energies, J."""
        return self.kinetic + self.potential


def energy(robot: AnyRobot, q: ArrayLike, v: ArrayLike) -> Energy:
    """Return the kinetic and potential energies of a state.

    Parameters
    ----------
    robot : str, path, Robot or Model
        The name or file of a robot, a robot, or its model.
    q : array_like
        Configuration, shape (nq,), in the order of `model.q_names`.
    v : array_like
        Velocities, shape (nv,), in the order of `model.coordinates`.

    Returns
    -------
    Energy
        Kinetic energy, and the potential energies of gravity, beams, joints and elements, J.

    Examples
    --------
    >>> model = lissom.load("ella").compile()
    >>> q, v = model.neutral(), np.zeros(model.nv)
    >>> lissom.energy(model, q, v).potential  # J
    """
    model = as_model(robot)
    q, v = vector(model, q, "q", model.nq), vector(model, v, "v", model.nv)
    number = number_type(model, q, v)
    parts = np.empty(5, number)
    body_energies.energies(
        model.struct,
        model.workspace(number),
        q.astype(number, copy=False),
        v.astype(number, copy=False),
        parts,
    )
    return Energy(*finite(model, "energy", parts, q=q, v=v).tolist())
