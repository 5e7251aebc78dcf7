"""Rigid arms for tests of theories: skew axes, sliding joints, trees, joints of two and three coordinates."""

import numpy as np
from random_robots import random_description

import lissom


def random_rigid(joints, seed, **options):
    """A random rigid robot: rigid gears, viscous damping, no other joint forces."""
    rng = np.random.default_rng(seed)
    plain = random_description(rng, joints, flexible=[False] * len(joints), passive=0.0, **options)
    for link in plain["links"]:
        gear = link["joint"].get("transmission", {})
        for elastic in ("stiffness", "damping"):
            gear.pop(elastic, None)
        if link["joint"]["type"] != "fixed":
            link["joint"]["damping"] = 0.3
    return lissom.Robot.from_dict(plain)


def chain(axes, offsets, kinds, masses, coms, inertias, gravity=(0, 0, -9.81)):
    """A serial arm from lists, one entry per link."""
    links = [
        {
            "name": f"link{k + 1}",
            "origin": {"xyz": list(offset)},
            "joint": {"name": f"joint{k + 1}", "type": kind, "axis": list(axis)},
            "body": {"mass": mass, "com": list(com), "inertia": list(inertia)},
        }
        for k, (axis, offset, kind, mass, com, inertia) in enumerate(
            zip(axes, offsets, kinds, masses, coms, inertias, strict=True)
        )
    ]
    return lissom.Robot.from_dict({"lissom": 1, "name": "chain", "gravity": list(gravity), "links": links})


def planar_arm(n, gravity=(0, -9.81, 0)):
    """n equal links of 1 m and 1 kg in the x-y plane."""
    return chain(
        [(0, 0, 1)] * n,
        [(0, 0, 0)] + [(1, 0, 0)] * (n - 1),
        ["revolute"] * n,
        [1.0] * n,
        [(0.5, 0, 0)] * n,
        [(0.01, 0.09, 0.09)] * n,
        gravity,
    )


def polar_arm():
    """A point mass on a slide on a turntable without inertia: a free point of the plane in polar coordinates."""
    return chain(
        [(0, 0, 1), (1, 0, 0)], [(0, 0, 0)] * 2, ["revolute", "prismatic"], [0.0, 2.0], [(0, 0, 0)] * 2, [(0, 0, 0)] * 2
    )


def scara_arm():
    """Two turning joints, one sliding, one turning; gravity along the slide."""
    return chain(
        [(0, 0, 1), (0, 0, 1), (0, 0, -1), (0, 0, 1)],
        [(0, 0, 0.5), (0.4, 0, 0), (0.3, 0, 0.1), (0, 0.02, 0)],
        ["revolute", "revolute", "prismatic", "revolute"],
        [8.0, 5.0, 2.0, 0.8],
        [(0.2, 0.01, 0), (0.15, 0, 0.03), (0, 0.01, -0.1), (0.02, 0, 0.03)],
        [(0.02, 0.13, 0.13), (0.01, 0.06, 0.06), (0.012, 0.012, 0.001), (0.001, 0.002, 0.0015)],
    )


ARMS = {
    "seven-axis": lambda: lissom.load("rigid-7-axis"),
    "scara": scara_arm,
    "tree": lambda: random_rigid(
        ("prismatic", "revolute", "fixed", "prismatic", "revolute", "revolute"), 1, transmissions=1.0
    ),
    "many-coordinates": lambda: random_rigid(("universal", "planar", "cylindrical", "revolute"), 3),
}
