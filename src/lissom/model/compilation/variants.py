"""Models of robots that differ from a compiled one in some numbers: what both have in common is not made again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Any

import numpy as np

from lissom.beam.link_stack import Stack
from lissom.errors import LissomError
from lissom.kernel.data.arrays import Inertia
from lissom.kernel.data.table_operations import mapped
from lissom.model.compilation.array_checks import check
from lissom.model.compilation.attachment_points import acting_places
from lissom.model.compilation.end_conditions import end_conditions, links_on_loops
from lissom.model.compilation.frames_on_links import attach
from lissom.model.compilation.link_tables import put_body, put_foreshortening, put_inertia, put_strain
from lissom.model.description.robot import Link, Robot
from lissom.model.io.robot_paths import has_complex_values
from lissom.model.model import BodyNames, Model

UNLIKE = "more than numbers differ"
OF_LINKS = ("tree", "sections", "inertia", "foreshortening", "bow", "strain", "exact")
OF_JOINTS = ("joints", "velocities", "passive", "gears", "loops", "loads", "elements", "contacts")


def shared_tables(robot: Robot, names: Sequence[BodyNames], before: Model) -> dict[str, Any]:
    """Return the tables of another model that serve this robot too: of links that do not differ, of joints."""
    if not _alone(robot, before) or list(names) != list(before.bodies):
        return {}
    pairs = list(zip(robot.links, before.robot.links, strict=True))

    def same(*fields: str) -> bool:
        return all(getattr(a, name) is getattr(b, name) for a, b in pairs if a is not b for name in fields)

    links = same("beam", "body", "finite_elements", "payload") and robot.materials == before.robot.materials
    joints = same("joint", "origin") and not any(link.payload or _tip(link) != _tip(other) for link, other in pairs)
    found = (OF_LINKS if links and all(a.at == b.at for a, b in pairs) else ()) + (OF_JOINTS if joints else ())
    return {name: getattr(before.arrays, name) for name in found}


def variant(robot: Robot, before: Model) -> Model | None:
    """Return the one of `variants`."""
    return variants([robot], before)[0]


def variants(robots: Sequence[Robot], before: Model) -> list[Model | None]:
    """Return models of robots that differ from `before` in beams, bodies and payloads; None where more differs.

    They have the numbers that a robot compiled by itself has; what is wrong with one, only that says.
    """
    made: list[Model | None] = [None] * len(robots)
    fitting = [k for k, robot in enumerate(robots) if _similar(robot, before)]
    for several in (fitting, *([k] for k in fitting)) if fitting else ():  # all at once, else one by one
        try:
            models = _Variants([robots[k] for k in several], before).models()
        except LissomError:
            continue
        for k, model in zip(several, models, strict=True):
            made[k] = model
        if several is fitting:
            break
    return made


def _tip(link: Link) -> Any:
    return getattr(link.body, "tip", None)


def _alone(robot: Robot, before: Model) -> bool:
    """Return whether nothing acts on two real robots of as many links from outside, and nothing is prescribed."""
    plain = before.arrays.gravity.dtype.kind != "c" and not before.arrays.velocities.prescribed.any()
    outside = robot.loops or robot.elements or robot.contacts or robot.actuators or before.frames
    return plain and not outside and len(robot.links) == len(before.robot.links)


def _similar(robot: Robot, before: Model) -> bool:
    """Return whether a robot differs from a compiled one in its materials, beams, bodies and payloads alone."""
    other = before.robot
    if not _alone(robot, before) or robot.gravity != other.gravity:
        return False
    pairs = [(a, b) for a, b in zip(robot.links, other.links, strict=True) if a is not b]
    for a, b in pairs:
        if a.joint is not b.joint or a.origin is not b.origin or a.finite_elements is not b.finite_elements:
            return False
        if any(getattr(a, name) != getattr(b, name) for name in ("name", "parent", "at")):
            return False
        if (a.beam is None, a.payload is None) != (b.beam is None, b.payload is None):
            return False
        if _tip(a) != _tip(b):  # where what it carries may sit
            return False
    meshed = robot.materials != other.materials and any(link.finite_elements for link in robot.links)
    return not meshed and not has_complex_values([*(a for a, _ in pairs), robot.materials])


class _Variants:
    """The tables of similar robots, with an axis of robots in front where they differ."""

    def __init__(self, robots: Sequence[Robot], before: Model) -> None:
        self.robots, self.before = robots, before
        self.flexible: dict[str, Sequence[Any]] = {}  # of links that differ
        self._own: dict[str, Any] = {}
        self._heavy: set[int] = set()  # rows whose inertia differs
        for at, link in enumerate(before.robot.links):
            others = [robot.links[at] for robot in robots]
            self._put_bodies(link, others)
            if link.beam is not None:
                self._put_beams(link, others)

    def models(self) -> list[Model]:
        """Return a model for each of the robots."""
        before = self.before
        check(before.arrays._replace(**self._own), before.links, before.arrays, self._heavy)
        links = zip(*self.flexible.values(), strict=True) if self.flexible else repeat(())
        parts = zip(*map(_each, self._own.values()), strict=True) if self._own else repeat(())
        return [
            Model(
                robot,
                before.arrays._replace(**dict(zip(self._own, own, strict=True))),
                before.flexible | dict(zip(self.flexible, bending, strict=True)),
                before.bodies,
                before.frames,
                before.states,
            )
            for robot, bending, own in zip(self.robots, links, parts)
        ]

    def _mine(self, name: str) -> Any:
        """Return a part of the arrays to write into: one of every table of numbers for each robot."""
        if name not in self._own:
            count = len(self.robots)

            def several(table: np.ndarray) -> np.ndarray:
                return table if table.dtype.kind == "i" else np.repeat(table[None], count, axis=0)

            self._own[name] = mapped(several, getattr(self.before.arrays, name))
        return self._own[name]

    def _put_bodies(self, link: Link, others: Sequence[Link]) -> None:
        for name, field in ((link.name, "body"), (link.payload_name, "payload")):
            bodies = [getattr(other, field) for other in others]
            if any(body is not getattr(link, field) for body in bodies):
                row, tables = self.before.row(name), self._mine("inertia")
                self._heavy.add(row)
                for each, body in zip(_each(tables), bodies, strict=True):
                    put_body(each, row, body)

    def _put_beams(self, link: Link, others: Sequence[Link]) -> None:
        materials = self.before.robot.materials
        old: Any = self.before.flexible[link.name]
        beams: list[Any] = []
        for other, robot in zip(others, self.robots, strict=True):
            same = other.beam is link.beam and robot.materials == materials
            assert other.beam is not None and link.beam is not None  # links are of the same kind
            places = acting_places(robot, other)
            if places != acting_places(self.before.robot, link):
                raise LissomError(UNLIKE)
            if same:
                beams.append(old)
            else:
                how = end_conditions(robot, other, links_on_loops(robot))
                beams.append(other.beam.build_like(link.beam, old, robot.materials, materials, how, places))
        if all(beam is old for beam in beams):
            return
        stack = Stack.of(beams)
        if stack is None and len(beams) > 1:
            raise LissomError(UNLIKE)
        self.flexible[link.name] = beams
        if stack is None:
            self._put_beam(link, beams[0], lambda name: mapped(_first, self._mine(name)))
        else:
            self._put_beam(link, stack, self._mine)

    def _put_beam(self, link: Link, beam: Any, tables: Callable[[str], Any]) -> None:
        """Fill the rows of a link that bends, or of a stack of them, where the tables have as many rows for it."""
        row, arrays = self.before.row(link.name), self.before.arrays
        old: Any = self.before.flexible[link.name]
        if not _fits(beam, old):
            raise LissomError(UNLIKE)
        strain, moved = tables("strain"), beam.field is not old.field
        put_strain(strain, row, beam)
        if np.any(np.any(strain.damping[..., row, :, :], axis=(-2, -1)) != arrays.strain.damped[row]):
            raise LissomError(UNLIKE)
        if moved or not np.array_equal(beam.moments, np.broadcast_to(old.moments, beam.moments.shape)):
            drawn = beam.shortening()
            if drawn is not None and drawn.weight.shape[-1] != np.ptp(arrays.foreshortening.start[row : row + 2]):
                raise LissomError(UNLIKE)
            put_inertia(inertia := tables("inertia"), row, beam)
            if not _coupled_like(inertia, row):
                raise LissomError(UNLIKE)
            put_foreshortening(tables("foreshortening"), row, beam)
            self._heavy.add(row)
        if moved:
            for child, place in self._carried_rows(link):
                attach(tables("sections"), child, beam, place)

    def _carried_rows(self, link: Link) -> Iterator[tuple[int, Any]]:
        """Return rows of the bodies on a link, and where they sit."""
        for other in self.before.robot.links:
            if other.parent == link.name:
                yield self.before.row(other.name), other.at
        if link.payload is not None:
            yield self.before.row(link.payload_name), None


def _coupled_like(inertia: Inertia, row: int) -> bool:
    """Return whether couplings of a link change where those change that the tables list, and nowhere else."""
    listed = np.zeros(inertia.coupling_eta.shape[-2:], bool)
    first, last = inertia.coupled_start[row : row + 2]
    listed[tuple(inertia.coupled[first:last].T)] = True
    return not np.any(inertia.coupling_eta[..., row, :, :], where=~listed)


def _each(part: Any) -> Iterator[Any]:
    """Return a part of the arrays, robot by robot."""
    shared = (repeat(table) if table.dtype.kind == "i" else table for table in part)
    return map(type(part)._make, zip(*shared))


def _first(table: np.ndarray) -> np.ndarray:
    return table if table.dtype.kind == "i" else table[0]


def _fits(beam: Any, other: Any) -> bool:
    """Return whether a beam, or a stack of them, has the coordinates of another and terms of the same kinds."""
    names = ("labels", "stiffening", "bending_count", "second_order")
    if beam.stiffening == "exact" or beam.bow is not None or other.bow is not None:
        return False
    same = all(getattr(beam, name) == getattr(other, name) for name in names)
    return same and np.array_equal(beam.cubic_terms()[0], other.cubic_terms()[0])
