"""Analytical derivatives of the dynamics by recursion over the bodies, O(n d) for n bodies at depth d.

docs/theory/derivatives.md derives the equations whose numbers stand in the comments.
"""
