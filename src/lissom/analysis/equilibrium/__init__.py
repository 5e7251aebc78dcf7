"""Rest and steady motion: static equilibrium, the path of loads, tangent matrices, deflections.

`static_equilibrium` is public; `tangent_matrices` and `loop_freedoms` serve modes and linear models.
"""
