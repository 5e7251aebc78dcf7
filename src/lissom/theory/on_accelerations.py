"""Newton's method on accelerations: for equations of motion without inverse dynamics, or far from the kernel's.

The time loop solves inverse dynamics = applied forces. Here it is given forces M (a - forward dynamics) more than those
applied, with the kernel's mass matrix M: zero at the same accelerations, and with a derivative that the loop knows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.kernel.algorithms.composite_body import mass_matrix
from lissom.kernel.algorithms.newton_euler import inverse_dynamics
from lissom.kernel.compile import Hidden, Pointer, Struct, kernel
from lissom.model.model import Model
from lissom.simulation.equations.system import Dynamics


class AccelerationMemory(NamedTuple):
    """Forward dynamics, the kernel's mass matrix, and memory."""

    forward: Any  # Pointer
    own: Any  # Hidden: memory of the forward dynamics
    mass: Any  # Pointer
    fill: Any  # Pointer to the kernel's inverse dynamics
    work: Any  # Struct: workspace of the kernel
    frames: Any  # Struct: another one, with the frames of the state at hand
    force: np.ndarray  # (nv,) applied forces, written by the loop
    a: np.ndarray  # (nv,)
    unused: np.ndarray  # (nv,)
    M: np.ndarray  # (nv, nv)


def on_accelerations(model: Model, dynamics: Dynamics) -> Dynamics:
    """Return the equations of motion as a system to be solved for the accelerations.

    Of a robot with loops the forward dynamics keep them closed by themselves; the loop brings positions and velocities
    back to them, and finds no forces in them.
    """
    work, n = model.workspace(), model.nv
    own, wrench = Hidden(dynamics.own or work), np.zeros((model.rows, 6))
    frames = Struct(model.workspace().fields)
    q, v, force, a, M = np.zeros(model.nq), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros((n, n))
    memory = AccelerationMemory(
        forward=Pointer(dynamics.forward, model.struct, own, q, v, v, wrench, v),
        own=own,
        mass=Pointer(mass_matrix, model.struct, work, q, v, M),
        fill=Pointer(inverse_dynamics, model.struct, frames, q, v, v, wrench, v),
        work=work,
        frames=frames,
        force=force,
        a=a,
        unused=np.zeros(n),
        M=M,
    )
    if model.loops:
        return Dynamics(closed_inverse, closed_forward, Struct(memory), force, frames, dynamics.given)
    return Dynamics(inverse, forward, Struct(memory), force)


@kernel
def inverse(model, own, q, v, a, wrench, tau):
    """Compute tau = applied forces + M (a - forward dynamics), which keep what is prescribed in a."""
    for k in range(a.shape[0]):
        own.a[k] = a[k]
    own.forward(model, own.own, q, v, own.force, wrench, own.a)
    own.mass(model, own.work, q, v, own.M)
    for j in range(tau.shape[0]):
        tau[j] = own.force[j]
        for k in range(tau.shape[0]):
            tau[j] += own.M[j, k] * (a[k] - own.a[k])


@kernel
def forward(model, own, q, v, tau, wrench, a):
    """Compute the accelerations by the forward dynamics that are at hand."""
    own.forward(model, own.own, q, v, tau, wrench, a)


@kernel
def closed_inverse(model, own, q, v, a, wrench, tau):
    """Compute what `inverse` does, and the frames of the state, which loops read."""
    own.fill(model, own.frames, q, v, a, wrench, own.unused)
    inverse(model, own, q, v, a, wrench, tau)


@kernel
def closed_forward(model, own, q, v, tau, wrench, a):
    """Compute what `forward` does, and the frames and accelerations of the state, which loops read."""
    own.forward(model, own.own, q, v, tau, wrench, a)
    own.fill(model, own.frames, q, v, a, wrench, own.unused)
