"""Robots from other formats: URDF, Denavit-Hartenberg tables.

Each format is a record of `registry`, where formats from outside join by `register`; `io.robot_files` calls them.
"""
