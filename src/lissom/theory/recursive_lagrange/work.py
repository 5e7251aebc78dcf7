"""Scratch memory of the recursion."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.theory.recursive_lagrange.tables import Tables


class Work(NamedTuple):
    """Results of the passes; 4 x 4 matrices unless said otherwise."""

    A: np.ndarray  # (n, 4, 4) joint, seen from the section that carries it
    Ad: np.ndarray
    Add: np.ndarray
    U: np.ndarray  # (n, 6, 4, 4) derivatives of A along the joint's velocities
    W: np.ndarray  # (n, 4, 4) body frame in the world
    Wd: np.ndarray
    Wdd: np.ndarray
    X: np.ndarray  # (n, 6, 4, 4) derivatives of W along the joint's velocities
    S: np.ndarray  # (s, 4, 4) stations in the link frame
    Sd: np.ndarray
    Sdd: np.ndarray
    dS: np.ndarray  # (s, 12, m) their derivatives by the modes, first three rows
    roll: np.ndarray  # (s, 2) roll angle of the section and its rate
    roll_modes: np.ndarray  # (s, m)
    term: np.ndarray  # (k, 3, 4) nonlinear terms of the field at the nodes, and two rates
    term_modes: np.ndarray  # (k, 4, m)
    value: np.ndarray  # (3, 4) scratch: centre and roll of a station, and two rates
    value_modes: np.ndarray  # (4, m)
    strains: np.ndarray  # (2, 4) scratch: strains of a section and their rates
    strain: np.ndarray  # (4, m)
    moments: np.ndarray  # (s, 4, 4) mass of the stations and of all they carry
    F: np.ndarray  # (n, 4, 4) pseudo-inertia of a body and all outboard
    D: np.ndarray  # (n, 4, 4) int h (mass times acceleration)^T of a body and all outboard
    N: np.ndarray  # (m, 4, 4) scratch: sum dS_f m S^T
    weighted: np.ndarray  # (12, m) scratch
    turned: np.ndarray  # (12, m) scratch
    scratch: np.ndarray  # (8, 4, 4)


def make_work(tables: Tables, number: Any) -> Work:
    """Memory for `tables` in the number type `number`."""
    n, s, m, k = len(tables.parent), len(tables.reach), tables.phi.shape[2], len(tables.weight)
    shapes = {
        "U": (n, 6, 4, 4), "X": (n, 6, 4, 4), "dS": (s, 12, m), "roll": (s, 2), "roll_modes": (s, m),
        "term": (k, 3, 4), "term_modes": (k, 4, m), "value": (3, 4), "value_modes": (4, m), "strains": (2, 4),
        "strain": (4, m), "N": (m, 4, 4), "weighted": (12, m), "turned": (12, m), "scratch": (8, 4, 4),
    }  # fmt: skip
    shapes |= {name: (n, 4, 4) for name in ("A", "Ad", "Add", "W", "Wd", "Wdd", "F", "D")}
    shapes |= {name: (s, 4, 4) for name in ("S", "Sd", "Sdd", "moments")}
    work = Work(**{name: np.zeros(shape, number) for name, shape in shapes.items()})
    work.S[:] = work.W[0] = np.eye(4)
    work.Wdd[0, :3, 3] = -tables.gravity
    return work
