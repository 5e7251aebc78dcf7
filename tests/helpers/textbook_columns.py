"""Columns of several parts, cables through feet, followers, balls on top."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import brentq
from textbook import RHO, Case, E, circle, g, rest
from textbook_beams import CLAMPED, EI, A, L
from textbook_buckling import limit, push

import lissom

_m = RHO * A * L
_THROUGH = CLAMPED + (
    "\nelements: [{name: cable, type: cylinder, drive: force, force: -%.9g, between: [{link: world}, {link: rod}]}]"
)
_STEP = """
links:
  - {name: rod, joint: fixed, beam: {length: 1 m, material: steel, section: {shape: circle, diameter: 20 mm}}}
  - {name: top, joint: fixed, beam: {length: 1 m, material: steel, section: {shape: circle, diameter: 15 mm}}}
"""
_EI2 = E * circle(0.015)[1]


def stepped_column():
    """tan(k1 l1) tan(k2 l2) = k2 / k1, 2 above."""

    def gap(P):
        k1, k2 = np.sqrt(P / EI), np.sqrt(P / _EI2)
        return np.tan(k1) * np.tan(k2) - k2 / k1

    grid = np.linspace(100, 0.999 * np.pi**2 / 4 * _EI2, 2000)
    values = np.array([gap(P) for P in grid])
    k = np.flatnonzero(values[:-1] * values[1:] < 0)[0]
    return brentq(gap, grid[k], grid[k + 1])


ZIEGLER = """
links:
  - {name: lower, joint: {name: a, type: revolute, axis: [0, 1, 0], spring: {stiffness: 100}},
     body: {mass: 2, com: [1, 0, 0]}}
  - {name: upper, origin: {xyz: [1, 0, 0]}, joint: {name: b, type: revolute, axis: [0, 1, 0], spring: {stiffness: 100}},
     body: {mass: 1, com: [1, 0, 0]}}
"""
METRONOME = CLAMPED.replace("joint: fixed", "origin: {rpy: [0, -90 deg, 0]}, joint: fixed")[:-1] + (
    ", {name: ball, joint: fixed, body: {mass: %.9g}}]"
)
_EULER = np.pi**2 * EI / L**2
_BALL = 0.5 * _EULER / 4 / g


def metronome():
    """Ritz: the weight of ball and rod presses the rod."""
    x, w = np.polynomial.legendre.leggauss(40)
    x, w = (x + 1) / 2, w / 2
    p = np.arange(2, 11)
    f, d, dd = x[:, None] ** p, p * x[:, None] ** (p - 1), p * (p - 1) * x[:, None] ** (p - 2)
    M = (f.T * w) @ f * _m + _BALL * np.ones((len(p), len(p)))
    K = (dd.T * w) @ dd * EI / L**3 - (d.T * (w * (_BALL + _m * (1 - x)))) @ d * g / L
    return np.sqrt(eigh(K, M, eigvals_only=True)[0]) / (2 * np.pi)


CASES = [
    Case(
        "column pulled down by a cable through its foot: buckling",
        "pi^2 EI / L^2; Timoshenko and Gere",
        CLAMPED,
        lambda robot: limit(
            _EULER,
            lambda P: rest(
                lissom.Robot.from_yaml(
                    "lissom: 1\nname: c\ngravity: [0, 0, 0]\nmaterials: {steel: {E: 210 GPa, nu: 0.3, rho: 7850}}\n"
                    + _THROUGH % P
                )
            ),
        ),
        _EULER,
    ),
    Case(
        "stepped column of two links, clamped below: buckling",
        "Timoshenko and Gere",
        _STEP,
        lambda robot: limit(stepped_column(), lambda P: rest(robot, loads=push("top", P))),
        stepped_column(),
    ),
    Case(
        "two rigid bars on springs under a follower force: flutter",
        "Ziegler 1952; (7/2 - sqrt 2) k / l",
        ZIEGLER,
        lambda robot: limit(
            (3.5 - 2**0.5) * 100, lambda P: rest(robot, hold=(), wrenches={"upper": [0, 0, 0, -P, 0, 0]})
        ),
        (3.5 - 2**0.5) * 100,
    ),
    Case(
        "ball on an upright rod, half the load that buckles it: frequency",
        "Ritz",
        METRONOME % _BALL,
        lambda robot: lissom.natural_modes(robot, at="equilibrium").frequencies[0],
        metronome(),
        gravity=g,
    ),
]
