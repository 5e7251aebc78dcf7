"""Forward and inverse dynamics, mass matrix, energies and derivatives, all O(n).

The names are those of the literature: articulated bodies, Newton-Euler, composite bodies. Free to use from above.
"""
