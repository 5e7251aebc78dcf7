"""Products and traces of 4 x 4 matrices."""

from __future__ import annotations

from lissom.kernel.compile import inline


@inline
def multiply(A, B, out):
    """Set out = A B."""
    for a in range(4):
        for b in range(4):
            out[a, b] = A[a, 0] * B[0, b] + A[a, 1] * B[1, b] + A[a, 2] * B[2, b] + A[a, 3] * B[3, b]


@inline
def add_product(A, B, factor, out):
    """Add factor A B to out."""
    for a in range(4):
        for b in range(4):
            sum_ = A[a, 0] * B[0, b] + A[a, 1] * B[1, b] + A[a, 2] * B[2, b] + A[a, 3] * B[3, b]
            out[a, b] += factor * sum_


@inline
def add_product_transposed(A, B, factor, out):
    """Add factor A B^T to out."""
    for a in range(4):
        for b in range(4):
            sum_ = A[a, 0] * B[b, 0] + A[a, 1] * B[b, 1] + A[a, 2] * B[b, 2] + A[a, 3] * B[b, 3]
            out[a, b] += factor * sum_


@inline
def trace_product(A, B):
    """Tr(A B)."""
    total = A[0, 0] * B[0, 0]
    for b in range(1, 4):
        total += A[0, b] * B[b, 0]
    for a in range(1, 4):
        for b in range(4):
            total += A[a, b] * B[b, a]
    return total


@inline
def trace_product_transposed(A, B):
    """Tr(A B^T) over the first three rows: the last row of a derivative of a pose is zero."""
    total = A[0, 0] * B[0, 0]
    for b in range(1, 4):
        total += A[0, b] * B[0, b]
    for a in range(1, 3):
        for b in range(4):
            total += A[a, b] * B[a, b]
    return total


@inline
def clear(A):
    """Clear a 4 x 4 matrix."""
    for a in range(4):
        for b in range(4):
            A[a, b] = 0.0


@inline
def copy(A, out):
    """Copy a 4 x 4 matrix to out."""
    for a in range(4):
        for b in range(4):
            out[a, b] = A[a, b]
