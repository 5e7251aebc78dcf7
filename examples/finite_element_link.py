"""A link that is no beam: a frame of two bars at a right angle, reduced to a few coordinates, on a hinge."""

import numpy as np

import lissom

bar = {"shape": "rectangle", "width": 0.01, "height": 0.03}
ell = {
    "frame": {
        "points": {"root": [0, 0, 0], "elbow": [0.5, 0, 0], "tip": [0.5, 0.5, 0]},
        "members": [
            {"between": ["root", "elbow"], "section": bar},
            {"between": ["elbow", "tip"], "section": bar},
        ],
    },
    "material": "steel",
    "interfaces": {"root": {}, "elbow": {}, "tip": {}},
    "modes": 4,
}
robot = lissom.Robot.from_dict(
    {
        "lissom": 1,
        "name": "ell",
        "materials": {"steel": {"E": 2e11, "nu": 0.33, "rho": 7800}},
        "links": [
            {"name": "ell", "joint": {"name": "hinge", "type": "revolute", "axis": [0, 1, 0]}, "finite_elements": ell},
            {"name": "camera", "at": "elbow", "joint": "fixed", "body": {"mass": 0.2}},
        ],
    }
)
link = robot.flexible_links()["ell"]
print(link.truncation)  # frequencies of the reduced link beside those of all elements
assert link.truncation.worst(link.truncation.cutoff / 2) < 1e-3

run = lissom.simulate(robot, 0.5)  # it swings down and twists
print(f"the tip is displaced by up to {1000 * float(np.abs(run.deflection('ell')).max()):.2f} mm")
audit = run.energy_audit()
print(audit)
assert audit.relative < 1e-5
