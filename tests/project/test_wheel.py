"""A wheel that holds machine code, installed into a clean environment: nothing compiles, with Numba or without."""

import json
import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from places import HELPERS, ROOT

from lissom.kernel.compile import library

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not library.levels(), reason="no machine code is shipped for this platform"),
]
PARTS = ("src", "pyproject.toml", "hatch_build.py", "README.md", "LICENSE")
FIRST = (
    "run ella",
    "run luffing-crane --duration 0.1 --no-figures",
    "modes luffing-crane",
    "compare ella --duration 0.1",
)
COMMAND = """
import sys
from lissom.cli import main
try:
    main()
finally:
    print("numba" in sys.modules, file=sys.stderr)
"""


def done(command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert result.returncode == 0, result.stdout + result.stderr
    return result


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Python of a fresh environment with the wheel, and an environment of processes with an empty cache."""
    folder = tmp_path_factory.mktemp("wheel")
    source, plain = folder / "source", {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    for name in PARTS:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / name, source / name)
    built = source / "src" / "lissom" / "kernel" / "machine" / "built"
    shutil.rmtree(built, ignore_errors=True)
    levels = [text for level in library.own_levels() for text in ("--level", level)]
    code = "from lissom.cli import main; main()"
    here = {**plain, "PYTHONPATH": str(source / "src"), "LISSOM_CACHE": str(folder / "objects"), "LISSOM_BUILD": "off"}
    done([sys.executable, "-c", code, "build", "--rarer", "--folder", built, *levels], env=here)
    done([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, source], env=plain)
    (wheel,) = folder.glob("*.whl")
    assert not wheel.stem.endswith("any")  # it is for this platform alone
    done([sys.executable, "-m", "venv", folder / "venv"], env=plain)
    python = folder / "venv" / "bin" / "python"
    done([python, "-m", "pip", "install", "--quiet", wheel], env=plain)
    return SimpleNamespace(python=python, folder=folder, env={**plain, "LISSOM_CACHE": str(folder / "cache")})


def machine_code(folder):
    return [path for pattern in ("*.o", "*.so", "*.nbi", "*.nbc") for path in folder.rglob(pattern)]


def smoke(python, env, *arguments):
    return json.loads(done([python, HELPERS / "smoke.py", *arguments], env=env).stdout)


@pytest.mark.parametrize("command", FIRST)
def test_the_first_command_compiles_nothing(installed, command):
    ran = done([installed.python, "-c", COMMAND, *command.split()], env=installed.env, cwd=installed.folder)
    assert ran.stderr.splitlines()[-1] == "False", "Numba was loaded"
    assert "compiling" not in ran.stdout + ran.stderr
    assert not machine_code(installed.folder / "cache")
    if command == "run ella":
        assert (installed.folder / "out" / "ella" / "summary.json").exists()


def test_without_numba_all_of_the_smoke_suite_runs_with_the_numbers_of_code_compiled_here(installed, tmp_path):
    """Whole runs by two methods, dynamics and derivatives, on two robots, equal to rounding: to the library made here,
    and without derivatives and runs, which take Numba many minutes, to what Numba compiles alone.
    """
    here = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "LISSOM_BUILD": "on"}
    compiled = smoke(sys.executable, here)
    alone = smoke(sys.executable, {**here, "LISSOM_CACHE": str(tmp_path), "LISSOM_BUILD": "off"}, "plain")
    done([installed.python, "-m", "pip", "uninstall", "--quiet", "--yes", "numba", "llvmlite"], env=installed.env)
    gone = subprocess.run([installed.python, "-c", "import numba"], env=installed.env, capture_output=True, text=True)
    assert "ModuleNotFoundError" in gone.stderr
    shipped = smoke(installed.python, installed.env)
    assert set(shipped) == set(compiled) and len(alone) == 6
    for name, numbers in [*compiled.items(), *alone.items()]:
        assert np.allclose(shipped[name], numbers, rtol=0, atol=1e-10 * np.abs(numbers).max()), name
