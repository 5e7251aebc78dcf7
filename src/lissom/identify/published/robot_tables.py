"""Published tables of a robot: numbers read at an instant of a motion, or natural frequencies at rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import BeforeValidator, Field

from lissom.analysis.modes.natural_modes import natural_modes
from lissom.errors import IdentifyError, within
from lissom.identify.fit_parameters import FitPart
from lissom.identify.measured_quantities import measured
from lissom.identify.published.printed_values import PrintedValue
from lissom.messages import did_you_mean
from lissom.model.description.robot import Robot
from lissom.model.model import Model
from lissom.model.schema import units
from lissom.model.schema.name_fields import Title
from lissom.model.schema.number_fields import Number
from lissom.simulation.sensitivity.motion_sensitivity import sensitivity
from lissom.simulation.settings import RunSettings

FREQUENCY = "frequency."  # in front of the number of a mode, 1 for the slowest
PRECISE = {"rtol": 1e-8, "atol": 1e-10, "audit": False}  # differences by parameters are taken of these runs


class PrintedNumber(FitPart):
    """A number as printed, with its unit."""

    what: ClassVar[str] = "printed number"

    value: str | float = Field(description='as printed, "113.50": half a unit of the last digit is its tolerance')
    unit: Annotated[str | None, Title("the unit, such as deg or mm")] = None

    @property
    def read(self) -> PrintedValue:
        """The number in the unit it is printed in."""
        return PrintedValue.read(self.value)


def _number(value: Any) -> Any:
    return {"value": value} if isinstance(value, str | int | float) else value


class PublishedTable(FitPart):
    """Numbers that a paper prints of one motion, at one instant, or of the arm at rest.

    >>> PublishedTable(time=0.5, values={"position.hinge": {"value": "113.50", "unit": "deg"}})
    >>> PublishedTable(values={"frequency.1": "11", "frequency.2": "31"})
    """

    what: ClassVar[str] = "table"

    name: Annotated[str, Title("the name of the table")] = ""
    time: Annotated[float | None, Number("when the numbers are read, for those of a motion", "s", above=0)] = None
    start: dict[str, float] = Field(default={}, description="start values, or the pose, by joint")
    locked: Any = Field(default=True, description="of frequencies: true, false, motors or a list of joints")
    values: dict[str, Annotated[PrintedNumber, BeforeValidator(_number)]] = Field(
        min_length=1, description="{quantity: as printed}, quantities as of a fit's outputs, or frequency.1"
    )


@dataclass(frozen=True, eq=False)
class RobotTables:
    """What a robot has where tables print numbers: called with values of its fields, it returns the numbers."""

    robot: Robot
    tables: Sequence[PublishedTable]

    @property
    def printed(self) -> dict[str, str]:
        """The numbers of all tables, as printed, by name."""
        made = {}
        for k, table in enumerate(self.tables):
            head = f"{table.name}: " if table.name else f"table {k + 1}: " if len(self.tables) > 1 else ""
            for name, number in table.values.items():
                with within("tables", k, "values", name):
                    made[head + name] = number.read.text
        return made

    def __call__(self, values: Mapping[str, float]) -> np.ndarray:
        """Return the numbers (n,) of the robot with other values of its fields, in the printed units."""
        model = self.robot.with_values(values.items()).compile()
        found = []
        for k, table in enumerate(self.tables):
            with within("tables", k):
                found += self._numbers(model, table)
        return np.array(found)

    def _numbers(self, model: Model, table: PublishedTable) -> list[float]:
        modes = [name for name in table.values if name.startswith(FREQUENCY)]
        hz = self._frequencies(model, table) if modes else np.zeros(0)
        run = self._run(model, table) if len(modes) < len(table.values) else None
        found = []
        for name, number in table.values.items():
            with within("values", name):
                if run is None or name in modes:
                    found.append(_mode(hz, name) / _size(number, "Hz"))
                else:
                    quantity = measured(model, name)
                    found.append(float(quantity.both(run)[0][-1]) / _size(number, quantity.unit))
        return found

    def _run(self, model: Model, table: PublishedTable) -> Any:
        if table.time is None:
            raise IdentifyError("missing; give the instant at which the numbers are read", ("time",))
        settings = RunSettings.of(table.time, rate=1.0 / table.time, **PRECISE)
        return sensitivity(model, [], settings, start=table.start or None, progress=False)

    def _frequencies(self, model: Model, table: PublishedTable) -> np.ndarray:
        found = natural_modes(model, table.start or None, locked=table.locked)
        return found.frequencies[found.oscillating]


def _mode(hz: np.ndarray, name: str) -> float:
    text = name.removeprefix(FREQUENCY)
    if not text.isdigit() or not 1 <= int(text) <= len(hz):
        raise IdentifyError(f"the arm has {FREQUENCY}1 to {FREQUENCY}{len(hz)}{did_you_mean(name, [FREQUENCY + '1'])}")
    return float(hz[int(text) - 1])


def _size(number: PrintedNumber, unit: str) -> float:
    """Return what one of the printed unit is in SI units."""
    if number.unit is None:
        return 1.0
    given = units.parse(number.unit)
    if given is None or not units.fits(given, unit):
        raise IdentifyError(
            f"is not a unit of this quantity; write {unit} or another of its kind", ("unit",), number.unit
        )
    return given.size
