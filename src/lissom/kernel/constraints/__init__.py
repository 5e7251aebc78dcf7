"""Closed loops: their rows, their rates, and the multipliers that keep them closed.

`constrained_dynamics` is what the layers above call.
"""
