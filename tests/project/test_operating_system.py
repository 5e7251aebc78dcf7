"""One module knows operating systems; where they lack locks, forks, owners, limits or signals lissom does without."""

import ast
import ctypes
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from places import HELPERS, ROOT

from lissom import operating_system
from lissom.kernel.compile.libraries import toolchain

SOURCE = ROOT / "src" / "lissom"
OWN = SOURCE / "operating_system.py"
MODULES = {"fcntl", "resource", "pwd", "grp", "termios", "msvcrt", "winreg", "platform", "posix", "nt"}
ATTRIBUTES = {
    "sys": {"platform", "getwindowsversion"},
    "os": {
        "name", "fork", "forkpty", "wait", "waitpid", "getuid", "geteuid", "sched_getaffinity", "sysconf", "uname",
        "nice", "killpg", "setsid", "getpgid", "mkfifo", "chown", "getloadavg",
    },
    "signal": {"SIGPIPE", "SIGKILL", "SIGALRM", "SIGHUP", "SIGCHLD", "SIGUSR1", "setitimer", "alarm"},
    "ctypes": {"windll", "WinDLL", "oledll"},
}  # fmt: skip
BARE = HELPERS / "bare_system"
PARTS = """
import os, sys, tempfile
from pathlib import Path
from lissom import operating_system
from lissom.cli.printing.figure_files import divided
from lissom.cli.printing.run_folder import _lock
from lissom.fem import gmsh_meshes

assert operating_system.SYSTEM == "bare"
assert operating_system.memory() == operating_system.UNKNOWN and operating_system.cores() == os.cpu_count()
done = []
divided(lambda names: done.append((os.getpid(), *names)), ["a", "b", "c"])
assert done == [(os.getpid(), "a", "b", "c")]
with tempfile.TemporaryDirectory() as folder:
    assert operating_system.is_private(Path(folder)) and _lock(Path(folder)) is None
    with operating_system.locked(Path(folder, "lock")), operating_system.locked(Path(folder, "lock")):
        pass
with operating_system.broken_pipes_as_before():
    pass
from lissom.cli import main
sys.argv = ["lissom", "run", "ella", "--set", "duration=0.05", "--no-figures", "--out", sys.argv[1]]
main()
"""


def asked(tree):
    """(line, name) of everything in a module that one system has and another has not."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, each.name) for each in node.names if each.name.split(".")[0] in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module:
            wanted = MODULES if node.module in MODULES else set()
            for each in node.names:
                if wanted or each.name in ATTRIBUTES.get(node.module, ()):
                    yield node.lineno, f"{node.module}.{each.name}"
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in ATTRIBUTES.get(node.value.id, ()):
                yield node.lineno, f"{node.value.id}.{node.attr}"
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(("/proc", "/dev"))
        ):
            yield node.lineno, node.value


def test_no_other_module_asks_which_system_this_is():
    found = {
        f"{path.relative_to(SOURCE)}:{line} {name}"
        for path in SOURCE.rglob("*.py")
        if path != OWN
        for line, name in asked(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == set()
    assert {name for _, name in asked(ast.parse(OWN.read_text(encoding="utf-8")))} >= {
        "fcntl", "resource", "platform", "sys.platform", "os.fork", "os.getuid", "signal.SIGPIPE", "/proc/cpuinfo",
    }  # fmt: skip


def bare(*command, **options):
    """What a process does that finds none of this."""
    paths = os.pathsep.join([str(BARE), str(ROOT / "src"), *sys.path])
    done = subprocess.run(
        [sys.executable, *command], env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_a_run_does_without_locks_forks_owners_limits_and_signals(tmp_path):
    bare("-c", PARTS, str(tmp_path / "out"))
    assert (tmp_path / "out" / "trajectory.nc").exists()


@pytest.mark.slow
def test_the_smoke_suite_does_without_them(tmp_path):
    done = bare("-m", "pytest", "-q", "-m", "smoke", "-p", "no:cacheprovider", "tests/project/test_smoke.py", cwd=ROOT)
    assert "passed" in done.stdout


@pytest.mark.parametrize(
    ("system", "environment", "expected"),
    [
        ("linux", {"XDG_CACHE_HOME": "/caches"}, "/caches"),
        ("linux", {}, "/home/someone/.cache"),
        ("darwin", {}, "/home/someone/Library/Caches"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local"),
        ("win32", {}, "/home/someone/AppData/Local"),
    ],
)
def test_caches_are_where_programs_of_the_system_keep_them(system, environment, expected, monkeypatch):
    monkeypatch.setattr(operating_system, "SYSTEM", system)
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/someone", **environment}.items():
        monkeypatch.setenv(name, value)
    assert operating_system.user_cache() == Path(expected)


DARWIN = {  # of an Intel Core i7-8750H
    b"machdep.cpu.features": "FPU SSE SSE2 SSE3 SSSE3 FMA CX16 SSE4.1 SSE4.2 x2APIC MOVBE POPCNT AES AVX1.0 F16C",
    b"machdep.cpu.leaf7_features": "RDWRFSGS BMI1 AVX2 SMEP BMI2 ERMS INVPCID FPU_CSDS MPX RDSEED ADX",
}


@pytest.fixture
def fresh(monkeypatch):
    """Levels of x86-64 that are found anew, on another system."""

    def levels(system):
        monkeypatch.setattr(operating_system, "SYSTEM", system)
        monkeypatch.setattr(toolchain, "PROCESSOR", "x86_64")
        for known in (toolchain.levels, operating_system._features):
            known.cache_clear()
        return toolchain.levels()

    yield levels
    for known in (toolchain.levels, operating_system._features):
        known.cache_clear()


def test_macos_tells_what_the_processor_has(fresh, monkeypatch):
    monkeypatch.setattr(operating_system, "_told_by_darwin", lambda name: DARWIN[name])
    assert fresh("darwin") == ("x86-64-v3", "x86-64-v2")
    monkeypatch.setattr(operating_system, "_told_by_darwin", lambda name: "")
    assert fresh("darwin") == ("x86-64",)


def test_windows_tells_what_the_processor_has(fresh, monkeypatch):
    newest = 40  # PF_AVX2_INSTRUCTIONS_AVAILABLE
    kernel32 = SimpleNamespace(IsProcessorFeaturePresent=lambda feature: feature <= newest)
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(kernel32=kernel32), raising=False)
    assert fresh("win32") == ("x86-64-v3", "x86-64-v2")


def test_a_system_that_tells_nothing_gets_what_every_processor_runs(fresh, monkeypatch):
    monkeypatch.setattr(operating_system.Path, "read_text", lambda *_, **__: (_ for _ in ()).throw(OSError()))
    assert fresh("other") == ("x86-64",)
