"""From the block of a reference, such as {type: quintic, to: 1.0, duration: 2}, to the Reference of some channels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from lissom.control import argument_checks
from lissom.control.laws.channels import ControlledCoordinate, check_units, indices
from lissom.control.references.reference import Reference
from lissom.control.schema import reference_schema
from lissom.control.schema.joint_values import Values
from lissom.errors import Keys, LissomError
from lissom.messages import listed
from lissom.model.angle_warnings import doubt_degrees
from lissom.model.model import Model
from lissom.model.schema.units import ACCELERATION, FORCE, POSITION, RATE, JointUnit

POSITIONS = ("from", "to", "points", "offset")  # fields of a block that say where, not how fast


def reference(
    model: Model,
    block: reference_schema.ReferenceBlock,
    selected: tuple[ControlledCoordinate, ...],
    start: np.ndarray,
    until: float | None = None,
    positions: bool = True,
) -> Reference:
    """Return the reference that a block describes; errors have paths below the block.

    Parameters
    ----------
    selected : sequence
        Its channels.
    start : ndarray
        (len(selected),) where they start, and stay if they are not named.
    until : float, optional
        S, the end of the run, up to which spin-ups and waves go on.
    positions : bool
        Whether it says where joints are, not which torques they take; angles that look like degrees are
        then warned of.
    """
    return _Builder(model, selected, start, until, positions).build(block)


class _Builder:
    def __init__(
        self,
        model: Model,
        selected: tuple[ControlledCoordinate, ...],
        start: np.ndarray,
        until: float | None,
        positions: bool,
    ) -> None:
        self.model, self.selected, self.start, self.until, self.positions = model, selected, start, until, positions
        self.forces = not positions and selected[0].joint_v >= 0  # what has no coordinate is a length

    def build(self, block: Any) -> Reference:
        made: dict[type[reference_schema.ReferenceBlock], Callable[[Any], Reference]] = {
            reference_schema.Constant: lambda b: Reference.constant(self._row(b.to, "to")),
            reference_schema.Step: lambda b: Reference.step(self._row(b.start, "from"), self._row(b.to, "to"), b.at),
            reference_schema.Steps: lambda b: Reference.steps(list(zip(b.times, self._rows(b)))),
            reference_schema.Quintic: lambda b: Reference.quintic(
                self._row(b.start, "from"), self._row(b.to, "to"), b.duration, b.begin
            ),
            reference_schema.Trapezoid: self._trapezoid,
            reference_schema.Via: lambda b: Reference.minimum_jerk(self._rows(b), b.times),
            reference_schema.Csv: self._csv,
            reference_schema.SpinUp: self._spin_up,
            reference_schema.Sine: lambda b: Reference.sine(
                *self._wave(b, "frequency"),
                offset=self._row(b.offset, "offset"),
                phase=self._each(b.phase, "phase", 0.0),
                ramp=b.ramp,
                begin=b.begin,
            ),
            reference_schema.Chirp: lambda b: Reference.chirp(
                *self._wave(b, "frequencies"), self._row(b.offset, "offset"), b.sweep, b.ramp, b.begin
            ),
            reference_schema.Multisine: lambda b: Reference.multisine(
                *self._wave(b, "frequencies"), self._row(b.offset, "offset"), b.phases, b.ramp, b.begin
            ),
        }
        return made[type(block)](block)

    def _trapezoid(self, block: reference_schema.Trapezoid) -> Reference:
        return Reference.trapezoid(
            self._row(block.start, "from"),
            self._row(block.to, "to"),
            speed=self._limit(block.speed, "speed"),
            acceleration=self._limit(block.acceleration, "acceleration"),
            duration=block.duration,
            begin=block.begin,
        )

    def _spin_up(self, block: reference_schema.SpinUp) -> Reference:
        speed = self._row(block.speed, "speed", np.zeros(len(self.selected)))
        if self.until is None:
            raise LissomError("goes on until the end of the run, which is not known here; give from_config until=...")
        until = max(block.begin + block.duration, self.until) + 1.0  # a reference rests after its end
        return Reference.spin_up(speed, block.duration, until, self.start, block.begin)

    def _wave(self, block: Any, field: str) -> tuple[np.ndarray, Any, float]:
        """Return amplitudes, frequencies, duration; a sine that no duration ends goes on beyond the end of the run."""
        amplitude = self._row(block.amplitude, "amplitude", np.zeros(len(self.selected)))
        hertz = self._each(block.frequency, field, 1.0) if field == "frequency" else block.frequencies
        if block.duration is not None:
            return amplitude, hertz, block.duration
        if self.until is None:
            raise LissomError("missing; give the time of the motion in seconds", ("duration",))
        left = max(self.until - block.begin, 0.0)
        return amplitude, hertz, left if isinstance(block, reference_schema.Chirp) and left else left + block.ramp + 1.0

    def _each(self, value: Values, name: str, default: float) -> Any:
        """Return one value for all channels, a list with one each, or {joint: value}; the default for the others."""
        return self._row(value, name, np.full(len(self.selected), default)) if isinstance(value, dict) else value

    def _csv(self, block: reference_schema.Csv) -> Reference:
        columns = self._columns(block.columns) if isinstance(block.columns, dict) else block.columns
        try:
            reference = Reference.from_csv(block.path, columns, block.time, block.interpolation)
        except LissomError as error:  # about the file, whose own place it has
            raise LissomError(str(error), ("path",)) from None
        if reference.channels != len(self.selected):
            names = listed([c.name for c in self.selected], "and")
            text = f"the file gives {reference.channels} columns; name one each for {names}"
            raise LissomError(text, ("columns",))
        return reference

    def _columns(self, columns: dict[str, Any]) -> list[Any]:
        order: list[Any] = [None] * len(self.selected)
        for name, column in columns.items():
            index = indices(self.model, self.selected, name, "columns")
            given = column if isinstance(column, tuple) else (column,)
            if len(given) != len(index):
                raise LissomError(f"give {len(index)} columns for it", ("columns", name), column)
            for k, one in zip(index, given):
                order[k] = one
        missing = [c.name for c, column in zip(self.selected, order) if column is None]
        if missing:
            raise LissomError(f"nothing for {listed(missing, 'and')}; name a column for each", ("columns",))
        return order

    def _row(self, value: Values | None, path: str | Keys, default: np.ndarray | None = None) -> np.ndarray:
        """Return one value per channel from {joint: value} or a list; joints that are not named keep the default."""
        row = np.array(self.start if default is None else default, float)
        if value is None:
            return row
        where = argument_checks.keys(path)
        check_units(self.model, self.selected, value, self._unit(where), where)
        remedy = "give the coordinate in rad or metres, for each of " + listed([c.name for c in self.selected], "and")
        if not isinstance(value, dict):
            given = value if isinstance(value, tuple) else (value,)
            if len(given) != len(row):
                raise LissomError(f"has {len(given)} values, not {len(row)}; {remedy}", where, value)
            self._doubt(where, range(len(row)), given)
            return np.array(given)
        for name, part in value.items():
            index = indices(self.model, self.selected, name, where)
            row[index] = argument_checks.numbers(part, (*where, name), remedy, len(index))
            self._doubt(where, index, row[index])
        return row

    def _unit(self, where: Keys) -> JointUnit:
        """Return what a field of a block is in."""
        if where[0] in ("speed", "acceleration"):
            return RATE if where[0] == "speed" else ACCELERATION
        if where[0] in ("frequency", "phase"):
            unit = "Hz" if where[0] == "frequency" else "rad"
            return JointUnit(unit, unit)
        return FORCE if self.forces else POSITION

    def _doubt(self, where: Keys, index: Iterable[int], values: Iterable[float]) -> None:
        """Warn of positions that look like degrees."""
        if self.positions and where[0] in POSITIONS:
            for k, value in zip(index, values):
                doubt_degrees(self.model, self.selected[k].joint_q, float(value), (*where, self.selected[k].name))

    def _rows(self, block: reference_schema.Points) -> np.ndarray:
        rows, last = [], self.start
        for k, point in enumerate(block.points):
            last = self._row(point, ("points", k), last)
            rows.append(last)
        return np.array(rows)

    def _limit(self, value: Values | None, name: str) -> Any:
        """Return a limit: one for all channels, or {joint: value}."""
        if not isinstance(value, dict):
            check_units(self.model, self.selected, value, self._unit((name,)), name)
            return value
        row = self._row(value, name, np.full(len(self.selected), np.nan))
        missing = [c.name for c, v in zip(self.selected, row) if np.isnan(v)]
        if missing:
            text = f"nothing for {listed(missing, 'and')}; give a limit for each, or one for all"
            raise LissomError(text, (name,))
        return row
