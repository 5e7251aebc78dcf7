"""The equations of motion on flat arrays: compiled functions without objects, one source for every number type.

What is above uses the kernels of `kinematics`, `algorithms`, `constraints` and `implicit`, and the tables of `data`.
"""
