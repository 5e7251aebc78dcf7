"""Flexible links and flexible joints by a recursive Lagrange formulation of 4 x 4 matrices."""

from lissom.theory.recursive_lagrange.formulation import RecursiveLagrange

__all__ = ["RecursiveLagrange"]
