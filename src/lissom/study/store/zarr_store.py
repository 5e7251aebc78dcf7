"""The store of a study: a Zarr group that xarray opens, written piece by piece.

A piece is `chunk` runs. Its values are written first and its mark in `stored` last, so that whatever ends a process,
a piece is either whole or still to be done. Nobody but the process that computes a piece writes it. Every file of
numbers has a checksum (CRC-32C) and is written even where it holds nothing but zeros: a piece whose files are missing
or not as they were written is known for that, and computed again.
"""

from __future__ import annotations

import json
import math
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import LissomError, StudyError
from lissom.messages import listed
from lissom.study.execution.batch import column_of, status_attributes
from lissom.study.plan.run_plan import LONGEST, VARIED, Runs, StudyPiece
from lissom.study.store.store_identity import SHOWN, check_equal, digests
from lissom.study.store.store_places import (
    check_address,
    checksum,
    files_in,
    laid_out,
    may_hold_group,
    need_zarr,
    not_written,
    remove,
)
from lissom.version import __version__

if TYPE_CHECKING:
    import xarray as xr

    from lissom.study.plan.study_schema import Study

STORED, LANES, FILES = "stored", "lanes", "files"
DAMAGE = (KeyError, ValueError, TypeError, AttributeError, RuntimeError, EOFError, OSError, SystemError)
TEXT = f"<U{LONGEST}"
# Zarr has one place for the settings of all threads: those that open arrays take turns, else one undoes another's.
_OPENING = threading.Lock()
GO_ON = "what was stored before is whole; make room and start the same study again"


class Store:
    """A study's results on disk, or wherever fsspec can write."""

    def __init__(self, address: str | os.PathLike[str]) -> None:
        self.address = os.fspath(address)
        self._group: Any = None
        self._opened: dict[str, Any] = {}  # arrays: opening one takes as long as computing a short run

    def __reduce__(self) -> tuple[Any, ...]:
        return Store, (self.address,)

    @property
    def anywhere(self) -> str:
        """Its address for processes that may run in other folders."""
        return self.address if "://" in self.address else os.path.abspath(self.address)

    @property
    def group(self) -> Any:
        """The Zarr group; an error where there is none."""
        if self._group is None:
            zarr = need_zarr()
            check_address(self.address)
            if not may_hold_group(self.address):
                raise StudyError(f"there is no study in {self.address}")
            try:
                # a file that is not there means that it was lost, never that it would hold nothing but the fill value
                with _OPENING, zarr.config.set({"array.write_empty_chunks": True}):
                    self._group = zarr.open_group(self.address, mode="r+", zarr_format=2)
            except DAMAGE as error:
                raise StudyError(f"there is no study in {self.address}: {error}") from None
        return self._group

    def exists(self) -> bool:
        """Return whether a study was begun here."""
        check_address(self.address)
        try:
            return "lissom" in self.group.attrs
        except StudyError:
            return False

    def create(self, study: Study) -> None:
        """Lay out an empty store, unless another process just did; the mark that makes it one is written last."""
        if not laid_out(self.address, lambda address: self._lay_out(study, address)):
            if not self.exists():
                text = f"{self.address} holds something else, or a damaged study"
                raise StudyError(f"{text}; give another name, or an empty folder")
            self.check_same(study)

    def _lay_out(self, study: Study, address: str) -> None:
        group = need_zarr().open_group(address, mode="a", zarr_format=2)
        self._arrays(group, study.runs, study.chunk)
        data = study.to_dict()
        group.attrs.update({"lissom": __version__, "study": json.dumps(data), LANES: study.runs.in_packs})
        group.attrs[FILES] = digests(data)

    def _arrays(self, group: Any, runs: Runs, chunk: int) -> None:
        count = len(runs)

        def empty(
            name: str, sizes: tuple[int, ...], dims: tuple[str, ...], dtype: Any, fill: Any, **attributes: Any
        ) -> None:
            shape, chunks = (count, *sizes), (min(chunk, count), *sizes)
            made = group.create_array(
                name, shape=shape, chunks=chunks, dtype=dtype, fill_value=fill, filters=[checksum()], overwrite=True
            )
            made.attrs.update({"_ARRAY_DIMENSIONS": ["run", *dims]} | attributes)

        self._inputs(group, runs)
        for name, shape in runs.shapes.items():
            empty(name, shape.sizes, shape.dims, "f8", np.nan, **shape.attributes)
        empty("status", (), (), "i1", -1, **status_attributes())
        empty("cause", (), (), TEXT, "")
        pieces = math.ceil(count / chunk)
        stored = group.create_array(
            STORED, shape=(pieces,), chunks=(1,), dtype="u1", fill_value=0, filters=[checksum()], overwrite=True
        )
        stored.attrs["_ARRAY_DIMENSIONS"] = ["piece"]

    def _inputs(self, group: Any, runs: Runs) -> None:
        """Write what is known before a run is computed: the varied values, labels and times."""

        def array(name: str, values: Any, dims: tuple[str, ...], attributes: dict[str, Any] | None = None) -> None:
            values = np.asarray(values)
            shape, form = values.shape, {"filters": [checksum()], "overwrite": True}
            made = group.create_array(name, shape=shape, dtype=values.dtype, chunks=shape, fill_value=None, **form)
            made[...] = values
            made.attrs.update({"_ARRAY_DIMENSIONS": list(dims)} | (attributes or {}))

        for name, values in runs.variations.columns.items():
            column = column_of(values)
            column = column.astype(str) if column.dtype == object else column
            array(name, column, ("run",), runs.column_attributes(name))
        for shape in runs.shapes.values():
            for dim, labels in shape.labels.items():
                array(dim, np.array(labels, dtype=str), (dim,))
        if any("time" in shape.dims for shape in runs.shapes.values()):
            array("time", runs.time, ("time",), {"units": "s"})

    def check_same(self, study: Study) -> None:
        """Refuse to go on with another study, robot or version; say what differs."""
        there = {"version": self.group.attrs["lissom"], **self._description()}
        check_equal(self.address, there, {"version": __version__, **json.loads(json.dumps(study.to_dict()))})
        self.check_files()

    def check_files(self) -> None:
        """Refuse to go on with other contents of the files that the study refers to."""
        known = self.group.attrs.get(FILES)
        if known is not None:
            now = digests(self._description())
            changed = [name for name in known if now.get(name) != known[name]]
            if changed:
                text = f"{self.address} was begun with other contents of {listed(changed[:SHOWN], 'and')}"
                raise StudyError(f"{text}; put them back, or give another store")

    def missing(self) -> list[int]:
        """Return pieces that are still to be computed."""
        return [int(piece) for piece in np.flatnonzero(self._marks() == 0)]

    def _marks(self) -> np.ndarray:
        """Return which pieces are stored, (pieces,); a mark that cannot be read is none."""
        array = self._array(STORED)
        marks = np.zeros(array.shape, bool)
        try:
            marks[:] = array[:]
        except DAMAGE:
            for piece in range(len(marks)):
                with suppress(*DAMAGE):
                    marks[piece] = array[piece]
        return marks

    def lost(self) -> dict[int, str]:
        """Find stored pieces with a file that is missing or empty, and its array; reads no numbers."""
        found: dict[int, str] = {}
        marks = np.flatnonzero(self._marks()).tolist()
        for name in self._results():
            there = self._files(name)
            found |= {piece: name for piece in marks if self._file(name, piece) not in there}
        return found

    def find_damaged(self) -> dict[int, str]:
        """Find stored pieces that cannot be read as they were written, and an array each; reads everything."""
        found = self.lost()
        for piece in np.flatnonzero(self._marks()).tolist():
            rows = self.rows(piece)
            for name in self._results():
                try:
                    self._array(name)[rows.start : rows.stop]
                except DAMAGE:
                    found.setdefault(piece, name)
        return found

    def repair(self, study: Study) -> dict[int, str]:
        """Mark damaged pieces as still to be computed, and write varied values again that cannot be read."""
        found = self.find_damaged()
        for piece in found:
            for name in (*self._results(), STORED):
                self._remove(name, piece)
        inputs = [name for name in self.group.array_keys() if name not in (*study.outputs, "status", "cause", STORED)]
        try:
            for name in inputs:
                if getattr(self._array(name), "filters", None) and self._file(name, 0) not in self._files(name):
                    raise FileNotFoundError(name)
                self._array(name)[...]
        except (LissomError, *DAMAGE):
            self._inputs(self.group, study.runs)
            self._opened.clear()
        return found

    def places(self, damaged: dict[int, str]) -> list[tuple[str, range]]:
        """Return the first few of some damaged pieces: an array that shows it, and the runs."""
        return [(name, self.rows(piece)) for piece, name in sorted(damaged.items())[:SHOWN]]

    def _results(self) -> list[str]:
        """Return arrays whose files all exist once a piece is stored: not those of stores of an older version."""
        named = [str(name) for name in self._description().get("outputs", ())]
        return [name for name in (*named, "status", "cause") if getattr(self._array(name), "filters", None)]

    def _file(self, name: str, piece: int) -> str:
        return ".".join([str(piece), *["0"] * (self._array(name).ndim - 1)])

    def _files(self, name: str) -> set[str]:
        """Return names of the files of an array that hold something."""
        return files_in(self.address, name)

    def _remove(self, name: str, piece: int) -> None:
        remove(self.address, f"{name}/{self._file(name, piece)}")

    def holds(self, piece: int) -> bool:
        """Return whether a piece is stored."""
        try:
            return bool(self._array(STORED)[piece])
        except DAMAGE:
            return False

    def rows(self, piece: int) -> range:
        """Return the runs of a piece."""
        chunk, count = self._array("status").chunks[0], self._array("status").shape[0]
        return range(piece * chunk, min((piece + 1) * chunk, count))

    def write(self, piece: int, results: StudyPiece) -> None:
        """Put the results of a piece into their place, then mark it as stored."""
        rows = self.rows(piece)
        at = slice(rows.start, rows.stop)
        try:
            for name, values in results.values.items():
                self._array(name)[at] = values
            self._array("status")[at] = results.status
            self._array("cause")[at] = np.array(results.cause, dtype=TEXT)
            self._array(STORED)[piece] = 1
        except OSError as error:
            raise not_written(error, self.address, GO_ON) from None

    def study(self) -> Study:
        """Return the study that was begun here."""
        from lissom.study.plan.study_schema import Study

        if not self.exists():
            raise StudyError(f"there is no study in {self.address}; make one with lissom sweep STUDY.yaml")
        return Study.from_dict(self._description())

    def runs(self) -> Runs:
        """Return its runs, computed in lanes or one by one as when they were begun: digits depend on it."""
        self.check_files()
        return replace(self.study().runs, lanes=self.group.attrs.get(LANES))

    def _description(self) -> dict[str, Any]:
        """Return the study as plain data."""
        try:
            found = json.loads(self.group.attrs["study"])
        except (KeyError, ValueError, TypeError):
            found = None
        if not isinstance(found, dict):
            raise StudyError(f"{self.address} is damaged: what it says of its study cannot be read; begin another")
        return found

    def _array(self, name: str) -> Any:
        if name not in self._opened:
            group = self.group
            with self.reading(name), _OPENING, need_zarr().config.set({"array.write_empty_chunks": True}):
                self._opened[name] = group[name]
        return self._opened[name]

    @contextmanager
    def reading(self, name: str) -> Iterator[None]:
        """Join what Zarr says of damaged files into one message."""
        try:
            yield
        except LissomError:
            raise
        except DAMAGE as error:
            text = f"{self.address} is damaged: {name} cannot be read ({type(error).__name__})"
            raise StudyError(f"{text}; take what can be read, and begin another") from None

    def dataset(self) -> xr.Dataset:
        """Return everything stored so far, read when it is looked at; refused where files of it were lost."""
        import xarray as xr

        self.group  # noqa: B018  or a clear error
        if lost := self.lost():
            piece, name = next(iter(lost.items()))
            files = f"{self._file(name, piece)} of {name}" + (f" and {len(lost) - 1} more" if len(lost) > 1 else "")
            text = f"{self.address} has lost the file {files}; the same study, run again, computes them again"
            raise StudyError(text)
        with self.reading("the table of its arrays"):
            found = xr.open_zarr(self.address, consolidated=False, zarr_format=2, chunks=None, mask_and_scale=False)
        varied = [name for name in found.data_vars if found[name].attrs.get("long_name") == VARIED]
        return found.set_coords(varied).drop_vars(STORED).assign_coords(run=np.arange(found.sizes["run"]))


def open_store(address: str | os.PathLike[str]) -> Store:
    """Return the store at an address, which must hold a study."""
    store = Store(address)
    if not store.exists():
        raise StudyError(f"there is no study in {store.address}; make one with lissom sweep STUDY.yaml")
    return store
