"""What the mechanics of one link put into the tables of a model, row by row.

Tables of several models, and the mechanics of as many links (`beam.link_stack`), have an axis in front of all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.beam.displacement_fields.inertia_invariants import LEVI_CIVITA
from lissom.kernel.data.arrays import Arrays, Bow, Foreshortening, Inertia, Strain

if TYPE_CHECKING:
    from lissom.beam.displacement_fields.exact_field import Stations
    from lissom.model.description.force_curve import CurvePiece


def put_body(out: Inertia, i: int, body: Any) -> None:
    """Put the inertia of a rigid body into row i."""
    number = out.mass.dtype
    com, inertia = np.asarray(body.com, number), np.asarray(body.inertia, number)
    out.mass[i], out.moment[i] = body.mass, body.mass * com
    out.second_moment[i] = 0.5 * np.trace(inertia) * np.eye(3) - inertia + body.mass * np.outer(com, com)


def put_inertia(out: Inertia, i: int, link: Any) -> None:
    """Put the invariants of a link that bends into row i."""
    k, inv = link.count, link.invariants()
    several = np.shape(inv.mass)
    out.mass[..., i], out.moment[..., i, :], out.second_moment[..., i, :, :] = inv.mass, inv.mc0, inv.G0
    coupling = np.concatenate([inv.S0, inv.C1[..., None, :, :]], axis=-3).reshape(*several, 12, k)  # [a b, j], 3: 1
    by_eta = np.concatenate([inv.N, np.zeros_like(inv.N[..., :1, :, :, :])], axis=-4).reshape(*several, 12, k, k)
    out.coupling[..., i, : 12 * k] = np.swapaxes(coupling, -1, -2).reshape(*several, 12 * k)
    out.coupling_eta[..., i, :k, : 12 * k] = np.moveaxis(by_eta, -3, -1).reshape(*several, k, 12 * k)  # [l, j a b]
    out.gyroscopic[..., i, :, :k, :k] = np.einsum("cab,...ablj->...clj", LEVI_CIVITA, inv.N)
    out.modal_mass[..., i, :k, :k] = np.einsum("...aalj->...lj", inv.N)


def coupled(own: Inertia) -> Inertia:
    """Return `own` with a list of the entries of `coupling_eta` that are not zero.

    Modes that move mass along the same axes are listed alike, those of bending about y say. So the list is that of all
    links of the same kind, and does not turn on integrals over two modes that vanish but for rounding.
    """
    n, m, _ = own.coupling_eta.shape
    by_eta = own.coupling_eta.reshape(n, m, m, 4, 3)  # [body, l, j, a, b]
    moved = np.einsum("illaa->ila", by_eta[..., :3, :]) != 0
    alike = np.all(moved[:, :, None] == moved[:, None], axis=-1)[:, None].astype(float)
    blocks = alike @ np.moveaxis(by_eta != 0, (1, 2), (-2, -1)).reshape(n, 12, m, m) @ alike  # [body, a b, l, j]
    found = np.argwhere(np.moveaxis(blocks, 1, -1).reshape(n, m, 12 * m))
    starts = np.searchsorted(found[:, 0], np.arange(n + 1))
    return own._replace(coupled_start=starts, coupled=np.ascontiguousarray(found[:, 1:]))


def unify_lists(models: Sequence[Arrays]) -> list[Arrays]:
    """Return models with the lists of terms of all: what is zero, so not listed, in one may change in another."""
    start, coupled, _ = _unify([(own.inertia.coupled_start, own.inertia.coupled) for own in models])
    cubic_start, modes, places = _unify([(own.strain.cubic_start, own.strain.cubic_modes) for own in models])

    def spread(values: np.ndarray, place: np.ndarray) -> np.ndarray:
        out = np.zeros(len(modes), values.dtype)
        out[place] = values
        return out

    def listed(own: Arrays, place: np.ndarray) -> Arrays:
        cubic, damping = (spread(values, place) for values in (own.strain.cubic, own.strain.cubic_damping))
        strain = {"cubic_start": cubic_start, "cubic_modes": modes, "cubic": cubic, "cubic_damping": damping}
        inertia = own.inertia._replace(coupled_start=start, coupled=coupled)
        return own._replace(inertia=inertia, strain=own.strain._replace(**strain))

    return [listed(own, place) for own, place in zip(models, places, strict=True)]


def _unify(lists: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Return one list of the entries of all: where rows of each body start, the rows, places of each list in it."""
    bodies = np.arange(len(lists[0][0]) - 1)
    rows = [np.column_stack([np.repeat(bodies, np.diff(start)), entries]) for start, entries in lists]
    found, place = np.unique(np.concatenate(rows), axis=0, return_inverse=True)
    start = np.searchsorted(found[:, 0], np.arange(len(bodies) + 1))
    ends = np.cumsum([len(own) for own in rows])
    return start, np.ascontiguousarray(found[:, 1:]), np.split(place.ravel(), ends[:-1])


def put_strain(out: Strain, i: int, link: Any, exact: Stations | None = None) -> None:
    """Put stiffness, damping and cubic terms into row i; `exact`: its stations, if it has some."""
    own, rows = slice(link.count), slice(out.cubic_start[i], out.cubic_start[i + 1])
    _, out.cubic[..., rows], out.cubic_damping[..., rows] = link.cubic_terms()
    out.stiffness[..., i, own, own], out.damping[..., i, own, own] = link.stiffness(), link.damping_matrix()
    out.preload[..., i, own] = link.preload()
    if exact is not None:  # what follows stiffness acts on the exact strains
        out.damping[i, own, own] -= exact.retardation * link.stiffness()


def put_foreshortening(out: Foreshortening, i: int, link: Any) -> None:
    """Put the forms by which body i is drawn back where its functions start."""
    part = link.shortening()
    if part is None:
        return
    rows, k = slice(out.start[i], out.start[i + 1]), link.count
    out.form[..., rows, :k, :k], out.phi[..., rows, :, :k] = part.form, part.phi
    out.weight[..., rows], out.s0[..., rows, :] = part.weight, part.s0
    if link.bow is not None:
        shares = link.bow_shares()
        out.bow[rows, : shares.shape[1]] = shares


def put_bow(out: Bow, i: int, link: Any) -> None:
    """Put the terms of fourth order of body i where its nodes start."""
    part = link.bow
    if part is None:
        return
    out.nodes[out.start[i] : out.start[i + 1], ..., : link.count] = part.nodes


def append_curve(pieces: list[CurvePiece], spring: Any, stiffness: Any = None) -> tuple[int, int]:
    """Append the pieces of a spring's curve, if it has one, and tell where they begin and end."""
    start = len(pieces)
    if (curve := getattr(spring, "curve", None)) is not None:
        pieces += curve.pieces(getattr(spring, "stiffness", None) or 0.0 if stiffness is None else stiffness)
    return start, len(pieces)
