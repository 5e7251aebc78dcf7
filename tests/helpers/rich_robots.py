"""Arms that mix features as real ones do: what stands alone may still fail beside something else."""

from __future__ import annotations

from typing import Any

MATERIALS = {"aluminium": {"E": 7e10, "nu": 0.33, "rho": 2700}, "rubber": {"E": 5e7, "nu": 0.4, "rho": 1100}}
TUBE = {"shape": "tube", "outer": 0.03, "thickness": 0.002}
HINGE = {"type": "revolute", "axis": [0, 1, 0], "damping": 0.2}
BODY = {"mass": 1.0, "com": [0.2, 0, 0], "inertia": [0.01, 0.02, 0.02], "tip": [0.4, 0, 0]}
ABOVE = {"link": "world", "origin": {"xyz": [0.1, 0.1, 0.5]}}


def beam(**fields: Any) -> dict[str, Any]:
    plain = {"length": 0.8, "material": "aluminium", "section": TUBE, "modes": {"y": 1, "z": 1, "torsion": 1}}
    return plain | {"damping": 0.02} | fields


def truss(point: str) -> dict[str, Any]:
    """A link of finite elements from the point a to another."""
    points = {"a": [0, 0, 0], "b": [0.3, 0, 0], "c": [0.6, 0, 0]}
    members = [{"between": pair, "section": TUBE} for pair in (["a", "b"], ["b", "c"])]
    return {
        "frame": {"points": points, "members": members},
        "material": "aluminium",
        "interfaces": {"root": {"group": "a"}, "tip": {"group": point}},
        "modes": 3,
    }


TAPERED = beam(
    stations=[
        {"x": 0.0, "section": {"shape": "box", "width": 0.04, "height": 0.05, "thickness": 0.003}},
        {"x": 0.8, "section": {"shape": "box", "width": 0.02, "height": 0.03, "thickness": 0.003, "turn": 0.2}},
    ],
    stiffening="exact",
    masses=[{"mass": 0.3, "at": 0.4, "com": [0, 0, 0.05]}],
)
del TAPERED["section"]

RICH: dict[str, dict[str, Any]] = {
    "floating tree": {
        "links": [
            {"name": "hull", "joint": {"type": "free"}, "body": {"mass": 20.0, "inertia": [1, 2, 2]}},
            {"name": "left", "joint": HINGE, "beam": beam(), "payload": {"mass": 0.5, "com": [0, 0.05, 0]}},
            {
                "name": "screw",
                "parent": "hull",
                "joint": {"type": "helical", "axis": [0, 0, 1], "pitch": 0.02, "damping": 0.1},
                "body": BODY,
                "payload": {"shape": "sphere", "diameter": 0.1, "density": 500},
            },
            {
                "name": "wrist",
                "parent": "left",
                "at": 0.5,
                "joint": {"type": "universal", "axes": [[0, 1, 0], [0, 0, 1]], "damping": 0.1},
                "beam": beam(stiffening="none"),
            },
        ]
    },
    "geared, rubbing and tethered": {
        "links": [
            {
                "name": "upper",
                "joint": HINGE
                | {
                    "friction": {"coulomb": 0.2, "viscous": 0.1},
                    "limits": {"lower": -0.5, "upper": 0.5, "stiffness": 1e3},
                    "transmission": {
                        "stiffness": 500,
                        "rotor_inertia": 1e-3,
                        "gear": 50,
                        "damping": 1,
                        "curve": {"backlash": 0.01},
                    },
                },
                "beam": TAPERED,
            },
            {"name": "fore", "joint": {"type": "spherical", "damping": 0.5}, "body": BODY},
        ],
        "elements": [
            {"name": "tether", "type": "rope", "between": [ABOVE, {"link": "upper", "at": 0.5}], "stiffness": 5e3}
            | {"length": 0.6, "damping": 30},
            {"name": "spring", "type": "spring", "between": [ABOVE, {"link": "fore"}], "stiffness": 50, "length": 0.3},
        ],
        "contacts": [
            {
                "name": "floor",
                "sphere": {"link": "fore", "radius": 0.05, "origin": {"xyz": [0.4, 0, 0]}},
                "surface": {"link": "world", "shape": "plane", "origin": {"xyz": [0, 0, -0.05]}},
                "stiffness": 1e5,
                "damping": 0.3,
                "friction": 0.3,
            }
        ],
    },
    "finite elements": {
        "links": [
            {"name": "truss", "joint": HINGE, "finite_elements": truss("c"), "payload": {"mass": 0.5}},
            {"name": "slide", "joint": {"type": "cylindrical", "axis": [0, 0, 1], "damping": 1}, "beam": beam()},
        ],
        "elements": [
            {"name": "push", "type": "cylinder", "between": [ABOVE, {"link": "truss"}], "force": 20, "damping": 5},
            {"name": "mount", "type": "bushing", "between": [ABOVE, {"link": "slide"}], "stiffness": [5] * 6},
        ],
    },
    "soft and coupled": {
        "gravity": [0, 0, 0],
        "links": [
            {
                "name": "channel",
                "joint": {"type": "planar", "axes": [[1, 0, 0], [0, 1, 0]], "damping": 5},
                "beam": beam(material="rubber", section={"shape": "C", "width": 0.06, "height": 0.1, "flange": 0.015}
                | {"web": 0.012}, prestress={"curvature": [0.05, -0.03]}),
            },
            {"name": "last", "joint": HINGE | {"spring": {"stiffness": 5, "rest": 0.2}}, "body": BODY},
        ],
    },
}  # fmt: skip


def rich_robot(name: str) -> Any:
    from lissom.model import Robot

    return Robot.from_dict({"lissom": 1, "name": name.split()[0], "materials": MATERIALS} | RICH[name])
