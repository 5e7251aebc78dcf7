"""Machine code on disk: shared by processes, made again when damaged, done without where nothing can be written."""

import os
import subprocess
import sys

import numpy as np

from lissom.kernel.compile import events, kernel
from lissom.kernel.mass_matrix import solve_factorised

COMPILE = """
import sys
import numpy as np
from lissom.kernel.compile import events
from lissom.kernel.mass_matrix import solve_factorised
names = []
with events.listening(lambda name: name and names.append(name)):
    b = np.array([[2.0, 8.0]])
    solve_factorised(np.diag([1.0, 2.0]), b, 2)
assert b.tolist() == [[2.0, 2.0]]
print(len(names))
"""


def start(*arguments, **environment):
    command = [sys.executable, "-c", *arguments]
    changed = {k: v for k, v in {**os.environ, **environment}.items() if v is not None}
    return subprocess.Popen(command, env=changed, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(process):
    out, err = process.communicate()
    assert process.returncode == 0, err
    return out.strip(), err


def test_processes_that_start_together_compile_once(tmp_path):
    processes = [start(COMPILE, LISSOM_CACHE_KERNELS=str(tmp_path)) for _ in range(3)]
    assert sorted(finished(process)[0] for process in processes) == ["0", "0", "1"]


def compilations():
    """How many functions a kernel compiles that nobody in this process has called yet."""
    names, b = [], np.array([[2.0, 8.0]])
    with events.listening(lambda name: name and names.append(name)):
        kernel(solve_factorised.py_func).dispatcher(np.diag([1.0, 2.0]), b, 2)
    assert b.tolist() == [[2.0, 2.0]]
    return len(names)


def test_damaged_machine_code_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setenv("LISSOM_CACHE_KERNELS", str(tmp_path))
    assert [compilations(), compilations()] == [1, 0]
    (code,) = tmp_path.glob("*.kernel")
    for damaged in (code.read_bytes()[:1000], b"", b"\0" * code.stat().st_size):
        code.write_bytes(damaged)
        assert [compilations(), compilations()] == [1, 0]


def test_without_a_place_to_write_it_compiles_in_memory_and_says_so_in_one_line(tmp_path):
    file = tmp_path / "file"
    file.touch()
    out, err = finished(start(COMPILE, LISSOM_CACHE=str(file), LISSOM_CACHE_KERNELS=None))
    assert out == "1"
    (line,) = err.splitlines()
    assert str(file) in line and "every process compiles its machine code again" in line and "LISSOM_CACHE=" in line


def test_the_user_may_ask_for_nothing_on_disk():
    assert finished(start(COMPILE, LISSOM_CACHE="off", LISSOM_CACHE_KERNELS=None)) == ("1", "")
