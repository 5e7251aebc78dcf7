"""Where bodies and frames sit on links."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from lissom.kernel.data.arrays import Arrays, Sections
from lissom.kernel.data.table_operations import with_bodies

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lissom.beam import FlexibleLink
    from lissom.model.description.frame import Frame
    from lissom.model.description.robot import Robot


def attach(sections: Sections, row: int, link: FlexibleLink, place: float | str | None) -> None:
    """Let body `row` sit on the section of `link` at `place`, its tip unless given."""
    at, m = link.section_map(link.length if place is None else place), link.count
    sections.position[..., row, :], sections.phi[..., row, :, :m] = at.position, at.phi
    sections.psi[..., row, :, :m], sections.shortening[..., row, :m, :m] = at.psi, at.foreshortening
    sections.twist[..., row, :m, :m] = at.twist
    sections.running[..., row, : len(at.running)] = at.running
    sections.bow[..., row, : len(at.bow)] = at.bow


def with_frames(
    robot: Robot,
    arrays: Arrays,
    frames: Sequence[Frame],
    rows: Mapping[str, int],
    flexible: Mapping[str, FlexibleLink],
) -> Arrays:
    """Return `arrays` of a robot with a row for each of the `frames` after the others; `rows` of the links by name."""
    if not frames:
        return arrays
    more = with_bodies(arrays, len(frames))
    for row, frame in enumerate(frames, start=len(arrays.tree.parent)):
        more.tree.parent[row], more.tree.frame[row] = rows[frame.link], 1
        if frame.link in flexible:
            attach(more.sections, row, flexible[frame.link], frame.at)
        origin = robot.placed(frame).origin
        more.joints.origin_rotation[row], more.joints.origin_position[row] = origin.rotation(), origin.xyz
        more.joints.has_origin[row] = int(np.any(origin.xyz) or np.any(origin.rpy))
    return more
