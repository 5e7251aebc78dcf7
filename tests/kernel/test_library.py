"""Machine code from a shared library: the same numbers, without Numba, and never for other sources."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import lissom
from lissom.kernel.energy import world_frames
from lissom.kernel.forward import forward_dynamics
from lissom.kernel.jacobian import frame_jacobian
from lissom.kernel.kinematics import outward
from lissom.kernel.machine import library
from lissom.kernel.machine.build import build, compiler
from lissom.kernel.machine.trace import tracing

pytestmark = pytest.mark.skipif(not library.levels() or compiler() is None, reason="needs Linux, x86-64, a C compiler")

USE = """
import json, sys
import numpy as np
import lissom
from lissom.kernel.energy import world_frames
from lissom.kernel.jacobian import frame_jacobian

model = lissom.load("ella").compile()
work, J = model.scratch(), np.zeros((6, model.nv))
rng = np.random.default_rng(1)
for table in (work.rotation, work.position, work.reach, work.subspace):
    table[:] = rng.normal(size=table.shape)
world_frames(model.struct, model.workspace())
frame_jacobian(model.struct, model.workspace(), 2, J)
print(json.dumps({"numba": "numba" in sys.modules, "frames": work.world_position.tolist(), "jacobian": J.tolist()}))
"""


@pytest.fixture(scope="module")
def small():
    """What two quickly compiled kernels need."""
    model = lissom.load("ella").compile()
    with tracing() as needs:
        world_frames(model.struct, model.workspace())
        frame_jacobian(model.struct, model.workspace(), 2, np.zeros((6, model.nv)))
    return needs


@pytest.fixture(scope="module")
def table(small, tmp_path_factory):
    """A library of them."""
    told = []
    folder = tmp_path_factory.mktemp("library") / "kernels"
    made = build(small, folder, library.levels()[0], lambda done, total: told.append((done, total)))
    assert told == [(0, 2), (1, 2), (2, 2)]
    return made


def used(folder):
    environment = {**os.environ, "LISSOM_CACHE_KERNELS": str(folder)}
    done = subprocess.run([sys.executable, "-c", USE], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_kernel_from_the_library_computes_the_same_without_numba(table, tmp_path):
    ours, compiled_here = used(table.parent), used(tmp_path)
    assert not ours.pop("numba") and compiled_here.pop("numba")
    for name, values in compiled_here.items():
        assert np.allclose(ours[name], values, rtol=1e-14, atol=1e-13), name


def test_what_is_kept_is_not_compiled_again(table, small):
    told = []
    assert build(small, table.parent, library.levels()[0], lambda *done: told.append(done)) == table
    assert told == [(2, 2)]


def test_the_library_holds_code_under_the_stamp_of_its_sources(table, small):
    made = library.Library(table)
    needs = list(small.entries)
    assert set(made.entries) == {library.key(world_frames, needs[0].kinds), library.key(frame_jacobian, needs[1].kinds)}
    assert made.address(library.key(world_frames, needs[0].kinds)) > 0
    assert library.key(outward, needs[0].kinds) not in made.entries


def test_code_of_other_sources_is_not_used(table, tmp_path):
    content = json.loads(table.read_text())
    content["entries"] = {name[:-1] + "?": about for name, about in content["entries"].items()}
    content["file"] = str(table.with_name(content["file"]))
    (tmp_path / table.name).write_text(json.dumps(content))
    assert used(tmp_path)["numba"]


@pytest.mark.parametrize("damage", ["", "{", '{"file": "gone.so", "entries": {}}'])
def test_a_damaged_library_is_left_alone(table, tmp_path, damage):
    (tmp_path / table.name).write_text(damage)
    assert used(tmp_path)["numba"]


def test_kernels_run_as_the_python_they_are_written_in():
    model = lissom.load("dual-screw-arm").compile()
    rng = np.random.default_rng(2)
    q, v, tau = 0.1 * rng.normal(size=model.nq), rng.normal(size=model.nv), rng.normal(size=model.nv)
    compiled = lissom.forward_dynamics(model, q, v, tau)
    with tracing() as needs:
        interpreted = lissom.forward_dynamics(model, q, v, tau)
    assert np.allclose(interpreted, compiled, rtol=1e-10, atol=1e-10 * np.abs(compiled).max())
    (need,) = needs.entries
    assert (need.module, need.name) == (forward_dynamics.__module__, "forward_dynamics")
    assert {need.name for need in needs.inner} >= {"outward", "body_inertia", "passive_forces"}


@pytest.mark.slow
def test_a_first_run_with_the_library_of_everything_loads_no_compiler(tmp_path):
    environment = {**os.environ, "LISSOM_CACHE": str(tmp_path / "cache")}
    environment.pop("LISSOM_CACHE_KERNELS", None)
    subprocess.run([sys.executable, "-m", "lissom", "build"], env=environment, check=True, capture_output=True)
    code = "import sys; from lissom.cli import main\ntry:\n main()\nfinally:\n assert 'numba' not in sys.modules"
    options = ["run", "ella", "--no-figures", "--json", "--quiet", "-o"]
    command = [sys.executable, "-c", code, *options, str(tmp_path / "a")]
    ours = json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)
    environment["LISSOM_CACHE"] = str(tmp_path / "other")
    command = [sys.executable, "-m", "lissom", *options, str(tmp_path / "b")]
    here = json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)
    assert ours["energy"] == pytest.approx(here["energy"], rel=1e-9)
