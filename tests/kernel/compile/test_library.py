"""Libraries of machine code: the same numbers, never for other sources, never from damaged or foreign files."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lissom
from lissom import cache
from lissom.kernel.algorithms.body_energies import world_frames
from lissom.kernel.algorithms.bound_arguments import forward_of
from lissom.kernel.compile.argument_kinds import kinds
from lissom.kernel.compile.libraries import library, toolchain
from lissom.kernel.compile.libraries.library_build import build
from lissom.kernel.compile.libraries.toolchain import Target
from lissom.kernel.compile.trace import Need, tracing
from lissom.kernel.kinematics.frame_jacobian import frame_jacobian
from lissom.kernel.packs.memory import pack_states
from lissom.operating_system import is_private

pytestmark = pytest.mark.skipif(toolchain.compiler() is None, reason="needs a C compiler")
TARGET = toolchain.own_target()

# of an earlier version
OTHER_FORM = '{"file": "gone.so", "entries": {}, "sources": "5a17"}'

USE = """
import json, sys
import numpy as np
import lissom
from lissom.kernel.compile import events
from lissom.kernel.algorithms.body_energies import world_frames
from lissom.kernel.kinematics.frame_jacobian import frame_jacobian

names = []
model = lissom.load("ella").compile()
work, J = model.scratch(), np.zeros((6, model.nv))
rng = np.random.default_rng(1)
for table in (work.rotation, work.position, work.reach, work.subspace):
    table[:] = rng.normal(size=table.shape)
with events.listening(lambda name: name and names.append(name)):
    world_frames(model.struct, model.workspace())
    frame_jacobian(model.struct, model.workspace(), 2, J)
print(json.dumps({"compiled": len(names), "frames": work.world_position.tolist(), "jacobian": J.tolist()}))
"""


@pytest.fixture(scope="module")
def small():
    """What two quickly compiled kernels need."""
    model = lissom.load("ella").compile()
    with tracing() as found:
        world_frames(model.struct, model.workspace())
        frame_jacobian(model.struct, model.workspace(), 2, np.zeros((6, model.nv)))
    return found.needs


def built(needs, folder, targets=(TARGET,)):
    """Tables of libraries of them, and what was told while they were built."""
    told = []
    name = library.own_name("{level}")
    return build(needs, targets, folder, name, lambda *done: told.append(done), folder), told


@pytest.fixture(scope="module")
def table(small, tmp_path_factory):
    (made,), told = built(small, tmp_path_factory.mktemp("library") / "kernels")
    assert told == [(0, 2), (1, 2), (2, 2)]
    return made


def used(folder, **environment):
    environment = {**os.environ, "LISSOM_BUILD": "off", "LISSOM_CACHE_KERNELS": str(folder), **environment}
    done = subprocess.run([sys.executable, "-c", USE], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_kernel_from_the_library_computes_the_same_as_one_compiled_by_itself(table, tmp_path):
    ours, alone = used(table.parent), used(tmp_path)
    assert (ours.pop("compiled"), alone.pop("compiled")) == (0, 2)
    assert ours == alone


def test_what_is_kept_is_not_compiled_again(table, small):
    assert built(small, table.parent) == ([table], [(0, 0)])


def test_a_table_names_the_kernels_and_the_kinds_of_their_arguments(table, small):
    made = library.Library(table)
    needs = list(small)
    assert set(made.entries) == {library.key(world_frames, needs[0].kinds), library.key(frame_jacobian, needs[1].kinds)}
    assert made.address(library.key(world_frames, needs[0].kinds)) > 0


def only(table, monkeypatch):
    """Let there be no other table."""
    monkeypatch.setattr(library, "own_tables", lambda: [table])
    monkeypatch.setattr(library, "tables_of_others", list)


@pytest.fixture
def held(small, table, monkeypatch):
    """Whether libraries hold what is needed, if the table says this."""

    def found(content):
        table.with_name("other.json").write_text(content)
        only(table.with_name("other.json"), monkeypatch)
        library._open.cache_clear()
        return [library.find_holder(kernel, need.kinds) for kernel, need in zip((world_frames, frame_jacobian), small)]

    yield found
    library._open.cache_clear()


def test_code_of_other_sources_is_not_used(table, held):
    content = json.loads(table.read_text())
    assert None not in held(json.dumps(content))
    content["sources"]["kernel/algorithms/body_energies.py"] = ["other text", "other meaning"]
    assert held(json.dumps(content)) == [None, None]


@pytest.mark.parametrize("damage", ["", "{", "[]", "null", '{"file": "gone.so", "entries": {}}', OTHER_FORM])
def test_a_damaged_table_is_left_alone(held, damage):
    assert held(damage) == [None, None]


@pytest.fixture
def copied(table, tmp_path, monkeypatch):
    """The library in a folder of its own, which is that of the cache."""
    folder = tmp_path / "cache"
    shutil.copytree(table.parent, folder)
    monkeypatch.setenv("LISSOM_CACHE_KERNELS", str(folder))
    library._open.cache_clear()
    yield folder / table.name
    library._open.cache_clear()


def test_another_copy_of_the_same_sources_is_served_and_one_of_other_sources_is_not(table, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(library.PACKAGE, copy / "lissom", ignore=shutil.ignore_patterns("__pycache__", "built"))
    paths = os.pathsep.join([str(copy), *sys.path])
    assert used(table.parent, PYTHONPATH=paths)["compiled"] == 0
    edited = copy / "lissom" / "kernel" / "maths" / "algebra.py"
    edited.write_text(edited.read_text() + "\nNEW = 1\n")
    assert used(table.parent, PYTHONPATH=paths)["compiled"] == 2
    assert table.exists()


@pytest.mark.parametrize("damage", ["flip", "cut", "empty"])
def test_a_library_with_other_bytes_is_not_loaded_and_made_again(damage, copied, monkeypatch):
    only(copied, monkeypatch)
    file = copied.with_name(json.loads(copied.read_text())["file"])
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 4
    file.unlink()
    file.write_bytes({"flip": data, "cut": data[:4096], "empty": b""}[damage])
    with pytest.raises(library.Damaged):
        library.Library(copied)
    assert list(library.libraries()) == []
    assert not copied.exists()
    assert not file.exists()


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes are a POSIX feature")
def test_a_folder_that_others_write_to_is_not_used(copied, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))
    monkeypatch.setattr(cache, "_told", set())
    assert cache.folder("kernels") == copied.parent
    copied.parent.chmod(0o777)
    assert cache.folder("kernels") == tmp_path / "own" / "lissom" / "kernels"
    assert copied not in library.tables()
    assert "may be written by others" in capsys.readouterr().err
    copied.parent.chmod(0o755)
    assert is_private(copied.parent)
    found = os.stat(copied.parent)
    foreign = os.stat_result([*found[:4], os.getuid() + 1, *found[5:10]])
    stat = Path.stat
    monkeypatch.setattr(Path, "stat", lambda self, **o: foreign if self == copied.parent else stat(self, **o))
    assert not is_private(copied.parent)
    assert not is_private(copied)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes are a POSIX feature")
@pytest.mark.parametrize("which", ["table", "library"])
def test_a_file_that_others_may_write_is_not_loaded(which, copied):
    assert len(list(library.libraries())) == 1
    file = copied.with_name(json.loads(copied.read_text())["file"])
    (copied if which == "table" else file).chmod(0o666)
    library._open.cache_clear()
    assert list(library.libraries()) == []


def test_old_object_files_go_first_and_libraries_of_vanished_sources_with_them(small, tmp_path, monkeypatch):
    (made,), _ = built(small, tmp_path)
    objects = sorted((tmp_path / "objects").glob("*.o"))
    assert len(objects) == 2
    os.utime(objects[0], (0, 0))
    gone = json.loads(made.read_text()) | {"package": str(tmp_path / "gone"), "file": "library-gone.so"}
    (tmp_path / "library-gone.so").touch()
    (tmp_path / "library-gone.json").write_text(json.dumps(gone))
    monkeypatch.setattr("lissom.kernel.compile.libraries.library_build.KEPT_BYTES", objects[1].stat().st_size + 1)
    other = {need: returns for need, returns in small.items() if need.name == "world_frames"}
    build(other, (TARGET,), tmp_path, "library-{level}-other", lambda *_: None, tmp_path)
    assert len(list((tmp_path / "objects").glob("*.o"))) == 1
    assert not (tmp_path / "library-gone.so").exists()
    assert not (tmp_path / "library-gone.json").exists()
    assert made.exists()


def test_kernels_run_as_the_python_they_are_written_in():
    model = lissom.load("dual-screw-arm").compile()
    rng = np.random.default_rng(2)
    q, v, tau = 0.1 * rng.normal(size=model.nq), rng.normal(size=model.nv), rng.normal(size=model.nv)
    compiled = lissom.forward_dynamics(model, q, v, tau)
    with tracing() as found:
        interpreted = lissom.forward_dynamics(model, q, v, tau)
    assert np.allclose(interpreted, compiled, rtol=1e-10, atol=1e-10 * np.abs(compiled).max())
    (need,) = found.entries
    assert (need.module, need.name) == (forward_of.__module__, "forward_of")
    assert {need.name for need in found.needs} >= {"forward_kinematics", "body_inertias", "passive_forces"}
    assert set(found.needs.values()) == {"none"}


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
import numpy as np
from lissom.kernel.compile import events
import caller
names, out = [], np.zeros(3)
with events.listening(lambda name: name and names.append(name)):
    print(caller.outer(np.array([1.0, 2.0, 3.0]), out), *out, len(names))
"""


@pytest.fixture
def caller(tmp_path, monkeypatch):
    """A module of two kernels, one of which calls the other, in a folder of its own."""
    (tmp_path / "caller.py").write_text(CALLER)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("caller", None)


def called(folder):
    environment = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{os.pathsep.join(sys.path)}"}
    environment |= {"LISSOM_BUILD": "off", "LISSOM_CACHE_KERNELS": str(folder / "kernels")}
    done = subprocess.run([sys.executable, "-c", CALL], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def traced_caller():
    import caller

    with tracing() as found:
        assert caller.outer(np.ones(2), np.zeros(2)) == 2
    assert sorted(found.needs.values()) == ["float64", "int64"]
    return found.needs


def test_a_kernel_calls_another_of_the_library_by_its_name_and_an_edit_to_either_is_never_served_old_code(caller):
    _, told = built(traced_caller(), caller / "kernels")
    assert told[-1] == (2, 2)
    assert called(caller) == ["3", "2.0", "4.0", "6.0", "0"]
    # of another length, as Python takes a file of the same length, edited within a second, for the one that it knows
    (caller / "caller.py").write_text(CALLER.replace("FACTOR = 2.0", "FACTOR = 5.000"))
    assert called(caller) == ["3", "5.0", "10.0", "15.0", "1"]
    (caller / "caller.py").write_text(CALLER.replace("FACTOR = 2.0", "FACTOR = 2.0  # again, and why"))
    assert called(caller) == ["3", "2.0", "4.0", "6.0", "0"]


def test_a_library_is_made_for_the_best_level(monkeypatch):
    for processor in ((toolchain.WIDE, "x86-64-v3", "x86-64-v2"), ("x86-64-v3", "x86-64-v2"), ("aarch64",)):
        monkeypatch.setattr(toolchain, "levels", lambda found=processor: found)
        assert toolchain.own_target().level == processor[0]


@pytest.mark.skipif("x86-64-v3" not in toolchain.levels(), reason="levels are those of newer x86-64 processors")
@pytest.mark.parametrize("number", [float, complex, "packs"])
def test_registers_of_any_width_compute_the_same(number, caller):
    """Code for the widest registers can be made on any processor; where it runs, it computes the same."""
    import caller as made

    states, out = np.arange(12.0).reshape(4, 3), np.zeros((4, 3))
    if number == "packs":
        (states, out), lanes = (pack_states(np.repeat(each, 8, axis=0))[0] for each in (states, out)), "lanes"
    else:
        states, out, lanes = states.astype(number), out.astype(number), ...
    need = Need("caller", "outer", kinds((states, out)))
    targets = (Target(toolchain.WIDE), Target("x86-64-v3"))
    tables, _ = built({need: "int64"}, caller / "kernels", targets)
    assert len(tables) == len(targets)
    for target, table in zip(targets, tables, strict=True):
        if target.level in toolchain.levels():
            out[lanes] = 0.0
            library.Library(table).function(library.key(made.outer, need.kinds), need.kinds)(states, out)
            assert np.array_equal(out[lanes], 2.0 * states[lanes])


def test_what_the_compiler_says_is_told(tmp_path):
    bad = tmp_path / "bad.c"
    bad.write_text("int f( {")
    with pytest.raises(toolchain.CompilerError, match=r"bad\.c"):
        TARGET.compile(bad, tmp_path / "bad.o")
