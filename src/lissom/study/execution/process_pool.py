"""Processes on this machine that share the work; one that dies is replaced, and its item is done again."""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from lissom.errors import LissomError
from lissom.study.execution.worker_process import receive, send

TRIES = 3  # how often an item may take a process down with it


class Died(LissomError):
    """A process that ended by itself."""


class Process:
    """One worker process and the pipes to it."""

    def __init__(self) -> None:
        one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        path = os.pathsep.join(folder for folder in sys.path if folder)
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from lissom.study.execution.worker_process import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | one_thread | {"PYTHONPATH": path},
            start_new_session=True,  # Ctrl-C is for the coordinator, which ends the work in order
        )

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def begin(self, job: Callable[[Any], Any]) -> None:
        """Say what to do with every item from now on."""
        self._tell(("job", job))

    def do(self, item: Any) -> Any:
        """Return the job's answer for an item; its error is raised here."""
        self._tell(("item", item))
        assert self._process.stdout is not None
        try:
            good, answer = receive(self._process.stdout)
        except EOFError:
            raise self._death() from None
        if not good:
            raise answer
        return answer

    def end(self) -> None:
        """Stop it, whatever it does."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _tell(self, message: Any) -> None:
        assert self._process.stdin is not None
        try:
            send(self._process.stdin, message)
        except OSError:
            raise self._death() from None

    def _death(self) -> Died:
        code = self._process.wait()
        how = f"by signal {-code}" if code < 0 else f"with code {code}"
        return Died(f"a worker process ended {how}; see whether memory was short")


_kept: list[Process] = []  # started ones wait for the next job: starting takes seconds


@atexit.register
def _end_all() -> None:
    for process in _kept:
        process.end()
    _kept.clear()


class Pool:
    """So many processes for one job.

    >>> with Pool(2, job) as pool:
    ...     for item, answer in pool.each(items): ...
    """

    def __init__(self, size: int, job: Callable[[Any], Any]) -> None:
        self.size, self.job = size, job
        self._processes: list[Process] = []
        self._stopping = threading.Event()
        self._lock = threading.Lock()  # no process joins the others once they are told to stop

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._lock:
            self._stopping.set()
            processes, self._processes = self._processes, []
        for process in processes:
            process.end() if kind is not None else _kept.append(process)

    def each(self, items: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """Yield (item, answer) as they come; an error ends the work."""
        waiting, done = queue.SimpleQueue[Any](), queue.SimpleQueue[tuple[Any, Any, BaseException | None]]()
        count = 0
        for item in items:
            waiting.put(item)
            count += 1
        threads = [threading.Thread(target=self._serve, args=(waiting, done), daemon=True) for _ in range(self.size)]
        for thread in threads:
            thread.start()
        for _ in range(count):
            item, answer, error = done.get()
            if error is not None:
                self._stopping.set()
                raise error
            yield item, answer
        for thread in threads:
            thread.join()

    def _serve(self, waiting: queue.SimpleQueue[Any], done: queue.SimpleQueue[Any]) -> None:
        process = None
        while not self._stopping.is_set():
            try:
                item = waiting.get_nowait()
            except queue.Empty:
                return
            for attempt in range(TRIES):
                try:
                    process = process or self._ready()
                    if process is None:
                        return
                    done.put((item, process.do(item), None))
                    break
                except Died as error:
                    self._discard(process)
                    process = None
                    if attempt == TRIES - 1 or self._stopping.is_set():
                        done.put((item, None, error))
                        return
                except BaseException as error:
                    done.put((item, None, error))
                    return

    def _ready(self) -> Process | None:
        """Return a process that knows the job; None where the work is given up meanwhile."""
        process = _kept.pop() if _kept else Process()
        with self._lock:
            if self._stopping.is_set():
                process.end()
                return None
            self._processes.append(process)
        process.begin(self.job)
        return process

    def _discard(self, process: Process | None) -> None:
        if process is not None:
            with self._lock:
                self._processes = [one for one in self._processes if one is not process]
            process.end()
