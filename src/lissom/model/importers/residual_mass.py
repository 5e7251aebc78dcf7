"""What is left of a link's mass once a beam stands for its structure: motors, covers, cables of a URDF's link."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.beam import FlexibleLink
from lissom.errors import RobotError
from lissom.model.importers.frame_based_links import Inertial

REST = ("dropped", "lumped")
SAME = 1e-3  # relative difference of masses that nobody needs to be told of


def lump_residual_mass(whole: Inertial, link: FlexibleLink, name: str) -> dict[str, Any]:
    """Return the mass that, lumped on `link`, gives it the mass, centre and (where it can) inertia of `whole`.

    Parameters
    ----------
    whole : Inertial
        In the frame of the beam.

    Returns
    -------
        An entry of the beam's `masses`, as in a robot file.
    """
    inv = link.invariants()
    mass = whole.mass - float(inv.mass)
    if mass <= 0:
        text = f"the beam alone has {inv.mass:.4g} kg and the URDF's link {whole.mass:.4g} kg, so there is no rest"
        raise RobotError(f"{text}; take a lighter section, or rest: dropped", ("flexible", name, "rest"), "lumped")
    centre = (whole.mass * whole.com - inv.mc0) / mass
    d = whole.com
    moments = whole.mass * np.outer(d, d) + np.trace(whole.inertia) / 2 * np.eye(3) - whole.inertia
    spread = moments - inv.G0 - mass * np.outer(centre, centre)  # second moments about the lump's centre
    values, axes = np.linalg.eigh((spread + spread.T) / 2)
    spread = (axes * np.maximum(values, 0.0)) @ axes.T  # no mass is spread less than a point
    at = float(np.clip(centre[0], 0.0, link.length))
    inertia = np.trace(spread) * np.eye(3) - spread
    return {"mass": mass, "at": at, "com": (centre - [at, 0, 0]).tolist(), "inertia": inertia.tolist()}


def describe_residual_mass(whole: Inertial, link: FlexibleLink, name: str, rest: str) -> str | None:
    """Return what a person should know about the mass of a link that became a beam; None where it hardly changed.

    `whole` is in the frame of the beam.
    """
    mass = float(link.mass) if rest == "dropped" else float(link.mass) - sum(float(m.mass) for m in link.masses)
    left = whole.mass - mass
    if abs(left) <= SAME * whole.mass:
        return None
    became = f"link {name} became a beam of {mass:.4g} kg; the URDF gives it {whole.mass:.4g} kg"
    if left < 0:
        return f"{became}: it is {-left:.4g} kg heavier now; check section and material"
    if rest == "lumped":
        return f"{became}: the other {left:.4g} kg are added to it as a lumped mass{_excess_inertia(whole, link)}"
    return f"{became}: the other {left:.4g} kg are left out; write rest: lumped under flexible.{name} to keep them"


def _excess_inertia(whole: Inertial, link: FlexibleLink) -> str:
    """Return how much inertia a lump could not take away: that of the beam alone beyond that of the whole link."""
    if len(link.masses) > 1:  # the file has masses of its own, beyond the URDF's
        return ""
    inv = link.invariants()
    centre = inv.mc0 / inv.mass
    second = inv.G0 - inv.mass * np.outer(centre, centre)
    excess = np.linalg.eigvalsh(np.trace(second) * np.eye(3) - second - whole.inertia)[-1]
    share = float(excess) / float(np.linalg.eigvalsh(whole.inertia)[-1] or np.inf)
    if share <= SAME:
        return ""
    return (
        f"; its inertia about the centre is up to {excess:.3g} kg m2 ({share:.1%} of the URDF's largest) more now, as "
        "the beam alone is spread wider than the URDF's link: check length and section, or the URDF's inertia"
    )
