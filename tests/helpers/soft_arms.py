"""Small models for the tests of integrators and of the time loop, and methods that need an extra."""

from functools import cache

import pytest

import lissom

SUNDIALS = ("cvode-adams", "cvode-bdf")


def needs(method):
    if method in SUNDIALS:
        pytest.importorskip("sksundae", reason="CVODE comes with the extra `sundials`")


def soft_link(name, joint, **beam):
    section = {"rhoA": 2.0, "EA": 5e3, "EIy": 8.0, "EIz": 12.0, "GJ": 6.0, "Jx": 0.02, "Jy": 0.01, "Jz": 0.01}
    modes = {"y": 1, "z": 1, "torsion": 1}
    return {"name": name, "joint": joint, "beam": {"length": 1.0, "section": section, "modes": modes} | beam}


@cache
def soft_arm(damping=2e-3, limit=None):
    """Two flexible links whose fastest vibration has 8 Hz."""
    shoulder = {"name": "shoulder", "type": "revolute", "axis": [0, 1, 0]}
    elbow = {"name": "elbow", "type": "revolute", "axis": [0, 0, 1]}
    if limit is not None:
        elbow["limits"] = {"lower": -3.0, "upper": limit, "stiffness": 1e3}
    links = [
        soft_link("upper", shoulder, damping={"stiffness": damping}),
        soft_link("fore", elbow, damping={"stiffness": damping}, masses=[{"mass": 0.5}]),
    ]
    return lissom.Robot.from_dict({"lissom": 1, "name": "soft", "links": links}).compile()


def one_body(joint, gravity=(0, 0, 0), mass=2.0, **body):
    body = {"mass": mass, "inertia": [0.3, 0.2, 0.1]} | body
    links = [{"name": "body", "joint": {"name": "joint", "type": joint}, "body": body}]
    if joint == "prismatic":
        links[0]["joint"]["axis"] = [1, 0, 0]
    return lissom.Robot.from_dict({"lissom": 1, "name": "one", "gravity": list(gravity), "links": links}).compile()
