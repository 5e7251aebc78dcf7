"""Which natural frequencies of a machine the functions of its links follow."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from lissom.analysis.modes.participation import ModeShare
from lissom.beam import BeamLink
from lissom.beam.functions.attachment_functions import Place
from lissom.beam.omitted_shapes import LeftOut, left_out
from lissom.dynamics import jacobian
from lissom.dynamics.state_checks import Vector
from lissom.model.compilation.attachment_points import acting_places
from lissom.model.compilation.shape_function_checks import resolved_frequencies
from lissom.model.model import Model

ERROR = 0.01  # of a frequency, from which on a mode is marked
COARSE = 1.02  # times the frequency that functions follow, from which on modes are marked
BENDING_SHARE = 0.2  # of the strain energy of a mode, in one direction of a link, for its functions to matter


def resolved_modes(
    model: Model, q: Vector, parts: Sequence[ModeShare], squares: np.ndarray, shapes: np.ndarray, stored: np.ndarray
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return which modes have frequencies that the functions of their links follow, and the links that do not.

    A frequency is followed if it would fall by less than `ERROR` could the links move in natural shapes that they leave
    out, too. Links whose functions do not even follow static loads are judged by their own frequencies.

    Parameters
    ----------
    squares : array
        (modes,) of the angular frequencies, zero where a mode does not oscillate.
    shapes : array
        (nv, modes) of unit modal mass.
    stored : array
        (nv, modes) what every coordinate adds to the strain energy.
    """
    limits = resolved_frequencies(model.robot, dict(model.flexible))
    beyond, coarse = np.zeros(len(squares), bool), []
    whole = np.abs(stored).sum(axis=0)
    falls = {}
    for body in model.bodies:
        beam = model.flexible.get(body.link)
        if not isinstance(beam, BeamLink) or not beam.count:
            continue
        missing = _left_out(beam, acting_places(model.robot, model.robot.link(body.link)))
        if missing is not None:
            base = np.roll(np.real(jacobian(model, q, body.link, x=0.0, frame="local")), 3, axis=0)
            coupling = missing.base @ base @ shapes + missing.own @ shapes[body.modes_v]
            falls[body.link] = _falls(squares, missing.squares, coupling)
            continue
        for direction in beam.basis.counts:
            rows = [k for k, part in enumerate(parts) if (part.link, part.direction) == (body.link, direction)]
            limit = (2 * np.pi * COARSE * limits.get((body.link, direction), np.inf)) ** 2
            here = (squares > limit) & (np.abs(stored[rows]).sum(axis=0) > BENDING_SHARE * whole)
            beyond |= here
            coarse += [body.link] if here.any() else []
    if falls:
        low = np.sum(list(falls.values()), axis=0) > ERROR
        coarse += [link for link, each in falls.items() if np.any(each[low] > ERROR / len(falls))]
        beyond |= low
    return ~beyond, tuple(dict.fromkeys(coarse))


def _falls(squares: np.ndarray, missing: np.ndarray, coupling: np.ndarray) -> np.ndarray:
    """Return by how much frequencies fall, relative, to first order, with shapes of the squares `missing` (k,).

    coupling: (k, modes) of the masses of the shapes and the modes.
    """
    apart = np.maximum(np.abs(missing[:, None] - squares), np.finfo(float).eps * squares)
    return np.sum(squares * coupling**2 / apart, axis=0) / 2


@lru_cache(maxsize=256)
def _left_out(beam: BeamLink, places: tuple[Place, ...]) -> LeftOut | None:
    return left_out(beam, places)
