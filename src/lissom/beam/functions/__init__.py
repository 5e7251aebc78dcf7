"""Shape functions of a link: natural modes by family, static shapes, Ritz solutions, and how many are needed.

`Basis` and `OwnBasis` are for others; the rest serves them.
"""
