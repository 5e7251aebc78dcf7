"""Many runs of models that differ in numbers: one after the other in the same memory, or several in vector lanes.

For the study layer (`rerun`, `vector_batch`) and for environments of learning (`stepper`).
"""
