"""Ritz problems of links in pieces: integrals over pieces and rigid masses beyond them are those of the whole link."""

import itertools

import numpy as np
import pytest

from lissom.beam.functions.mode_count import _ModeCountSearch
from lissom.beam.functions.ritz import MOTION, Ritz, enough_degree, mass_matrices, raw_forces
from lissom.beam.lumped_mass import LumpedMass
from lissom.beam.sections.cross_section import Material, Section
from lissom.beam.sections.general_section import GeneralSection
from lissom.beam.sections.profile import Piece, Profile

UNIT = Section(rhoA=1.0, EA=1.0, EIy=1.0, EIz=1.0, GJ=1.0, Jx=1.0, Jy=0.0, Jz=0.0)
CLAMPED_CLAMPED = np.array([4.7300407449, 7.8532046241, 10.9956078380, 14.1371654913])  # Blevins, table 4.2
CLAMPED_FREE = np.array([1.8751040687, 4.6940911330, 7.8547574382, 10.9955407349])


def tapered(pieces: int) -> Profile:
    """Return a link of 3 m whose section shrinks from piece to piece, off its axis and coupled."""
    ends = np.linspace(0.0, 3.0, pieces + 1)
    made = []
    for a, b in itertools.pairwise(ends):
        size = 0.2 - 0.03 * a
        section = Section.box(Material(2e11, 0.3, 7800.0), size, 0.7 * size, 0.01)
        made.append(Piece.constant(a, b, GeneralSection.of(section, (0.01, 0.02), (0.015, 0.01 * a)).placed(0.1 + a)))
    return Profile(tuple(made))


@pytest.mark.parametrize("pieces", [1, 7, 40])
def test_a_uniform_link_cut_in_pieces_has_the_textbook_frequencies(pieces):
    cut = Profile.uniform(UNIT, 1.0, shear=False).split(np.linspace(0, 1, pieces + 1)[1:-1])
    ritz = Ritz.of(cut, ["y"], enough_degree(cut, 8))
    np.testing.assert_allclose(np.sqrt(2 * np.pi * ritz.frequencies(ritz.modes(4))), CLAMPED_FREE, rtol=1e-9)
    held = ritz.frequencies(ritz.modes(4, held=(0, 1)))
    np.testing.assert_allclose(np.sqrt(2 * np.pi * held), CLAMPED_CLAMPED, rtol=1e-9)


@pytest.mark.parametrize(("kind", "true"), [("y", CLAMPED_CLAMPED**2), ("torsion", np.pi * np.arange(1, 5))])
def test_counts_are_judged_by_the_frequencies_of_the_link_whose_tip_is_held(kind, true):
    search = _ModeCountSearch(Profile.uniform(UNIT, 1.0, shear=False), [kind], 10.0, 8)
    np.testing.assert_allclose(2 * np.pi * search.exact[:4], true, rtol=1e-6)


def test_matrices_are_the_integrals_over_the_whole_link():
    # every node's motion summed up by itself, as if each distribution could deform all pieces
    profile, directions, degree = tapered(5), ["y", "z", "torsion"], 3
    edges = np.array([0.0, *(piece.end for piece in profile.pieces)])
    lumps = (LumpedMass(edges[2], 4.0, (0.1, 0.2, 0.3), 0.5), LumpedMass(3.0, 2.0))
    ritz = Ritz.of(profile, directions, degree, lumps, [float(edges[1]), 3.0])
    rows = [row for name in directions for row in MOTION[name]]
    node, share = np.polynomial.legendre.leggauss(12)
    x = (edges[:-1, None] + np.diff(edges)[:, None] * (node + 1) / 2).ravel()
    weights = (np.diff(edges)[:, None] / 2 * share).ravel()
    C, W = profile.tables(x / 3.0)
    F = np.concatenate([raw_forces(profile, name, degree, x / 3.0) for name in directions], axis=2)

    def motion(place: float) -> np.ndarray:
        """Return displacement and rotation of the section at a place: e + k x (place - x), summed over all before."""
        points, scale = [], []
        for a, b in itertools.pairwise(edges):
            end = min(b, place)
            if end > a:
                points.append(a + (end - a) * (node + 1) / 2)
                scale.append((end - a) / 2 * share)
        points, scale = np.concatenate(points), np.concatenate(scale)
        strain = profile.tables(points / 3.0)[0] @ np.concatenate(
            [raw_forces(profile, name, degree, points / 3.0) for name in directions], axis=2
        )
        out, lever = np.einsum("k,kar->ar", scale, strain), scale * (place - points)
        out[1] += lever @ strain[:, 5]
        out[2] -= lever @ strain[:, 4]
        return out

    u = np.array([motion(place) for place in x])
    M6 = weights[:, None, None] * mass_matrices(W)
    mass = np.einsum("kar,kab,kbs->rs", u, M6, u)
    for lump in lumps:
        there = motion(lump.x)
        mass += there.T @ mass_matrices(lump.moments[None])[0] @ there
    for ours, true in (
        (ritz.stiffness, np.einsum("kar,k,kas->rs", F, weights, C @ F)),
        (ritz.mass, mass),
        (ritz.tip, motion(3.0)[rows]),
        (ritz.places[0], motion(edges[1])[rows]),
    ):
        np.testing.assert_allclose(ours, true, rtol=0, atol=1e-13 * np.abs(true).max())
