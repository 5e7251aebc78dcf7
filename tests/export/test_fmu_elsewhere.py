"""Machine code for other platforms: FMUs of ella run under emulators, and compute what they compute on this machine."""

import os
import platform
import shutil
import subprocess
from pathlib import Path

import fmpy
import numpy as np
import pytest
from places import DATA

from lissom.export import to_fmu
from lissom.kernel.compile.libraries import toolchain
from lissom.scenario import load

DURATION = 1.0  # s
SYSROOT = Path("/usr/aarch64-linux-gnu")  # glibc for aarch64, of Debian's package libc6-arm64-cross
EMULATORS = {  # by the folder of the library: what runs it, platform as zig names it, what must be there
    "aarch64-linux": (("qemu-aarch64", "-L", str(SYSROOT)), "aarch64-linux-gnu.2.17", SYSROOT),
    "win64": (("wine",), "x86_64-windows-gnu", Path("/")),
}
ROUNDING, OF_A_RUN = 1e-11, 1e-7  # relative to the largest: of accelerations, and at the end of a run at rtol 1e-9


@pytest.fixture(scope="module")
def ella(tmp_path_factory):
    """The FMU's folder, with libraries for all platforms."""
    if toolchain.zig() is None:
        pytest.skip("needs zig, which compiles for other platforms: pip install lissom[compiler]")
    if platform.machine() not in toolchain.X86:
        pytest.skip("compares with x86")
    folder = tmp_path_factory.mktemp("elsewhere")
    exact = load("ella").with_values([("rtol", 1e-9), ("atol", 1e-11), ("duration", DURATION)])
    file = to_fmu(exact, folder / "ella.fmu", version="2.0", platforms=tuple(EMULATORS))
    fmpy.extract(str(file), str(folder / "ella"))
    return folder / "ella"


def computed(fmu, folder, compiler, runner=()):
    """Accelerations at a state, and all outputs at the end of a run, by the library of a platform."""
    about = fmpy.read_model_description(str(fmu))
    outputs = [str(each.valueReference) for each in about.modelVariables if each.causality == "output"]
    [library] = (fmu / "binaries" / folder).iterdir()
    host = library.with_name("host.exe" if library.suffix == ".dll" else "host")
    dynamic = () if library.suffix == ".dll" else ("-ldl", "-lm")
    subprocess.run([*compiler, "-o", host, DATA / "fmu_elsewhere.c", *dynamic], check=True)
    given = [*runner, host, library.name, about.guid, str(about.numberOfContinuousStates), str(DURATION), *outputs]
    quiet = {**os.environ, "WINEDEBUG": "-all", "LD_LIBRARY_PATH": "."}
    if library.suffix == ".so":
        given[len(runner) + 1] = f"./{library.name}"
    done = subprocess.run(given, cwd=library.parent, env=quiet, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    numbers = np.array(done.stdout.split(), float)
    return numbers[: about.numberOfContinuousStates], numbers[about.numberOfContinuousStates :]


@pytest.mark.slow
@pytest.mark.parametrize("folder", EMULATORS)
def test_forward_dynamics_and_a_run_of_ella_are_those_of_this_machine(ella, folder):
    runner, triple, needed = EMULATORS[folder]
    if shutil.which(runner[0]) is None or not needed.exists():
        pytest.skip(f"needs {runner[0]} and {needed}")
    rates, outputs = computed(ella, "linux64", toolchain.compiler())
    for found, expected, tolerance in zip(
        computed(ella, folder, (*toolchain.zig(), f"--target={triple}"), runner),
        (rates, outputs),
        (ROUNDING, OF_A_RUN),
        strict=True,
    ):
        assert np.isfinite(expected).all() and np.abs(expected).max() > 0.1
        assert np.abs(found - expected).max() < tolerance * np.abs(expected).max()
