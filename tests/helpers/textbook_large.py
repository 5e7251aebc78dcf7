"""Large deflections: the exact field is right, the default one tells."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_bvp
from textbook import RHO, Case, E, circle, g, pose, rest, shift
from textbook_beams import CLAMPED, EI, L

EXACT = CLAMPED.replace("beam: {", "beam: {stiffening: exact, ")
# Sag and shortening over length under a force at the end, by F L^2 / EI (Mattiasson 1981).
ELASTICA = {1: (0.30172, 0.05643), 5: (0.71379, 0.38763), 10: (0.81061, 0.55500)}


def heavy(load, EI):
    """Sag of the end of a clamped elastica under its weight per length."""
    s = np.linspace(0, L, 41)
    found = solve_bvp(
        lambda s, y: [y[1], -load * (L - s) * np.cos(y[0]) / EI, np.sin(y[0])],
        lambda a, b: [a[0], a[2], b[1]],
        s,
        np.zeros((3, 41)),
        tol=1e-8,
    )
    return abs(found.y[2, -1])


def bent(alpha):
    def ask(robot):
        e = rest(robot, loads={"rod": [0, 0, 0, 0, 0, -alpha * EI / L**2]})
        return [-shift(e, "rod")[2], -shift(e, "rod")[0]]

    return ask


def rolled(turn):
    """Place of the end under a couple that turns it by `turn`."""

    def ask(robot):
        return pose(rest(robot, loads={"rod": [0, -turn * EI / L, 0, 0, 0, 0]}), "rod")[[0, 2], 3]

    return ask


CASES = [
    *(
        Case(
            f"elastica, force of {a} EI / L^2 at its end: sag and shortening",
            "Mattiasson 1981",
            EXACT,
            bent(a),
            [L * u for u in ELASTICA[a]],
        )
        for a in (1, 5, 10)
    ),
    Case(
        "elastica with the default field, force of 5 EI / L^2",
        "Mattiasson 1981",
        CLAMPED,
        bent(5),
        [L * u for u in ELASTICA[5]],
        told="exact|beyond small",
    ),
    *(
        Case(
            f"rod rolled up by a couple to {name}: place of its end",
            "a circle",
            EXACT,
            rolled(turn),
            [L * np.sin(turn) / turn, L * (1 - np.cos(turn)) / turn],
        )
        for name, turn in (("a quarter of a circle", np.pi / 2), ("three quarters of one", 1.5 * np.pi))
    ),
    Case(
        "rod with the default field, rolled up by a couple to a quarter of a circle",
        "a circle",
        CLAMPED,
        rolled(np.pi / 2),
        [L * 2 / np.pi, L * 2 / np.pi],
        told="exact|beyond small",
    ),
    Case(
        "wire of 3 mm that droops by its own weight: sag of its end",
        "Wang 1986, heavy elastica; boundary value problem",
        EXACT.replace("20 mm", "3 mm"),
        lambda robot: -shift(rest(robot), "rod")[2],
        heavy(RHO * g * circle(0.003)[0], E * circle(0.003)[1]),
        gravity=g,
    ),
    Case(
        "wire of 3 mm with the default field, own weight",
        "Wang 1986, heavy elastica; boundary value problem",
        CLAMPED.replace("20 mm", "3 mm"),
        lambda robot: -shift(rest(robot), "rod")[2],
        heavy(RHO * g * circle(0.003)[0], E * circle(0.003)[1]),
        gravity=g,
        told="exact|beyond small",
    ),
]
