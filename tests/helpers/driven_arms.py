"""Small machines with one actuator each, and what tests do with them."""

from lissom.model import Robot

PENDULUM = {
    "name": "arm",
    "joint": {"type": "revolute", "axis": [0, 1, 0]},
    "body": {"mass": 5.0, "com": [0.5, 0, 0], "inertia": [0.1, 0.5, 0.5]},
}
HOOK = {"name": "hook", "joint": {"type": "prismatic", "axis": [0, 0, 1]}, "body": {"mass": 100.0, "com": [0, 0, 0]}}
WALL = {"link": "world", "origin": {"xyz": [0.2, 0, 0.5]}}
MIDDLE = {"link": "arm", "origin": {"xyz": [0.4, 0, 0.05]}}
END = {"link": "arm", "origin": {"xyz": [0.9, 0, 0.05]}}
CYLINDER = {
    "type": "hydraulic",
    "name": "drive",
    "through": [{"link": "world", "origin": {"xyz": [0, 0, -0.5]}}, {"link": "arm", "origin": {"xyz": [0.3, 0, 0]}}],
    "bore": "40 mm",
    "rod": "20 mm",
    "retracted": 0.4,
    "stroke": 0.4,
    "supply": "100 bar",
    "valve": {"flow": "20 l/min", "drop": "5 bar", "deadband": 0.05},
    "leakage": 1e-13,
    "friction": 50.0,
}
MOTOR = {
    "type": "motor",
    "name": "drive",
    "joint": "arm",
    "torque_constant": 0.05,
    "resistance": 0.5,
    "inductance": 2e-3,
    "gear": 50.0,
    "efficiency": 0.8,
    "no_load_current": 0.2,
    "rotor_inertia": 1e-4,
}
WINCH = {
    "type": "winch",
    "name": "drive",
    "parts": 2,
    "length": 10.0,
    "stiffness": 1e6,
    "damping": 1e3,
    "through": [{"link": "world", "origin": {"xyz": [0, 0, 5.0]}}, {"link": "hook"}],
}
# The link, the actuator and the command of every kind.
KINDS = {
    "torque": (PENDULUM, {"type": "torque", "name": "drive", "joint": "arm", "response": 0.02, "rate": 1e3}, 30.0),
    "motor": (PENDULUM, MOTOR, 12.0),
    "current": (PENDULUM, MOTOR | {"drive": "current", "voltage": 24.0, "peak_current": 20.0}, 10.0),
    "tendon": (PENDULUM, {"type": "tendon", "name": "drive", "through": [WALL, MIDDLE, END]}, 60.0),
    "capstan": (PENDULUM, {"type": "tendon", "name": "drive", "friction": 0.3, "through": [WALL, MIDDLE, END]}, 60.0),
    "thrust": (PENDULUM, {"type": "thrust", "name": "drive", "through": [WALL, END]}, -80.0),
    "chamber": (PENDULUM, {"type": "chamber", "name": "drive", "through": [WALL, END], "area": 1e-3}, 2e4),
    "thruster": (
        PENDULUM,
        {"type": "thruster", "name": "drive", "link": "arm", "origin": {"xyz": [1, 0, 0]}, "direction": [0, 0, 1]},
        40.0,
    ),
    "winch by speed": (HOOK, WINCH, 0.4),
    "winch by length": (HOOK, WINCH | {"drive": "length", "response": 0.3}, 0.4),
    "cylinder": (PENDULUM, CYLINDER, 0.1),
}


def driven(link, *actuators, **more):
    """A machine of one link."""
    return Robot(name="machine", links=[link], actuators=actuators, **more)


def machine(kind):
    """The machine of a kind, and the command to it."""
    link, actuator, command = KINDS[kind]
    return driven(link, actuator), command
