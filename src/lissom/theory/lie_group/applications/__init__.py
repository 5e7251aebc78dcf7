"""What rigid arms on SE(3) are used for: motions of least energy, learning of parameters, counts of operations.

From outside: by way of `lissom.theory.lie_group`.
"""
