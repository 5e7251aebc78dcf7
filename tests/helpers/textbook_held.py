"""Beams held at both ends, frames and trusses at rest."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from textbook import RHO, Case, E, circle, down, g, rest, shift, turn
from textbook_beams import (
    BOTH_CLAMPED,
    CLAMPED,
    EA,
    EI,
    GJ,
    HINGED,
    KGA,
    PROPPED,
    ROD,
    SIMPLE,
    WEIGHT,
    A,
    L,
    at,
    cantilever,
    couple,
    sag,
)  # fmt: skip

_SPAN = f"""
links: [{{name: rod, joint: {{name: pin, type: revolute, axis: [0, 1, 0]}}, {ROD}}}]
loops:
  - name: support
    joint: {{type: revolute, axis: [0, 1, 0]}}
    between: [{{link: rod, at: 1.4}}, {{link: world, origin: {{xyz: [1.4, 0, 0]}}}}]
"""
# A wire of 4 mm between a pin and a block that a force pulls.
WIRE = (
    HINGED.replace("20 mm", "4 mm")[:-1] + ", {name: block, parent: world, origin: {xyz: [2, 0, 0]},"
    " joint: {name: slide, type: prismatic, axis: [1, 0, 0]}, body: {mass: 0.001}}]"
    "\nloops: [{name: end, joint: {type: revolute, axis: [0, 1, 0]}, between: [{link: rod}, {link: block}]}]"
)
PULL = [0, 0, 0, 5000, 0, 0]
WIRE_EI, WIRE_MASS = E * circle(0.004)[1], RHO * circle(0.004)[0]
TWO_SPANS = SIMPLE[:-1] + (
    ", {name: middle, joint: {type: revolute, axis: [0, 1, 0]},"
    " between: [{link: rod, at: 1}, {link: world, origin: {xyz: [1, 0, 0]}}]}]"
)


def bow(load):
    """Sag of the middle between immovable pins: the tension S stretches the rod by what its slope takes up."""
    x = np.linspace(0, L, 2001)

    def curve(S):
        k = np.sqrt(S / EI)
        slope = load / (k * S) * (np.tanh(k * L / 2) * np.cosh(k * x) - np.sinh(k * x)) + load / S * (x - L / 2)
        return -slope

    S = brentq(lambda S: S * L / EA - np.trapezoid(curve(S) ** 2, x) / 2, 1.0, 1e5)
    return np.trapezoid(curve(S)[:1001], x[:1001])


HELD = [
    Case(
        "clamped at both ends, force in the middle: sag there",
        "Roark 8.1.1d",
        BOTH_CLAMPED,
        sag(1.0, loads=at(1.0, down(20))),
        20 * L**3 / (192 * EI) + 20 * L / (4 * KGA),
    ),
    Case(
        "clamped at both ends, own weight: sag of the middle",
        "Roark 8.1.2d",
        BOTH_CLAMPED,
        sag(1.0),
        WEIGHT * L**4 / (384 * EI),
        gravity=g,
    ),
    Case(
        "clamped and propped, force in the middle: sag there, force of the prop",
        "Roark 8.1.1c",
        PROPPED,
        lambda robot: [
            -shift(e := rest(robot, loads=at(1.0, down(20))), "rod", 1.0)[2],
            abs(e.loop_wrenches["prop"][5]),
        ],
        [7 * 20 * L**3 / (768 * EI), 5 / 16 * 20],
    ),
    Case(
        "on two supports, force in the middle: sag there",
        "Roark 8.1.1e",
        SIMPLE,
        sag(1.0, (), loads=at(1.0, down(1))),
        1 * L**3 / (48 * EI),
    ),
    Case(
        "on two supports, force at 0.3 m: sag there",
        "Roark 8.1.1e",
        SIMPLE,
        sag(0.3, (), loads=at(0.3, down(4))),
        4 * 0.3**2 * 1.7**2 / (3 * EI * L) + 4 * 0.3 * 1.7 / L / KGA,
    ),
    Case(
        "thick rod on two supports, own weight: sag of the middle",
        "Roark 8.1.2e with shear",
        SIMPLE.replace("20 mm", "60 mm"),
        sag(1.0, ()),
        RHO * g * (5 * L**4 / (384 * E * 0.06**2 / 16) + L**2 / (8 * KGA / A)),
        gravity=g,
    ),
    Case(
        "thin rod between two pins that do not give way, own weight: sag of the middle",
        "Timoshenko, Strength of Materials II, sag by bending and tension",
        SIMPLE,
        sag(1.0, ()),
        bow(WEIGHT),
        gravity=g,
    ),
    Case(
        "on two supports, couple over the first: slope at both",
        "Roark 8.1.3e",
        SIMPLE,
        lambda robot: [
            abs(turn(e := rest(robot, hold=(), loads=at(0, couple(1))), "rod", 0)[1]),
            abs(turn(e, "rod")[1]),
        ],
        [1 * L / (3 * EI), 1 * L / (6 * EI)],
    ),
    Case(
        "overhanging beam on two supports, force at its end: sag there",
        "Roark 8.1.1, F a^2 (l + a) / 3 EI",
        _SPAN,
        sag(None, (), loads={"rod": down(20)}),
        20 * 0.6**2 * 2.0 / (3 * EI),
    ),
    Case(
        "continuous beam on three supports, own weight: force of the middle one",
        "Roark 8.1.2c twice, 5/4 w l",
        TWO_SPANS,
        lambda robot: abs(rest(robot, hold=()).loop_wrenches["middle"][5]),
        5 / 4 * WEIGHT * 1.0,
        gravity=g,
    ),
    Case(
        "cantilever on a spring at its end, force in the middle: sag of the end",
        "Roark 8.1.1a, superposed",
        CLAMPED + "\nelements: [{name: spring, type: spring, stiffness: 2000, length: 1,"
        " between: [{link: rod}, {link: world, origin: {xyz: [2, 0, 1]}}]}]",
        sag(loads=at(1.0, down(20))),
        cantilever(20, 1.0, L) / (1 + 2000 * cantilever(1, L, L)),
    ),
]
# A cantilever on springs under three of its points, 3 kN/m each, force at its end: by its flexibilities.
_POINTS = 0.5, 1.0, 1.5
_SPRINGS = ", ".join(
    f"{{name: s{k}, type: spring, stiffness: 3000, length: 1,"
    f" between: [{{link: rod, at: {x}}}, {{link: world, origin: {{xyz: [{x}, 0, -1]}}}}]}}"
    for k, x in enumerate(_POINTS)
)
_FLEX = np.array([[cantilever(1, p, q) for q in _POINTS] for p in _POINTS])
_TIP = np.array([cantilever(1, p, L) for p in _POINTS])
HELD += [
    Case(
        "cantilever on three springs in its span, force at its end: sag there and at the first spring",
        "Timoshenko, by flexibilities",
        f"{CLAMPED}\nelements: [{_SPRINGS}]",
        lambda robot: [-shift(e := rest(robot, loads={"rod": down(20)}), "rod")[2], -shift(e, "rod", 0.5)[2]],
        [
            cantilever(20, L, L) - _TIP @ np.linalg.solve(np.eye(3) / 3000 + _FLEX, 20 * _TIP),
            (np.linalg.solve(np.eye(3) / 3000 + _FLEX, 20 * _TIP) / 3000)[0],
        ],
    ),
]

# Frames: columns stand, beams lie; all of the same rod but for lengths.
_BAR = "beam: {length: %s m, material: steel, section: {shape: circle, diameter: 20 mm}}"
_UP, _DOWN = "origin: {rpy: [0, -90 deg, 0]}", "origin: {rpy: [0, 90 deg, 0]}"
PORTAL = f"""
links:
  - {{name: left, {_UP}, joint: fixed, {_BAR % 1}}}
  - {{name: beam, {_DOWN}, joint: fixed, {_BAR % 1.5}}}
  - {{name: right, {_DOWN}, joint: fixed, {_BAR % 1}}}
loops:
  - name: foot
    joint: fixed
    between: [{{link: right}}, {{link: world, origin: {{xyz: [1.5, 0, 0], rpy: [0, 90 deg, 0]}}}}]
"""
PORTAL_PINNED = f"""
links:
  - {{name: left, {_UP}, joint: {{name: foot, type: revolute, axis: [0, 1, 0]}}, {_BAR % 1}}}
  - {{name: beam, {_DOWN}, joint: fixed, {_BAR % 1.5}}}
  - {{name: right, {_DOWN}, joint: fixed, {_BAR % 1}}}
loops:
  - name: other-foot
    joint: {{type: revolute, axis: [0, 1, 0]}}
    between: [{{link: right}}, {{link: world, origin: {{xyz: [1.5, 0, 0]}}}}]
"""
ANGLE = f"""
links:
  - {{name: column, {_UP}, joint: fixed, {_BAR % 1.2}}}
  - {{name: arm, {_DOWN}, joint: fixed, {_BAR % 0.8}}}
"""
BENT = f"""
links:
  - {{name: first, joint: fixed, {_BAR % 1.2}}}
  - {{name: second, origin: {{rpy: [0, 0, 90 deg]}}, joint: fixed, {_BAR % 0.8}}}
"""
GERBER = f"""
links:
  - {{name: rod, joint: fixed, {_BAR % 1}}}
  - {{name: second, joint: {{name: hinge, type: revolute, axis: [0, 1, 0]}}, {_BAR % 1.5}}}
loops:
  - name: support
    joint: {{type: revolute, axis: [0, 1, 0]}}
    between: [{{link: second}}, {{link: world, origin: {{xyz: [2.5, 0, 0]}}}}]
"""
_K = 1.0 / 1.5  # I_beam h / (I_column l)
FRAMES = [
    Case(
        "portal frame with clamped feet, force at its top: sway",
        "Kleinlogel; F h^3 (3k + 2) / (12 EI (6k + 1))",
        PORTAL,
        lambda robot: shift(rest(robot, loads={"left": [0, 0, 0, 20, 0, 0]}), "beam")[0],
        20 * 1.0**3 * (3 * _K + 2) / (12 * EI * (6 * _K + 1)),
    ),
    Case(
        "portal frame with pinned feet, force at its top: sway",
        "Kleinlogel; F h^3 (2k + 1) / (12 EI k)",
        PORTAL_PINNED,
        lambda robot: shift(rest(robot, hold=(), loads={"left": [0, 0, 0, 10, 0, 0]}), "beam")[0],
        10 * 1.0**3 * (2 * _K + 1) / (12 * EI * _K),
    ),
    Case(
        "right angle of two bars, weight at its end: sag there and sway",
        "Timoshenko, Castigliano",
        ANGLE,
        lambda robot: [-shift(e := rest(robot, loads={"arm": down(10)}), "arm")[2], shift(e, "arm")[0]],
        [10 * (0.8**3 / 3 + 0.8**2 * 1.2) / EI, 10 * 0.8 * 1.2**2 / (2 * EI)],
    ),
    Case(
        "level right angle of two bars, weight at its end: bending and torsion",
        "Timoshenko, Castigliano",
        BENT,
        sag(link="second", loads={"second": down(10)}),
        10 * ((0.8**3 + 1.2**3) / (3 * EI) + 0.8**2 * 1.2 / GJ),
    ),
    Case(
        "Gerber beam, force in the middle of its hinged part: sag of the hinge and under the force",
        "Roark 8.1.1a and e",
        GERBER,
        lambda robot: [
            -shift(e := rest(robot, hold=(), loads=at(0.75, down(2), "second")), "rod")[2],
            -shift(e, "second", 0.75)[2],
        ],
        [1.0**3 / (3 * EI), 1.0**3 / (3 * EI) / 2 + 2 * 1.5**3 / (48 * EI)],
    ),
]
# Two bars of a truss, pinned, at 30 degrees to the level; then three with one upright.
_C, _S = 2 * np.cos(np.pi / 6), 2 * np.sin(np.pi / 6)
TRUSS = f"""
links:
  - name: left
    origin: {{rpy: [0, 30 deg, 0]}}
    joint: {{name: a, type: revolute, axis: [0, 1, 0]}}
    {ROD}
  - name: right
    parent: world
    origin: {{xyz: [{2 * _C}, 0, 0], rpy: [0, 150 deg, 0]}}
    joint: {{name: b, type: revolute, axis: [0, 1, 0]}}
    {ROD}
%s
loops:
  - {{name: pin, joint: {{type: revolute, axis: [0, 1, 0]}}, between: [{{link: left}}, {{link: right}}]}}
"""
_MIDDLE = f"""  - name: middle
    parent: world
    origin: {{xyz: [{_C}, 0, 0], rpy: [0, 90 deg, 0]}}
    joint: {{name: c, type: revolute, axis: [0, 1, 0]}}
    {_BAR % _S}"""
TRUSS_3 = (
    TRUSS % _MIDDLE
    + "  - {name: third, joint: {type: revolute, axis: [0, 1, 0]}, between: [{link: left}, {link: middle}]}"
)
_BARS = 2 * 0.5**2 * EA / 2.0, EA / _S
FRAMES += [
    Case(
        "truss of two pinned bars, force at their joint: sag",
        "Timoshenko, Strength of Materials I",
        TRUSS % "",
        lambda robot: -shift(rest(robot, hold=(), loads={"left": down(1e3)}), "left")[2],
        1e3 / _BARS[0],
    ),
    Case(
        "truss of three pinned bars, one too many: sag of their joint",
        "Timoshenko, Strength of Materials I",
        TRUSS_3,
        lambda robot: -shift(rest(robot, hold=(), loads={"left": down(1e3)}), "left")[2],
        1e3 / sum(_BARS),
    ),
]

_K_WIRE = np.sqrt(5000 / WIRE_EI)  # it bends within 1 / k of its ends and of loads
WIRES = [
    Case(
        "wire under tension, own weight: sag of the middle",
        "Timoshenko, Strength of Materials II, beam with tension",
        WIRE,
        sag(1.0, (), loads={"block": PULL}),
        WIRE_MASS * g / 5000 * (L**2 / 8 - (1 - 1 / np.cosh(_K_WIRE * L / 2)) / _K_WIRE**2),
        gravity=g,
    ),
    Case(
        "wire under tension, force at a fifth: sag there",
        "Timoshenko, Strength of Materials II, beam with tension",
        WIRE,
        sag(0.4, (), loads={"block": PULL} | at(0.4, down(20))),
        told="closer than its functions follow",
    ),
    Case(
        "strip that sags by 4 % of its length, torque at its end: twist",
        "exact field; the second-order one is 5 % off",
        CLAMPED.replace("shape: circle, diameter: 20 mm", "shape: rectangle, width: 120 mm, height: 10 mm"),
        lambda robot: turn(rest(robot, loads={"rod": [1, 0, 0, 0, 0, -60]}), "rod")[0],
        told="its torsion is off by up to",
    ),
]
CASES = [*HELD, *FRAMES, *WIRES]
