"""The last look at a compiled robot: every number finite, every inertia that of something real.

The fields of a description are checked one by one when it is read; here their products are, where numbers that are
each allowed have met.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isfinite
from typing import Any

import numpy as np

from lissom.errors import RobotError
from lissom.kernel.data.arrays import Arrays, Axis
from lissom.kernel.data.table_operations import layout

INDEFINITE = 1e-9  # negative part of an inertia, relative to its own size, that rounding explains
LIGHTEST = 1e-12  # mass of a link over what it carries
LEAST_ROTOR = 1e-20  # kg m2
SINGULAR = 1e-12  # of the modes' own mass matrix


def check(
    arrays: Arrays, links: Sequence[str], before: Arrays | None = None, rows: Iterable[int] | None = None
) -> None:
    """Refuse arrays with numbers that are not finite, or inertias that are not positive, by the name of the link.

    before: arrays that were checked; what is shared with them is sound.
    rows: bodies whose inertia is to be looked at, all unless given.
    """
    numbers = list(_tables(arrays, before))
    if not numbers:
        return
    with np.errstate(all="ignore"):  # quick, and the rule
        sound = isfinite(abs(np.concatenate([table.ravel() for _, table, _ in numbers]).sum()))
    for path, table, axes in () if sound else numbers:
        bad = ~np.isfinite(table)
        if np.any(bad):
            place = np.argwhere(bad)[0]
            whose = ("links", links[place[0] - 1]) if axes[:1] == (Axis.BODY,) and place[0] > 0 else ("the robot",)
            raise RobotError(
                f"its numbers leave the range of floats ({path} is not finite); check the sizes and units of its "
                "masses, lengths, stiffnesses and gears",
                whose,
            )
    for i in range(1, len(links) + 1) if rows is None else rows:
        inertia, count = _generalised_inertia(arrays, i), int(arrays.tree.modes[i])
        if not _reaches(inertia, -INDEFINITE) or (count and not _reaches(inertia[..., 6:, 6:], SINGULAR)):
            raise RobotError(
                "its inertia is not that of a real body (it is not positive); check its masses, inertia and sections, "
                "which may be too far apart in size",
                ("links", links[i - 1]),
            )
    _check_rotors(arrays, links)
    _check_loads(arrays, links)


def _check_rotors(arrays: Arrays, links: Sequence[str]) -> None:
    for k in np.flatnonzero(np.real(arrays.gears.inertia) < LEAST_ROTOR):
        body = int(np.flatnonzero(arrays.tree.joint_v[1:] == arrays.gears.joint_v[k])[-1])
        raise RobotError(
            f"the rotor has next to no inertia ({np.real(arrays.gears.inertia[k]):.3g} kg m2 at the joint); check "
            "rotor_inertia and gear, or leave out the stiffness",
            ("links", links[body], "joint", "transmission"),
        )


def _check_loads(arrays: Arrays, links: Sequence[str]) -> None:
    """Refuse a link that carries so much more than itself that its own inertia is lost in rounding."""
    own = np.real(arrays.inertia.mass).astype(float)
    carried = own.copy()
    for i in range(own.shape[-1] - 1, 0, -1):
        carried[..., arrays.tree.parent[i]] += carried[..., i]
    for *which, i in np.argwhere((own > 0) & (own < LIGHTEST * carried)):
        raise RobotError(
            f"its mass, {own[*which, i]:.3g} kg, is lost beside the {carried[*which, i]:.3g} kg that it carries; check "
            "the units of both, or give it no mass at all",
            ("links", links[i - 1]),
        )


def _tables(arrays: Arrays, before: Arrays | None) -> Iterator[tuple[str, np.ndarray, tuple[Any, ...]]]:
    """Return every table of numbers with its name and axes, but for those of parts that both arrays share."""
    for name, part in arrays._asdict().items():
        if before is not None and part is getattr(before, name):
            continue
        if isinstance(part, np.ndarray):
            yield name, part, ()
            continue
        subject: type = type(part)
        for field, (kind, axes) in layout(subject).items():
            table = getattr(part, field)
            if kind is None and isinstance(table, np.ndarray):
                yield f"{name}.{field}", table, axes


def _generalised_inertia(arrays: Arrays, i: int) -> np.ndarray:
    """Return the mass matrix of a body by itself, (..., 6 + k, 6 + k): rotation, translation, modes, undeformed."""
    k, own = int(arrays.tree.modes[i]), arrays.inertia
    second, moment = own.second_moment[..., i, :, :].real, own.moment[..., i, :].real
    several = moment.shape[:-1]
    out = np.zeros((*several, 6 + k, 6 + k))
    out[..., :3, :3] = np.trace(second, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - second
    out[..., 3:6, 3:6] = own.mass[..., i].real[..., None, None] * np.eye(3)
    coupling = own.coupling[..., i, : 12 * k].real.reshape(*several, k, 4, 3)  # [mode, a, b]: int s_a d_j s_b, s_3 = 1
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        out[..., a, 3 + b], out[..., a, 3 + c] = -moment[..., c], moment[..., b]
        out[..., a, 6:] = coupling[..., b, c] - coupling[..., c, b]
    out[..., 3:6, 6:] = np.swapaxes(coupling[..., 3, :], -1, -2)
    out[..., 6:, 6:] = own.modal_mass[..., i, :k, :k].real
    out[..., 3:6, :3] = np.swapaxes(out[..., :3, 3:6], -1, -2)
    out[..., 6:, :6] = np.swapaxes(out[..., :6, 6:], -1, -2)
    return out


def _reaches(inertia: np.ndarray, least: float) -> bool:
    """Return whether no eigenvalue of matrices (..., n, n), scaled to diagonals of ones, is below `least`.

    What has no inertia at all is left out.
    """
    if _surely_reaches(inertia, least):
        return True
    if inertia.ndim > 2:
        return all(_reaches(one, least) for one in inertia)
    diagonal = inertia.diagonal()
    if diagonal.min() < 0:
        return bool(diagonal.min() / np.abs(diagonal).max() >= least)
    used = diagonal > 0
    if not used.all():
        if np.abs(inertia[~used]).max() > INDEFINITE * np.abs(diagonal).max():
            return False  # what does not move pushes nothing
        inertia, diagonal = inertia[np.ix_(used, used)], diagonal[used]
    if not len(diagonal):
        return least <= 0
    scaled = _scale(inertia, diagonal)
    return bool(np.isfinite(scaled).all() and np.linalg.eigvalsh(scaled)[0] >= least)


def _surely_reaches(inertia: np.ndarray, least: float) -> bool:
    """Return a quick yes, and the rule."""
    diagonal = np.diagonal(inertia, axis1=-2, axis2=-1)
    if not np.all(diagonal > 0):
        return False
    scaled = _scale(inertia, diagonal)
    try:
        np.linalg.cholesky(scaled - 2 * abs(least) * np.eye(inertia.shape[-1]))
        return bool(np.isfinite(scaled).all())
    except np.linalg.LinAlgError:
        return False


def _scale(inertia: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
    """Scale a matrix to a diagonal of ones; not finite where what is beside it is beyond all measure."""
    with np.errstate(all="ignore"):
        scale = 1 / np.sqrt(diagonal)
        scaled: np.ndarray = scale[..., None] * inertia * scale[..., None, :]
    return scaled
