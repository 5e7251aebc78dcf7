"""Closed loops of a model: gaps, Jacobians, closing a state, poses of machines with cylinders.

The functions are public as `lissom.dynamics.close_loops`, `closed_pose`, ...
"""
