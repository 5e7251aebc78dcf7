"""The misfit: how far a robot with given parameters is from everything that was measured, with exact derivatives."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import IdentifyError, within
from lissom.identify.fit_parameters import SearchEntry, Unknown, field_entry, with_values
from lissom.identify.measured_frequencies import MeasuredFrequency, frequency
from lissom.identify.measured_records import Record
from lissom.identify.prepared_record import PreparedRecord
from lissom.model.description.robot import Robot

DEGREES = (40.0, 80.0)  # slope of what was measured over what the model does that a degree, 57 per radian, has
FINEST = 1e-4  # of what is measured: less noise is not told from errors of the runs
ALIKE = 0.7  # correlation from which that slope means something


@dataclass(frozen=True, eq=False)
class OutputBlock:
    """What one output of one record says: errors (N,), model less measurement, and their derivatives (N, p)."""

    record: str
    output: str
    unit: str
    time: np.ndarray
    measured: np.ndarray
    modelled: np.ndarray
    jacobian: np.ndarray

    @property
    def source(self) -> tuple[str, str]:
        """The record and the output."""
        return self.record, self.output

    @property
    def errors(self) -> np.ndarray:
        """What the model says beyond what was measured."""
        return self.modelled - self.measured

    @property
    def normalised(self) -> float:
        """Root mean square of the errors, over that of what was measured about its mean."""
        spread = float(np.std(self.measured))
        return float(np.sqrt(np.mean(self.errors**2))) / spread if spread > 0 else np.inf


class Evaluation(NamedTuple):
    """Everything at one point of the search."""

    key: bytes  # of the parameters
    blocks: list[OutputBlock]
    errors: np.ndarray  # (n,) of the frequencies, over their deviations
    slopes: np.ndarray  # (n, p) and their derivatives


class Residuals:
    """Errors of a robot against records and frequencies, as a function of parameters.

    >>> misfit = Residuals(robot, {"links.upper.beam.section.EIz": Unknown()}, {"run": record})
    >>> misfit.residuals(misfit.start), misfit.jacobian(misfit.start)

    Residuals are errors over the noise of their output in their record: `noise`, {(record, output): deviation}.
    """

    def __init__(
        self,
        robot: Robot,
        parameters: Mapping[str, Unknown],
        records: Mapping[str, Record],
        frequencies: Sequence[MeasuredFrequency] = (),
        *,
        settings: Mapping[str, Any] | None = None,
        folder: str = ".",
        short: bool = False,
    ) -> None:
        self.robot, self.parameters = robot, dict(parameters)
        self.settings, self.folder = dict(settings or {}), folder
        self.frequencies = tuple(frequencies)
        self.records: dict[str, PreparedRecord] = {}
        for name, record in records.items():
            with within("records", name):
                self.records[name] = PreparedRecord(name, robot, record, self.settings, folder, short)
        own = [field_entry(robot, path, unknown) for path, unknown in parameters.items()]
        _check_once(own)
        self.entries: list[SearchEntry] = own + [entry for each in self.records.values() for entry in each.entries]
        if not self.entries:
            raise IdentifyError("is empty; give {path: [low, high]} of the fields to be found", ("parameters",))
        if not self.records and not self.frequencies:
            raise IdentifyError("is empty; give a record, or measured frequencies", ("records",))
        self.noise: dict[tuple[str, str], float] = {}
        self.given_noise = {
            (name, output): channel.noise
            for name, each in self.records.items()
            for output, channel in each.record.outputs.items()
            if channel.noise is not None
        }
        self.evaluations = 0
        self._first: Evaluation | None = None  # where the search starts, which is shown in the end
        self._last: Evaluation | None = None

    def on(self, records: Mapping[str, Record]) -> Residuals:
        """Return the misfit of the same robot and parameters on other records, however short they are."""
        given = self.robot, self.parameters, records, self.frequencies
        return Residuals(*given, settings=self.settings, folder=self.folder, short=True)

    @property
    def start(self) -> np.ndarray:
        """(p,) where the search starts."""
        return np.array([entry.value for entry in self.entries])

    @property
    def names(self) -> tuple[str, ...]:
        """Of the parameters, fields of the robot first."""
        return tuple(entry.name for entry in self.entries)

    def blocks(self, x: np.ndarray) -> list[OutputBlock]:
        """Return what every output of every record says at the parameters x (p,)."""
        return self._evaluate(x).blocks

    def frequencies_at(self, x: np.ndarray) -> np.ndarray:
        """Return what the model has (n,) where frequencies were measured, Hz."""
        errors = self._evaluate(x).errors
        return np.array([each.frequency + each.sigma * error for each, error in zip(self.frequencies, errors)])

    def residuals(self, x: np.ndarray) -> np.ndarray:
        """Return errors over their noise (n,): of records, of frequencies, and of what was known beforehand."""
        at = self._evaluate(x)
        histories = (block.errors / self._sigma(block) for block in at.blocks)
        return np.concatenate([*histories, at.errors, self._prior(x)[0]])

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        """Return derivatives (n, p) of the residuals."""
        at = self._evaluate(x)
        histories = (block.jacobian / self._sigma(block) for block in at.blocks)
        return np.concatenate([*histories, at.slopes, self._prior(x)[1]])

    def gradient(self, x: np.ndarray) -> np.ndarray:
        """Return derivatives (p,) of half the sum of squared residuals."""
        return self.jacobian(x).T @ self.residuals(x)

    def robot_at(self, x: np.ndarray) -> Robot:
        """Return the robot with the parameters x (p,)."""
        return with_values(self.robot, self.entries, x)

    def first_guess(self) -> None:
        """Set the noise to begin with: what is given, else errors of the robot as it is; note doubts about units."""
        blocks = self.blocks(self.start)
        for block in blocks:
            with within("records", block.record, "outputs", block.output):
                self._doubt_degrees(block)
        self.estimate_noise(self.start, 0)

    def estimate_noise(self, x: np.ndarray, parameters: int) -> float:
        """Find noise that is not given from the errors at x; return the largest relative change."""
        blocks = self.blocks(x)
        samples = sum(len(block.errors) for block in blocks)
        change = 0.0
        for block in blocks:
            if block.source in self.given_noise:
                self.noise[block.source] = self.given_noise[block.source]
                continue
            free = len(block.errors) * max(1.0 - parameters / samples, 1.0 / samples)
            sigma = float(np.sqrt(np.sum(block.errors**2) / free))
            sigma = max(sigma, FINEST * float(np.std(block.measured)), 1e-300)
            change = max(change, abs(sigma / self.noise.get(block.source, np.inf) - 1.0))
            self.noise[block.source] = sigma
        return change

    def _sigma(self, block: OutputBlock) -> float:
        return self.noise.get(block.source, self.given_noise.get(block.source, 1.0))

    def _evaluate(self, x: np.ndarray) -> Evaluation:
        key = np.asarray(x, float).tobytes()
        for known in (self._last, self._first):
            if known is not None and known.key == key:
                return known
        self.evaluations += 1
        robot = self.robot_at(x)
        blocks: list[OutputBlock] = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about steps on the way
            for name, prepared in self.records.items():
                with within("records", name):
                    blocks += self._blocks(prepared, robot, x)
            errors, slopes = self._frequencies(robot)
        self._last = Evaluation(key, blocks, errors, slopes)
        self._first = self._first or self._last
        return self._last

    def _blocks(self, prepared: PreparedRecord, robot: Robot, x: np.ndarray) -> list[OutputBlock]:
        values = {entry.path: value for entry, value in zip(self.entries, x) if entry.record == prepared.name}
        fields = self._fields()
        modelled = prepared.model_outputs(
            robot, list(dict.fromkeys(path for each in fields for path, _ in each)), values
        )
        blocks = []
        for output, (y, slopes) in modelled.items():
            jacobian = np.zeros((len(y), len(self.entries)))
            for j, entry in enumerate(self.entries):
                if entry.record is None:
                    jacobian[:, j] = sum(factor * slopes[path] for path, factor in fields[j])
                elif entry.record == prepared.name and entry.path in slopes:
                    jacobian[:, j] = slopes[entry.path]
            samples, unit = prepared.samples, prepared.outputs[output].unit
            blocks.append(
                OutputBlock(
                    prepared.name, output, unit, samples.time + samples.begin, samples.outputs[output], y, jacobian
                )
            )
        return blocks

    def _fields(self) -> list[list[tuple[str, float]]]:
        """Return fields of the robot that each of its parameters moves, with their factors."""
        return [[(entry.path, 1.0), *entry.ties] for entry in self.entries if entry.record is None]

    def _frequencies(self, robot: Robot) -> tuple[np.ndarray, np.ndarray]:
        errors, slopes = np.zeros(len(self.frequencies)), np.zeros((len(self.frequencies), len(self.entries)))
        fields = self._fields()
        for k, given in enumerate(self.frequencies):
            with within("frequencies", k):
                found, by = frequency(robot, given, fields)
            errors[k] = (found - given.frequency) / given.sigma
            slopes[k, : len(fields)] = by / given.sigma
        return errors, slopes

    def _prior(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        known = [(j, entry.prior) for j, entry in enumerate(self.entries) if entry.prior is not None]
        errors, slopes = np.zeros(len(known)), np.zeros((len(known), len(self.entries)))
        for k, (j, prior) in enumerate(known):
            errors[k] = (x[j] - prior.mean) / prior.deviation
            slopes[k, j] = 1.0 / prior.deviation
        return errors, slopes

    def _doubt_degrees(self, block: OutputBlock) -> None:
        """Refuse an angle that is about 57 times what the model does."""
        channel = self.records[block.record].record.outputs[block.output]
        if not block.unit.startswith("rad") or channel.unit is not None or channel.factor != 1.0:
            return
        a, b = block.modelled - block.modelled.mean(), block.measured - block.measured.mean()
        size = float(np.linalg.norm(a) * np.linalg.norm(b))
        if size == 0 or abs(a @ b) < ALIKE * size:
            return
        slope = abs(float(a @ b / (a @ a)))
        if DEGREES[0] < slope < DEGREES[1]:
            raise IdentifyError(
                f"is about {slope:.3g} times what the model does; did you mean degrees? write unit: deg, or unit: rad "
                "if not"
            )


def _check_once(entries: Sequence[SearchEntry]) -> None:
    seen: dict[str, str] = {}
    for entry in entries:
        for path in (entry.path, *(path for path, _ in entry.ties)):
            if path in seen:
                raise IdentifyError(f"is moved by {seen[path]} already; name it once", ("parameters", path))
            seen[path] = entry.path
