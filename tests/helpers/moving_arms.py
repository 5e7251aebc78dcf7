"""Small arms whose best motions are found in a moment."""

STEEL = {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7800}}
TIP = {"mass": 1.0}


def slewing_beam(gravity=(0, 0, 0), modes=None, **joint):
    """A slender beam with a mass at its tip, turning about z."""
    return {
        "lissom": 1,
        "name": "slewing-beam",
        "gravity": list(gravity),
        "materials": STEEL,
        "links": [
            {
                "name": "beam",
                "joint": {"name": "hub", "type": "revolute", "axis": [0, 0, 1], **joint},
                "beam": {
                    "length": 1.0,
                    "material": "steel",
                    "section": {"shape": "tube", "outer": 0.02, "thickness": 0.001},
                    "modes": modes or {"y": 2},
                    "damping": {"stiffness": 1e-4},
                    "masses": [TIP],
                },
            }
        ],
    }


def rod(mass=2.0, **joint):
    """A rigid rod about z; its inertia about the pin is 0.5 + mass."""
    return {
        "lissom": 1,
        "name": "rod",
        "gravity": [0, 0, 0],
        "links": [
            {
                "name": "rod",
                "joint": {"name": "pin", "type": "revolute", "axis": [0, 0, 1], **joint},
                "body": {"mass": mass, "com": [1, 0, 0], "inertia": [0.1, 0.5, 0.5], "tip": [1, 0, 0]},
            }
        ],
    }


def crane():
    """A trolley that slides along x with a hook that swings below it."""
    return {
        "lissom": 1,
        "name": "crane",
        "gravity": [0, -9.81, 0],
        "links": [
            {
                "name": "trolley",
                "joint": {"name": "rail", "type": "prismatic", "axis": [1, 0, 0]},
                "body": {"mass": 5.0, "inertia": [0.1, 0.1, 0.1]},
            },
            {
                "name": "hook",
                "joint": {"name": "swing", "type": "revolute", "axis": [0, 0, 1]},
                "body": {"mass": 2.0, "com": [0, -1, 0], "inertia": [0.01, 0.01, 0.01], "tip": [0, -1, 0]},
            },
        ],
    }
