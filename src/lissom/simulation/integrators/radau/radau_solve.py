"""Newton steps of Radau's stages by the factors at hand (Hairer and Wanner II, section IV.8).

The eigenvectors T of the tableau's inverse split the system of all stages into a real one, for gamma, and a complex
one, for lambda, which hold the factors of one configuration; the factors of all stages solve it whole.
"""

from __future__ import annotations

from lissom.kernel.compile import inline, kernel
from lissom.simulation.equations import dense_lu
from lissom.simulation.equations.loop_projection import correct_rows
from lissom.simulation.equations.newton import SHARED, STAGES
from lissom.simulation.integrators.radau.radau_tableau import GAMMA, INVERSE, LAMBDA, TRANSFORM


@kernel
def correct(system, work, form):
    """Compute the Newton step of the stage accelerations for the residuals work.R, into work.step (3, n)."""
    if form == STAGES:
        correct_stages(system, work)
        return
    transform(work)
    if form == SHARED:
        solve_shared(system, work)
    else:
        matrix = work.matrix
        dense_lu.solve(matrix.dense, matrix.pivots, matrix.real.x)
        dense_lu.solve(matrix.dense_complex, matrix.pivots_complex, matrix.complex.x)
    if work.L.shape[1] > 0:
        keep_closed(work, work.matrix.real.x, work.matrix.complex.x, work.newton.factored[0])
    transform_back(work)


@inline
def correct_stages(system, work):
    """Compute the Newton step of the stages by the factors of all three."""
    matrix = work.matrix
    x = matrix.coupled.x
    for i in range(3):
        for k in range(x.shape[1]):
            x[i, k] = -work.R[i, k]
    matrix.solve_coupled(system.model, matrix.coupled)
    for i in range(3):
        for k in range(x.shape[1]):
            work.step[i, k] = x[i, k]


@inline
def transform(work):
    """Compute the right-hand sides of the real and the complex system, w = (T^-1 x I) R (Hairer, Wanner IV.8)."""
    x = work.matrix.real.x
    z = work.matrix.complex.x
    for k in range(x.shape[0]):
        real = 0.0
        upper = 0.0j
        for i in range(3):
            real -= INVERSE[0, i].real * work.R[i, k]
            upper -= INVERSE[1, i] * work.R[i, k]
        x[k] = real
        z[k] = upper


@inline
def solve_shared(system, work):
    """Solve the real and the complex system by the factors of one configuration."""
    matrix = work.matrix
    matrix.solve_real(system.model, matrix.second, matrix.real)
    matrix.solve_complex(system.model, matrix.second, matrix.complex)


@inline
def transform_back(work):
    """Compute the Newton step of the stages from the solutions of both systems."""
    x = work.matrix.real.x
    z = work.matrix.complex.x
    for i in range(3):
        for k in range(x.shape[0]):
            work.step[i, k] = TRANSFORM[i, 0].real * x[k] + 2.0 * (TRANSFORM[i, 1] * z[k]).real


@inline
def keep_closed(work, x, z, h):
    """Add to both parts of a Newton step what the loops ask for: G V = given at the stages."""
    closure = work.matrix.closure
    other = work.matrix.closure_complex
    for row in range(work.L.shape[1]):
        real = 0.0
        upper = 0.0j
        for i in range(3):
            real -= INVERSE[0, i].real * work.C[i, row]
            upper -= INVERSE[1, i] * work.C[i, row]
        closure.miss[row] = real / (h * GAMMA)
        other.miss[row] = upper / (h * LAMBDA)
    correct_rows(closure, x, closure.miss)
    correct_rows(other, z, other.miss)
    for row in range(work.L.shape[1]):
        real = closure.schur.x[row]
        upper = other.schur.x[row]
        for i in range(3):
            work.lam_step[i, row] = TRANSFORM[i, 0].real * real + 2.0 * (TRANSFORM[i, 1] * upper).real
