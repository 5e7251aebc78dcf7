"""The last look at a compiled robot: every number finite, every inertia that of something real.

The fields of a description are checked one by one when it is read; here their products are, where numbers that are
each allowed have met.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from math import isfinite
from typing import Any

import numpy as np

from lissom.errors import RobotError
from lissom.kernel.arrays import Arrays, Axis, layout

INDEFINITE = 1e-9  # negative part of an inertia, relative to its own size, that rounding explains
LIGHTEST = 1e-12  # mass of a link over what it carries
LEAST_ROTOR = 1e-20  # kg m2
SINGULAR = 1e-12  # of the modes' own mass matrix


def check(arrays: Arrays, links: Sequence[str], known: Container[str] = ()) -> None:
    """Refuse arrays with numbers that are not finite, or inertias that are not positive, by the name of the link.

    `known`: parts of the arrays whose numbers are known to be finite.
    """
    numbers = list(_tables(arrays, known))
    with np.errstate(all="ignore"):  # quick, and the rule
        sound = isfinite(abs(np.concatenate([table.ravel() for _, table, _ in numbers]).sum()))
    for path, table, axes in () if sound else numbers:
        bad = ~np.isfinite(table)
        if np.any(bad):
            place = np.argwhere(bad)[0]
            whose = f"links.{links[place[0] - 1]}" if axes[:1] == (Axis.BODY,) and place[0] > 0 else "the robot"
            raise RobotError(
                f"{whose}: its numbers leave the range of floats ({path} is not finite); check the sizes and units of "
                "its masses, lengths, stiffnesses and gears"
            )
    for i, name in enumerate(links, start=1):
        inertia, count = _generalised_inertia(arrays, i), int(arrays.tree.modes[i])
        if not _reaches(inertia, -INDEFINITE) or (count and not _reaches(inertia[6:, 6:], SINGULAR)):
            raise RobotError(
                f"links.{name}: its inertia is not that of a real body (it is not positive); check its masses, inertia "
                "and sections, which may be too far apart in size"
            )
    _check_rotors(arrays, links)
    _check_loads(arrays, links)


def _check_rotors(arrays: Arrays, links: Sequence[str]) -> None:
    for k in np.flatnonzero(np.real(arrays.gears.inertia) < LEAST_ROTOR):
        body = int(np.flatnonzero(arrays.tree.joint_v[1:] == arrays.gears.joint_v[k])[-1])
        raise RobotError(
            f"links.{links[body]}.joint.transmission: the rotor has next to no inertia "
            f"({np.real(arrays.gears.inertia[k]):.3g} kg m2 at the joint); check rotor_inertia and gear, or leave out "
            "the stiffness"
        )


def _check_loads(arrays: Arrays, links: Sequence[str]) -> None:
    """Refuse a link that carries so much more than itself that its own inertia is lost in rounding."""
    own = np.real(arrays.inertia.mass).astype(float)
    carried = own.copy()
    for i in range(len(own) - 1, 0, -1):
        carried[arrays.tree.parent[i]] += carried[i]
    for i in range(1, len(own)):
        if 0 < own[i] < LIGHTEST * carried[i]:
            raise RobotError(
                f"links.{links[i - 1]}: its mass, {own[i]:.3g} kg, is lost beside the {carried[i]:.3g} kg that it "
                "carries; check the units of both, or give it no mass at all"
            )


def _tables(arrays: Arrays, known: Container[str]) -> Iterator[tuple[str, np.ndarray, tuple[Any, ...]]]:
    """Every table of numbers with its name and axes, but for those of `known` parts."""
    for name, part in arrays._asdict().items():
        if name in known:
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
    """Of one body by itself, (6 + k, 6 + k): turning, gliding, modes, undeformed."""
    k, own = int(arrays.tree.modes[i]), arrays.inertia
    second, (x, y, z) = own.second_moment[i].real, own.moment[i].real
    out = np.empty((6 + k, 6 + k))
    out[:3, :3] = (second[0, 0] + second[1, 1] + second[2, 2]) * np.eye(3) - second
    out[:3, 3:6] = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    out[3:6, 3:6] = own.mass[i].real * np.eye(3)
    if k:
        coupling = own.coupling[i, : 12 * k].real.reshape(k, 4, 3)  # [mode, a, b]: int s_a d_j s_b, s_3 = 1
        for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            out[a, 6:] = coupling[:, b, c] - coupling[:, c, b]
        out[3:6, 6:] = coupling[:, 3].T
        out[6:, 6:] = own.modal_mass[i, :k, :k].real
    out[3:6, :3], out[6:, :6] = out[:3, 3:6].T, out[:6, 6:].T
    return out


def _reaches(inertia: np.ndarray, least: float) -> bool:
    """Whether no eigenvalue of a matrix, scaled to a diagonal of ones, is below `least`; what has no inertia at all is
    left out.
    """
    diagonal = inertia.diagonal()
    if diagonal.min() < 0:
        return bool(diagonal.min() / np.abs(diagonal).max() >= least)
    used = diagonal > 0
    if not used.all():
        inertia, diagonal = inertia[np.ix_(used, used)], diagonal[used]
    if not len(diagonal):
        return least <= 0
    scale = 1 / np.sqrt(diagonal)
    scaled = scale[:, None] * inertia * scale
    try:  # quick, and the rule
        np.linalg.cholesky(scaled - 2 * abs(least) * np.eye(len(scaled)))
        return True
    except np.linalg.LinAlgError:
        return bool(np.linalg.eigvalsh(scaled)[0] >= least)
