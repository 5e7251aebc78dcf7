"""Forces and moments inside beams: what one part of a bent link exerts on the next, at any place and time.

They follow from balance, not from the curvature of a few shape functions: what lies beyond a section must be given its
acceleration, its weight and what the links that it carries and the loads, elements, contacts and loops on it ask for.
So they are as exact as the motion, and at the base they are the wrench of the joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.beam import BeamLink
from lissom.errors import LissomError
from lissom.lie import quaternion, so3
from lissom.results.registry.result_quantity import RunData
from lissom.simulation.postprocess import Wanted, observe

if TYPE_CHECKING:
    from lissom.model.model import Model

COMPONENTS = ("N", "Vy", "Vz", "T", "My", "Mz")  # tension, shear, torsion, bending
PIECES = 16  # that a beam has at least, for the sums over its mass
NODES, WEIGHTS = np.polynomial.legendre.leggauss(4)  # between one station and the next
STEP = 1e-3  # rad or m that the fastest coordinate moves by in a difference, in every sample
BALANCED = 0.05  # of the peak wrench: what may be left over at the base


class _LinkMotion(NamedTuple):
    """Of sections at K places in N samples, in the world."""

    p: np.ndarray  # (N, K, 3) place
    R: np.ndarray  # (N, K, 3, 3) axes
    p2: np.ndarray  # second derivatives by time
    R2: np.ndarray


def section_forces(run: RunData, link: str, x: np.ndarray) -> np.ndarray:
    """Return forces and moments in the sections of a beam at rising places x (k,), (N, k, 6) in COMPONENTS.

    They are those that the outer part exerts on the inner one, about the section's centre and in its axes: tension is
    positive.
    """
    beam = run.model.flexible[link]
    if not isinstance(beam, BeamLink):
        raise LissomError("is not a beam and has no sections; its von_mises gives stresses", ("link",), link)
    x = np.asarray(x, float)
    length = float(np.real(beam.length))
    jumps = length * np.array(beam.profile.edges)
    at, moments = _mass_points(beam, np.unique(np.concatenate([x, jumps, np.linspace(0.0, length, PIECES + 1)])))
    places = np.append(x, 0.0)  # the base comes last, to be compared with the joint
    moved = _motion(run, link, np.concatenate([at, places]))
    points, shown = (_LinkMotion(*(part[:, side] for part in moved)) for side in (slice(len(at)), slice(len(at), None)))
    loads = [(at, points.p, *_point_loads(points, moments, np.asarray(run.model.robot.gravity, float)))]
    where, p, force, torque = (
        np.concatenate(parts, axis=min(k, 1)) for k, parts in enumerate(zip(*loads, *_carried_loads(run, link, length)))
    )
    # sums over what lies beyond each place, moments about the base first
    order = np.argsort(where, kind="stable")
    base = shown.p[:, -1:]
    torque = torque + np.cross(p - base, force)
    F, M = (_sums_beyond(part[:, order], np.searchsorted(where[order], places)) for part in (force, torque))
    M = M - np.cross(shown.p - base, F)
    local = np.concatenate([so3.act(so3.inverse(shown.R), each) for each in (F, M)], axis=2)
    _check_balance(run, link, length, local[:, -1])
    return -local[:, :-1]


def _sums_beyond(parts: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Return sums (N, k, 3) of parts (N, n, 3) from each index in `first` (k,) on."""
    sums = np.zeros((len(parts), parts.shape[1] + 1, 3))
    sums[:, :-1] = np.cumsum(parts[:, ::-1], axis=1)[:, ::-1]
    return sums[:, first]


def section_stresses(run: RunData, link: str, x: np.ndarray) -> np.ndarray:
    """Return the peaks of the stresses over sections of a beam at rising places x (k,), (N, k, 4) Pa, in STRESSES.

    Of a place that is named twice the first one shows the section that ends there, where it jumps.
    """
    beam, materials = run.model.robot.link(link).beam, run.model.robot.materials
    forces = section_forces(run, link, x)
    assert beam is not None  # else its forces were refused
    forces = forces - np.real(beam.prestress.build().pull)
    made = []
    for k, place in enumerate(x):
        stress = beam.section_stress(float(place), materials, ending=place in x[k + 1 :])
        if stress is None:
            raise LissomError(
                "has a section of given stiffnesses without a shape, so its stresses are not known; give its section "
                f"as a shape, or take the forces of run.section_forces({link!r})",
                ("link",),
                link,
            )
        made.append(stress.peaks(forces[:, k]))
    return np.stack(made, axis=1)


def both_sides(x: np.ndarray, jumps: Sequence[float]) -> np.ndarray:
    """Return places x (k,) and each jump twice, rising."""
    kept = [place for place in x if not np.any(np.abs(place - np.array(jumps)) < 1e-12)]
    return np.sort([*kept, *jumps, *jumps])


def _mass_points(beam: BeamLink, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the places (K,) of mass along a beam, by Gauss' rule between `edges`, and the moments (K, 4, 4) there."""
    half, middle = np.diff(edges) / 2, (edges[1:] + edges[:-1]) / 2
    at = (middle[:, None] + half[:, None] * NODES).ravel()
    per_length = np.real(beam.profile.tables(beam.profile.fraction(at))[1])
    moments = (half[:, None] * WEIGHTS).ravel()[:, None, None] * per_length
    if beam.masses:
        at = np.concatenate([at, [float(np.real(lump.x)) for lump in beam.masses]])
        moments = np.concatenate([moments, [np.real(lump.moments) for lump in beam.masses]])
    return at, moments


def _point_loads(points: _LinkMotion, moments: np.ndarray, gravity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return force and torque about its place that each mass point asks for, (N, K, 3) each, world axes."""
    free = points.p2 - gravity
    mass, first, second = moments[:, 0, 0, None], moments[:, 0, 1:], moments[:, 1:, 1:]
    force = mass * free + np.einsum("nkij,kj->nki", points.R2, first)
    spread = np.einsum("nkia,kab,nkjb->nkij", points.R2, second, points.R)
    turning = np.stack([spread[..., k, j] - spread[..., j, k] for j, k in ((1, 2), (2, 0), (0, 1))], axis=-1)
    return force, turning + np.cross(np.einsum("nkij,kj->nki", points.R, first), free)


def _carried_loads(
    run: RunData, link: str, length: float
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Return what a link carries and what acts on it: where on the link, the place, force and torque in world axes."""
    seen = run.seen
    joined = [
        (child.at, seen.link_position[:, k], quaternion.to_matrix(seen.link_orientation[:, k]), seen.wrench[:, k])
        for k, child in enumerate(run.model.robot.bodies)
        if child.parent == link
    ]
    joined += [
        (frame.at, seen.frame_position[:, k], seen.frame_axes[:, k], seen.frame_wrench[:, k])
        for k, frame in enumerate(run.model.frames)
        if frame.link == link
    ]
    made = []
    for at, origin, R, wrench in joined:
        place = length if at is None else float(np.real(at))
        p, f, t = (each[:, None] for each in (origin, so3.act(R, wrench[:, 3:]), so3.act(R, wrench[:, :3])))
        made.append((np.array([place]), p, f, t))
    return made


def _motion(run: RunData, link: str, x: np.ndarray) -> _LinkMotion:
    """Return the sections of a link with their accelerations, by differences along the motion that q, v and a begin."""
    h, *seen = run.once(_neighbours)
    k, beam = run.model.row(link) - 1, run.model.flexible[link]
    modes = run.model.bodies[k].modes_q
    states = []
    for q, position, orientation in seen:
        R, origin = quaternion.to_matrix(orientation[:, k])[:, None], position[:, k, None]
        T = np.real(beam.pose(x, q[:, modes]))
        states.append((origin + so3.act(R, T[..., :3, 3]), R @ T[..., :3, :3]))
    (p0, R0), (p, R), (p1, R1) = states
    h = h[:, :, None]
    return _LinkMotion(p, R, (p1 - 2 * p + p0) / h**2, (R1 - 2 * R + R0) / h[..., None] ** 2)


def _neighbours(run: RunData) -> tuple[Any, ...]:
    """Return times h (N, 1), and q, places and axes of links: h before each sample, in it, and h after it."""
    raw, seen, still = run.raw, run.seen, np.zeros_like(run.raw.v)
    h = (STEP / (1.0 + np.abs(raw.v).max(axis=1) + np.sqrt(np.abs(raw.a).max(axis=1))))[:, None]
    ends = [_advance(run.model, raw.q, raw.v, raw.a, side * h) for side in (-1, 1)]
    before, after = (
        (q, there.link_position, there.link_orientation)
        for q in ends
        for there in [observe(run.model, q, still, still, look=Wanted.PLACES)]
    )
    return h, before, (raw.q, seen.link_position, seen.link_orientation), after


def _advance(model: Model, q: np.ndarray, v: np.ndarray, a: np.ndarray, h: np.ndarray) -> np.ndarray:
    """Return configurations (N, nq) short times h (N, 1) later, right to the second order."""
    out, step = q.copy(), h * v + h**2 / 2 * a
    for link, body in zip(model.robot.bodies, model.bodies, strict=True):
        if not link.joint.kind.on_group:
            out[:, body.joint_q] += step[:, body.joint_v]
        else:
            at, turn = body.joint_q.start, slice(body.joint_v.start, body.joint_v.start + 3)
            out[:, at : at + 4] = quaternion.integrate(q[:, at : at + 4], step[:, turn])
            if link.joint.kind.floats:  # its velocity is given in axes that turn
                way = slice(turn.stop, body.joint_v.stop)
                moved = step[:, way] + h**2 / 2 * np.cross(v[:, turn], v[:, way])
                out[:, at + 4 : body.joint_q.stop] += so3.act(quaternion.to_matrix(q[:, at : at + 4]), moved)
        out[:, body.modes_q] += step[:, body.modes_v]
    return out


def _check_balance(run: RunData, link: str, length: float, base: np.ndarray) -> None:
    """Refuse where what was counted is not what the joint gives."""
    joint = run.seen.wrench[:, run.model.row(link) - 1]
    force, moment = (np.linalg.norm(part, axis=1).max() for part in (joint[:, 3:], joint[:, :3]))
    off = np.abs(base - np.concatenate([joint[:, 3:], joint[:, :3]], axis=1)).max(axis=0)
    if off[:3].max() > BALANCED * force + 1e-9 or off[3:].max() > BALANCED * (moment + force * length) + 1e-9:
        raise LissomError(
            f"the forces in the sections of {link} do not add up to those of its joint (by {off[:3].max():.2g} N and "
            f"{off[3:].max():.2g} N m): the run diverged, or it was made from a dataset, which has no loads on links"
        )
