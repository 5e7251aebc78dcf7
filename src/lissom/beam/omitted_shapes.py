"""Natural shapes of a link that its functions leave out: by them frequencies tell how far they can be trusted.

They are natural modes of the link with its tip and all places held at which something acts, as far as they are no
mixture of its functions. In the metric of the stiffness they are at right angles to the functions and to the static
shapes under loads at the tip and at places, and so move neither: a machine meets them through the mass of the link.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lissom.beam.beam_link import BeamLink
from lissom.beam.functions.attachment_functions import Place
from lissom.beam.functions.mode_count import coupled_directions
from lissom.beam.functions.quadrature import Quadrature
from lissom.beam.functions.ritz import MOTION, Ritz, enough_degree, null_space, raw_forces
from lissom.beam.number_types import Array
from lissom.beam.sections.profile import Profile

MORE = 6  # shapes by direction: what lies above them hardly moves the frequencies that functions nearly follow
STATIC = 1e-3  # of the compliance under a load at the tip or a place, that functions may leave out


class LeftOut(NamedTuple):
    """k natural shapes of unit modal mass that the n functions of a link leave out."""

    squares: Array  # (k,) of their angular frequencies
    base: Array  # (k, 6) mass coupling to the motion of the base: displacement, rotation
    own: Array  # (k, n) to the functions


def left_out(beam: BeamLink, places: Sequence[Place]) -> LeftOut | None:
    """Return the lowest shapes that a link leaves out; None where its functions do not follow static loads."""
    if beam.chord:
        return None
    profile = beam.profile.split([place.x for place in places])
    counts = beam.basis.counts
    found = []
    for group in coupled_directions(profile):
        moving = [name for name in group if counts[name]]  # the others are rigid by choice
        part = _of_directions(beam, profile, moving, places) if moving else None
        if moving and part is None:
            return None
        found += [part] if part is not None else []
    parts = zip(*found, strict=True)
    return LeftOut(*map(np.concatenate, parts)) if found else LeftOut(np.zeros(0), np.zeros((0, 6)), np.zeros((0, 0)))


def _of_directions(beam: BeamLink, profile: Profile, moving: list[str], places: Sequence[Place]) -> LeftOut | None:
    """Return the same of directions that move each other."""
    basis = beam.basis
    degree = enough_degree(profile, max(basis.counts[name] for name in moving) + MORE)
    ritz = Ritz.of(profile, moving, degree, places=[place.x for place in places])
    columns = np.concatenate([np.arange(basis.count)[basis.slices[name]] for name in moving])
    # coordinates in which the stiffness is the unit matrix: a load at a place is the static shape under it
    root = np.linalg.inv(np.linalg.cholesky(ritz.stiffness))
    work = root @ _work(beam, profile, moving, degree)[:, columns]  # the functions in these coordinates
    known = np.linalg.qr(work)[0]
    statics = np.vstack([ritz.tip, *_displacement_rows(ritz, moving, places)]) @ root.T
    statics /= np.linalg.norm(statics, axis=1, keepdims=True)
    if np.linalg.norm(statics - statics @ known @ known.T, axis=1).max() ** 2 > STATIC:
        return None
    free = null_space(np.vstack([known.T, statics]))
    inverse_squares, shapes = np.linalg.eigh(free.T @ root @ ritz.mass @ root.T @ free)
    most = slice(-MORE * len(moving), None)
    shapes = root.T @ free @ shapes[:, most] / np.sqrt(inverse_squares[most])
    base, own = np.zeros((shapes.shape[1], 6)), np.zeros((shapes.shape[1], basis.count))
    base[:, [row for name in moving for row in MOTION[name]]] = shapes.T @ ritz.base
    own[:, columns] = shapes.T @ ritz.mass @ root.T @ work
    return LeftOut(1 / inverse_squares[most], base, own)


def _work(beam: BeamLink, profile: Profile, moving: list[str], degree: int) -> Array:
    """Return work (r, n) of the raw force distributions on the strains of the link's functions."""
    rule = Quadrature.cached(profile.edges, degree + profile.degree // 2 + 6)
    forces = np.concatenate([np.real(raw_forces(profile, name, degree, rule.nodes)) for name in moving], axis=2)
    strain = np.real(beam.field.sections(beam.field.fraction(profile.place(rule.nodes))).strain)
    weights = np.real(profile.rate(rule.nodes)) * rule.weights
    return np.einsum("kar,k,kas->rs", forces, weights, strain, optimize=True)


def _displacement_rows(ritz: Ritz, moving: list[str], places: Sequence[Place]) -> list[Array]:
    """Return rows (c, r): how each place moves along the loads that act there."""
    first = np.cumsum([0, *(len(MOTION[name]) for name in moving)])
    return [
        ritz.places[k, [int(start) + load for start, name in zip(first, moving) for load in place.loads(name)]]
        for k, place in enumerate(places)
    ]
