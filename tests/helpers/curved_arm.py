"""An arm with springs along a curve, in a joint and in a gear."""

from lissom.model import Robot

TABLE = [[-0.6, -9.0], [-0.3, -2.0], [-0.1, -0.5], [0.1, 0.5], [0.35, 2.5], [0.7, 12.0]]
CURVES = {
    "table": {"table": TABLE},
    "polynomial": {"polynomial": [2.0, 1.0, 30.0]},
    "play": {"backlash": 0.2, "width": 0.05},
}
BODY = {"mass": 1.0, "com": [0.4, 0, 0], "inertia": [0.01, 0.06, 0.06]}
GEAR = {"rotor_inertia": 0.002, "gear": 5.0, "damping": 0.05}


def arm(curve, gear=None, bends=False):
    """Two links in a vertical plane: a spring with a curve in the first joint, one in the gear of the second."""
    first = {"type": "revolute", "axis": [0, 0, 1], "spring": {"stiffness": 4.0, "rest": 0.1, "curve": curve}}
    second = {
        "type": "revolute",
        "axis": [0, 0, 1],
        "transmission": {**GEAR, "stiffness": 20.0, "curve": gear or curve},
    }
    beam = {"length": 0.8, "modes": {"y": 2}, "section": {"rhoA": 0.6, "EA": 1e4, "EIy": 30, "EIz": 30, "GJ": 20}}
    upper = {"name": "upper", "joint": first, **({"beam": beam} if bends else {"body": BODY})}
    at = {} if bends else {"origin": {"xyz": [0.8, 0, 0]}}
    links = [upper, {"name": "fore", "parent": "upper", "joint": second, "body": BODY, **at}]
    return Robot.from_dict({"lissom": 1, "name": "curved", "gravity": [0, -9.81, 0], "links": links})
