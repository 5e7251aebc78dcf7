"""Machine code from a shared library: the same numbers, without Numba, and never for other sources."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lissom
from lissom.kernel.compile import library
from lissom.kernel.compile.build import Workers, build, compiler
from lissom.kernel.compile.kinds import kinds
from lissom.kernel.compile.trace import Need, tracing
from lissom.kernel.energy import world_frames
from lissom.kernel.forward import forward_dynamics
from lissom.kernel.jacobian import frame_jacobian
from lissom.kernel.kinematics import outward
from lissom.kernel.packs.memory import packed

pytestmark = pytest.mark.skipif(not library.levels() or compiler() is None, reason="needs Linux and a C compiler")
LEVEL = "".join(library.own_levels()[-1:])

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
    with tracing() as found:
        world_frames(model.struct, model.workspace())
        frame_jacobian(model.struct, model.workspace(), 2, np.zeros((6, model.nv)))
    return found.needs


def built(needs, folder):
    """A library of them, and what was told while it was built."""
    (table,), told = built_for((LEVEL,), needs, folder)
    return table, told


def built_for(levels, needs, folder):
    told = []
    with Workers(levels, 1) as workers:
        tables = build(needs, folder, library.own_name("{level}"), lambda *done: told.append(done), workers, folder)
    return tables, told


@pytest.fixture(scope="module")
def table(small, tmp_path_factory):
    made, told = built(small, tmp_path_factory.mktemp("library") / "kernels")
    assert told == [(0, 2), (1, 2), (2, 2)]
    return made


def used(folder, **environment):
    environment = {**os.environ, "LISSOM_BUILD": "off", "LISSOM_CACHE_KERNELS": str(folder), **environment}
    done = subprocess.run([sys.executable, "-c", USE], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_kernel_from_the_library_computes_the_same_without_numba(table, tmp_path):
    ours, compiled_here = used(table.parent), used(tmp_path)
    assert not ours.pop("numba") and compiled_here.pop("numba")
    for name, values in compiled_here.items():
        assert np.allclose(ours[name], values, rtol=1e-14, atol=1e-13), name


def test_what_is_kept_is_not_compiled_again(table, small):
    assert built(small, table.parent) == (table, [(2, 2)])


def test_the_library_holds_code_under_the_stamp_of_its_sources(table, small):
    made = library.Library(table)
    needs = list(small)
    assert set(made.entries) == {library.key(world_frames, needs[0].kinds), library.key(frame_jacobian, needs[1].kinds)}
    assert made.address(library.key(world_frames, needs[0].kinds)) > 0
    assert library.key(outward, needs[0].kinds) not in made.entries


@pytest.fixture
def held(small, table, monkeypatch):
    """Whether libraries hold what is needed, if the table says this."""

    def found(content):
        table.with_name("other.json").write_text(content)
        monkeypatch.setattr(library, "tables", lambda: [table.with_name("other.json")])
        library.libraries.cache_clear()
        return [library.holding(kernel, need.kinds) for kernel, need in zip((world_frames, frame_jacobian), small)]

    yield found
    library.libraries.cache_clear()


def test_code_of_other_sources_is_not_used(table, held):
    content = json.loads(table.read_text())
    assert None not in held(json.dumps(content))
    content["entries"] = {name[:-1] + "?": about for name, about in content["entries"].items()}
    assert held(json.dumps(content)) == [None, None]


@pytest.mark.parametrize("damage", ["", "{", '{"file": "gone.so", "entries": {}}'])
def test_a_damaged_library_is_left_alone(held, damage):
    assert held(damage) == [None, None]


@pytest.fixture
def copied(table, tmp_path, monkeypatch):
    """The library in a folder of its own, which is that of the cache."""
    folder = tmp_path / "cache"
    shutil.copytree(table.parent, folder)
    monkeypatch.setenv("LISSOM_CACHE_KERNELS", str(folder))
    library.libraries.cache_clear()
    yield folder / table.name
    library.libraries.cache_clear()


@pytest.mark.parametrize("damage", ["flip", "cut"])
def test_a_library_with_other_bytes_is_not_loaded_and_made_again(damage, copied, monkeypatch):
    monkeypatch.setattr(library, "tables", lambda: [copied])
    file = copied.with_name(json.loads(copied.read_text())["file"])
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 4
    file.write_bytes(data if damage == "flip" else data[:4096])
    with pytest.raises(library.Damaged):
        library.Library(copied)
    assert library.libraries() == ()
    assert not copied.exists() and not file.exists()  # so that it is made again


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes are a POSIX feature")
def test_a_folder_that_others_write_to_is_not_used(copied, tmp_path, monkeypatch, capsys):
    from lissom import cache

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))
    monkeypatch.setattr(cache, "_told", set())
    assert cache.folder("kernels") == copied.parent
    copied.parent.chmod(0o777)
    assert cache.folder("kernels") == tmp_path / "own" / "lissom" / "kernels"
    assert copied not in library.tables()
    assert "may be written by others" in capsys.readouterr().err
    copied.parent.chmod(0o755)
    assert cache.trusted(copied.parent)
    found = os.stat(copied.parent)
    foreign = os.stat_result([*found[:4], os.getuid() + 1, *found[5:10]])
    stat = Path.stat
    monkeypatch.setattr(Path, "stat", lambda self, **o: foreign if self == copied.parent else stat(self, **o))
    assert not cache.trusted(copied.parent) and not cache.trusted(copied)


def test_a_kernel_that_calls_what_a_library_lacks_is_left_to_numba(tmp_path, monkeypatch):
    """A complex power is a function of Numba's own: code that calls it may not stand in a library."""
    (tmp_path / "powers.py").write_text(POWERS)
    monkeypatch.syspath_prepend(tmp_path)
    import powers

    with tracing() as found:
        for kernel in (powers.power, powers.makes_an_array):
            kernel(np.ones(2, complex))
    table, told = built(found.needs, tmp_path / "kernels")
    assert told[-1] == (2, 2)
    (name,) = library.Library(table).entries
    assert name.startswith("powers.makes_an_array(")
    x = np.array([1.0, 2.0 + 1.0j])
    library.Library(table).function(name, next(need.kinds for need in found.needs))(x)
    assert x.tolist() == [2.0, 4.0 + 2.0j]


def test_kernels_run_as_the_python_they_are_written_in():
    model = lissom.load("dual-screw-arm").compile()
    rng = np.random.default_rng(2)
    q, v, tau = 0.1 * rng.normal(size=model.nq), rng.normal(size=model.nv), rng.normal(size=model.nv)
    compiled = lissom.forward_dynamics(model, q, v, tau)
    with tracing() as found:
        interpreted = lissom.forward_dynamics(model, q, v, tau)
    assert np.allclose(interpreted, compiled, rtol=1e-10, atol=1e-10 * np.abs(compiled).max())
    (need,) = found.entries
    assert (need.module, need.name) == (forward_dynamics.__module__, "forward_dynamics")
    assert {need.name for need in found.needs} >= {"outward", "body_inertias", "passive_forces"}
    assert set(found.needs.values()) == {"none"}


POWERS = """
import numpy as np
from lissom.kernel.compile import kernel

@kernel
def power(x):
    x[0] = x[0] ** 0.5

@kernel
def makes_an_array(x):
    own = np.empty(x.shape, np.complex128)
    for k in range(len(x)):
        own[k] = 2.0 * x[k]
    for k in range(len(x)):
        x[k] = own[k]
"""
CALLER = """
import numpy as np
from lissom.kernel.compile import kernel

FACTOR = 2.0

@kernel
def inner(x, k):
    return FACTOR * x[k]

@kernel
def outer(x, out):
    for k in range(len(x)):
        out[k] = inner(x, k)
    return len(x)
"""
CALL = """
import sys
import numpy as np
import caller
out = np.zeros(3)
print(caller.outer(np.array([1.0, 2.0, 3.0]), out), *out, "numba" in sys.modules)
"""


@pytest.fixture
def caller(tmp_path, monkeypatch):
    """A module of two kernels, one of which calls the other, in a folder of its own."""
    (tmp_path / "caller.py").write_text(CALLER)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("caller", None)


def called(folder, **environment):
    environment = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{os.pathsep.join(sys.path)}", **environment}
    environment |= {"LISSOM_BUILD": "off", "LISSOM_CACHE_KERNELS": str(folder / "kernels")}
    done = subprocess.run([sys.executable, "-c", CALL], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_machine_code_of_one_kernel_is_read_as_it_was_written_or_compiled_again(caller):
    first = called(caller)
    kept = list((caller / "kernels").glob("*.kernel"))
    assert kept
    for file in kept:
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
    damaged = {file: file.read_bytes() for file in kept}
    assert called(caller) == first
    assert all(file.read_bytes() != data for file, data in damaged.items())


def traced_caller():
    import caller

    with tracing() as found:
        assert caller.outer(np.ones(2), np.zeros(2)) == 2
    assert sorted(found.needs.values()) == ["float64", "int64"]
    return found.needs


def test_a_kernel_calls_another_of_the_library_by_its_name_and_an_edit_to_either_is_never_served_old_code(caller):
    _, told = built(traced_caller(), caller / "kernels")
    assert told[-1] == (2, 2)
    assert called(caller) == ["3", "2.0", "4.0", "6.0", "False"]
    # of another length, as Python takes a file of the same length, edited within a second, for the one that it knows
    (caller / "caller.py").write_text(CALLER.replace("FACTOR = 2.0", "FACTOR = 5.000"))
    assert called(caller) == ["3", "5.0", "10.0", "15.0", "True"]


def test_without_a_linker_object_files_are_loaded_by_llvm_and_without_that_numba_compiles(caller, monkeypatch):
    monkeypatch.setenv("PATH", str(caller))
    monkeypatch.delenv("CC", raising=False)
    table, _ = built(traced_caller(), caller / "kernels")
    assert json.loads(table.read_text())["file"] is None
    assert called(caller) == ["3", "2.0", "4.0", "6.0", "False"]
    for path in caller.glob("kernels/*.o"):
        path.write_bytes(b"")  # what cannot be loaded
    assert called(caller) == ["3", "2.0", "4.0", "6.0", "True"]


@pytest.mark.parametrize(
    ("processor", "made"),
    [
        ((library.WIDE, "x86-64-v3", "x86-64-v2"), (library.WIDE, "x86-64-v3")),
        (("x86-64-v3", "x86-64-v2"), ("x86-64-v3",)),
        (("aarch64",), ("aarch64",)),
        ((), ()),
    ],
)
def test_a_library_is_made_for_the_best_level_and_for_that_of_packs(processor, made, monkeypatch):
    monkeypatch.setattr(library, "levels", lambda: processor)
    assert library.own_levels() == made


@pytest.mark.skipif("x86-64-v3" not in library.levels(), reason="levels are those of newer x86-64 processors")
def test_only_packs_are_compiled_for_registers_as_wide_as_they_are(caller):
    """Code for processors with such registers can be made on any other, too; where it runs, it computes the same."""
    import caller as made

    levels, plain = (library.WIDE, "x86-64-v3"), traced_caller()
    states, out = packed(np.arange(24.0).reshape(8, 3))[0], packed(np.zeros((8, 3)))[0]
    need = Need("caller", "outer", kinds((states, out)))
    tables, _ = built_for(levels, {**plain, need: "int64"}, caller / "kernels")
    held = {level: library.Library(table).entries for level, table in zip(levels, tables, strict=True)}
    assert [name.partition("(")[0] for name in held[library.WIDE]] == ["caller.outer"] and len(held["x86-64-v3"]) == 3
    for level in set(levels) & set(library.levels()):
        of_level = library.Library(tables[levels.index(level)])
        out["lanes"] = 0.0
        assert of_level.function(library.key(made.outer, need.kinds), need.kinds)(states, out) == 3
        assert np.array_equal(out["lanes"], 2.0 * states["lanes"])
    assert len(built_for(levels, plain, caller / "plain")[0]) == 1  # without packs no library is as wide


def test_a_caller_that_was_told_a_wrong_result_is_left_out(caller):
    needs = {need: "int64" for need in traced_caller()}
    table, _ = built(needs, caller / "kernels")
    assert [name.partition("(")[0] for name in library.Library(table).entries] == ["caller.inner"]
    assert called(caller) == ["3", "2.0", "4.0", "6.0", "True"]
