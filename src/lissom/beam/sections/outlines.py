"""Outlines of the sections that are rolled, drawn and welded: corners (k, 2) of (y, z), counter-clockwise.

Seen with y to the right and z up, a letter stands as it is written. Every corner is analytic in the sizes.
"""

from __future__ import annotations

import numpy as np

from lissom.beam.number_types import Array, Number

QUARTER = 8  # sides of a rounded corner
ROUND = 96  # sides of an ellipse, and of a circle at least
SIDES_OF_WALL = 4  # of a circle, along a thickness of its wall
MOST_SIDES = 480


def _corners(*places: tuple[Number, Number]) -> Array:
    return np.array(places)


def letter_i(width: Number, height: Number, flange: Number, web: Number) -> Array:
    """Return two flanges of `width` along y, a web of `height` along z; `flange` and `web` are thicknesses."""
    b, h, w, g = width / 2, height / 2, web / 2, height / 2 - flange
    return _corners(
        (-b, -h), (b, -h), (b, -g), (w, -g), (w, g), (b, g), (b, h), (-b, h), (-b, g), (-w, g), (-w, -g), (-b, -g)
    )


def letter_h(width: Number, height: Number, flange: Number, web: Number) -> Array:
    """Return two flanges of `height` along z, joined by a web along y; `width` over all."""
    return letter_i(height, width, flange, web)[:, ::-1][::-1]


def letter_l(width: Number, height: Number, thickness: Number) -> Array:
    """Return a leg of `height` along z and a leg of `width` along y from its foot."""
    t = thickness
    return _corners((0 * t, 0 * t), (width, 0 * t), (width, t), (t, t), (t, height), (0 * t, height))


def letter_c(width: Number, height: Number, flange: Number, web: Number) -> Array:
    """Return a web of `height` along z on the left, flanges of `width` along y to the right."""
    o = 0 * width
    return _corners(
        (o, o), (width, o), (width, flange), (web, flange),
        (web, height - flange), (width, height - flange), (width, height), (o, height),
    )  # fmt: skip


def rectangle(width: Number, height: Number) -> Array:
    """Return a rectangle about its middle."""
    b, h = width / 2, height / 2
    return _corners((-b, -h), (b, -h), (b, h), (-b, h))


def circle(radius: Number, wall: Number) -> Array:
    """Return points on a circle; the thinner the `wall` of a tube, the shorter the sides between them."""
    sides = 4 * int(np.ceil(np.clip(SIDES_OF_WALL * 2 * np.pi * np.real(radius / wall), ROUND, MOST_SIDES) / 4))
    angle = 2 * np.pi * np.arange(sides) / sides
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def rounded_rectangle(width: Number, height: Number, radius: Number) -> Array:
    """Return a rectangle with rounded corners; of polygons with the area of the arcs."""
    if np.real(radius) <= 0:
        return rectangle(width, height)
    b, h = width / 2, height / 2
    angle = np.pi / 2 * np.arange(QUARTER + 1) / QUARTER
    step = np.pi / 2 / QUARTER
    r = radius
    stretch = np.sqrt(step / np.sin(step))  # sides between the arc's points then enclose the arc's area
    arc = [np.stack([r * np.cos(a + angle), r * np.sin(a + angle)], axis=1) for a in np.pi / 2 * np.arange(4)]
    inner = [k for k in range(1, QUARTER)]
    for part in arc:
        part[inner] = part[inner] * stretch
    centres = _corners((b - r, h - r), (-b + r, h - r), (-b + r, -h + r), (b - r, -h + r))
    return np.concatenate([part + centre for part, centre in zip(arc, centres)])


def ellipse(width: Number, height: Number) -> Array:
    """Return an ellipse with axes along y and z, as a polygon of the same area."""
    angle = 2 * np.pi * np.arange(ROUND) / ROUND
    step = 2 * np.pi / ROUND
    stretch = np.sqrt(step / np.sin(step))
    return np.stack([width / 2 * stretch * np.cos(angle), height / 2 * stretch * np.sin(angle)], axis=1)
