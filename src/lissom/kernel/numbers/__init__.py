"""Kernels on other numbers: CasADi symbols and counters of operations.

`rebind` makes the copies; `casadi_symbol` and `operation_counter` are the number types.
"""
