"""Newton matrices of implicit integrators, factorised and solved by articulated passes in O(n).

For integrators alone: of one stage (`articulated_newton`), or of three at once (`stage_coupled`).
"""
