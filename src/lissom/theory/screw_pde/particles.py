"""The mass of a link as a few particles: quadrature of its material equations, condensed without loss.

A mass element of a section at x, with offsets d and l = (1, d), sits at s = [r(x) | R(x)] l in the link frame,

    s = l_0 r(x) + (1 + (Psi eta)~) (l_1, l_2, l_3),      r = (x + a - 1/2 eta^T B eta, v, w),

and a frame with twist (omega, v) carries it along with l_0 v + omega x s. At the nodes of the quadrature, l is scaled
by the root of the node's mass. All integrals over the mass are then sums over the nodes of products of two functions
that lie in a small space: 1, x, the shapes, the entries of B. An orthonormal basis of that space over the nodes
replaces the nodes by as many "particles" as it has members (a dozen instead of hundreds), and every sum stays the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom.beam import BeamLink, FlexibleLink
from lissom.beam.displacement_fields.displacement_field import Sections
from lissom.beam.displacement_fields.inertia_invariants import Invariants
from lissom.model.description.robot import Link

Array = np.ndarray
RESOLUTION = 1e-11  # part of a function, relative to its norm, that the condensed basis may miss


@dataclass(frozen=True, eq=False)
class Particles:
    """N particles that carry the inertia of a link with m coordinates; those that foreshorten come first."""

    sign: Array  # (N,) 1, or -1 for the negative second moments that some booms are given
    carried: Array  # (N,) c: the velocity v of the frame moves a particle by c v
    place: Array  # (N, 3) position on the undeformed link
    shape: Array  # (N, 3, m) displacement per coordinate, to first order
    shortening: Array  # (F, m, m) B of the first F particles: they move by -1/2 eta^T B eta along x


def particles(link: Link, flexible: FlexibleLink | None) -> Particles:
    """Particles of a rigid or flexible link.

    Equations: 003 (5)-(6).
    """
    if flexible is None:
        return _of_body(link)
    return _of_beam(flexible) if isinstance(flexible, BeamLink) else _of_linear_link(flexible.invariants())


def _of_body(link: Link) -> Particles:
    """Four particles, or fewer, that carry the mass, its centre and its inertia."""
    body = link.body
    assert body is not None  # a link has a beam or a body
    com, inertia = np.asarray(body.com), np.asarray(body.inertia)
    moments = np.zeros((4, 4))
    moments[1:, 1:] = np.trace(inertia) / 2 * np.eye(3) - inertia
    moments += body.mass * np.outer([1.0, *com], [1.0, *com])
    signs, elements = mass_factors(moments)
    return Particles(
        sign=signs,
        carried=elements[:, 0],
        place=elements[:, 1:],
        shape=np.zeros((len(signs), 3, 0)),
        shortening=np.zeros((0, 0, 0)),
    )


def _of_linear_link(inertia: Invariants) -> Particles:
    """Particles of a link that is known by the integrals over its mass: factors of them as one Gram matrix.

    Functions over the mass are c = 1, three components of the place and three of every shape.
    """
    m = inertia.C1.shape[1]
    gram = np.zeros((4 + 3 * m, 4 + 3 * m))
    gram[0, 0], gram[0, 1:4], gram[1:4, 1:4] = inertia.mass, inertia.mc0, inertia.G0
    gram[0, 4:], gram[1:4, 4:] = inertia.C1.ravel(), inertia.S0.reshape(3, 3 * m)
    gram[4:, 4:] = inertia.N.transpose(0, 2, 1, 3).reshape(3 * m, 3 * m)
    gram = np.triu(gram) + np.triu(gram, 1).T
    scale = np.sqrt(np.diag(gram))
    scale[scale == 0] = 1.0
    values, vectors = np.linalg.eigh(gram / np.outer(scale, scale))
    held = np.abs(values) > 1e-15 * np.abs(values).max()
    f = (np.sqrt(np.abs(values)) * vectors * scale[:, None]).T[held]
    return Particles(
        sign=np.sign(values[held]),
        carried=f[:, 0],
        place=f[:, 1:4],
        shape=f[:, 4:].reshape(-1, 3, m),
        shortening=np.zeros((0, m, m)),
    )


def _of_beam(beam: BeamLink) -> Particles:
    """Particles of the beam and of the masses lumped on it."""
    field, m = beam.field, beam.count
    stations = beam.carriers
    # one element per factor of a station's moments: station, sign, l
    factors = [mass_factors(moments) for moments in beam.moments]
    at = np.repeat(np.arange(len(factors)), [len(sign) for sign, _ in factors])
    sign, l = (np.concatenate(part) for part in zip(*factors, strict=True))
    place, shape = _motion(field.place(stations.xi), stations.sections, at, l)
    running = field.running_terms(stations.xi) if beam.second_order and beam.bending_count else None
    parts: list[Particles] = []
    for kind in np.unique(np.concatenate([l != 0, sign[:, None] > 0], axis=1), axis=0)[::-1]:
        group = np.all(np.concatenate([l != 0, sign[:, None] > 0], axis=1) == kind, axis=1)
        forms = np.zeros((group.sum(), m, m))
        if running is not None and kind[0]:
            unit = np.eye(len(stations.xi))
            forms = np.array([l0 * running.foreshortening(unit[k]) for k, l0 in zip(at[group], l[group, 0])])
        parts.append(_condense(sign[group], l[group, 0], place[group], shape[group], forms))
    parts.sort(key=lambda part: not np.any(part.shortening))
    foreshortened = [part.shortening for part in parts if np.any(part.shortening)]
    return Particles(
        sign=np.concatenate([part.sign for part in parts]),
        carried=np.concatenate([part.carried for part in parts]),
        place=np.concatenate([part.place for part in parts]),
        shape=np.concatenate([part.shape for part in parts]),
        shortening=np.concatenate([np.zeros((0, m, m)), *foreshortened]),
    )


def mass_factors(moments: Array) -> tuple[Array, Array]:
    """Signs (k,) and vectors l (k, 4) with sum_k sign l l^T = moments, without those that vanish."""
    diagonal = np.count_nonzero(moments - np.diag(np.diag(moments))) == 0
    values, vectors = (np.diag(moments), np.eye(4)) if diagonal else np.linalg.eigh(moments)
    held = np.abs(values) > 1e-15 * np.abs(values).max(initial=0.0)
    return np.sign(values[held]), (np.sqrt(np.abs(values)) * vectors).T[held]


def _motion(axis: Array, sections: Sections, at: Array, l: Array) -> tuple[Array, Array]:
    """Undeformed position (k, 3) and first-order displacement (k, 3, m) of the elements l (k, 4) at the stations `at`.

    axis: stations along x, (n,), or their places (n, 3).
    """
    axis = np.multiply.outer(axis, [1.0, 0.0, 0.0]) if axis.ndim == 1 else axis
    place = l[:, 1:] + l[:, :1] * axis[at]
    turned = np.cross(sections.psi[at], l[:, 1:, None], axisa=1, axisb=1, axisc=1)
    return place, l[:, :1, None] * sections.phi[at] + turned


def _condense(sign: Array, carried: Array, place: Array, shape: Array, forms: Array) -> Particles:
    """Condense the sums to fewer particles: coordinates in an orthonormal basis of the functions that occur."""
    k = len(sign)
    functions = np.concatenate([carried[:, None], place, shape.reshape(k, -1), forms.reshape(k, -1)], axis=1)
    norms = np.linalg.norm(functions, axis=0)
    functions = functions[:, norms > 1e-14 * norms.max()] / norms[norms > 1e-14 * norms.max()]
    Q, size, _ = np.linalg.svd(functions, full_matrices=False)
    Q = Q[:, size > RESOLUTION * size[0]]
    return Particles(
        sign=np.full(Q.shape[1], sign[0]),
        carried=Q.T @ carried,
        place=Q.T @ place,
        shape=np.einsum("kn,kaj->naj", Q, shape),
        shortening=np.einsum("kn,kij->nij", Q, forms),
    )
