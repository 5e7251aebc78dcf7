"""Robots from other formats: URDF, Denavit-Hartenberg tables.

Each importer gives the plain data of a robot file. Only `io.robot_files` calls them.
"""
