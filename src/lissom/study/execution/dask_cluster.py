"""Pieces of a study on a Dask cluster, whose workers write to the store themselves."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from typing import Any

from lissom.errors import StudyError

AHEAD = 3  # pieces per worker that a scheduler is given at a time
TRIES = 3  # of a piece whose worker is lost
WAIT = 10  # s to reach a cluster
SCHEDULER = "Scheduler"  # what one calls itself


@contextmanager
def client_of(cluster: Any) -> Iterator[Any]:
    """Yield a connection to the scheduler at an address, or the one that is handed in; None for none."""
    if cluster is None:
        yield None
        return
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise StudyError("a cluster needs a package: pip install 'lissom[cluster]'", ("cluster",)) from None
    if not isinstance(cluster, str):
        yield cluster
        return
    client = _connect(cluster)
    try:
        yield client
    finally:
        client.close()


def on_cluster(job: Callable[[int], int], pieces: Iterable[int], client: Any) -> Iterator[int]:
    """Yield answers of a job for every piece as they come."""
    from distributed import as_completed
    from distributed.client import FutureCancelledError
    from distributed.comm.core import CommClosedError
    from distributed.scheduler import KilledWorker

    waiting = iter(pieces)
    try:
        workers = len(client.scheduler_info(n_workers=-1)["workers"])
        if not workers:
            text = f"the cluster has no workers yet; they begin with the first: dask worker {_address(client)}"
            warnings.warn(text, stacklevel=2)
        first = [
            client.submit(job, piece, pure=False, retries=TRIES) for piece in islice(waiting, AHEAD * max(1, workers))
        ]
        futures = as_completed(first, loop=client.loop)
        for future in futures:
            yield future.result()
            for piece in islice(waiting, 1):
                futures.add(client.submit(job, piece, pure=False, retries=TRIES))
    except (CommClosedError, FutureCancelledError, KilledWorker) as error:
        text = f"the cluster gave up ({_reason(error)}); what is stored is whole: start the same study again to go on"
        raise StudyError(text, ("cluster",), _address(client)) from None


def _connect(address: str) -> Any:
    """Connect a client, or fail where no scheduler answers in time: others may stay silent forever."""
    from distributed import Client

    try:
        with ThreadPoolExecutor(1) as thread:  # this one may have a loop of its own, as in a notebook
            found = thread.submit(asyncio.run, _ask(address)).result()
        if found == SCHEDULER:
            return Client(address, timeout=WAIT, set_as_default=False)
        reason = f"it is a {found}"
    except TimeoutError as error:
        reason = str(error) or f"silent for {WAIT} s"
    except Exception as error:  # whatever an address leads to
        reason = _reason(error)
    text = f"no Dask scheduler answers there ({reason}); start one with: dask scheduler"
    raise StudyError(text, ("cluster",), address) from None


async def _ask(address: str) -> str:
    """Return what of Dask is at an address."""
    from distributed import Security, rpc

    async with asyncio.timeout(WAIT), rpc(address, connection_args=Security().get_connection_args("client")) as there:
        return str((await there.identity())["type"])


def _address(client: Any) -> str:
    return str(getattr(client.scheduler, "address", "ADDRESS"))


def _reason(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)
