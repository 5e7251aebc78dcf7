"""The runs of a batch or a study: one scenario, what differs from run to run, and what is kept of each.

Runs are plain data that can be sent to another process. Each is reproducible alone: `runs.trajectory(17)`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import LissomError, StudyError
from lissom.kernel.packs import LANES
from lissom.messages import listed
from lissom.results.registry.result_quantity import QUANTITIES, look_for
from lissom.results.registry.run_quantities import quantities, quantities_together
from lissom.results.validity.run_checks import check_samples
from lissom.scenario.prepare import Prepared, prepare
from lissom.scenario.scenario_paths import unit_at
from lissom.scenario.scenario_schema import Scenario
from lissom.simulation.batch.vector_results import VectorResults
from lissom.simulation.raw_run import RawRun
from lissom.simulation.settings import RunSettings
from lissom.simulation.status.run_ending import Ending
from lissom.simulation.stepping.output_times import output_times
from lissom.study.execution.run_reuse import RunReuse
from lissom.study.execution.vector_runs import AT_ONCE, VectorRuns, worth
from lissom.study.plan.kept_quantities import Quantity, RunQuantity
from lissom.study.plan.sampling import Variations

if TYPE_CHECKING:
    from lissom.results.trajectory import Trajectory

REFUSED = "refused"  # a run whose values make no robot or no scenario
STATUS = (*Ending, REFUSED)  # the numbers of endings in results, which only ever grow
FINISHED = STATUS.index(Ending.FINISHED)
LONGEST = 240  # characters kept of a cause
LOOKED = 16  # runs, evenly spread, that are asked for doubts: each takes longer than a short run
TRIED = 20  # values of a field, to see whether it exists
FIRST, SPREAD = 10, 90  # runs that are prepared at most to find one that can be: the first ones, and some of all
VARIED = "varied from run to run"
TAKEN = ("run", "status", "cause", "time", "stored", "piece")  # names of arrays and axes of results
TIME_FIELDS = ("duration", "output.rate", "output")


@dataclass(frozen=True)
class Shape:
    """What a quantity looks like in every run: dimensions, labels, units."""

    dims: tuple[str, ...]
    sizes: tuple[int, ...]
    labels: dict[str, tuple[str, ...]]
    attributes: dict[str, str]

    @classmethod
    def of(cls, found: RunQuantity, samples: int) -> Shape:
        """Return the shape of what a run of so many samples measures."""
        sizes = tuple(samples if dim == "time" else n for dim, n in zip(found.dims, found.values.shape, strict=True))
        attributes = {"long_name": found.text, "units": found.units}
        return cls(found.dims, sizes, found.labels, {name: text for name, text in attributes.items() if text})


@dataclass(frozen=True)
class StudyPiece:
    """Results of some runs, one after the other."""

    values: dict[str, np.ndarray]  # (runs, ...) by the name of the quantity; nan where a run did not get there
    status: np.ndarray  # (runs,) index of STATUS
    cause: list[str]  # why a run did not finish, or what its numbers leave out


@dataclass(frozen=True)
class Runs:
    """What `simulate_batch` and studies compute."""

    scenario: Scenario
    variations: Variations
    outputs: dict[str, Quantity] = field(default_factory=dict)
    lanes: bool | None = None  # whether runs that look alike are computed several at once; found out unless given

    def __len__(self) -> int:
        return len(self.variations)

    def scenario_of(self, run: int) -> Scenario:
        """Return the scenario of one run."""
        return self._loaded.with_values(self.variations.changes(run))

    def trajectory(self, run: int, **options: Any) -> Trajectory:
        """Simulate one run, alone and whole."""
        return self._prepare(run).simulate(**options)

    @cached_property
    def _loaded(self) -> Scenario:
        """The scenario with its robot read once."""
        return self.scenario.model_copy(update={"robot": self.scenario.load_robot()})

    @cached_property
    def samples(self) -> int:
        """Output times of a run."""
        base = self._base
        return len(output_times(base.model, base.settings))

    @cached_property
    def _base(self) -> Prepared:
        """The first run that can be prepared: all others look like it."""
        refused: LissomError | None = None
        tried = first_tries(len(self))
        for run in tried:
            try:
                return self._prepare(run)
            except LissomError as error:
                refused = refused or error
        text = "no run can be made" if len(tried) == len(self) else f"none of {len(tried)} runs tried can be made"
        raise StudyError(f"{text}; the first says: {refused}") from None

    def _prepare(self, run: int) -> Prepared:
        return prepare(self.scenario_of(run))

    def check(self) -> None:
        """Refuse fields and quantities that do not exist, and histories that have no common time."""
        changed = [path for path, _ in self.variations.changes(0)]
        over_time = [name for name, quantity in self.outputs.items() if quantity.over_time]
        moving = [path for path in changed if path in TIME_FIELDS]
        if over_time and moving:
            text = f"differs from run to run, so {over_time[0]} has no common time axis; reduce it, as in 'peak ...'"
            raise StudyError(text, ("variations", moving[0]))
        for k, path in enumerate(changed):
            lost = next((one for one in changed[:k] if f"{one}.".startswith(f"{path}.")), None)
            if lost is not None:
                raise StudyError(f"is set a second time by {path}, and one value would be lost", ("variations", lost))
        for name, values in self.variations.columns.items():
            for path in self.variations.fields[name]:
                self._check_field(path, values)
        self._check_names()

    def _check_names(self) -> None:
        """Refuse names that results cannot have: each is an array beside others, and a folder in a store."""
        axes = {dim for shape in self.shapes.values() for dim in shape.dims}
        for kind, names in (("vary", self.variations.columns), ("outputs", self.outputs)):
            for name in names:
                if name in TAKEN or name in axes:
                    raise StudyError("is a name that results have for something else; give another", (kind,), name)
                if not name.strip() or "/" in name or name.startswith("."):
                    raise StudyError(
                        "cannot serve as a name; write one without / that begins with a letter", (kind,), name
                    )
                if kind == "outputs" and name in self.variations.columns:
                    raise StudyError("is varied, too; give the output another name, {name: quantity}", (kind,), name)

    def _check_field(self, path: str, values: Sequence[Any]) -> None:
        """Refuse a field of which no value makes a scenario: it does not exist, or takes something else."""
        refused: LissomError | None = None
        for value in values[:TRIED]:
            try:
                self._loaded.with_value(path, value)
                return
            except LissomError as error:
                refused = refused or error
        assert refused is not None
        raise StudyError.of(refused)

    @cached_property
    def shapes(self) -> dict[str, Shape]:
        """Shape of every quantity, from a run of two outputs."""
        base = self._base
        short = min(base.settings.duration, 1.0 / base.settings.rate)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = base.simulate(duration=short, progress=False)
        data = run.quantities_with(_needs(self.outputs))
        return {
            name: Shape.of(quantity.measure(data, run.model, run.q[0]), self.samples)
            for name, quantity in self.outputs.items()
        }

    def column_attributes(self, name: str) -> dict[str, str]:
        """Return what is known of a varied quantity: its unit, where its fields have one and the same."""
        units = {unit_at(self._loaded, path) for path in self.variations.fields[name]}
        unit = units.pop() if len(units) == 1 else ""
        return {"long_name": VARIED} | ({"units": unit} if unit else {})

    @cached_property
    def time(self) -> np.ndarray:
        """Output times of histories, s."""
        return output_times(self._base.model, self._base.settings)

    def compute(self, rows: Sequence[int], stream: int = LANES) -> StudyPiece:
        """Simulate some runs; what goes wrong with one is noted, and the others go on.

        `stream`: how many of them may pass through one pack, one after the other.
        """
        values = {name: np.full((len(rows), *shape.sizes), np.nan) for name, shape in self.shapes.items()}
        piece = StudyPiece(values, np.full(len(rows), FINISHED, np.int8), [""] * len(rows))
        order = self.order(rows)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for first in range(0, len(rows), AT_ONCE):
                self._compute(order[first : first + AT_ONCE], rows, piece, stream)
        return piece

    def order(self, rows: Sequence[int]) -> list[int]:
        """Return in which order to take some rows: those that move longest first, so that neighbours end together."""
        name = next((name for name, paths in self.variations.fields.items() if "duration" in paths), None)
        values = [] if name is None or not self.in_packs else [self.variations.columns[name][row] for row in rows]
        if not all(isinstance(value, int | float) for value in values):  # texts with units, say
            values = []
        return sorted(range(len(rows)), key=lambda k: -values[k]) if values else list(range(len(rows)))

    def _compute(self, numbers: Sequence[int], rows: Sequence[int], piece: StudyPiece, stream: int) -> None:
        """Simulate some runs, together where they look alike, and note them under their numbers in a piece."""
        scenarios: dict[int, Scenario] = {}  # by their place among them
        for place, k in enumerate(numbers):
            with self._note_refusal(piece, k):
                scenarios[place] = self.scenario_of(rows[k])
        for places, ran in self._together.run(scenarios, stream) if self.in_packs else ():
            at = [numbers[place] for place in places]
            self._measure_pack(ran, at, piece)
            for number, k in zip(ran.numbers, at, strict=True):
                if rows[k] in self._looked_at:
                    self._doubt(ran.raw(number), piece, k)
            scenarios = {place: scenario for place, scenario in scenarios.items() if place not in places}
        for place, scenario in scenarios.items():
            with self._note_refusal(piece, numbers[place]):
                raw, start = self._bench.run(scenario)
                self._measure(self.outputs, raw, start, piece, numbers[place])
                if rows[numbers[place]] in self._looked_at:
                    self._doubt(raw, piece, numbers[place])

    def _measure_pack(self, ran: VectorResults, at: Sequence[int], piece: StudyPiece) -> None:
        """Note runs of a pack whose samples stand in the same rows; `at`: their numbers in a piece."""
        together = {n: each for n, each in self.outputs.items() if not each.of_robot and _in_packs(each.needs)}
        others = {n: each for n, each in self.outputs.items() if n not in together}
        found, first = quantities_together(ran, _needs(together)), ran.runs[ran.numbers[0]]
        for name, quantity in together.items():
            piece.values[name][at] = quantity.measure(found, first.model, first.start[0]).values
        of_robot = {n: each for n, each in others.items() if each.of_robot}
        of_run = {n: each for n, each in others.items() if not each.of_robot}
        for number, k in zip(ran.numbers, at, strict=True) if others else ():
            run = ran.runs[number]
            with self._note_refusal(piece, k):
                if of_run:
                    self._measure(of_run, ran.raw(number), run.start[0], piece, k)
                model = self._together.followed(run.model) if of_robot else run.model
                for name, quantity in of_robot.items():
                    piece.values[name][k] = quantity.measure(found, model, run.start[0]).values

    def _doubt(self, raw: RawRun, piece: StudyPiece, k: int) -> None:
        """Note what puts the numbers of run k of a piece in doubt, though it finished."""
        if raw.status is Ending.FINISHED:
            piece.cause[k] = "; ".join(event.text for event in check_samples(raw))[:LONGEST]

    @cached_property
    def _looked_at(self) -> frozenset[int]:
        """Runs that are asked for doubts."""
        return frozenset(np.linspace(0, len(self) - 1, min(len(self), LOOKED)).astype(int).tolist())

    @contextmanager
    def _note_refusal(self, piece: StudyPiece, k: int) -> Iterator[None]:
        """Note why run k of a piece is refused, if it is."""
        try:
            yield
        except LissomError as error:
            for place in piece.values.values():
                place[k] = np.nan
            piece.status[k], piece.cause[k] = STATUS.index(REFUSED), str(error)[:LONGEST]

    def _measure(
        self, outputs: Mapping[str, Quantity], raw: RawRun, start: np.ndarray, piece: StudyPiece, k: int
    ) -> None:
        """Note some outputs of a run that began in the configuration `start` as number k of a piece."""
        needs = _needs(outputs)
        found = quantities(raw, lambda: self._bench.observe(raw, look_for(needs)), needs)
        piece.status[k], piece.cause[k] = STATUS.index(raw.status), raw.message[:LONGEST]
        for name, quantity in outputs.items():
            if raw.status is not Ending.FINISHED and quantity.reduction:
                continue  # a peak of half a motion is not that of the motion
            place = piece.values[name][k, ...]
            measured = quantity.measure(found, raw.model, start)
            if quantity.over_time:
                at = measured.dims.index("time")
                place = np.moveaxis(np.moveaxis(place, at, 0)[: len(raw.time)], 0, at)
            if place.shape != measured.values.shape:
                text = f"{name} has the shape {measured.values.shape} here and {place.shape} in other runs"
                raise StudyError(text)
            place[...] = measured.values

    @cached_property
    def _bench(self) -> RunReuse:
        return RunReuse(audit=self._audited)

    @cached_property
    def _together(self) -> VectorRuns:
        return VectorRuns(self._base)

    @cached_property
    def in_packs(self) -> bool:
        """Whether runs are computed several at once: there are enough, and no account of energy is wanted of them."""
        lanes = worth(len(self)) if self.lanes is None else self.lanes
        return lanes and not self._audited

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what belongs to a process: memory for kernels, the run that others share tables with."""
        own = {key: value for key, value in vars(self).items() if key not in ("_base", "_bench", "_together")}
        outside = {QUANTITIES[name].compute.__module__ for name in _needs(self.outputs) if name in QUANTITIES}
        return own | {"_modules": outside - {"__main__"}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Import what registers the quantities that are kept, then take up the rest."""
        for module in state.pop("_modules"):
            import_module(module)
        vars(self).update(state)

    @property
    def _audited(self) -> bool:
        """Whether an output needs the accounts of energy."""
        return any(QUANTITIES[name].audit for name in _needs(self.outputs) if name in QUANTITIES)


def first_tries(count: int) -> list[int]:
    """Return runs to be prepared until one can be: the first ones, then some spread over all of them.

    Where so many are refused, values of the scenario itself are wrong, or nearly all of those that vary.
    """
    spread = np.linspace(0, count - 1, min(count, SPREAD)).astype(int).tolist()
    return list(dict.fromkeys([*range(min(count, FIRST)), *spread]))


def _needs(outputs: Mapping[str, Quantity]) -> frozenset[str]:
    """Return results of a run that outputs are made of."""
    return frozenset().union(*(quantity.needs for quantity in outputs.values()))


def _in_packs(names: frozenset[str]) -> bool:
    """Return whether results of these names are computed for a whole pack of runs at once."""
    return all(name in QUANTITIES and QUANTITIES[name].in_packs for name in names)


def check_units(scenario: Scenario, path: str, given: Sequence[Any]) -> None:
    """Refuse a field that does not exist, or takes no such unit, of values some of which are texts such as "45 deg"."""
    for value in given:
        if isinstance(value, str):
            scenario.with_value(path, value)


def as_scenario(what: Any, duration: Any = None) -> Scenario:
    """Return the scenario of a batch: one, its name or file; or a robot, which moves freely for the duration."""
    from lissom.model.any_robot import as_robot
    from lissom.scenario import FREE_MOTION
    from lissom.scenario.scenario_files import load

    if isinstance(what, Scenario):
        made = what
    elif isinstance(what, dict):
        made = Scenario.from_dict(what)
    elif isinstance(what, str) or hasattr(what, "__fspath__"):
        made = load(what)
    else:
        made = Scenario(robot=as_robot(what), duration=FREE_MOTION if duration is None else duration)
    return made if duration is None else made.with_value("duration", duration)


def with_settings(scenario: Scenario, options: dict[str, Any]) -> Scenario:
    """Return the scenario with other settings of the run, as `simulate` takes them."""
    known = [name for name in RunSettings.model_fields if name != "duration"]
    for name in options:
        if name not in known:
            raise TypeError(f"a run has no setting {name!r}; its settings are {listed(known, 'and')}")
    kept = ("rate", "audit")  # stand below output in a scenario
    return scenario.with_values([(f"output.{n}" if n in kept else n, value) for n, value in options.items()])
