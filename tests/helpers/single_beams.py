"""One beam, clamped or on a hinge, for tests of linear models and signals."""

import lissom


def clamped_beam(damping=0.0, **changes):
    """A steel beam of 1 m held at its base, with three bending functions each way."""
    inertia = {"Jx": 2e-4, "Jy": 1e-4, "Jz": 1e-4}
    beam = {
        "length": 1.0,
        "section": {"rhoA": 2.0, "EA": 1e7, "EIy": 50.0, "EIz": 200.0, "GJ": 60.0} | inertia,
        "modes": {"y": 3, "z": 3, "torsion": 1, "axial": 1},
        "damping": damping,
        **changes,
    }
    links = [{"name": "beam", "joint": "fixed", "beam": beam}]
    return lissom.Robot.from_dict({"lissom": 1, "name": "clamped", "gravity": [0, 0, 0], "links": links})


def hinged_beam(**options):
    data = clamped_beam(0.01).to_dict()
    data["links"][0]["joint"] = {"name": "hinge", "type": "revolute", "axis": [0, 0, 1]}
    return lissom.Robot.from_dict(data).compile(**options)
