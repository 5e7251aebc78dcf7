"""Kernels that no library holds: compiled once for all processes, again when damaged, Python without a compiler."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from lissom.kernel.algorithms.composite_body import solve_factorised
from lissom.kernel.compile import events, kernel
from lissom.kernel.compile.libraries import on_demand

COMPILE = """
import numpy as np
from lissom.kernel.compile import events, kernel
from lissom.kernel.algorithms.composite_body import solve_factorised
names = []
with events.listening(lambda name: name and names.append(name)):
    b = np.array([[2.0, 8.0]])
    kernel(solve_factorised.py_func)(np.asfortranarray(np.diag([1.0, 2.0, 3.0]))[:2, :2], b, 2)
assert b.tolist() == [[2.0, 2.0]]
print(len(names))
"""


def start(*arguments, **environment):
    command = [sys.executable, "-c", *arguments]
    changed = {k: v for k, v in {**os.environ, "LISSOM_BUILD": "off", **environment}.items() if v is not None}
    return subprocess.Popen(command, env=changed, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(process):
    out, err = process.communicate()
    assert process.returncode == 0, err
    return out.strip(), err


def test_processes_that_start_together_compile_once(tmp_path):
    processes = [start(COMPILE, LISSOM_CACHE_KERNELS=str(tmp_path)) for _ in range(3)]
    assert sorted(finished(process)[0] for process in processes) == ["0", "0", "1"]
    assert {path.suffix for path in (tmp_path / "single").iterdir()} == {".json", ".so"}  # nothing else is left behind


def compilations():
    """How many kernels a process compiles that calls one which no library holds."""
    names, b = [], np.array([[2.0, 8.0]])
    with events.listening(lambda name: name and names.append(name)):
        kernel(solve_factorised.py_func)(np.asfortranarray(np.diag([1.0, 2.0, 3.0]))[:2, :2], b, 2)
    assert b.tolist() == [[2.0, 2.0]]
    return len(names)


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LISSOM_CACHE_KERNELS", str(tmp_path))
    monkeypatch.setenv("LISSOM_BUILD", "off")
    return tmp_path / "single"


@pytest.mark.parametrize("damage", ["cut", "empty", "zeros", "flipped"])
def test_damaged_machine_code_is_made_again(damage, own_cache):
    assert [compilations(), compilations()] == [1, 0]
    (code,) = own_cache.glob("*.so")
    content = code.read_bytes()
    flipped = bytearray(content)
    flipped[len(content) // 2] ^= 1
    code.unlink()  # the one that this process has loaded stays as it is
    code.write_bytes({"cut": content[:4096], "empty": b"", "zeros": bytes(len(content)), "flipped": flipped}[damage])
    assert [compilations(), compilations()] == [1, 0]


@pytest.mark.parametrize("table", ["", "{", "[]", '{"file": "gone.so", "digest": "", "sources": {}, "entries": {}}'])
def test_a_damaged_table_is_made_again(table, own_cache):
    assert compilations() == 1
    (path,) = own_cache.glob("*.json")
    path.write_text(table)
    assert [compilations(), compilations()] == [1, 0]


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes are a POSIX feature")
def test_what_others_may_write_is_not_loaded(own_cache, monkeypatch):
    assert compilations() == 1
    (path,) = own_cache.glob("*.json")
    path.chmod(0o666)
    assert [compilations(), compilations()] == [1, 0]
    own_cache.parent.chmod(0o777)  # then the user's own folder is taken in its place
    monkeypatch.setenv("XDG_CACHE_HOME", str(own_cache.parent.parent / "own"))
    content = json.loads(path.read_text())
    (own_cache / content["file"]).write_bytes(b"planted")
    assert [compilations(), compilations()] == [1, 0]


def test_without_a_place_to_write_it_compiles_for_this_process_and_says_so_in_one_line(tmp_path):
    file = tmp_path / "file"
    file.touch()
    out, err = finished(start(COMPILE, LISSOM_CACHE=str(file), LISSOM_CACHE_KERNELS=None))
    assert out == "1"
    (line,) = err.splitlines()
    assert str(file) in line
    assert "every process compiles its machine code again" in line
    assert "LISSOM_CACHE=" in line


def test_the_user_may_ask_for_nothing_on_disk():
    assert finished(start(COMPILE, LISSOM_CACHE="off", LISSOM_CACHE_KERNELS=None)) == ("1", "")


def test_without_a_compiler_kernels_run_as_python_and_one_line_says_what_to_install(tmp_path):
    code = "import lissom.kernel.compile.libraries.toolchain as t; t.zig = lambda: None\n" + COMPILE * 2
    out, err = finished(start(code, PATH=str(tmp_path), CC=None, LISSOM_CACHE_KERNELS=str(tmp_path)))
    assert out.split() == ["0", "0"]
    (line,) = err.splitlines()
    assert "no C compiler" in line
    assert f"{on_demand.SLOWER} times slower" in line
    assert "lissom[compiler]" in line
