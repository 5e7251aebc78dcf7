"""Whether deformed links are beyond what their second-order field and their functions follow, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lissom.beam import BeamLink
from lissom.beam.field_limits import largest_twist, softening, tautness
from lissom.dynamics.state_checks import Vector
from lissom.model.compilation.attachment_points import acting_places
from lissom.model.model import Model

SOFTENED = 0.01  # share of the stiffness left out: up to 1 % of a twist, half as much of the sag of a laminate
TWISTED = 1e-5  # rad: a link that is twisted less does not show how soft it is
TAUT = 30.0  # sqrt(N / EI) L, from which on 1 % of a deflection under a force inside the span may be missing


class Doubt(NamedTuple):
    """A link, what is in doubt, a sentence, the number behind it, and which configuration it is of."""

    link: str
    kind: str
    text: str
    value: float
    place: int = 0


def field_doubts(model: Model, q: Vector, modes: bool = False) -> Iterator[Doubt]:
    """Yield links whose torsion, or whose bending about places inside their span, is more than 1 % off.

    Parameters
    ----------
    model : Model
        The robot.
    q : array
        (nq,) a configuration, or (n, nq) several, of which the worst counts.
    modes : bool
        Whether torsion counts of links that are not twisted, too, as in natural modes.
    """
    several = np.real(np.atleast_2d(q))
    for body in model.bodies:
        beam = model.flexible.get(body.link)
        if not isinstance(beam, BeamLink) or not beam.count:
            continue
        eta = several[:, body.modes_q]
        shows = np.full(len(eta), True) if modes else largest_twist(beam, eta) > TWISTED
        if shows.any():
            shares = np.where(shows, softening(beam, eta), 0.0)
            if (share := float(shares.max())) > SOFTENED:
                yield Doubt(body.link, "torsion", _of_torsion(body.link, share), share, int(shares.argmax()))
        tension, taut = tautness(beam, eta)
        k = int(taut.argmax())
        if taut[k] > TAUT and acting_places(model.robot, model.robot.link(body.link)):
            within = float(np.real(beam.length) / taut[k])
            yield Doubt(body.link, "taut", _of_tension(body.link, float(tension[k]), within), float(taut[k]), k)


def _of_torsion(link: str, share: float) -> str:
    return (
        f"{link}: it is bent so far that its torsion is off by up to {share:.1%} of its stiffness, and with it bending "
        "where the two are coupled, as stiffening: first leaves that out; write stiffening: exact for it"
    )


def _of_tension(link: str, tension: float, within: float) -> str:
    return (
        f"{link}: a tension of {tension:.3g} N makes it bend within {within:.2g} m of forces inside its span, closer "
        "than its functions follow: deflections there may be more than 1 % too small; write modes: {to: a higher "
        "frequency} in its beam and compare"
    )
