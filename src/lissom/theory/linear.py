"""Dense linear systems of formulations that form their mass matrix."""

from __future__ import annotations

import numpy as np

from lissom.kernel.compile import kernel


@kernel
def solve_positive(M, force, a):
    """Compute a = M^-1 force by L D L^T, over the lower triangle of M; NaN unless M is positive definite.

    Returns whether it is; of complex numbers, the real parts of the pivots tell.
    """
    n = force.shape[0]
    for j in range(n):
        for k in range(j):
            s = M[j, k]
            for l in range(k):
                s -= M[j, l] * M[k, l] * M[l, l]
            M[j, k] = s / M[k, k]
        for k in range(j):
            M[j, j] -= M[j, k] * M[j, k] * M[k, k]
        if not M[j, j].real > 0.0:
            a[:] = np.nan
            return False
    for j in range(n):
        a[j] = force[j]
        for k in range(j):
            a[j] -= M[j, k] * a[k]
    for back in range(n):
        j = n - 1 - back
        a[j] /= M[j, j]
        for k in range(j + 1, n):
            a[j] -= M[k, j] * a[k]
    return True


@kernel
def solve_free(M, force, prescribed, a):
    """Compute the entries of `a` that are not prescribed, of M a = force; M and force are overwritten.

    Rows of prescribed coordinates become unit rows; what the accelerations given there take is moved to the right.
    """
    n = force.shape[0]
    for r in range(n):
        if prescribed[r] == 1:
            force[r] = a[r]
        else:
            for c in range(n):
                if prescribed[c] == 1:
                    force[r] -= M[r, c] * a[c]
    for r in range(n):
        for c in range(r + 1):
            if prescribed[r] == 1 or prescribed[c] == 1:
                M[r, c] = 1.0 if r == c else 0.0
    solve_positive(M, force, a)
