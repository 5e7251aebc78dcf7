"""Satellites, hubs with arms, and blades: frequencies and responses."""

from __future__ import annotations

import numpy as np
from plane_frames import Frame
from scipy.linalg import eigh
from textbook import RHO, Case, E, circle
from textbook_beams import CLAMPED, ROD, A, L
from textbook_frames import STRIP
from textbook_frequencies import FLAT_EA, FLAT_EI, FLAT_MASS, flat, frequencies, in_plane
from textbook_spinning import BLADE, UNIT, spinning

import lissom


# Satellites and hubs.
def satellite():
    frame = Frame(a=(-2, 0), m=(0, 0), b=(2, 0))
    frame.bar("a", "m", FLAT_EI, FLAT_EA, FLAT_MASS)
    frame.bar("m", "b", FLAT_EI, FLAT_EA, FLAT_MASS)
    frame.mass("m", 40, 5.0)
    return frame


def above_zero(values, number):
    values = np.asarray(values)
    return values[values > 1e-2][:number]


_PANEL = STRIP % 2.0
SATELLITE = f"""
links:
  - {{name: hub, joint: {{name: orbit, type: free}}, body: {{mass: 40, inertia: [5, 5, 5]}}}}
  - {{name: right, joint: fixed, {_PANEL}}}
  - {{name: left, parent: hub, origin: {{rpy: [0, 0, 180 deg]}}, joint: fixed, {_PANEL}}}
"""


def hub_beam():
    frame = Frame(a=(0, 0), b=(2, 0))
    frame.bar("a", "b", FLAT_EI, FLAT_EA, FLAT_MASS)
    frame.hold("a", "x", "z")
    frame.mass("a", 0, 3.0)
    frame.mass("b", 4, 0.0)
    return frame


SLEWED = f"""
links:
  - {{name: hub, joint: {{name: motor, type: revolute, axis: [0, 1, 0]}}, body: {{mass: 5, inertia: [3, 3, 3]}}}}
  - {{name: arm, joint: fixed, {STRIP % 2.0}}}
  - {{name: ball, joint: fixed, body: {{mass: 4}}}}
"""


def bending_z(number, locked=False, **options):
    """Frequencies of what moves in the plane x, z: the largest part of the shape is a bending z or a joint."""

    def ask(robot):
        found = lissom.natural_modes(robot, locked=locked, **options)
        out = []
        for k, f in enumerate(found.frequencies):
            name = max(found.shape(k).items(), key=lambda p: abs(p[1]))[0]
            if f > 1e-2 and not any(part in name for part in (".y", ".torsion", ".axial")):
                out.append(f)
        return out[:number]

    return ask


def deflection_response(hz):
    """Tip force to tip deflection of the clamped strip, by its waves."""
    b = (FLAT_MASS * (2 * np.pi * hz) ** 2 / FLAT_EI) ** 0.25
    x = b * L
    c, s, C, S = np.cos(x), np.sin(x), np.cosh(x), np.sinh(x)
    return (s * C - c * S) / (FLAT_EI * b**3 * (1 + c * C))


HUBS = [
    Case(
        "satellite with two panels, free: four frequencies across the panels",
        "finite elements",
        SATELLITE,
        bending_z(4),
        above_zero(satellite().frequencies(8), 4),
    ),
    Case(
        "hub with a flexible arm that carries a ball, motor free: three frequencies",
        "finite elements",
        SLEWED,
        bending_z(3),
        above_zero(hub_beam().frequencies(5), 3),
    ),
    Case(
        "clamped strip: deflection of its tip under a force of half and of three times its first frequency",
        "beam waves; receptance (sin cosh - cos sinh) / (EI b^3 (1 + cos cosh))",
        flat(CLAMPED),
        lambda robot: np.ravel(
            lissom.frequency_response(
                robot, outputs="rod.deflection.z", inputs="rod.tip.z", frequencies=[1.0, 6.0]
            ).magnitude
        ),
        [abs(deflection_response(hz)) for hz in (1.0, 6.0)],
    ),
]


# Blades.
def ritz_blade(speed, stiffness, mass, tip=0.0, hinged=False, offset=0.0, number=2, degree=10):
    """Flap frequencies of a unit blade with EI(x), m(x) and a tip mass, by Ritz's method, rad/s."""
    x, w = np.polynomial.legendre.leggauss(60)
    x, w = (x + 1) / 2, w / 2
    p = np.arange(1 if hinged else 2, degree + 2)
    f, d, dd = x[:, None] ** p, p * x[:, None] ** (p - 1), p * (p - 1) * x[:, None] ** np.maximum(p - 2, 0)
    m, B = mass(x), stiffness(x)
    pull = np.array([np.trapezoid(mass(s := np.linspace(a, 1, 400)) * (s + offset), s) for a in x])
    T = speed**2 * (pull + tip * (1 + offset))
    M = (f.T * (w * m)) @ f + tip * np.ones((len(p), len(p)))
    K = (dd.T * (w * B)) @ dd + (d.T * (w * T)) @ d
    return np.sqrt(eigh(K, M, eigvals_only=True)[:number])


CONE = """
links:
  - name: rod
    joint: %s
    beam:
      length: 2 m
      material: steel
      stations:
        - {x: 0, section: {shape: circle, diameter: 40 mm}}
        - {x: 2, section: {shape: circle, diameter: 10 mm}}
"""
WEDGE = """
links:
  - name: rod
    joint: %s
    beam:
      length: 2 m
      material: steel
      stations:
        - {x: 0, section: {shape: rectangle, width: 200 mm, height: 40 mm}}
        - {x: 2, section: {shape: rectangle, width: 100 mm, height: 10 mm}}
"""
HUB = "{name: hub, type: revolute, axis: [0, 0, 1]}"
_CONE_UNIT = np.sqrt(E * circle(0.04)[1] / (RHO * circle(0.04)[0])) / L**2
_taper = lambda x: 1 - 0.75 * x  # noqa: E731
_cone = ritz_blade(0, lambda x: _taper(x) ** 4, lambda x: _taper(x) ** 2, number=3) * _CONE_UNIT
_cone_spun = ritz_blade(3, lambda x: _taper(x) ** 4, lambda x: _taper(x) ** 2) * _CONE_UNIT
_WEDGE_UNIT = np.sqrt(E * 0.04**2 / 12 / RHO) / L**2
_wedge = (
    ritz_blade(0, lambda x: _taper(x) ** 3 * (1 - x / 2), lambda x: _taper(x) * (1 - x / 2), number=3) * _WEDGE_UNIT
)
_m = RHO * A * L
_loaded = ritz_blade(5, lambda x: 1 + 0 * x, lambda x: 1 + 0 * x, tip=0.5) * UNIT


def flap_and_lag(flap, speed):
    return np.sort(np.sqrt(np.concatenate([flap**2, flap**2 - speed**2])))


FLAPPING = f"""
links:
  - name: mast
    joint: {{name: hub, type: revolute, axis: [0, 0, 1]}}
    body: {{mass: 5, inertia: [0.2, 0.2, 0.4]}}
  - name: rod
    origin: {{xyz: [0.1, 0, 0]}}
    joint: {{name: flap, type: revolute, axis: [0, 1, 0]}}
    {ROD}
"""
_hinged = ritz_blade(4, lambda x: 1 + 0 * x, lambda x: 1 + 0 * x, hinged=True, offset=0.05, number=2) * UNIT


def among(ask, expected):
    """Those of many frequencies that are nearest to the expected."""

    def nearest(robot):
        found = np.asarray(ask(robot))
        return [found[np.argmin(abs(found - f))] for f in np.ravel(expected)]

    return nearest


BLADES = [
    Case(
        "cone, clamped at its thick end: three frequencies",
        "Ritz",
        CONE % "fixed",
        frequencies(3, step=2),
        _cone / (2 * np.pi),
    ),
    Case(
        "wedge with a double taper, clamped: three frequencies over its flat side",
        "Ritz; Mabie and Rogers 1974",
        WEDGE % "fixed",
        in_plane(3),
        _wedge / (2 * np.pi),
    ),
    Case(
        "cone that spins: flap and lag frequencies, two each",
        "Southwell; Ritz",
        CONE % HUB,
        spinning(3 * _CONE_UNIT, 4),
        flap_and_lag(_cone_spun, 3 * _CONE_UNIT),
    ),
    Case(
        "spinning blade with half its mass at its tip: flap and lag frequencies, two each",
        "Southwell; Ritz",
        BLADE[:-1] + f", {{name: ball, joint: fixed, body: {{mass: {0.5 * _m}}}}}]",
        spinning(5 * UNIT, 4),
        flap_and_lag(_loaded, 5 * UNIT),
    ),
    Case(
        "helicopter blade on a flap hinge: two flap frequencies",
        "Bramwell; Ritz",
        FLAPPING,
        among(spinning(4 * UNIT, 8), _hinged),
        _hinged,
    ),
]

CASES = [*HUBS, *BLADES]
