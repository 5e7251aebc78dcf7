"""A wheel that holds machine code, installed into a clean environment: nothing compiles, with a compiler or without."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest
from places import HELPERS, ROOT

from lissom.kernel.compile.libraries import toolchain

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(toolchain.compiler() is None, reason="needs a C compiler, which makes the library of the wheel"),
]
PARTS = ("src", "pyproject.toml", "hatch_build.py", "README.md", "LICENSE")
OWN = ("PYTHONPATH", "LISSOM_BUILD", "LISSOM_KERNELS", "LISSOM_CACHE", "LISSOM_CACHE_KERNELS")
FIRST = (
    "run ella",
    "run luffing-crane --duration 0.1 --no-figures",
    "modes luffing-crane",
    "compare ella --duration 0.1",
)
LOADED = "import sys; from lissom.cli import main; sys.exit(main())"
FOUND = "from lissom.kernel.compile.libraries import toolchain; print(toolchain.compiler())"


def done(command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert result.returncode == 0, result.stdout + result.stderr
    return result


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Python of a fresh environment with the wheel, and an environment of processes with an empty cache."""
    folder = tmp_path_factory.mktemp("wheel")
    source, plain = folder / "source", {k: v for k, v in os.environ.items() if k not in OWN}
    for name in PARTS:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / name, source / name)
    built = source / "src" / "lissom" / "kernel" / "compile" / "built"
    shutil.rmtree(built, ignore_errors=True)
    here = {**os.environ, "PYTHONPATH": str(source / "src"), "LISSOM_BUILD": "off"}
    done([sys.executable, "-c", LOADED, "build", "--all", "--folder", built], env=here)
    done([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, source], env=plain)
    (wheel,) = folder.glob("*.whl")
    done([sys.executable, "-m", "venv", folder / "venv"], env=plain)
    python = folder / "venv" / "bin" / "python"
    done([python, "-m", "pip", "install", "--quiet", wheel], env=plain)
    env = {**plain, "LISSOM_CACHE": str(folder / "cache")}
    return SimpleNamespace(python=python, folder=folder, wheel=wheel, env=env)


def smoke(python, env):
    ran = done([python, HELPERS / "smoke.py"], env=env)
    assert "compil" not in ran.stderr
    return json.loads(ran.stdout)


def test_the_wheel_is_for_this_platform_and_holds_libraries_and_what_compiles_further_kernels(installed):
    assert not installed.wheel.stem.endswith("any")
    names = {name for name in zipfile.ZipFile(installed.wheel).namelist() if name.startswith("lissom/kernel/compile/")}
    assert "lissom/kernel/compile/translate/prelude.h" in names
    target = toolchain.own_target()
    start = f"lissom/kernel/compile/built/library-{target.level}"
    ends = sorted(os.path.splitext(name)[1] for name in names if name.startswith(start))
    assert ends == [".json", target.suffix]


@pytest.mark.parametrize("command", FIRST)
def test_the_first_command_compiles_nothing(installed, command):
    ran = done([installed.python, "-c", LOADED, *command.split()], env=installed.env, cwd=installed.folder)
    assert "compil" not in ran.stdout + ran.stderr
    assert not (installed.folder / "cache" / "kernels").exists()
    if command == "run ella":
        assert (installed.folder / "out" / "ella" / "summary.json").exists()


def test_without_any_compiler_the_smoke_suite_runs_from_the_wheel_with_the_numbers_of_these_sources(installed):
    """Whole runs by two methods, dynamics and derivatives, on two robots, equal to rounding."""
    bare = {name: value for name, value in installed.env.items() if name != "CC"} | {"PATH": ""}
    assert done([installed.python, "-c", FOUND], env=bare).stdout == "None\n"
    shipped = smoke(installed.python, bare)
    assert not (installed.folder / "cache" / "kernels").exists()
    here = smoke(sys.executable, {**os.environ, "PYTHONPATH": str(ROOT / "src")})
    assert set(shipped) == set(here)
    assert len(here) == 10
    for name, numbers in here.items():
        assert np.allclose(shipped[name], numbers, rtol=0, atol=1e-10 * np.abs(numbers).max()), name
