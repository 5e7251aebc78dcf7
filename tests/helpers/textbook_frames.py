"""Arches and frames of straight bars, flexures, stays and ropes."""

from __future__ import annotations

import itertools

import numpy as np
from plane_frames import Frame
from textbook import RHO, Case, E, down, g, rest, shift
from textbook_beams import EA, EI, GJ, A
from textbook_frequencies import FLAT_EA, FLAT_EI, FLAT_MASS, in_plane

import lissom

BAR = "beam: {length: %.9g m, material: steel, section: {shape: circle, diameter: 20 mm}}"
STRIP = "beam: {length: %.9g m, material: steel, section: {shape: rectangle, width: 120 mm, height: 10 mm}}"


def bars(points, part, joint="fixed"):
    """Links along the straight pieces between points (x, z), the first on the ground."""
    out, before = [], 0.0
    for k, (p, q) in enumerate(itertools.pairwise(points)):
        dx, dz = q[0] - p[0], q[1] - p[1]
        pitch = -np.arctan2(dz, dx)
        first = f", xyz: [{p[0]}, 0, {p[1]}]" if k == 0 else ""
        held = joint if k == 0 else "fixed"
        out.append(
            f"  - {{name: b{k}, origin: {{rpy: [0, {pitch - before:.12g}, 0]{first}}}, joint: {held}, "
            f"{part % np.hypot(dx, dz)}}}"
        )
        before = pitch
    return "links:\n" + "\n".join(out), before


def framed(points, EI, EA, mass, hold, pinned=()):
    """The same bars as a plane frame of finite elements."""
    frame = Frame(**{f"p{k}": p for k, p in enumerate(points)})
    for k in range(len(points) - 1):
        frame.bar(f"p{k}", f"p{k + 1}", EI, EA, mass)
    for k in hold:
        frame.hold(f"p{k}", "x", "z", *(() if k in pinned else ("turn",)))
    return frame


def under(frame, forces):
    """How points of a frame move, {(point, direction): m}, under forces {(point, direction): N}."""
    keys = [key for key in frame.columns if key not in frame.held]
    K = frame.matrices()[0]
    f = np.array([forces.get(key, 0.0) for key in keys])
    return dict(zip(keys, np.linalg.solve(K, f), strict=True))


def arc(n, radius, start, stop):
    t = np.linspace(start, stop, n + 1)
    return [(float(radius * (1 - np.cos(a))), float(radius * np.sin(a))) for a in t]


# Arches and frames of several bars.
_QUARTER = arc(5, 1.0, 0.0, np.pi / 2)
_ARCH = arc(6, 1.0, np.pi / 6, 5 * np.pi / 6)
_ARCH = [(x - _ARCH[0][0], z - _ARCH[0][1]) for x, z in _ARCH]
_GABLE = [(0, 0), (0, 1.0), (1.0, 1.4), (2.0, 1.0), (2.0, 0)]


def closed(points, joint, part=BAR, base="fixed"):
    text, pitch = bars(points, part, base)
    x, z = points[-1]
    return text + (
        f"\nloops: [{{name: foot, joint: {joint}, between: [{{link: b{len(points) - 2}}}, "
        f"{{link: world, origin: {{xyz: [{x}, 0, {z}], rpy: [0, {pitch:.12g}, 0]}}}}]}}]"
    )


PIN = "{type: revolute, axis: [0, 1, 0]}"
_ARCH_FE = framed(_ARCH, EI, EA, RHO * A, (0, 6), (0, 6))
_GABLE_FE = framed(_GABLE, EI, EA, RHO * A, (0, 4))
_GABLE_FLAT = framed(_GABLE, FLAT_EI, FLAT_EA, FLAT_MASS, (0, 4))
_ARCH_FLAT = framed(_ARCH, FLAT_EI, FLAT_EA, FLAT_MASS, (0, 6))
_QUARTER_FLAT = framed(_QUARTER, FLAT_EI, FLAT_EA, FLAT_MASS, (0,))

FRAMES = [
    Case(
        "quarter circle of five straight bars, force at its end: sag and sway there",
        "finite elements",
        bars(_QUARTER, BAR)[0],
        lambda robot: shift(rest(robot, loads={"b4": down(5)}), "b4")[[0, 2]],
        [under(framed(_QUARTER, EI, EA, 1, (0,)), {("p5", "z"): -5})["p5", d] for d in "xz"],
    ),
    Case(
        "arch of six bars on two pins, force at its crown: sag there",
        "finite elements",
        closed(_ARCH, PIN, base="{name: a, type: revolute, axis: [0, 1, 0]}"),
        lambda robot: -shift(rest(robot, hold=(), loads={"b2": down(50)}), "b2")[2],
        -under(_ARCH_FE, {("p3", "z"): -50})["p3", "z"],
    ),
    Case(
        "gable frame with clamped feet, force at its top: sag there",
        "Kleinlogel; finite elements",
        closed(_GABLE, "fixed"),
        lambda robot: -shift(rest(robot, loads={"b1": down(30)}), "b1")[2],
        -under(_GABLE_FE, {("p2", "z"): -30})["p2", "z"],
    ),
    Case(
        "gable frame with clamped feet, force on a column's head: sway of top and far head",
        "Kleinlogel; finite elements",
        closed(_GABLE, "fixed"),
        lambda robot: [
            shift(e := rest(robot, loads={"b0": [0, 0, 0, 20, 0, 0]}), "b1")[0],
            shift(e, "b2")[0],
        ],
        [under(_GABLE_FE, {("p1", "x"): 20})[p, "x"] for p in ("p2", "p3")],
    ),
    Case(
        "gable frame with clamped feet: four frequencies in its plane",
        "finite elements",
        closed(_GABLE, "fixed", STRIP),
        in_plane(4),
        _GABLE_FLAT.frequencies(4),
    ),
    Case(
        "clamped arch of six bars: three frequencies in its plane",
        "finite elements",
        closed(_ARCH, "fixed", STRIP),
        in_plane(3),
        _ARCH_FLAT.frequencies(3),
    ),
    Case(
        "quarter circle of five straight bars: three frequencies in its plane",
        "finite elements",
        bars(_QUARTER, STRIP)[0],
        in_plane(3),
        _QUARTER_FLAT.frequencies(3),
    ),
    Case(
        "three bars at right angles in space, force at the end: sag there",
        "Castigliano",
        f"""
links:
  - {{name: first, joint: fixed, {BAR % 1.0}}}
  - {{name: second, origin: {{rpy: [0, 0, 90 deg]}}, joint: fixed, {BAR % 0.8}}}
  - {{name: third, origin: {{rpy: [0, -90 deg, 0]}}, joint: fixed, {BAR % 0.6}}}
""",
        lambda robot: shift(rest(robot, loads={"third": [0, 0, 0, 5, 0, 0]}), "third")[0],
        # force along x at (1, 0.8, 0.6): bending of all three, torsion of the second
        5 * (0.6**3 / (3 * EI) + 0.8**3 / (3 * EI) + 0.6**2 * 0.8 / GJ + (0.6**2 + 0.8**2) * 1.0 / EI),
    ),
]

# Flexures.
_LEAF = "beam: {length: 0.1 m, material: steel, section: {shape: rectangle, width: 20 mm, height: 0.5 mm}}"
_LEAF_EI = E * 0.02 * 0.0005**3 / 12
PARALLEL = f"""
links:
  - {{name: left, origin: {{rpy: [0, -90 deg, 0]}}, joint: fixed, {_LEAF}}}
  - {{name: stage, joint: fixed, body: {{mass: 0.2, inertia: [1.0e-4, 1.0e-4, 1.0e-4]}}}}
  - {{name: right, parent: world, origin: {{xyz: [0.08, 0, 0], rpy: [0, -90 deg, 0]}}, joint: fixed, {_LEAF}}}
loops: [{{name: clamp, joint: fixed, between: [{{link: stage, origin: {{xyz: [0, 0, -0.08]}}}}, {{link: right}}]}}]
"""
_SOFT = 24 * _LEAF_EI / 0.1**3
FLEXURES = [
    Case(
        "parallel leaf springs, 5 % of their length aside: shift of the stage and how far it sinks",
        "24 EI / l^3, 3/5 d^2 / l; Smith, Flexures",
        PARALLEL,
        lambda robot: (lambda d: [d[0], -d[2]])(
            shift(rest(robot, loads={"stage": [0, 0, 0, 0.005 * _SOFT, 0, 0]}), "stage")
        ),
        [0.005, 0.6 * 0.005**2 / 0.1],
    ),
    Case(
        "parallel leaf springs with a heavy stage: frequency",
        "24 EI / l^3 over the stage and 13/35 of the springs",
        PARALLEL,
        lambda robot: lissom.natural_modes(robot).frequencies[0],
        np.sqrt(_SOFT / (0.2 + 2 * 13 / 35 * RHO * 0.02 * 0.0005 * 0.1)) / (2 * np.pi),
    ),
]

# Ropes and stays.
STAYED = """
links:
  - name: boom
    joint: {name: pin, type: revolute, axis: [0, 1, 0]}
    beam: {length: 4 m, material: steel, section: {shape: tube, outer: 120 mm, thickness: 6 mm}}
elements:
  - {name: stay, type: rope, stiffness: 2.0e+6, length: 5,
     between: [{link: world, origin: {xyz: [0, 0, 3]}}, {link: boom}]}
"""
_BOOM = RHO * np.pi / 4 * (0.12**2 - 0.108**2) * 4 * g
_PULL = (1000 + _BOOM / 2) / 0.6
BIFILAR = """
links:
  - {name: bar, origin: {xyz: [0, 0, -2]}, joint: {name: air, type: free}, body: {mass: 10, inertia: [0.9, 0.01, 0.9]}}
elements:
  - {name: left, type: rope, stiffness: 1.0e+7, length: 2,
     between: [{link: world, origin: {xyz: [0, -0.4, 0]}}, {link: bar, origin: {xyz: [0, -0.4, 0]}}]}
  - {name: right, type: rope, stiffness: 1.0e+7, length: 2,
     between: [{link: world, origin: {xyz: [0, 0.4, 0]}}, {link: bar, origin: {xyz: [0, 0.4, 0]}}]}
"""
TROLLEY = """
links:
  - {name: trolley, joint: {name: rail, type: prismatic, axis: [1, 0, 0]}, body: {mass: 20}}
  - {name: load, joint: {name: swing, type: spherical},
     body: {mass: 50, com: [0, 0, -3], inertia: [0.001, 0.001, 0.001]}}
"""
TRIPOD = (
    "links:\n"
    + "\n".join(
        f"  - {{name: leg{k}, parent: world, origin: {{xyz: [{np.cos(a):.9g}, {np.sin(a):.9g}, 0], "
        f"rpy: [0, {-np.arctan2(1.5, 1.0):.12g}, {a + np.pi:.12g}]}}, joint: {{name: foot{k}, type: spherical}}, "
        f"{BAR % np.hypot(1, 1.5)}}}"
        for k, a in enumerate(2 * np.pi * np.arange(3) / 3)
    )
    + "\nloops:\n"
    + "\n".join(
        f"  - {{name: top{k}, joint: {{type: spherical}}, between: [{{link: leg0}}, {{link: leg{k}}}]}}" for k in (1, 2)
    )
)
_LEG = np.hypot(1, 1.5)
ROPES = [
    Case(
        "boom on a stay, 1 kN at its end: sag there",
        "lever about the pin; the stay stretches, the boom shortens",
        STAYED,
        lambda robot: -shift(rest(robot, hold=(), loads={"boom": down(1000)}), "boom")[2],
        _PULL / 2e6 / 0.6 + _PULL * 0.8 * 4 / (E * _BOOM / g / 4 / RHO) * 0.8 / 0.6,
        gravity=g,
    ),
    Case(
        "bar on two ropes: frequency at which it turns",
        "bifilar pendulum; sqrt(m g d^2 / 4 l J)",
        BIFILAR,
        lambda robot: (
            min(
                abs(
                    lissom.natural_modes(robot, rest(robot, hold=()), locked=False).frequencies
                    - np.sqrt(10 * g * 0.16 / (2 * 0.9)) / (2 * np.pi)
                )
            )
            + np.sqrt(10 * g * 0.16 / (2 * 0.9)) / (2 * np.pi)
        ),
        np.sqrt(10 * g * 0.16 / (2 * 0.9)) / (2 * np.pi),
        gravity=g,
    ),
    Case(
        "load that swings below a trolley: frequency",
        "sqrt(g / l (1 + m / M))",
        TROLLEY,
        lambda robot: lissom.natural_modes(robot, locked=False).frequencies[-1],
        np.sqrt(g / 3 * (1 + 50 / 20)) / (2 * np.pi),
        gravity=g,
    ),
    Case(
        "three legs on ball joints, force at their top: sag",
        "3 EA / l sin^2",
        TRIPOD,
        lambda robot: -shift(rest(robot, hold=(), loads={"leg0": down(2000)}), "leg0")[2],
        2000 / (3 * EA / _LEG * (1.5 / _LEG) ** 2),
    ),
]

CASES = [*FRAMES, *FLEXURES, *ROPES]
