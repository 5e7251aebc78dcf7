"""Everything that a run holds as plain arrays: by name, with the labels of their axes and their units.

What prints, draws and writes a run needs no more than that, and need not wait for xarray; `dataset` is the same for
those who want it labelled.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import xarray as xr


RUN = "run"  # the axis of several runs


class Variable(NamedTuple):
    """An array, the names of its axes, and what it is."""

    dims: tuple[str, ...]
    values: np.ndarray
    attrs: dict[str, Any]


class Quantities:
    """Variables by name; those of one axis that have its name are the axis' labels, or the times."""

    def __init__(self, variables: dict[str, Variable]) -> None:
        self.variables = variables

    @classmethod
    def of(cls, dataset: xr.Dataset) -> Quantities:
        """Return what a dataset holds."""
        found = dataset.variables.items()
        return cls({str(name): Variable(tuple(map(str, one.dims)), one.values, one.attrs) for name, one in found})

    def dataset(self) -> xr.Dataset:
        """Return all of it, labelled."""
        import xarray as xr

        return xr.Dataset({name: tuple(variable) for name, variable in self.variables.items()})

    def __contains__(self, name: str) -> bool:
        return name in self.variables

    def __getitem__(self, name: str) -> np.ndarray:
        return self.variables[name].values

    def get(self, name: str, otherwise: Any = None) -> Any:
        """Return the values of a variable, or something else where it is not there."""
        variable = self.variables.get(name)
        return otherwise if variable is None else variable.values

    @property
    def names(self) -> list[str]:
        """All but axes."""
        return [name for name, variable in self.variables.items() if variable.dims != (name,)]

    def labels(self, axis: str) -> list[str]:
        """Return names along an axis; none where nothing has it."""
        return self[axis].tolist() if axis in self else []

    def select(self, name: str, axis: str, label: str) -> np.ndarray:
        """Return the part of a variable at one label of an axis."""
        variable = self.variables[name]
        return np.take(variable.values, self.labels(axis).index(label), variable.dims.index(axis))

    def column_units(self, name: str) -> list[str]:
        """Return the unit of each entry along the last axis of a variable (one for a variable of time alone)."""
        return column_units(self.variables[name])


def axis(name: str, labels: Iterable[str]) -> Variable:
    """Return the labels of an axis."""
    return Variable((name,), np.array(list(labels), dtype=object), {})


def variable(dims: tuple[str, ...], values: np.ndarray, text: str, units: str | list[str]) -> Variable:
    """Return values over time and `dims`; `units` of all, or one for each entry along the last axis.

    Values of several runs have an axis of them in front.
    """
    different = [units] if isinstance(units, str) else list(dict.fromkeys(units))
    attrs: dict[str, Any] = {"long_name": text, "units": ", ".join(different)}
    if len(different) > 1:
        attrs["column_units"] = units
    over = (RUN, "time") if values.ndim > len(dims) + 1 else ("time",)
    return Variable((*over, *dims), np.array(values, float), attrs)


def column_units(values: Variable | xr.DataArray) -> list[str]:
    """Return the unit of each entry along the last axis of a variable (one for a variable of time alone)."""
    array = values.values
    count = array.shape[-1] if array.ndim > 1 else 1
    return list(values.attrs.get("column_units", [values.attrs["units"]] * count))
