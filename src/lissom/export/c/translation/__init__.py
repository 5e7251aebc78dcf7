"""The kernel's Python as C.

Kernels are plain Python on numbers, arrays and tuples without a branch on the kind of anything, so that the kinds of
all values follow from those of the arguments. The model's tables are constants: shapes are numbers, loops over nothing
and branches that no body takes are left out.
"""
