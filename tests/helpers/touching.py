"""Robots that touch something."""

from lissom.model import Robot


def ball(gravity=0.0, speed_axis="z", **contact):
    """A ball of 2 kg and 0.1 m that moves freely above the floor z = 0."""
    law = {"stiffness": 1e6, "exponent": 1.5, "damping": 0.3, "friction": 0.0} | contact
    return Robot.from_dict(
        {
            "name": "ball",
            "gravity": [0, 0, -gravity],
            "links": [{"name": "ball", "joint": "free", "body": {"mass": 2.0, "inertia": [0.008] * 3}}],
            "contacts": [
                {
                    "name": "floor",
                    "sphere": {"link": "ball", "radius": 0.1},
                    "surface": {"link": "world", "shape": "plane"},
                }
                | law
            ],
        }
    )
