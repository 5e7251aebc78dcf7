"""A study of a falling rod that takes a moment, and what a store holds."""

from pathlib import Path

PENDULUM = {
    "robot": {
        "lissom": 1,
        "name": "pendulum",
        "gravity": [0, -9.81, 0],
        "links": [
            {
                "name": "rod",
                "joint": {"name": "pin", "type": "revolute", "axis": [0, 0, 1]},
                "body": {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [0.01, 0.01, 0.01], "tip": [1, 0, 0]},
            }
        ],
    },
    "duration": 0.2,
    "output": {"rate": 50},
}
MASS, START = "links.rod.body.mass", "start.pin"
GIVEN = {
    "scenario": PENDULUM,
    "vary": {MASS: {"from": 0.5, "to": 2}, START: {"mean": 0.3, "deviation": 0.2}},
    "sampling": {"type": "sobol", "runs": 48, "seed": 3},
    "outputs": {"low": "least tip_position.rod.y", "pull": "peak |wrench.pin.force|", "angle": "position.pin"},
    "chunk": 4,
}


PARTIAL = ".partial"  # what Zarr leaves of a write that is killed; it reads no such file


def contents(folder):
    """Every file of a store but the marks that hold no data."""
    files = (p for p in Path(folder).rglob("*") if p.is_file() and p.suffix != PARTIAL)
    return {str(p.relative_to(folder)): p.read_bytes() for p in files}
