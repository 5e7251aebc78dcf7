"""One step of the closed loop in real time: generalised-alpha with a fixed step and a fixed number of iterations.

The method of `simulation.integrators.generalised_alpha`, with nothing that depends on how well it goes: the Newton
matrix, mass and the stiffness and damping of links, joints and gains, is factorised once per step by an articulated
pass, O(n), and serves a fixed number of iterations. Written as a kernel, so that the C code is translated from it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import sqrt

from lissom.kernel.algorithms.newton_euler import inverse_dynamics
from lissom.kernel.compile import inline, kernel
from lissom.kernel.data.workspace import workspace
from lissom.kernel.implicit.articulated_newton import factorise, make_factors, solve
from lissom.kernel.implicit.link_stiffness import joint_stiffness, link_stiffness
from lissom.kernel.implicit.local_stiffness import keep_frames, make_local
from lissom.kernel.maths.algebra import cross, vector
from lissom.kernel.maths.chart import move
from lissom.kernel.numbers.rebind import retarget
from lissom.model.model import Model

ITERATIONS = 3
RADIUS = 0.8  # spectral radius at infinite frequency: vibrations far beyond the step die away
ALPHA_M = (2.0 * RADIUS - 1.0) / (RADIUS + 1.0)
ALPHA_F = RADIUS / (RADIUS + 1.0)
GAMMA = 0.5 + ALPHA_F - ALPHA_M
BETA = 0.25 * (GAMMA + 0.5) ** 2
TINY = 1e-30  # keeps shares of no acceleration finite
WEIGHT = (1.0 - ALPHA_F) / (1.0 - ALPHA_M)


@inline
def advance(model, q, v, a, s, h, u, q1, v1, a1, s1):
    """Fill the end of the step that belongs to the accelerations a1."""
    for k in range(v.shape[0]):
        s1[k] = ((1.0 - ALPHA_F) * a1[k] + ALPHA_F * a[k] - ALPHA_M * s[k]) / (1.0 - ALPHA_M)
        v1[k] = v[k] + h * ((1.0 - GAMMA) * s[k] + GAMMA * s1[k])
        u[k] = h * v[k] + h * h * ((0.5 - BETA) * s[k] + BETA * s1[k])
    for k in range(v.shape[0]):
        if model.velocities.group_axis[k] == 3:  # moves in axes that turn: omega x v belongs to its acceleration
            turn0 = cross(vector(v[k - 3 : k]), vector(v[k : k + 3]))
            turn1 = cross(vector(v1[k - 3 : k]), vector(v1[k : k + 3]))
            for c in range(3):
                u[k + c] += h * h * ((0.5 - BETA) * turn0[c] + BETA * turn1[c])
    move(model, q, u, q1)


@kernel
def step(model, work, local, factors, q, v, a, s, tau, kp, kd, target, rate, h, wrench, u, r, q1, v1, a1, s1, left):
    """Fill the state after h seconds under forces tau + kp (target - q) + kd (rate - v), taken at the step's end.

    `s` is the method's own acceleration. Quaternions have no target: kp is not read for them. left (1,): what the
    last iteration changed, as a share of the accelerations.
    """
    n = v.shape[0]
    for k in range(n):
        a1[k] = a[k]
    for iteration in range(ITERATIONS):
        advance(model, q, v, a, s, h, u, q1, v1, a1, s1)
        inverse_dynamics(model, work, q1, v1, a1, wrench, r)
        for k in range(n):
            r[k] -= tau[k] + kd[k] * (rate[k] - v1[k])
            if model.velocities.group_axis[k] < 0:
                r[k] -= kp[k] * (target[k] - q1[model.velocities.coordinate[k]])
        if iteration == 0:
            keep_frames(model, local)
            link_stiffness(model, work, q1, v1)
            joint_stiffness(model, q1, v1, local.stiffness, local.damping, local.winding, local.slipping)
            for k in range(n):
                local.damping[k] += kd[k]
                if model.velocities.group_axis[k] < 0:
                    local.stiffness[k] += kp[k]
            factorise(model, local, factors, WEIGHT * GAMMA * h, WEIGHT * BETA * h * h)
        for k in range(n):
            factors.x[k] = r[k]
        solve(model, local, factors)
        moved = 0.0
        size = TINY
        for k in range(n):
            a1[k] -= factors.x[k]
            moved += factors.x[k] * factors.x[k]
            size += a1[k] * a1[k]
        left[0] = sqrt(moved / size)
    advance(model, q, v, a, s, h, u, q1, v1, a1, s1)


def memory(model: Model, work: Any = None) -> tuple[Any, Any, Any]:
    """Return workspace, local parts and factors of a model for one step."""
    work = workspace(model.arrays) if work is None else work
    return work, make_local(model.arrays, work, model.nq), make_factors(model.arrays, np.float64)


def step_in_python(model: Model, wrench: np.ndarray, h: float, *arguments: np.ndarray) -> tuple[np.ndarray, ...]:
    """Compute in Python what C computes, by the same lines: q, v, a, s and what was left.

    The arguments are q, v, a, s, tau, kp, kd, target and rate before.
    """
    plain = {"sin": np.sin, "cos": np.cos, "sqrt": np.sqrt, "tanh": np.tanh}
    out = np.zeros(model.nq), *np.zeros((3, model.nv)), np.zeros(1)
    scratch = np.zeros((2, model.nv))
    retarget(step, plain)(model.arrays, *memory(model), *arguments, h, wrench, *scratch, *out)
    return out
