"""Actuators as a person describes them: motors, hydraulic cylinders, tendons, winches, pressure chambers, thrusters.

Robot files hold them under `actuators:`; `ACTUATORS` is their registry, which others add to by `register_actuator`.
"""
