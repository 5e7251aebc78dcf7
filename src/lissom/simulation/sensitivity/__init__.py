"""Derivatives of a run by parameters, along its own steps.

`motion_sensitivity.sensitivity` is public as `lissom.sensitivity`.
"""
