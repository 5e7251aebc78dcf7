"""Radau IIA with three stages: its steps, its tableau, its Newton matrix, and the stiffness kept from step to step.

`radau_steps` is the way in; `vector_kernels` runs the same source on packs.
"""
