"""Flexible links and flexible joints by a recursive Lagrange formulation of 4 x 4 matrices."""

from lissom.theory.recursive_lagrange.driven import Driven, simulate_driven
from lissom.theory.recursive_lagrange.formulation import RecursiveLagrange

__all__ = ["Driven", "RecursiveLagrange", "simulate_driven"]
