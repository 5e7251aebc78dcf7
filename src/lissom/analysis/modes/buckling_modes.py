"""Load factors at which an arm buckles, and the shapes it takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from lissom import printing
from lissom.errors import LissomError
from lissom.model.model import Model
from lissom.printing import Printed

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table
    from xarray import Dataset

Kind: TypeAlias = Literal["buckling", "limit", "flutter", "linear"]
WORDS: dict[Kind, str] = {
    "buckling": "buckles",
    "limit": "snaps through (limit point)",
    "flutter": "flutters",
    "linear": "buckles, by linear estimate",
}


@dataclass(frozen=True, eq=False)
class BucklingModes(Printed):
    """Critical load factors, least first, and the shapes in which the arm gives way.

    Four kinds: "buckling", where the path of rest branches; "limit", where it turns back and the arm snaps through;
    "flutter", where two motions meet and swing with growing amplitude; "linear", where the arm bends away before it
    gets there, and its stiffness at the beginning says at which factor it would buckle. What lies beyond the first
    factor is stable only where it is held against the shapes before.
    """

    factors: np.ndarray  # (k,) times the loads given
    kinds: tuple[Kind, ...]
    frequencies: np.ndarray  # (k,) Hz, of what flutters; else zero
    shapes: np.ndarray  # (nv, k) unit modal mass
    labels: tuple[str, ...]  # what gives way, such as "column bending y 1"
    coordinates: tuple[str, ...]  # names of the rows of `shapes`
    q: np.ndarray = field(repr=False)  # (k, nq) the states of rest there
    reached: float  # load factor up to which the path was followed; inf where the loads change no stiffness
    resolved: np.ndarray  # (k,) whether the functions of the links follow the shape
    name: str = "robot"
    model: Model = field(repr=False, kw_only=True)

    def __len__(self) -> int:
        return len(self.factors)

    def shape(self, mode: int | str) -> dict[str, float]:
        """Return the shape of a mode, by its number from 0 or its label, as {coordinate: amplitude}."""
        if isinstance(mode, str):
            if mode not in self.labels:
                raise LissomError(f"there is no such mode; the modes are {', '.join(self.labels)}", ("mode",), mode)
            mode = self.labels.index(mode)
        return dict(zip(self.coordinates, self.shapes[:, mode].tolist()))

    def main_numbers(self) -> dict[str, tuple[float, str]]:
        """Return the load factors by number, from 1: what `lissom.trust` gives error bars."""
        return {f"load_factor.{k + 1}": (float(value), "") for k, value in enumerate(self.factors)}

    def table(self) -> Table:
        """Return a rich table: load factor, how the arm gives way, and what."""
        note = "the loads change no stiffness" if np.isinf(self.reached) else ""
        if not len(self) and not note:
            note = f"nothing gives way up to a load factor of {self.reached:.4g}, where the search ended"
        if not self.resolved.all():
            note = (
                "* more than 1 % too high: the functions of the links do not follow the shape; write more in their "
                "beams, such as modes: {y: 10, z: 10, torsion: 8, axial: 2}"
            )
        table = printing.table("mode", "load factor", "how", "what", title=f"buckling of {self.name}", caption=note)
        for k, (factor, kind) in enumerate(zip(self.factors, self.kinds)):
            how = WORDS[kind] + (f" at {self.frequencies[k]:.4g} Hz" if kind == "flutter" else "")
            table.add_row(str(k + 1), f"{factor:.5g}{'' if self.resolved[k] else ' *'}", how, self.labels[k])
        return table

    def plot(self) -> Figure:
        """Draw the arm at rest and in its shapes, one panel for each factor."""
        from lissom.view.drawing.mode_picture import plot_buckling

        return plot_buckling(self)

    def to_dataset(self) -> Dataset:
        """Return the modes as a labelled xarray.Dataset with dimensions mode and coordinate."""
        from xarray import Dataset

        return Dataset(
            {
                "load_factor": (("mode",), self.factors),
                "kind": (("mode",), list(self.kinds)),
                "frequency": (("mode",), self.frequencies, {"units": "Hz"}),
                "shape": (("coordinate", "mode"), self.shapes),
            },
            coords={"mode": list(self.labels), "coordinate": list(self.coordinates)},
        )
