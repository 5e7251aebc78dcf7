"""What is kept of every run: a quantity by name, over time or as one number.

deflection.upper               the deflection of the link upper, over time, three axes
peak |deflection.upper|        the largest length of that vector
last tip_position.tool.z       the height at the end
rms torque.elbow
settling position.elbow        when it arrived for good
frequency.1                    lowest natural frequency at the start, joints locked
mass                           of the whole arm
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import StudyError
from lissom.messages import did_you_mean, listed, near
from lissom.model.model import Model
from lissom.results.quantities import RUN, Quantities
from lissom.results.summaries.summary import settling_time

FREQUENCY, MASS = "frequency", "mass"  # quantities of the arm, not of a motion
EXAMPLE = "peak |deflection.upper|"
THREE = {
    "torque": ("tx", "ty", "tz"),
    "force": ("fx", "fy", "fz"),
    "turn": ("wx", "wy", "wz"),
    "speed": ("vx", "vy", "vz"),
}


def _settling(time: np.ndarray, values: np.ndarray) -> float:
    when = settling_time(time, values)[1]
    return np.nan if when is None else when


REDUCTIONS: dict[str, Callable[[np.ndarray, np.ndarray], Any]] = {
    "peak": lambda time, x: np.abs(x).max(),
    "rms": lambda time, x: np.sqrt(np.trapezoid(x * x, time) / (time[-1] - time[0])) if len(time) > 1 else abs(x[0]),
    "mean": lambda time, x: np.trapezoid(x, time) / (time[-1] - time[0]) if len(time) > 1 else x[0],
    "least": lambda time, x: x.min(),
    "most": lambda time, x: x.max(),
    "range": lambda time, x: np.ptp(x),
    "first": lambda time, x: x[0],
    "last": lambda time, x: x[-1],
    "settling": _settling,
}


class RunQuantity(NamedTuple):
    """A quantity of one run: its axes, their labels where they have some, and what it is."""

    dims: tuple[str, ...]
    values: np.ndarray
    labels: dict[str, tuple[str, ...]]
    units: str
    text: str = ""


@dataclass(frozen=True)
class Quantity:
    """A quantity and how it is reduced over time; `text` is how a user writes it."""

    text: str
    channel: str
    reduction: str = ""
    length: bool = False  # of a vector

    @classmethod
    def of(cls, text: Any) -> Quantity:
        """Read a quantity from what a user writes."""
        if isinstance(text, Quantity):
            return text
        found = (
            re.fullmatch(r"\s*(?:([^\s|]+)\s+)?(?:\|\s*([^\s|]+)\s*\||([^\s|]+))\s*", text)
            if isinstance(text, str)
            else None
        )
        if found is None:
            raise StudyError(f"must be a quantity such as {EXAMPLE!r}", ("outputs",), text)
        reduction, vector, plain = found.groups()
        if reduction is not None and reduction not in REDUCTIONS:
            hint = did_you_mean(reduction, REDUCTIONS)
            raise StudyError(
                f"unknown reduction {reduction!r}{hint}; there are {listed(REDUCTIONS, 'and')}", ("outputs",), text
            )
        made = cls(text.strip(), vector or plain, reduction or "", vector is not None)
        if made.of_robot and (made.reduction or made.length):
            text_ = f"{made.channel} is one number and does not change with time; write it alone"
            raise StudyError(text_, ("outputs",), text)
        if made.channel in REDUCTIONS and not made.reduction:
            raise StudyError(f"does not say of what; write it as in {EXAMPLE!r}", ("outputs",), text)
        return made

    @property
    def over_time(self) -> bool:
        """Whether it has a value at every output time."""
        return not self.reduction and not self.of_robot

    @property
    def of_robot(self) -> bool:
        """Whether it follows from the robot and its start alone."""
        return self.channel.partition(".")[0] in (FREQUENCY, MASS)

    @property
    def needs(self) -> frozenset[str]:
        """The results of a run that it is made of."""
        return frozenset(() if self.of_robot else (self.channel.partition(".")[0],))

    def measure(self, data: Quantities, model: Model, q: np.ndarray) -> RunQuantity:
        """Return its value in a run of the results `data`, which began in `q`, over time where it is not reduced."""
        head, _, rest = self.channel.partition(".")
        if head == MASS and rest:
            raise StudyError(f"there is nothing below {MASS}; leave out {rest!r}", ("outputs",), self.text)
        if head == MASS:
            return RunQuantity((), np.asarray(total_mass(model)), {}, "kg")
        if head == FREQUENCY:
            return _frequency(model, q, rest, self.text)
        found = self._select(data)
        if self.length:
            found = _length(found, self.text)
        return self._reduce(found, data["time"]) if self.reduction else found

    def _select(self, data: Quantities) -> RunQuantity:
        names = data.names
        head, _, rest = self.channel.partition(".")
        if head not in names:
            close = near(head, [*names, FREQUENCY, MASS])
            hint = f"did you mean {close[0]!r}?" if close else f"there are {listed([*names, FREQUENCY, MASS], 'and')}"
            raise StudyError(f"this robot has no quantity {head!r}; {hint}", ("outputs",), self.text)
        variable = data.variables[head]
        columns = data.column_units(head)
        dims, values = list(variable.dims), variable.values
        kept: dict[str, tuple[str, ...]] = {}
        for dim in variable.dims:
            if dim in (RUN, "time"):
                continue
            labels = data.labels(dim)
            if not rest:
                kept[dim] = tuple(labels)
                continue
            parts = {name: three for name, three in THREE.items() if set(three) <= set(labels)}
            # a label may have dots of its own, such as shoulder.1
            known = [label for label in (*labels, *parts) if rest == label or rest.startswith(f"{label}.")]
            if not known:
                word, kind = rest.partition(".")[0], dim.replace("_", " ")
                text = f"{head} has no {kind} {word!r}{did_you_mean(word, labels)}; there are {listed(labels, 'and')}"
                raise StudyError(text, ("outputs",), self.text)
            label = motor(max(known, key=len), labels) if head == "torque" else max(known, key=len)
            axis, last = dims.index(dim), dim == variable.dims[-1]
            at = [labels.index(name) for name in ([label] if label in labels else parts[label])]
            columns = [columns[k] for k in at] if last else columns
            if label in labels:
                values = np.take(values, at[0], axis)
                dims.remove(dim)
            else:
                values, kept[dim] = np.take(values, at, axis), parts[label]
            rest = rest[len(max(known, key=len)) + 1 :]
        if rest:
            raise StudyError(
                f"there is nothing below {self.channel.removesuffix('.' + rest)}; leave out {rest!r}",
                ("outputs",),
                self.text,
            )
        units = ", ".join(dict.fromkeys(columns))
        return RunQuantity(tuple(dims), values, kept, units, variable.attrs.get("long_name", ""))

    def _reduce(self, found: RunQuantity, time: np.ndarray) -> RunQuantity:
        if "time" not in found.dims:
            raise StudyError(
                f"{self.channel} does not change with time; leave out {self.reduction!r}", ("outputs",), self.text
            )
        reduce, axis = REDUCTIONS[self.reduction], found.dims.index("time")
        values = np.moveaxis(found.values, axis, -1)
        reduced = np.array([reduce(time, row) for row in values.reshape(-1, len(time))]).reshape(values.shape[:-1])
        dims = tuple(dim for dim in found.dims if dim != "time")
        return found._replace(dims=dims, values=reduced, units="s" if self.reduction == "settling" else found.units)


def motor(joint: str, coordinates: Collection[str]) -> str:
    """Return the coordinate on which a joint's motor acts: its rotor behind an elastic gear."""
    rotor = f"{joint}.rotor"
    return rotor if rotor in coordinates else joint


def _length(found: RunQuantity, text: str) -> RunQuantity:
    """Return the length of the vector along the last axis, which must have three parts."""
    last = found.dims[-1] if found.dims else "time"
    if last == "time" or found.values.shape[-1] != 3:
        text_ = "bars take the length of a vector of three parts, such as |deflection.upper| or |wrench.elbow.force|"
        raise StudyError(text_, ("outputs",), text)
    labels = {dim: names for dim, names in found.labels.items() if dim != last}
    values = (found.values**2).sum(axis=-1) ** 0.5
    return found._replace(dims=found.dims[:-1], values=values, labels=labels)


def total_mass(model: Model) -> float:
    """Return the mass of the whole arm, kg."""
    return float(np.real(model.arrays.inertia.mass).sum())


def _frequency(model: Model, q: np.ndarray, which: str, text: str) -> RunQuantity:
    """Return natural frequencies at the configuration q, joints locked."""
    from lissom.analysis.modes.natural_modes import natural_modes

    if which and (not which.isdecimal() or which == "0"):
        raise StudyError("is counted from 1: frequency.1 is the lowest", ("outputs",), text)
    found = natural_modes(model, q=q).frequencies
    if not which:
        return RunQuantity(("natural_mode",), found, {}, "Hz")
    if int(which) > len(found):
        raise StudyError(f"the arm has {len(found)} natural frequencies", ("outputs",), text)
    return RunQuantity((), found[int(which) - 1], {}, "Hz")


def quantities(given: Any) -> dict[str, Quantity]:
    """Return quantities by name; a list names each by its own text."""
    if isinstance(given, str):
        given = [given]
    if isinstance(given, Mapping):
        pairs: Iterable[tuple[str, Any]] = ((str(name), text) for name, text in given.items())
    elif isinstance(given, Iterable):
        texts = list(given)
        pairs = ((text.text if isinstance(text, Quantity) else str(text).strip(), text) for text in texts)
    else:
        raise StudyError(
            f"must be a list of quantities such as {EXAMPLE!r}, or {{name: quantity}}", ("outputs",), given
        )
    made = {name: Quantity.of(text) for name, text in pairs}
    if not made:
        raise StudyError(f"is empty; give a list of quantities such as {EXAMPLE!r}", ("outputs",))
    return made
