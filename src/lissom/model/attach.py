"""Where a body sits on a link that bends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom.kernel.arrays import Sections

if TYPE_CHECKING:
    from lissom.beam import FlexibleLink


def attach(sections: Sections, row: int, link: FlexibleLink, place: float | str) -> None:
    """Let body `row` sit on the section of `link` at `place`."""
    at, m = link.section_map(place), link.count
    sections.position[row], sections.phi[row, :, :m], sections.psi[row, :, :m] = at.position, at.phi, at.psi
    sections.shortening[row, :m, :m], sections.twist[row, :m, :m] = at.foreshortening, at.twist
    sections.running[row, : len(at.running)] = at.running
