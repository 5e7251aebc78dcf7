"""One record for each quantity that a run has results of, and the registry of all of them.

A record says what the quantity is called, which axes it has beside time, its unit, and how it follows from the samples
of a run. Datasets, look-ups by name, files, tables and outputs of studies read the registry and nothing else, so that a
quantity from outside is one call of `register_quantity`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from lissom.errors import LissomError
from lissom.model.model import Model
from lissom.results.quantity_names import Columns, position_columns, velocity_columns
from lissom.simulation.postprocess import Observation, Wanted, observe_run
from lissom.simulation.raw_run import RawRun

Labels = Callable[["RunData"], Iterable[str]]
Made = TypeVar("Made")


class RunData:
    """What quantities are computed from: the samples of a run, and what follows from them once it is asked for.

    Parameters
    ----------
    raw : RawRun
        The samples: `raw.time` (N,), `raw.q` (N, nq), `raw.v`, `raw.a` and `raw.tau` (N, nv), and what acted. Samples
        of a pack of runs have an axis of runs in front.
    observe : callable, optional
        Returns the `Observation` of these samples; computed by `observe_run` unless given.

    Examples
    --------
    `run["torque"]` gives the values of another quantity, `run.seen.tip_twist` what follows from the samples.
    """

    def __init__(self, raw: RawRun, observe: Callable[[], Observation] | None = None) -> None:
        self.raw = raw
        self._observe = observe or (lambda: observe_run(raw))
        self._labels: dict[str, tuple[str, ...]] = {}
        self._computed: dict[Callable[[RunData], Any], Any] = {}

    @property
    def model(self) -> Model:
        """The model that was simulated."""
        return self.raw.model

    @cached_property
    def seen(self) -> Observation:
        """Wrenches, poses, deflections and energies at the samples, computed at the first use."""
        return self._observe()

    @cached_property
    def positions(self) -> Columns:
        """Where joints, modes and rotors stand in a configuration."""
        return position_columns(self.model)

    @cached_property
    def velocities(self) -> Columns:
        """Where joints, modes and rotors stand in a velocity."""
        return velocity_columns(self.model)

    def labels(self, axis: str) -> tuple[str, ...]:
        """Return the names along an axis, empty where this run has nothing there."""
        if axis not in self._labels:
            self._labels[axis] = tuple(AXIS_LABELS[axis](self))
        return self._labels[axis]

    def __getitem__(self, name: str) -> np.ndarray:
        """Return the values of a quantity by its name."""
        return np.asarray(self.once(QUANTITIES[name].compute))

    def once(self, compute: Callable[[RunData], Made]) -> Made:
        """Return what a function computes from this run; it is called once, however many quantities ask."""
        if compute not in self._computed:
            self._computed[compute] = compute(self)
        return self._computed[compute]


def _always(run: RunData) -> bool:
    return True


@dataclass(frozen=True)
class ResultQuantity:
    """A quantity over time that runs have results of.

    Parameters
    ----------
    name : str
        Its name in datasets, files, tables and studies.
    dims : tuple of str
        Its axes after time; none for one number per sample. A run whose axis has no labels does not have the quantity.
    unit : str, sequence of str, or callable
        The unit of all values; or one for each entry along the last axis, also as a function of the `RunData`.
    text : str
        What it is, in a few words: `long_name` in datasets.
    compute : callable
        Returns the values (N, ...) from a `RunData`.
    look : Wanted, optional
        How much of `RunData.seen` it reads; nothing of it unless given.
    sample : bool
        Whether it is written with the samples of a run, as it does not follow from them.
    audit : bool
        Whether it needs the accounts of work and dissipation, which runs keep with `audit=True`.
    in_packs : bool
        Whether `compute` also takes a pack of runs, whose samples are (runs, N, ...) and whose `seen` has `wrench`,
        `tip_position` and `deflection` alone. Runs of a study are computed one by one for quantities that do not.
    given : callable
        Whether a run has it; all have unless given.
    on_demand : bool
        Whether it takes so long that datasets and files leave it out, and have it only where its name is asked for.
    """

    name: str
    dims: tuple[str, ...]
    unit: str | Sequence[str] | Callable[[RunData], Sequence[str]]
    text: str
    compute: Callable[[RunData], np.ndarray]
    look: Wanted | None = None
    sample: bool = False
    audit: bool = False
    in_packs: bool = False
    given: Callable[[RunData], bool] = _always
    on_demand: bool = False

    def exists(self, run: RunData) -> bool:
        """Return whether a run has this quantity; nothing is computed for that."""
        kept = run.raw.audited or not self.audit
        return kept and all(run.labels(dim) for dim in self.dims) and self.given(run)

    def units(self, run: RunData) -> str | list[str]:
        """Return the unit, or those of the entries along the last axis."""
        unit = self.unit(run) if callable(self.unit) else self.unit
        return unit if isinstance(unit, str) else list(unit)


QUANTITIES: dict[str, ResultQuantity] = {}  # by name, in the order in which datasets have them
AXIS_LABELS: dict[str, Labels] = {}  # how the labels of each axis follow from a run


def register_quantity(quantity: ResultQuantity) -> ResultQuantity:
    """Make a quantity part of the results of all runs, and of runs that are loaded from files.

    Register quantities before runs are asked for their results; a run that has computed its dataset keeps it.

    Parameters
    ----------
    quantity : ResultQuantity
        The record; its name must be free and its axes known.

    Returns
    -------
    ResultQuantity
        The record.

    Raises
    ------
    LissomError
        If there is a quantity or an axis of this name, or none of an axis.
    """
    if quantity.name in QUANTITIES or quantity.name in AXIS_LABELS or quantity.name == "time":
        raise LissomError("is a name that results have already; choose another", ("name",), quantity.name)
    for dim in quantity.dims:
        if dim not in AXIS_LABELS:
            text = f"is no axis of results; register_axis first, or choose from {', '.join(AXIS_LABELS)}"
            raise LissomError(text, ("dims",), dim)
    QUANTITIES[quantity.name] = quantity
    return quantity


def register_axis(name: str, labels: Labels) -> None:
    """Make an axis known to quantities; `labels` returns the names of its entries from a `RunData`."""
    if name in AXIS_LABELS or name in QUANTITIES or name == "time":
        raise LissomError("is a name that results have already; choose another", ("name",), name)
    AXIS_LABELS[name] = labels


def look_for(names: Iterable[str]) -> Wanted:
    """Return how much of the samples quantities of these names need to look at."""
    known = [QUANTITIES[name].look for name in names if name in QUANTITIES]
    return max((look for look in known if look is not None), default=Wanted.BENDING)
