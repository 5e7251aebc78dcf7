"""Inverse kinematics: from where a tip is to be to joint values. `inverse_kinematics` is public."""
