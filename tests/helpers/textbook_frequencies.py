"""Natural frequencies of beams, shafts, frames and linkages."""

from __future__ import annotations

import numpy as np
from plane_frames import Frame
from scipy.optimize import brentq
from textbook import RHO, Case, E, G, rest
from textbook_beams import BOTH_CLAMPED, CLAMPED, EI, HINGED, PROPPED, ROD, SIMPLE, A, J, L
from textbook_held import PULL, TWO_SPANS, WIRE, WIRE_EI, WIRE_MASS

import lissom

M = RHO * A * L  # kg
# A strip, 120 mm wide, 10 mm thick: what moves in the plane x, z comes long before the rest.
FLAT = "shape: rectangle, width: 120 mm, height: 10 mm"
FLAT_EI, FLAT_EA, FLAT_MASS = E * 0.12 * 0.01**3 / 12, E * 0.12 * 0.01, RHO * 0.12 * 0.01


def flat(machine):
    return machine.replace("shape: circle, diameter: 20 mm", FLAT)


def bending(*beta):
    """Frequencies in Hz of the rod by its numbers beta L (Blevins, table 8.1)."""
    return np.square(beta) / L**2 * np.sqrt(EI / (RHO * A)) / (2 * np.pi)


def flat_bending(*beta):
    return np.square(beta) / L**2 * np.sqrt(FLAT_EI / FLAT_MASS) / (2 * np.pi)


def roots(equation, number, top=14.0):
    """The first positive roots of an equation in beta L, divided by cosh so that it stays small."""
    grid = np.linspace(0.05, top, 4000)
    values = equation(grid) / np.cosh(grid)
    places = np.flatnonzero(values[1:] * values[:-1] < 0)
    return [brentq(equation, grid[k], grid[k + 1]) for k in places[:number]]


def frequencies(number, locked=True, of="", step=1, q=None, **options):
    """The slowest frequencies above zero, of modes so labelled; of a round rod each comes twice: `step` 2 takes one."""

    def ask(robot):
        found = lissom.natural_modes(robot, q, locked=locked, **options)
        kept = [f for f, label in zip(found.frequencies, found.labels, strict=True) if f > 1e-3 and of in label]
        return kept[: step * number : step]

    return ask


TWO_DISCS = f"""
links:
  - name: disc
    joint: {{name: bearing, type: revolute, axis: [1, 0, 0]}}
    body: {{mass: 4, inertia: [0.02, 0.01, 0.01]}}
  - {{name: rod, joint: fixed, {ROD}}}
  - {{name: other, joint: fixed, body: {{mass: 8, inertia: [0.04, 0.02, 0.02]}}}}
"""
cos, sin, cosh, sinh = np.cos, np.sin, np.cosh, np.sinh
SPRING = """
elements:
  - name: spring
    type: spring
    stiffness: 5000
    length: 1
    between: [{link: rod}, {link: world, origin: {xyz: [2, 0, 1]}}]
"""
_K = 5000 * L**3 / FLAT_EI
_DISC = 0.5 * 4.0 * 0.1**2  # kg m2, a disc of 4 kg and 100 mm radius
_SHAFT = RHO * J * L
_RATIO = _SHAFT / _DISC
BEAMS = [
    Case(
        "cantilever: three frequencies",
        "Blevins 8.1.3",
        CLAMPED,
        frequencies(3, step=2),
        bending(*roots(lambda x: 1 + cos(x) * cosh(x), 3)),
    ),
    Case(
        "clamped at both ends: three frequencies",
        "Blevins 8.1.8",
        BOTH_CLAMPED,
        frequencies(3, step=2),
        bending(4.730041, 7.853205, 10.995608),
    ),
    Case(
        "clamped and propped: three frequencies",
        "Blevins 8.1.7",
        PROPPED,
        frequencies(3, step=2),
        bending(3.926602, 7.068583, 10.210176),
    ),
    Case(
        "on two supports: three frequencies in their plane",
        "Blevins 8.1.5",
        flat(SIMPLE),
        frequencies(3, False, "bending z"),
        flat_bending(np.pi, 2 * np.pi, 3 * np.pi),
    ),
    Case(
        "on three supports, two equal spans: two frequencies in their plane",
        "Blevins, table 8.5; each span pinned, then propped",
        flat(TWO_SPANS),
        frequencies(2, False, "bending z"),
        flat_bending(2 * np.pi, 2 * 3.926602),
    ),
    Case(
        "hinged at one end, the other free: two frequencies in its plane",
        "Blevins 8.1.4",
        flat(HINGED),
        frequencies(2, False, "bending z"),
        flat_bending(3.926602, 7.068583),
    ),
    Case(
        "free bar: three frequencies",
        "Blevins 8.1.1",
        f"links: [{{name: rod, joint: {{name: air, type: free}}, {ROD}}}]",
        frequencies(3, False, step=2),
        bending(4.730041, 7.853205, 10.995608),
    ),
    Case(
        "guided at one end, the other free: three frequencies in its plane",
        "Blevins 8.1.2",
        flat(HINGED).replace("type: revolute, axis: [0, 1, 0]", "type: prismatic, axis: [0, 0, 1]"),
        frequencies(3, False, "bending z"),
        flat_bending(2.365020, 5.497804, 8.639380),
    ),
    Case(
        "shaft in bearings, both ends free: two torsional frequencies",
        "Blevins 8.19; k c / 2 L",
        HINGED.replace("axis: [0, 1, 0]", "axis: [1, 0, 0]"),
        frequencies(2, False, of="torsion"),
        np.array([1, 2]) * np.sqrt(G / RHO) / (2 * L),
    ),
    Case(
        "wire under tension between two pins: three frequencies in its plane",
        "Timoshenko, Vibration Problems; sqrt((EI k^4 + T k^2) / m)",
        WIRE,
        lambda robot: in_plane(3, False, rest(robot, hold=(), loads={"block": PULL}))(robot),
        [np.sqrt((WIRE_EI * k**4 + 5000 * k**2) / WIRE_MASS) / (2 * np.pi) for k in np.pi / L * np.arange(1, 4)],
    ),
    Case(
        "cantilever with a mass of twice its own at its end: two frequencies",
        "Blevins 8.8; 1 + cos cosh + m b (cos sinh - sin cosh) = 0",
        CLAMPED[:-1] + f", {{name: ball, joint: fixed, body: {{mass: {2 * M}}}}}]",
        frequencies(2, step=2),
        bending(*roots(lambda x: 1 + cos(x) * cosh(x) + 2 * x * (cos(x) * sinh(x) - sin(x) * cosh(x)), 2)),
    ),
    Case(
        "cantilever on a spring at its end: two frequencies in its plane",
        "Blevins 8.2; b^3 (1 + cos cosh) = k (cos sinh - sin cosh)",
        flat(CLAMPED) + SPRING,
        frequencies(2, of="bending z"),
        flat_bending(*roots(lambda x: x**3 * (1 + cos(x) * cosh(x)) - _K * (cos(x) * sinh(x) - sin(x) * cosh(x)), 2)),
    ),
    Case(
        "rod, clamped and free: first axial frequency",
        "Blevins 8.16; pi c / 2 L",
        CLAMPED,
        frequencies(1, of="axial"),
        np.sqrt(E / RHO) / (4 * L),
    ),
    Case(
        "shaft, clamped and free: first torsional frequency",
        "Blevins 8.19; pi c / 2 L",
        CLAMPED,
        frequencies(1, of="torsion"),
        np.sqrt(G / RHO) / (4 * L),
    ),
    Case(
        "shaft with a disc at its end: first torsional frequency",
        "Timoshenko, Vibration Problems; x tan x = J_shaft / J_disc",
        CLAMPED[:-1]
        + ", {name: disc, joint: fixed, body: {shape: cylinder, diameter: 200 mm, length: 1.6 mm, along: x, density: "
        + f"{4 / (np.pi * 0.01 * 0.0016)}}}}}]",
        frequencies(1, of="torsion"),
        brentq(lambda x: x * np.tan(x) - _RATIO, 1e-3, 1.5) * np.sqrt(G / RHO) / L / (2 * np.pi),
    ),
    Case(
        "shaft that turns freely between two discs: first torsional frequency",
        "Timoshenko, Vibration Problems; two discs on a shaft",
        TWO_DISCS,
        frequencies(1, False, of="torsion"),
        brentq(lambda x: (0.0008 / _SHAFT**2 * x**2 - 1) * sin(x) - 0.06 / _SHAFT * x * cos(x), 1e-3, 1)
        * np.sqrt(G / RHO)
        / L
        / (2 * np.pi),
    ),
]


def cantilever_with_mass(x, mass):
    """The strip, clamped, with a mass in its span, by finite elements."""
    frame = Frame(a=(0, 0), m=(x, 0), b=(L, 0))
    frame.bar("a", "m", FLAT_EI, FLAT_EA, FLAT_MASS)
    frame.bar("m", "b", FLAT_EI, FLAT_EA, FLAT_MASS)
    frame.hold("a", "x", "z", "turn")
    frame.mass("m", mass)
    return frame


BAR = "beam: {length: %s m, material: steel, section: {shape: rectangle, width: 120 mm, height: 10 mm}}"
FLAT_ANGLE = f"""
links:
  - {{name: column, origin: {{rpy: [0, -90 deg, 0]}}, joint: fixed, {BAR % 1.2}}}
  - {{name: arm, origin: {{rpy: [0, 90 deg, 0]}}, joint: fixed, {BAR % 0.8}}}
"""
FLAT_PORTAL = f"""
links:
  - {{name: left, origin: {{rpy: [0, -90 deg, 0]}}, joint: fixed, {BAR % 1}}}
  - {{name: beam, origin: {{rpy: [0, 90 deg, 0]}}, joint: fixed, {BAR % 1.5}}}
  - {{name: right, origin: {{rpy: [0, 90 deg, 0]}}, joint: fixed, {BAR % 1}}}
loops:
  - name: foot
    joint: fixed
    between: [{{link: right}}, {{link: world, origin: {{xyz: [1.5, 0, 0], rpy: [0, 90 deg, 0]}}}}]
"""
FOUR_BAR = f"""
links:
  - name: crank
    origin: {{rpy: [0, -90 deg, 0]}}
    joint: {{name: motor, type: revolute, axis: [0, 1, 0]}}
    {BAR % 0.4}
  - name: coupler
    origin: {{rpy: [0, 90 deg, 0]}}
    joint: {{name: a, type: revolute, axis: [0, 1, 0]}}
    {BAR % 1}
  - name: rocker
    parent: world
    origin: {{xyz: [1, 0, 0], rpy: [0, -90 deg, 0]}}
    joint: {{name: b, type: revolute, axis: [0, 1, 0]}}
    {BAR % 0.4}
loops: [{{name: pin, joint: {{type: revolute, axis: [0, 1, 0]}}, between: [{{link: coupler}}, {{link: rocker}}]}}]
"""


def angle_frame():
    frame = Frame(a=(0, 0), b=(0, 1.2), c=(0.8, 1.2))
    frame.bar("a", "b", FLAT_EI, FLAT_EA, FLAT_MASS)
    frame.bar("b", "c", FLAT_EI, FLAT_EA, FLAT_MASS)
    frame.hold("a", "x", "z", "turn")
    return frame


def portal_frame(force=0.0):
    frame = Frame(a=(0, 0), b=(0, 1), c=(1.5, 1), d=(1.5, 0))
    frame.bar("a", "b", FLAT_EI, FLAT_EA, FLAT_MASS, force)
    frame.bar("b", "c", FLAT_EI, FLAT_EA, FLAT_MASS)
    frame.bar("c", "d", FLAT_EI, FLAT_EA, FLAT_MASS, force)
    frame.hold("a", "x", "z", "turn")
    frame.hold("d", "x", "z", "turn")
    return frame


def four_bar():
    frame = Frame(a=(0, 0), b=(0, 0.4), c=(1, 0.4), d=(1, 0))
    frame.bar("a", "b", FLAT_EI, FLAT_EA, FLAT_MASS)
    frame.bar("~b", "~c", FLAT_EI, FLAT_EA, FLAT_MASS)
    frame.bar("c", "~d", FLAT_EI, FLAT_EA, FLAT_MASS)
    frame.hold("a", "x", "z", "turn")
    frame.hold("d", "x", "z")
    return frame


def in_plane(number, locked=True, q=None):
    """The slowest frequencies of what moves in the plane x, z, by the share of its shape."""

    def ask(robot):
        found = lissom.natural_modes(robot, q, locked=locked)
        kept = [
            f
            for k, f in enumerate(found.frequencies)
            if f > 1e-3
            and not any(
                ".y" in name or ".torsion" in name for name in [max(found.shape(k).items(), key=lambda p: abs(p[1]))[0]]
            )
        ]
        return kept[:number]

    return ask


FRAMES = [
    Case(
        "cantilever with a mass of its own at a third: three frequencies",
        "finite elements",
        flat(CLAMPED)[:-1] + f", {{name: ball, parent: rod, at: 0.7, joint: fixed, body: {{mass: {FLAT_MASS * L}}}}}]",
        in_plane(3),
        cantilever_with_mass(0.7, FLAT_MASS * L).frequencies(3),
    ),
    Case(
        "right angle of two bars: three frequencies in its plane",
        "Blevins, L frames; finite elements",
        FLAT_ANGLE,
        in_plane(3),
        angle_frame().frequencies(3),
    ),
    Case(
        "portal frame with clamped feet: three frequencies in its plane",
        "Blevins 8.10; finite elements",
        FLAT_PORTAL,
        in_plane(3),
        portal_frame().frequencies(3),
    ),
    Case(
        "parallel four-bar, its motor locked: three frequencies in its plane",
        "finite elements",
        FOUR_BAR,
        in_plane(3, ["motor"]),
        four_bar().frequencies(3),
    ),
]
CASES = [*BEAMS, *FRAMES]
