"""Vectors, rotations, sums of rows and elementary functions, for every number type.

Pure functions of numbers: they know no model. All kernels may use them.
"""
