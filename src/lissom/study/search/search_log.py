"""What a search has asked for, in a Zarr group: a row for each run and for the derivatives at each point."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from lissom.errors import StudyError
from lissom.study.store.store_identity import check_equal
from lissom.study.store.store_places import check_address, laid_out, may_hold_group, need_zarr, not_written
from lissom.study.store.zarr_store import DAMAGE, GO_ON
from lissom.version import __version__

MARK, RUNS, SLOPES = "minimise", "run", "slope"


class SearchLog:
    """Rows of a point (fields,) and of what was found there; a row is one file, so that it is whole or not there."""

    def __init__(self, address: str | os.PathLike[str], what: dict[str, Any], fields: int, outputs: int) -> None:
        self.address, self.fields = os.fspath(address), fields
        check_address(self.address)
        zarr = need_zarr()
        said = {"version": __version__, **json.loads(json.dumps(what))}

        def lay_out(place: str) -> None:
            group = zarr.open_group(place, mode="a", zarr_format=2)
            for name, width in ((RUNS, fields + outputs), (SLOPES, fields + fields * outputs)):
                group.create_array(
                    name, shape=(0, width), chunks=(1, width), dtype="f8", fill_value=np.nan, overwrite=True
                )
            group.attrs[MARK] = json.dumps(said)

        if not may_hold_group(self.address):
            laid_out(self.address, lay_out)
        try:
            self.group = zarr.open_group(self.address, mode="r+", zarr_format=2)
            there = json.loads(self.group.attrs[MARK])
        except DAMAGE:
            text = f"{self.address} holds something else, or a damaged search"
            raise StudyError(f"{text}; give another name, or an empty folder") from None
        check_equal(self.address, there, said)

    def rows(self, name: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield (point, found) of every row but those that were cut."""
        try:
            rows = self.group[name][:]
        except DAMAGE as error:
            text = f"{self.address} is damaged: {name} cannot be read ({type(error).__name__})"
            raise StudyError(f"{text}; begin another") from None
        for row in rows[np.isfinite(rows[:, : self.fields]).all(axis=1)]:
            yield row[: self.fields], row[self.fields :]

    def write(self, name: str, point: np.ndarray, found: np.ndarray) -> None:
        """Add a row."""
        try:
            self.group[name].append(np.concatenate([point, found.ravel()])[None])
        except OSError as error:
            raise not_written(error, self.address, GO_ON.replace("study", "search")) from None
