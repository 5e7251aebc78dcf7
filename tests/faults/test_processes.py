"""Processes that die, disks that are full, writers that meet: a file is the old one or the new one, never a part."""

import os
import resource
import signal
import subprocess
import sys
import time
from functools import cache, partial

import numpy as np
import pytest
from places import ROOT
from sample_runs import ella_run

import lissom
from lissom import beam, fem, files
from lissom.results.trajectory import Trajectory

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@cache
def link():
    """A small link of finite elements."""
    bar = beam.Section.rectangle(beam.Material(E=2.1e11, nu=0.3, rho=7800), 0.02, 0.03)
    body = fem.frame({"root": (0, 0, 0), "tip": (0.5, 0, 0)}, [fem.Member("root", "tip", bar, 8)])
    return fem.reduce(body, [fem.Interface(name, name) for name in ("root", "tip")], 4)


WRITERS = {
    "run.nc": lambda path: ella_run().save(path),
    "run.csv": lambda path: ella_run().to_csv(path),
    "run.parquet": lambda path: ella_run().to_parquet(path),
    "link.npz": lambda path: link().save(path),
    "report.html": lambda path: ella_run().report(path),
}


def child(action):
    """Do something in a process of its own; the signal that ended it, or its exit code as a negative number."""
    process = os.fork()
    if process == 0:
        try:
            action()
        except BaseException:
            os._exit(1)
        os._exit(0)
    status = os.waitpid(process, 0)[1]
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else -os.WEXITSTATUS(status)


def dies_within_the_write(write, path):
    """The system itself ends the process when a file reaches 1000 bytes: in the middle of a write."""

    def action():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
        write(path)

    assert child(action) == signal.SIGXFSZ


def dies_before_the_file_is_in_its_place(write, path):
    """Killed after the last byte, before the new file takes the place of the old."""

    def action():
        files.os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        write(path)

    assert child(action) == signal.SIGKILL


@pytest.mark.parametrize("death", [dies_within_the_write, dies_before_the_file_is_in_its_place])
@pytest.mark.parametrize("name", WRITERS)
def test_a_process_killed_while_it_writes_leaves_the_old_file(name, death, tmp_path):
    write, path = WRITERS[name], tmp_path / name
    path.write_text("the old one")
    write(tmp_path / f"good-{name}")
    death(write, path)
    assert path.read_text() == "the old one"
    write(path)  # what was left behind is in nobody's way
    assert path.stat().st_size == pytest.approx((tmp_path / f"good-{name}").stat().st_size, rel=0.01)


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_is_one_message(name):
    with pytest.raises(lissom.LissomError, match=r"cannot write /dev/full: no space left on device"):
        WRITERS[name](os.path.join("/dev", "full"))


@pytest.mark.parametrize("name", WRITERS)
def test_a_place_that_takes_no_files_is_one_message(name):
    with pytest.raises(lissom.LissomError, match=r"cannot write /proc"):
        WRITERS[name](f"/proc/{name}")


def test_a_damaged_link_of_finite_elements_is_refused_in_words(tmp_path):
    link().save(tmp_path / "link.npz")
    whole = (tmp_path / "link.npz").read_bytes()
    rng = np.random.default_rng(1)
    for _ in range(300):
        data = bytearray(whole)
        data[rng.integers(len(data))] ^= 1 << rng.integers(8)
        (tmp_path / "link.npz").write_bytes(data if rng.random() < 0.8 else data[: rng.integers(len(data))])
        try:
            fem.ReducedLink.load(tmp_path / "link.npz")
        except lissom.LissomError as error:
            assert "link.npz" in str(error)


def test_many_writers_of_one_file_leave_one_whole_file(tmp_path):
    path = tmp_path / "run.nc"
    processes = []
    ella_run()
    for _ in range(5):
        process = os.fork()
        if process == 0:
            for _ in range(3):
                ella_run().save(path)
            os._exit(0)
        processes.append(process)
    seen = 0
    while processes:
        if path.exists():
            assert np.array_equal(Trajectory.load(path).q, ella_run().q)
            seen += 1
        done, status = os.waitpid(-1, os.WNOHANG)
        if done:
            assert status == 0
            processes.remove(done)
    assert seen
    assert [file.name for file in tmp_path.iterdir()] == ["run.nc"]


KERNEL = """
from lissom.kernel.compile import kernel

@kernel
def twice(x):
    return 2.0 * x

print(twice(21.0))
"""
HANGING = """#!/bin/sh
case "$*" in *--version*) echo hanging; exit;; esac
[ -e begun ] && exec cc "$@"
for goal; do :; done
echo half > "$goal"
echo $$ > begun.part && mv begun.part begun
exec sleep 600
"""


def test_what_a_killed_build_leaves_is_not_taken_for_machine_code(tmp_path):
    """The compiler that outlives it keeps nobody waiting either."""
    script, compiler, begun = tmp_path / "script.py", tmp_path / "compiler", tmp_path / "begun"
    script.write_text(KERNEL)
    compiler.write_text(HANGING)
    compiler.chmod(0o755)
    cache = tmp_path / "cache"
    environment = {**os.environ, "LISSOM_CACHE": str(cache), "CC": str(compiler), "PYTHONPATH": str(ROOT / "src")}
    start = partial(subprocess.Popen, [sys.executable, script], cwd=tmp_path, env=environment, stdout=subprocess.PIPE)
    first = start()
    while not begun.exists():
        assert first.poll() is None
        time.sleep(0.01)
    first.kill()
    first.communicate()
    (left,) = cache.rglob("*.o")
    assert left.read_text() == "half\n"
    second = start()
    try:
        assert second.communicate(timeout=120)[0] == b"42.0\n"
    finally:
        os.kill(int(begun.read_text()), signal.SIGKILL)
    assert second.returncode == 0
    assert not left.exists()


@pytest.mark.slow
def test_two_processes_that_compile_into_one_new_cache_agree(tmp_path):
    code = "import lissom; print(lissom.forward_dynamics('rigid-7-axis', [0.1] * 7, [0.2] * 7).tolist())"
    environment = {**os.environ, "LISSOM_CACHE": str(tmp_path), "PYTHONPATH": str(ROOT / "src")}
    both = [
        subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    answers = [process.communicate() for process in both]
    assert [process.returncode for process in both] == [0, 0], answers
    assert answers[0][0] == answers[1][0] != b""
