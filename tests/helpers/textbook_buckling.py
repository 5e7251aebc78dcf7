"""Columns, frames and strips that buckle, flutter or snap, and what axial forces do to frequencies."""

from __future__ import annotations

import numpy as np
from plane_frames import Frame
from scipy.linalg import eigh
from scipy.optimize import brentq
from textbook import Case, E, G, rest
from textbook_beams import CLAMPED, EI, RHO, ROD, A, L
from textbook_frequencies import FLAT_PORTAL, bending, portal_frame

import lissom


def limit(expected, equilibrium):
    """The load at which `equilibrium(load)` ceases to be stable, to 0.5 %; beyond 1 % of `expected`, 0 or infinity."""

    def stable(load):
        try:
            return equilibrium(load).stable
        except lissom.LissomError:  # no equilibrium
            return False

    if not stable(0.99 * expected):
        return 0.0
    if stable(1.01 * expected):
        return np.inf
    return (1.005 if stable(expected) else 0.995) * expected


def push(link, force):
    return {link: [0, 0, 0, -force, 0, 0]}


def column(expected, link="rod", **options):
    return lambda robot: limit(expected, lambda P: rest(robot, loads=push(link, P), **options))


# What slides along the column's axis carries the load where its end is guided.
SLIDE = (
    "{name: slide, parent: world, origin: {xyz: [2, 0, 0]},"
    " joint: {name: guide, type: prismatic, axis: [1, 0, 0]}, body: {mass: 0.1}}"
)
PINNED = (
    f"links: [{{name: rod, joint: {{name: pin, type: revolute, axis: [0, 1, 0]}}, {ROD}}}, {SLIDE}]"
    "\nloops: [{name: top, joint: {type: revolute, axis: [0, 1, 0]}, between: [{link: rod}, {link: slide}]}]"
)
GUIDED = (
    f"links: [{{name: rod, joint: fixed, {ROD}}}, {SLIDE}]"
    "\nloops: [{name: top, joint: fixed, between: [{link: rod}, {link: slide}]}]"
)
PROPPED = GUIDED.replace("joint: fixed, between", "joint: {type: spherical}, between")
UPRIGHT = CLAMPED.replace("joint: fixed", "origin: {rpy: [0, -90 deg, 0]}, joint: fixed")
EULER = np.pi**2 * EI / L**2
_STRIP = CLAMPED.replace("shape: circle, diameter: 20 mm", "shape: rectangle, width: 5 mm, height: 60 mm")
_STRIP_EI, _STRIP_GJ = E * 0.06 * 0.005**3 / 12, G * 0.06 * 0.005**3 / 3 * (1 - 0.63 * 5 / 60)
_LATERAL = 4.013 * np.sqrt(_STRIP_EI * _STRIP_GJ) / L**2
_BECK = CLAMPED[:-1] + ", {name: nozzle, joint: fixed, body: {mass: 1.0e-6}}]"


def portal_load():
    """The load on each column of the clamped portal frame at which it sways, by finite elements."""
    K0, K1 = portal_frame(0.0).matrices()[0], portal_frame(-1.0).matrices()[0]
    return 1 / eigh(K0 - K1, K0, eigvals_only=True)[-1]


def loaded_cantilever(force):
    frame = Frame(a=(0, 0), b=(L, 0))
    frame.bar("a", "b", EI, E * A, RHO * A, force)
    frame.hold("a", "x", "z", "turn")
    return frame.frequencies(1)[0]


def first_frequency_at(e, locked):
    found = lissom.natural_modes(e.model, e, locked=locked).frequencies
    return found[found > 1e-3][0] if (found > 1e-3).any() else 0.0


# A ball between two springs of 1 m that lean by 20 degrees: it snaps through under a force.
_L0, _RISE = 1.0, np.sin(np.radians(20))
_HALF = np.cos(np.radians(20))
SNAP = f"""
links:
  - name: ball
    origin: {{xyz: [0, 0, {_RISE}]}}
    joint: {{name: drop, type: prismatic, axis: [0, 0, -1]}}
    body: {{mass: 1}}
elements:
  - name: left
    type: spring
    stiffness: 10000
    length: 1
    between: [{{link: world, origin: {{xyz: [{-_HALF}, 0, 0]}}}}, {{link: ball}}]
  - name: right
    type: spring
    stiffness: 10000
    length: 1
    between: [{{link: world, origin: {{xyz: [{_HALF}, 0, 0]}}}}, {{link: ball}}]
"""


def snap_force(z):
    """Downward force that holds the ball at the height z."""
    length = np.hypot(_HALF, z)
    return 2 * 10000 * (_L0 - length) * z / length


_HEIGHTS = np.linspace(0.01, _RISE, 4001)
_TOP = snap_force(_HEIGHTS).max()
_AT = _HEIGHTS[snap_force(_HEIGHTS).argmax()]
CASES = [
    Case("column, clamped below, free above", "Euler; pi^2 EI / 4 L^2", CLAMPED, column(EULER / 4), EULER / 4),
    Case("column, pinned at both ends", "Euler; pi^2 EI / L^2", PINNED, column(EULER, "slide", hold=()), EULER),
    Case(
        "column, clamped below, pinned above",
        "Euler; 20.19 EI / L^2",
        PROPPED,
        column(20.19 * EI / L**2, "slide", hold=()),
        20.1907 * EI / L**2,
    ),
    Case(
        "column, clamped at both ends", "Euler; 4 pi^2 EI / L^2", GUIDED, column(4 * EULER, "slide", hold=()), 4 * EULER
    ),
    Case(
        "column under its own weight: the gravity that bends it",
        "Greenhill 1881; 7.837 EI / L^3 per length",
        UPRIGHT,
        lambda robot: limit(7.837 * EI / L**3 / (RHO * A), lambda a: rest(robot.with_value("gravity", [0, 0, -a]))),
        7.8373 * EI / L**3 / (RHO * A),
    ),
    Case(
        "strip on edge, force at its end: lateral buckling",
        "Prandtl, Michell 1899; 4.013 sqrt(EI GJ) / L^2",
        _STRIP,
        lambda robot: limit(_LATERAL, lambda F: rest(robot, loads={"rod": [0, 0, 0, 0, 0, -F]})),
        _LATERAL,
    ),
    Case(
        "column pushed along its tip (follower force): flutter",
        "Beck 1952; 20.05 EI / L^2",
        _BECK,
        lambda robot: limit(20.05 * EI / L**2, lambda P: rest(robot, wrenches={"nozzle": [0, 0, 0, -P, 0, 0]})),
        20.051 * EI / L**2,
    ),
    Case(
        "portal frame with clamped feet, a load on each column: sway buckling",
        "Timoshenko and Gere; finite elements",
        FLAT_PORTAL,
        lambda robot: limit(
            portal_load(), lambda P: rest(robot, loads={"left": [0, 0, 0, 0, 0, -P], "beam": [0, 0, 0, 0, 0, -P]})
        ),
        portal_load(),
    ),
    Case(
        "column at 0.9 of its Euler load: first frequency",
        "Blevins; finite elements",
        CLAMPED,
        lambda robot: first_frequency_at(rest(robot, loads=push("rod", 0.9 * EULER / 4)), True),
        loaded_cantilever(-0.9 * EULER / 4),
    ),
    Case(
        "beam on two supports, pulled by its Euler load: first frequency",
        "Blevins 8.20; sqrt(1 + P / Pe)",
        PINNED.replace("mass: 0.1", "mass: 1.0e-3"),
        lambda robot: first_frequency_at(rest(robot, loads=push("slide", -EULER), hold=()), False),
        bending(np.pi)[0] * 2**0.5,
    ),
    Case(
        "beam on two supports, pushed by half its Euler load: first frequency",
        "Blevins 8.20; sqrt(1 - P / Pe)",
        PINNED.replace("mass: 0.1", "mass: 1.0e-3"),
        lambda robot: first_frequency_at(rest(robot, loads=push("slide", 0.5 * EULER), hold=()), False),
        bending(np.pi)[0] * 0.5**0.5,
    ),
    Case(
        "ball on two leaning springs, just below its limit load: how far it sinks",
        "von Mises truss; Bazant and Cedolin",
        SNAP,
        lambda robot: rest(robot, hold=(), loads={"ball": [0, 0, 0, 0, 0, -0.95 * _TOP]}).q[0],
        _RISE - brentq(lambda z: snap_force(z) - 0.95 * _TOP, _AT, _RISE),
    ),
    Case(
        "ball on two leaning springs, above its limit load: it snaps through",
        "von Mises truss; Bazant and Cedolin",
        SNAP,
        lambda robot: rest(robot, hold=(), loads={"ball": [0, 0, 0, 0, 0, -1.05 * _TOP]}).q[0],
        told="limit|snap|branch|jump",
    ),
]
