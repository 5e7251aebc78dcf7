"""How well robots meet records that were not fitted: errors side by side, and which of several models is best."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import printing
from lissom.errors import IdentifyError
from lissom.identify.measured_records import Record, name_records
from lissom.identify.prepared_record import PreparedRecord
from lissom.identify.residuals import OutputBlock, Residuals
from lissom.model.any_robot import AnyRobot, as_robot
from lissom.model.description.robot import Robot

if TYPE_CHECKING:
    from rich.table import Table

EVALUATIONS = 30  # at most, for what belongs to a record alone: its start, offsets, delays


@dataclass(frozen=True, eq=False)
class Validation(printing.Printed):
    """Errors of models on records, normalised by what was measured: 0 is perfect, 1 no better than its mean."""

    blocks: dict[str, list[OutputBlock]]  # by model

    def error(self, model: str, record: str | None = None, output: str | None = None) -> float:
        """Return normalised error of a model, over all its blocks unless a record or an output is named."""
        chosen = [
            block for block in self._of(model)
            if record in (None, block.record) and output in (None, block.output)
        ]  # fmt: skip
        if not chosen:
            raise IdentifyError(f"nothing was held back under {record or 'any record'}, {output or 'any output'}")
        return float(np.sqrt(np.mean([block.normalised**2 for block in chosen])))

    def factor(self, better: str, worse: str, record: str | None = None, output: str | None = None) -> float:
        """Return how many times smaller the error of one model is than that of another."""
        return self.error(worse, record, output) / self.error(better, record, output)

    @property
    def best(self) -> str:
        """The model with the least error."""
        return min(self.blocks, key=self.error)

    def _of(self, model: str) -> list[OutputBlock]:
        if model not in self.blocks:
            raise IdentifyError(f"there is no model {model!r}; there are {', '.join(self.blocks)}")
        return self.blocks[model]

    def table(self) -> Table:
        """Return normalised errors in percent, one column per model."""
        table = printing.table("record", "output", *self.blocks, title="errors on what was held back, in percent")
        first = next(iter(self.blocks.values()))
        for k, block in enumerate(first):
            each = [f"{100 * blocks[k].normalised:.2f}" for blocks in self.blocks.values()]
            table.add_row(block.record, block.output, *each)
        table.add_row("all", "", *(f"{100 * self.error(model):.2f}" for model in self.blocks))
        return table

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: {model: [{record, output, error}]}."""
        return {
            model: [{"record": b.record, "output": b.output, "normalised_error": b.normalised} for b in blocks]
            for model, blocks in self.blocks.items()
        }


def validate(
    models: Mapping[str, AnyRobot], records: Any, *, folder: str | os.PathLike[str] = ".", **settings: Any
) -> Validation:
    """Return errors of robots on records that none of them was fitted to.

    What is unknown of a record itself, its start, offsets and delays, is found for each robot; nothing else is.

    >>> lissom.identify.validate({"plain": plain.robot, "with Stribeck": better.robot}, held_back)

    Parameters
    ----------
    models : mapping
        Robots by name.
    records
        As for `lissom.fit`.
    folder : str or path
        Where relative paths of records begin.
    rtol, ...
        Settings of the runs.
    """
    given = name_records(records)
    if not given:
        raise IdentifyError("is empty; give records that were not fitted", ("records",))
    return Validation(
        {
            name: [
                block
                for key, record in given.items()
                for block in _evaluate_record(as_robot(model), key, record, os.fspath(folder), settings)
            ]
            for name, model in models.items()
        }
    )


def _evaluate_record(
    robot: Robot, name: str, record: Record, folder: str, settings: Mapping[str, Any]
) -> list[OutputBlock]:
    from lissom.identify.estimation import search

    if record.unknown:
        misfit = Residuals(robot, {}, {name: record}, settings=settings, folder=folder)
        return misfit.blocks(search(misfit, EVALUATIONS)[0])
    prepared = PreparedRecord(name, robot, record, settings, folder)
    found = []
    for output, (y, _) in prepared.model_outputs(robot, [], {}).items():
        samples = prepared.samples
        time, unit = samples.time + samples.begin, prepared.outputs[output].unit
        found.append(OutputBlock(name, output, unit, time, samples.outputs[output], y, np.zeros((len(y), 0))))
    return found
