"""Where a body sits on a link that bends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom.kernel.arrays import Sections

if TYPE_CHECKING:
    from lissom.beam import BeamLink
    from lissom.fem.reduced import ReducedLink


def attach(sections: Sections, row: int, beam: BeamLink | ReducedLink, place: float | str) -> None:
    """Let body `row` sit on the section of `beam` at `place`."""
    at, m = beam.section_map(place), beam.count
    sections.position[row], sections.phi[row, :, :m], sections.psi[row, :, :m] = at.position, at.phi, at.psi
    sections.shortening[row, :m, :m], sections.twist[row, :m, :m] = at.foreshortening, at.twist
    sections.running[row, : len(at.running)] = at.running
