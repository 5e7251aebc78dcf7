"""Processes that share work: replaced when they die, errors told."""

import os
import signal
import threading
import time

import pytest

from lissom.errors import LissomError
from lissom.study.execution.process_pool import Died, Pool


class Job:
    """Kills its own process the first time it sees the item 3; `tmp` remembers that."""

    def __init__(self, mark):
        self.mark = str(mark)

    def __call__(self, item):
        if item == 3 and not os.path.exists(self.mark):
            open(self.mark, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        if item == 7:
            raise LissomError("seven is refused", ("item",), 7)
        return item * item


def test_a_process_that_dies_is_replaced(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(os.path.dirname(__file__))
    with Pool(2, Job(tmp_path / "mark")) as pool:
        assert dict(pool.each(range(6))) == {k: k * k for k in range(6)}
    assert (tmp_path / "mark").exists()


def test_an_item_that_always_kills_is_told(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(os.path.dirname(__file__))
    job = Job(tmp_path / "missing" / "..." / "mark")  # the mark cannot be left: open raises in the worker
    with pytest.raises(OSError, match="missing"), Pool(1, job) as pool:
        list(pool.each([3]))
    with pytest.raises(Died, match="by signal 9"), Pool(1, _Kill()) as pool:
        list(pool.each([1]))


def test_errors_of_a_job_are_raised_where_it_was_asked_for(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(os.path.dirname(__file__))
    with pytest.raises(LissomError, match="item = 7: seven is refused"), Pool(2, Job(tmp_path / "m")) as pool:
        list(pool.each([1, 7, 2]))


def test_work_that_is_given_up_ends_without_a_word(monkeypatch):
    """Ctrl-C or an error in one item ends processes that are at work on others."""
    monkeypatch.syspath_prepend(os.path.dirname(__file__))
    said = []
    monkeypatch.setattr(threading, "excepthook", said.append)
    with pytest.raises(KeyboardInterrupt), Pool(2, _Slow()) as pool:
        for _ in pool.each([0.0, 30.0, 0.0]):
            raise KeyboardInterrupt
    begun = time.monotonic()
    while any(thread.name.endswith("(_serve)") for thread in threading.enumerate()):
        assert time.monotonic() < begun + 10
        time.sleep(0.01)
    assert not said


class _Slow:
    def __call__(self, seconds):
        time.sleep(seconds)


class _Kill:
    def __call__(self, item):
        os.kill(os.getpid(), signal.SIGKILL)
