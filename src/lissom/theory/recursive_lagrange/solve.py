"""Accelerations from the mass matrix: L D L^T of the coordinates that are free to move."""

from __future__ import annotations

from lissom.kernel.compile import kernel


@kernel
def solve_free(mass, force, prescribed, a):
    """Solve mass a = force for the entries of `a` that are not prescribed; the others are given. Overwrites both."""
    n = mass.shape[0]
    for r in range(n):
        if prescribed[r] == 0:
            for c in range(n):
                if prescribed[c] == 1:
                    force[r] -= mass[r, c] * a[c]
    for p in range(n):
        if prescribed[p] == 1:
            continue
        inverse = 1.0 / mass[p, p]
        for r in range(p + 1, n):
            if prescribed[r] == 1:
                continue
            factor = mass[p, r] * inverse
            for c in range(r, n):
                mass[r, c] -= factor * mass[p, c]
            force[r] -= factor * force[p]
    for p in range(n - 1, -1, -1):
        if prescribed[p] == 1:
            continue
        total = force[p]
        for c in range(p + 1, n):
            if prescribed[c] == 0:
                total -= mass[p, c] * a[c]
        a[p] = total / mass[p, p]
