"""A study is computed: the pieces that are missing, by processes here or by a Dask cluster."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Iterator
from functools import partial
from threading import local
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from lissom.messages import listed
from lissom.progress import Progress
from lissom.study.execution.batch import processes_for, tell_failures
from lissom.study.execution.dask_cluster import client_of, on_cluster
from lissom.study.execution.process_pool import Pool
from lissom.study.execution.vector_runs import AT_ONCE
from lissom.study.plan.run_plan import Runs
from lissom.study.store.store_places import need_zarr
from lissom.study.store.study_results import Results
from lissom.study.store.zarr_store import Store

if TYPE_CHECKING:
    from lissom.study.plan.study_schema import Study

LOG = logging.getLogger(__name__)
_own = local()  # each thread has its own runs, as workers of Dask have several: kernels write to memory of the runs


def _open_store(address: str, call: str) -> tuple[Store, Runs]:
    """Return a store and its runs, opened once for a call: at the next, another study may be there."""
    if getattr(_own, "call", None) != (address, call):
        store = Store(address)
        _own.call, _own.begun = (address, call), (store, store.runs())
    found: tuple[Store, Runs] = _own.begun
    return found


def compute_piece(address: str, piece: int, call: str = "") -> int:
    """Compute a piece and store it, unless it is stored, wherever this runs; the number of its runs."""
    store, runs = _open_store(address, call)
    rows = store.rows(piece)
    if not store.holds(piece):
        store.write(piece, runs.compute(rows, AT_ONCE))
    return len(rows)


def execute(
    study: Study,
    address: str | os.PathLike[str],
    *,
    cores: int | None = None,
    cluster: Any = None,
    progress: bool = True,
) -> Results:
    """Compute what the store does not hold yet; see `Study.run`."""
    need_zarr()
    store = Store(address)
    if store.exists():
        store.check_same(study)
        if damaged := store.repair(study):
            places = listed([f"{name} of runs {r.start} to {r.stop - 1}" for name, r in store.places(damaged)], "and")
            text = f"{store.address} is not as it was written: {places}; these runs are computed again"
            warnings.warn(text, stacklevel=3)
    with client_of(cluster) as client:  # nothing is written where it does not answer
        if not store.exists():
            study.runs.check()
            store.create(study)
        missing = store.missing()
        if missing:
            done = len(study) - sum(len(store.rows(piece)) for piece in missing)
            with Progress(f"computing {study.name}", len(study), "runs", show=progress) as bar:
                bar.update(done)
                for count in _compute(store, missing, cores, client):
                    done += count
                    LOG.info("%s: %d of %d runs are stored in %s", study.name, done, len(study), store.address)
                    bar.update(done)
    results = Results(store)
    tell_failures(results.values("status"), results.values("cause").tolist(), stacklevel=3)
    return results


def _compute(store: Store, pieces: list[int], cores: int | None, client: Any) -> Iterator[int]:
    """Yield numbers of runs as they are stored."""
    job = partial(compute_piece, store.anywhere, call=uuid4().hex)
    if client is not None:
        yield from on_cluster(job, pieces, client)
        return
    processes = processes_for(sum(len(store.rows(piece)) for piece in pieces), cores)
    if processes == 1 or len(pieces) == 1:
        yield from map(job, pieces)
        return
    with Pool(min(processes, len(pieces)), job) as pool:
        for _, count in pool.each(pieces):
            yield count
