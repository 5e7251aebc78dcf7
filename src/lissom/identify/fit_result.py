"""Fit: what was found, how sure it is, how well it meets what was measured, and the robot that results."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import printing
from lissom.files import write_whole
from lissom.identify.residuals import OutputBlock, Residuals
from lissom.identify.uncertainty import CONFIDENCE, Uncertainty
from lissom.model.description.robot import Robot
from lissom.version import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

    from lissom.identify.validation import Validation

NONE = "-"


@dataclass(frozen=True, eq=False)
class Fit(printing.Printed):
    """Parameters that were found; `print` shows them with their intervals."""

    misfit: Residuals
    x: np.ndarray  # (p,) in the order of `names`
    uncertainty: Uncertainty
    message: str  # how the search ended
    validation: Validation | None = None  # on records that were held back

    @property
    def names(self) -> tuple[str, ...]:
        """Fields of the robot, then what belongs to single records."""
        return self.misfit.names

    @property
    def values(self) -> dict[str, float]:
        """What was found, by name."""
        return dict(zip(self.names, self.x.tolist()))

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """95 % intervals by name; infinite where the data does not tell."""
        half = self.uncertainty.half
        return {name: (float(x - h), float(x + h)) for name, x, h in zip(self.names, self.x, half)}

    @property
    def correlations(self) -> np.ndarray:
        """(p, p) of the errors of the parameters."""
        return self.uncertainty.correlations

    @property
    def unidentifiable(self) -> tuple[tuple[str, ...], ...]:
        """Parameters that the data cannot tell apart, each group a tuple of names; one name: not at all."""
        return self.uncertainty.blind

    @property
    def warnings(self) -> tuple[str, ...]:
        """Doubts, in words."""
        return self.uncertainty.words

    @property
    def noise(self) -> dict[str, dict[str, float]]:
        """Standard deviation of the errors by record and output, given or found."""
        made: dict[str, dict[str, float]] = {}
        for (record, output), deviation in self.misfit.noise.items():
            made.setdefault(record, {})[output] = deviation
        return made

    @property
    def robot(self) -> Robot:
        """The robot with the values that were found."""
        return self.misfit.robot_at(self.x)

    @property
    def blocks(self) -> list[OutputBlock]:
        """Measured and modelled histories, one block per record and output."""
        return self.misfit.blocks(self.x)

    @property
    def before(self) -> list[OutputBlock]:
        """Errors of the robot as it was."""
        return self.misfit.blocks(self.misfit.start)

    @cached_property
    def frequencies(self) -> np.ndarray:
        """(n, 3) Hz: measured, of the robot as it was, and of the one that was found."""
        measured = [each.frequency for each in self.misfit.frequencies]
        before, after = (self.misfit.frequencies_at(x) for x in (self.misfit.start, self.x))
        return np.array([measured, before, after]).T

    def validated(self, records: Any, folder: str | os.PathLike[str] = ".") -> Fit:
        """Return this fit with its errors on records that were not fitted."""
        from lissom.identify.validation import validate

        variants = {"before": self.misfit.robot, "fitted": self.robot}
        return replace(self, validation=validate(variants, records, folder=folder, **self._settings()))

    def _settings(self) -> dict[str, Any]:
        prepared = next(iter(self.misfit.records.values()), None)
        return {} if prepared is None else dict(prepared.options)

    def table(self) -> Table:
        """Return a table of values, intervals, and what they were before."""
        caption = "\n".join([self._errors(), *self.warnings])
        title = f"{self.misfit.robot.name}: {self.message} after {self.misfit.evaluations} evaluations"
        table = printing.table(
            "parameter", "before", "found", f"{CONFIDENCE:.0%} interval", title=title, caption=caption
        )
        for name, before, x, half in zip(self.names, self.misfit.start, self.x, self.uncertainty.half):
            interval = f"± {half:.3g}" if np.isfinite(half) else "not known"
            table.add_row(name, f"{before:.6g}", f"{x:.6g}", interval)
        return table

    def _errors(self) -> str:
        rows = [f"{block.record}, {block.output}: error {100 * block.normalised:.2f} %" for block in self.blocks]
        rows += [
            f"mode {given.mode}, {given.frequency:.4g} Hz: {before:.4g} Hz before, {after:.4g} Hz found"
            for given, (_, before, after) in zip(self.misfit.frequencies, self.frequencies)
        ]
        return "\n".join(rows)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """Return measured and modelled histories with their errors; written to a file where one is named."""
        from lissom.view.figures.fit_figures import plot_fit

        return plot_fit(self, path)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        half = self.uncertainty.half
        rows = {
            name: {
                "before": float(before),
                "value": float(x),
                "half_interval": float(h) if np.isfinite(h) else None,
            }
            for name, before, x, h in zip(self.names, self.misfit.start, self.x, half)
        }
        errors = [
            {"record": b.record, "output": b.output, "normalised_error": b.normalised, "samples": len(b.measured)}
            for b in self.blocks
        ]
        made = {
            "robot": self.misfit.robot.name,
            "message": self.message,
            "evaluations": self.misfit.evaluations,
            "parameters": rows,
            "correlations": self.correlations.tolist(),
            "noise": self.noise,
            "errors": errors,
            "frequencies": [
                {"measured": measured, "before": before, "value": after}
                for measured, before, after in self.frequencies.tolist()
            ],
            "unidentifiable": [list(group) for group in self.unidentifiable],
            "warnings": list(self.warnings),
        }
        return made if self.validation is None else {**made, "validation": self.validation.to_dict()}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the new robot file, with a head that says where its values come from."""
        write_whole(Path(path), self.provenance() + self.robot.to_yaml())

    def provenance(self) -> str:
        """Return where the values come from, as comments of a robot file."""
        when = datetime.now().astimezone().isoformat(" ", "seconds")
        lines = [f"Fitted by lissom {__version__} on {when} from {self.misfit.robot.name}."]
        for name, each in self.misfit.records.items():
            source = each.record.data if isinstance(each.record.data, str) else "data in memory"
            span = f"{each.samples.begin:g} to {each.samples.begin + each.samples.time[-1]:g} s"
            lines.append(f"Record {name}: {source}, {span}, outputs {', '.join(each.outputs)}.")
        for given in self.misfit.frequencies:
            lines.append(f"Frequency {given.frequency:g} Hz of mode {given.mode}.")
        for entry, x, half in zip(self.misfit.entries, self.x, self.uncertainty.half):
            known = f"± {half:.3g} (95 %)" if np.isfinite(half) else "not determined by the data"
            lines.append(f"{entry.name} = {x:.8g} {known}, was {entry.value:.8g}")
        lines += list(self.warnings)
        return "".join(f"# {line}\n" for line in lines)
