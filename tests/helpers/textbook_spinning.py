"""Beams and shafts that spin."""

from __future__ import annotations

import numpy as np
from textbook import RHO, Case, E, G, run
from textbook_beams import EI, ROD, A, L

import lissom
from lissom.control import Reference

UNIT = np.sqrt(EI / (RHO * A)) / L**2  # rad/s
BLADE = f"links: [{{name: rod, joint: {{name: hub, type: revolute, axis: [0, 0, 1]}}, {ROD}}}]"
ON_HUB = f"""
links:
  - name: disc
    joint: {{name: hub, type: revolute, axis: [0, 0, 1]}}
    body: {{mass: 5, inertia: [0.2, 0.2, 0.4]}}
  - {{name: rod, origin: {{xyz: [1, 0, 0]}}, joint: fixed, {ROD}}}
"""


def spinning(speed, number, joint="hub"):
    """Frequencies in rad/s about steady rotation: links first stretch to their state there, by Newton's method."""

    def ask(robot):
        model = robot.compile(prescribed=[joint])
        q, v = model.neutral(), np.zeros(model.nv)
        v[0], free = speed, slice(1, None)
        for _ in range(4):
            d = lissom.derivatives(model, q, v)
            q[free] -= np.linalg.solve(d.q[free, free], d.a[free])
        w = lissom.linearise(model, q, v).poles().values.imag
        return np.sort(w[w > 1e-3])[:number]

    return ask


def blade(speed, radius, number=2, degree=9):
    """Flap and lag frequencies of a rotating cantilever by Ritz's method: powers x^2 to x^(n + 1), unit beam."""
    x, w = np.polynomial.legendre.leggauss(40)
    x, w = (x + 1) / 2, w / 2
    powers = np.arange(2, degree + 2)
    f, d, dd = (
        c * x[:, None] ** p for c, p in ((1, powers), (powers, powers - 1), (powers * (powers - 1), powers - 2))
    )
    tension = speed**2 * (radius * (1 - x) + (1 - x**2) / 2)
    M = (f.T * w) @ f
    K = (dd.T * w) @ dd + (d.T * w * tension) @ d
    flap = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)[:number]
    return np.sort(np.sqrt(np.concatenate([flap, flap - speed**2])))


# A heavy disc on the end of a shaft, and a plate on a torsion rod.
DISC = """
links:
  - name: rod
    joint: {name: hub, type: revolute, axis: [1, 0, 0]}
    beam: {length: 0.5 m, material: steel, section: {shape: circle, diameter: 20 mm}}
  - {name: disc, joint: fixed, body: {mass: 50, inertia: [2, 1, 1]}}
"""
PLATE = """
links:
  - name: rod
    joint: {name: hub, type: revolute, axis: [0, 0, 1]}
    beam: {length: 0.5 m, material: steel, section: {shape: circle, diameter: 10 mm}}
  - {name: plate, joint: fixed, body: {mass: 2, inertia: [0.05, 0.001, 0.049]}}
"""


def whirl(speed):
    """Frequencies, seen on the shaft, of a disc on the end of a clamped shaft that turns at `speed`."""
    l, m, Id, Ip = 0.5, 50 + 33 / 140 * RHO * A * 0.5, 1.0, 2.0
    K = EI * np.array([[12 / l**3, -6 / l**2], [-6 / l**2, 4 / l]])
    M, Gy = np.diag([m, Id]), np.array([[0, 0], [0, Ip * speed]])
    # complex y = y + i z: M y'' - i Gy y' + K y = 0, y = exp(i w t): -w^2 M + w Gy + K
    zero, one = np.zeros((2, 2)), np.eye(2)
    w = np.linalg.eigvals(np.block([[zero, one], [np.linalg.solve(M, K), np.linalg.solve(M, Gy)]]))
    return np.sort(np.abs(w.real - speed))


def stretch(robot):
    found = run(robot, 2.5, motion={"hub": Reference.spin_up(30, 2.0, 3.0)})
    return found.deflection("rod").sel(axis="x").values[-20:].mean()


CASES = [
    Case(
        "blade on its axis, spinning: flap and lag frequencies, two each",
        "Wright et al. 1982, table 1; speed 6",
        BLADE,
        spinning(6 * UNIT, 4),
        UNIT * np.array([4.2632, 7.3604, 26.129, 26.809]),
    ),
    Case(
        "blade on a hub half as large, spinning: flap and lag frequencies, two each",
        "Southwell; Ritz",
        ON_HUB,
        spinning(4 * UNIT, 4),
        UNIT * blade(4, 0.5),
    ),
    Case(
        "shaft with a heavy disc on its end, turning: whirl, seen on the shaft",
        "Den Hartog, Mechanical Vibrations, gyroscopic disc",
        DISC,
        lambda robot: np.delete(spinning(20.0, 3)(robot), 1),  # the second is the torsion of the shaft
        whirl(20.0)[:2],
    ),
    Case(
        "plate on a torsion rod, spinning across it: frequency of its pitch",
        "propeller moment; Bielawa, Rotary Wing Structural Dynamics",
        PLATE,
        lambda robot: spinning(40.0, 3)(robot)[2],  # after bending both ways
        np.sqrt(G * np.pi * 0.01**4 / 32 / 0.5 / 0.05 + 40**2 * (0.049 - 0.001) / 0.05),
    ),
    Case(
        "rod that spins about its end: stretch",
        "Timoshenko; rho w^2 L^3 / 3 E",
        BLADE,
        stretch,
        RHO * 30**2 * L**3 / (3 * E),
    ),
]
