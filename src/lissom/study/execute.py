"""A study is computed: the pieces that are missing, by processes here or by a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from lissom.errors import StudyError
from lissom.progress import Progress
from lissom.study.batch import processes_for
from lissom.study.pool import Pool
from lissom.study.results import Results
from lissom.study.runs import Runs
from lissom.study.store import Store, need_zarr
from lissom.study.together import AT_ONCE

if TYPE_CHECKING:
    from lissom.study.schema import Study

AHEAD = 3  # pieces per worker that a scheduler is given at a time
TRIES = 3  # of a piece whose worker is lost
WAIT = 10  # s to reach a cluster


@lru_cache(maxsize=1)
def _begun(address: str, call: str) -> tuple[Store, Runs]:
    """A store and its runs, opened once in every process for a call: at the next, another study may be there."""
    store = Store(address)
    return store, store.study().runs


def compute_piece(address: str, piece: int, call: str = "") -> int:
    """Compute a piece and store it, unless it is stored, wherever this runs; the number of its runs."""
    store, runs = _begun(address, call)
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
    if cluster is not None:
        _need_dask()
    store = Store(address)
    if store.exists():
        store.check_same(study)
    else:
        study.runs.check()
        store.create(study)
    missing = store.missing()
    if missing:
        done = len(study) - sum(len(store.rows(piece)) for piece in missing)
        with Progress(f"computing {study.name}", len(study), "runs", show=progress) as bar:
            bar.update(done)
            for count in _computed(store, missing, cores, cluster):
                done += count
                bar.update(done)
    return Results(store)


def _computed(store: Store, pieces: list[int], cores: int | None, cluster: Any) -> Iterator[int]:
    """Numbers of runs as they are stored."""
    job = partial(compute_piece, store.address, call=uuid4().hex)
    if cluster is not None:
        yield from _on_cluster(job, pieces, cluster)
        return
    processes = processes_for(sum(len(store.rows(piece)) for piece in pieces), cores)
    if processes == 1 or len(pieces) == 1:
        yield from map(job, pieces)
        return
    with Pool(min(processes, len(pieces)), job) as pool:
        for _, count in pool.each(pieces):
            yield count


def _on_cluster(job: Callable[[int], int], pieces: Iterable[int], cluster: Any) -> Iterator[int]:
    """The same, by the workers of a Dask cluster, which write to the store themselves."""
    from distributed import Client, as_completed

    client, ours = (_connected(Client, cluster), True) if isinstance(cluster, str) else (cluster, False)
    waiting = iter(pieces)
    try:
        ahead = AHEAD * max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
        first = [client.submit(job, piece, pure=False, retries=TRIES) for piece in islice(waiting, ahead)]
        futures = as_completed(first, loop=client.loop)
        for future in futures:
            yield future.result()
            for piece in islice(waiting, 1):
                futures.add(client.submit(job, piece, pure=False, retries=TRIES))
    finally:
        if ours:
            client.close()


def _need_dask() -> None:
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise StudyError("a cluster needs a package: pip install 'lissom[cluster]'", ("cluster",)) from None


def _connected(client: Callable, address: str) -> Any:
    try:
        return client(address, timeout=WAIT, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        text = f"no Dask scheduler answers there ({reason}); start one with: dask scheduler"
        raise StudyError(text, ("cluster",), address) from None
