"""Exported code in real time: no allocation, no access beyond its arrays, a loop that keeps its rate."""

import re
import shutil
import subprocess

import pytest
from c_programs import COMPILERS, built
from places import DATA

from lissom.export import to_c
from lissom.operating_system import SYSTEM

pytestmark = pytest.mark.skipif(not COMPILERS, reason="needs gcc or clang")
on_linux = pytest.mark.skipif(SYSTEM != "linux", reason="needs Linux and its C library")
STEP = ("step", "forward_dynamics")


def allocated(folder):
    """How often memory was asked for before steps, and during them."""
    shutil.copy(DATA / "allocations.c", folder)
    flags = ("-O0", "-std=gnu99")
    done = subprocess.run([built(folder, *flags, program="allocations")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return tuple(map(int, done.stdout.split()))


@on_linux
def test_a_step_allocates_nothing(tmp_path):
    to_c("spinup-beam", tmp_path, STEP, name="arm", backend="loops")
    assert allocated(tmp_path) == (1, 0)
    source = tmp_path / "arm.c"  # and one that does is seen
    text = source.read_text()
    begin = text.index("{", text.index("void arm_step("))
    greedy = f"{text[: begin + 1]} void *volatile more = malloc(64); free(more);{text[begin + 1 :]}"
    source.write_text(f"#include <stdlib.h>\n{greedy}")
    assert allocated(tmp_path) == (1, 200)


def run_loop(folder, *settings):
    done = subprocess.run([built(folder, "-O1", program="loop"), *settings], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@on_linux
@pytest.mark.parametrize("name", ["spinup-beam", "rigid-7-axis"])
def test_the_loop_that_comes_with_a_step_tells_times_and_missed_deadlines(name, tmp_path):
    to_c(name, tmp_path, STEP, backend="loops")
    said = run_loop(tmp_path, "2000", "0.05")
    median, most, worst = map(float, re.search(r"processor +(\S+) +(\S+) +(\S+)", said).groups())
    assert 0.0 < median <= most <= worst
    missed, count = map(int, re.search(r"(\d+) of (\d+) deadlines missed", said).groups())
    assert 0 <= missed <= count == 50


@on_linux
def test_a_loop_that_does_not_stay_finite_is_told(tmp_path):
    to_c("spinup-beam", tmp_path, STEP, backend="loops")
    program = tmp_path / "loop.c"
    program.write_text(re.sub(r"(kd\[\w+\] = {)", r"\1INFINITY * ", program.read_text(), count=1))
    done = subprocess.run([built(tmp_path, "-O1", program="loop"), "200", "0.05"], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "the loop does not stay finite at this rate\n"


@on_linux
@pytest.mark.slow
@pytest.mark.parametrize("name", ["ella", "rigid-7-axis"])
def test_a_million_steps_and_a_minute_at_a_thousand_per_second(name, tmp_path):
    """Times depend on the machine: they are printed (`-s`), and what counts them is tested."""
    to_c(name, tmp_path, STEP, backend="loops")
    said = run_loop(tmp_path)
    print(f"\n{name}:\n{said}")
    assert said.startswith("1000000 steps")
    assert re.search(r"\d+ of 60000 deadlines missed", said)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "backend"),
    [("ella", "straight"), ("ella", "loops"), ("rigid-7-axis", "loops"), ("satellite-two-arm", "loops"),
     ("slider-crank", "loops"), ("spinup-beam", "straight")],
)  # fmt: skip
def test_sanitizers_find_nothing_in_any_function(name, backend, tmp_path):
    if backend == "straight":
        pytest.importorskip("casadi")
    to_c(name, tmp_path, backend=backend)
    watched = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    done = subprocess.run([built(tmp_path, *watched)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.endswith("all results equal those of Python\n")


@pytest.mark.slow
def test_sanitizers_see_an_entry_beyond_the_end(tmp_path):
    to_c("spinup-beam", tmp_path, STEP, backend="loops")
    check = tmp_path / "check.c"
    text = check.read_text()
    check.write_text(re.sub(r"(double found_\w+)\[[^\]]+\]", r"\1[1]", text, count=1))
    watched = ("-O1", "-g", "-fsanitize=address", "-fno-sanitize-recover=all", "-w")
    done = subprocess.run([built(tmp_path, *watched)], capture_output=True, text=True)
    assert done.returncode != 0
    assert "AddressSanitizer" in done.stderr
