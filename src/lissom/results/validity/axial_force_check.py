"""Whether the force along a link was too much for a field without geometric stiffening.

A force N along a link changes its bending stiffness by about N/P of itself, P = pi^2 EI/(4 L^2) its buckling load; a
link that spins is pulled by its own mass, N/P = 2.5 (spin/first frequency)^2. A linear field (stiffening: none) has
no such term: it is in doubt where N is more than a small part of P. See docs/howto/choosing-the-order.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom.beam import BeamLink
from lissom.simulation.raw_run import Event

if TYPE_CHECKING:
    from lissom.results.trajectory import Trajectory

AXIAL = 0.05  # axial force over buckling load beyond which a linear field is in doubt


def check_axial_forces(run: Trajectory) -> list[Event]:
    """Return an event for every link with a linear field that carries too much along its axis, when it first does."""
    events = []
    for body in run.model.bodies:
        beam = run.model.flexible.get(body.link)
        if not isinstance(beam, BeamLink) or beam.stiffening != "none":
            continue
        if not beam.basis.counts["y"] + beam.basis.counts["z"]:
            continue
        share = np.abs(run.wrench(body.joint, frame="local").values[:, 3]) / buckling_load(beam)
        beyond = np.flatnonzero(share > AXIAL)
        if beyond.size:
            when, worst = float(run.time[beyond[0]]), float(share.max())
            text = (
                f"{body.link}: the force along it exceeds {AXIAL:.0%} of its buckling load from t = {when:.4g} s "
                f"({worst:.0%} at most): spin or load changes its stiffness, which stiffening: none leaves out; "
                "use stiffening: first"
            )
            events.append(Event(when, body.link, "axial force", text, worst))
    return events


def buckling_load(beam: BeamLink) -> float:
    """Return the least force along the link, N, that buckles it with its base held: pi^2 EI/(4 L^2), EI its mean."""
    C = np.mean(np.real(beam.profile.tables(beam.basis.rule.nodes)[0]), axis=0)
    bends = [C[row, row] for row, count in ((5, beam.basis.counts["y"]), (4, beam.basis.counts["z"])) if count]
    return float(np.pi**2 / max(bends) / (4 * np.real(beam.length) ** 2))
