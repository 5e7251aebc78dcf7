"""Dense LU with partial pivoting for the small systems of implicit steps, real or complex, without allocation."""

from __future__ import annotations

from lissom.kernel.compile import inline, kernel


@inline
def largest(x):
    """Return the largest magnitude in `x` (n,)."""
    size = 0.0
    for k in range(x.shape[0]):
        size = max(size, abs(x[k]))
    return size


@kernel
def factorise(A, pivots):
    """Factorise `A` (n, n) as LU in place; row exchanges in `pivots` (n,). Returns False for a singular matrix."""
    n = A.shape[0]
    for j in range(n):
        best = j
        size = abs(A[j, j])
        for i in range(j + 1, n):
            if abs(A[i, j]) > size:
                size = abs(A[i, j])
                best = i
        pivots[j] = best
        if not size > 0.0:
            return False
        if best != j:
            for k in range(n):
                A[j, k], A[best, k] = A[best, k], A[j, k]
        inverse = 1.0 / A[j, j]
        for i in range(j + 1, n):
            f = A[i, j] * inverse
            A[i, j] = f
            row = A[i]
            top = A[j]
            for k in range(j + 1, n):
                row[k] -= f * top[k]
    return True


@kernel
def solve(A, pivots, b):
    """Overwrite `b` (n,) with the solution of the factorised system."""
    n = b.shape[0]
    for j in range(n):
        p = pivots[j]
        if p != j:
            b[j], b[p] = b[p], b[j]
    for i in range(n):
        s = b[i]
        row = A[i]
        for k in range(i):
            s -= row[k] * b[k]
        b[i] = s
    for back in range(n):
        i = n - 1 - back
        s = b[i]
        row = A[i]
        for k in range(i + 1, n):
            s -= row[k] * b[k]
        b[i] = s / row[i]
