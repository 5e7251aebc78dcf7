"""Forces that joints produce by themselves, for formulations that do not call the kernel's equations of motion.

The law is the kernel's (`kernel/forces/passive_joint_forces.py`); every function takes leading batch axes and complex
numbers.
"""

from __future__ import annotations

import numpy as np

from lissom.kernel.algorithms.complex_step import STEP
from lissom.kernel.compile import kernel
from lissom.kernel.forces.passive_joint_forces import passive_energy, passive_forces
from lissom.model.model import Model


@kernel
def _forces(model, q, v, force):
    for k in range(q.shape[0]):
        passive_forces(model, q[k], v[k], force[k])


@kernel
def _energies(model, q, energy):
    for k in range(q.shape[0]):
        energy[k] = passive_energy(model, q[k], energy[k])


def joint_forces(model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Passive generalised forces (..., nv) at q (..., nq) and v (..., nv), to be added to those of the motors."""
    batch, number = np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), _number(model, q, v)
    force = np.zeros((*batch, model.nv), number)
    _forces(model.struct, _rows(q, batch, number), _rows(v, batch, number), force.reshape(-1, model.nv))
    return force


def joint_energy(model: Model, q: np.ndarray) -> np.ndarray:
    """Energy (...) stored in springs, stops and elastic transmissions at q (..., nq)."""
    batch, number = q.shape[:-1], _number(model, q)
    energy = np.zeros(batch, number)
    _energies(model.struct, _rows(q, batch, number), energy.reshape(-1))
    return energy


def joint_force_slopes(model: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Diagonals (..., nv) of the derivatives of `joint_forces` by q and by v, for joints without elastic gears.

    Each force depends on its own coordinate alone, so that one complex step serves all of them.
    """
    h = 1j * STEP
    return joint_forces(model, q + h, v + 0j).imag / STEP, joint_forces(model, q + 0j, v + h).imag / STEP


def _number(model: Model, *state: np.ndarray) -> np.dtype:
    return np.result_type(model.arrays.gravity, *state, float)


def _rows(values: np.ndarray, batch: tuple[int, ...], number: np.dtype) -> np.ndarray:
    """`values` (..., n) as rows (k, n)."""
    spread = np.broadcast_to(values, (*batch, values.shape[-1])).astype(number)
    return spread.reshape(-1, values.shape[-1])
