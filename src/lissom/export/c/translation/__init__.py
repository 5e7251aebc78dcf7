"""The kernel's Python as C.

Kernels are plain Python on numbers, arrays and tuples without a branch on the kind of anything, so that the kinds of
all values follow from those of the arguments. The model's tables are constants: shapes are numbers, loops over nothing
and branches that no body takes are left out.

`kernel.compile.translate` writes other C of the same kernels: over Structs of any model, for compilers alone to read,
with GNU's extensions, statements in expressions and numbered variables. This C is for people and any C99 compiler, with
constants folded in and variables declared where they are used, so that the two translators would share no more than the
names of operators.
"""
