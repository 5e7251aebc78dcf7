"""Libraries for other platforms, and the wheels in the folder LISSOM_WHEELS: whole, of their platform, self-contained.

`make wheels` makes wheels and names their folder; small libraries are made here for every platform.
"""

import hashlib
import json
import os
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from places import ROOT

from lissom.kernel.compile.argument_kinds import kinds
from lissom.kernel.compile.libraries import toolchain
from lissom.kernel.compile.libraries.fingerprint import is_unchanged
from lissom.kernel.compile.libraries.library_build import build
from lissom.kernel.compile.trace import Need

lief = pytest.importorskip("lief")
sys.path.insert(0, str(ROOT))
from wheels import TARGETS, staged  # noqa: E402

pytestmark = pytest.mark.skipif(toolchain.zig() is None, reason="needs zig: pip install lissom[compiler]")
WHEELS = sorted(Path(os.environ["LISSOM_WHEELS"]).glob("*.whl")) if "LISSOM_WHEELS" in os.environ else []
X86 = ("x86-64-v3", "x86-64-v4")
GLIBC = (2, 17)
MACOS = {"macosx_11_0_arm64": (11, 0, 0), "macosx_10_13_x86_64": (10, 13, 0)}
USUAL = {"libc.so.6", "libm.so.6", "libpthread.so.0", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
WINDOWS = ("kernel32.dll", "ntdll.dll", "api-ms-win-crt-", "msvcrt.dll", "ucrtbase.dll")
NAME = "lissom_kernels"
OWN_NAME = "@rpath/lissom_kernels.dylib"  # that of no machine


def elf(content, tag):
    made = lief.ELF.parse(content)
    machine = {"x86_64": lief.ELF.ARCH.X86_64, "aarch64": lief.ELF.ARCH.AARCH64}
    assert made.header.machine_type == machine[tag.split("17_")[1]]
    assert {each for each in made.libraries} <= USUAL
    versions = [one.name for each in made.symbols_version_requirement for one in each.get_auxiliary_symbols()]
    needed = [tuple(map(int, name.removeprefix("GLIBC_").split("."))) for name in versions if name.startswith("GLIBC_")]
    assert max(needed, default=GLIBC) <= GLIBC
    return {each.name for each in made.exported_symbols}


def mach_o(content, tag):
    found = lief.MachO.parse(content)  # kept, as what is in it goes with it
    made = found.at(0)
    assert found.size == 1
    processor = lief.MachO.Header.CPU_TYPE
    assert made.header.cpu_type == (processor.ARM64 if tag.endswith("arm64") else processor.X86_64)
    assert {each.name for each in made.libraries} == {OWN_NAME, "/usr/lib/libSystem.B.dylib"}
    oldest = made.build_version.minos if made.has_build_version else made.version_min.version
    assert tuple(oldest) <= MACOS[tag]
    if tag.endswith("arm64"):
        assert made.has_code_signature  # without one macOS on such processors loads nothing
    names = {each.name.removeprefix("_") for each in made.exported_symbols}
    return {name for name in names if not name.startswith("_")}  # without what the linker calls the file itself


def pe(content, tag):
    made = lief.PE.parse(content)
    assert made.header.machine == lief.PE.Header.MACHINE_TYPES.AMD64
    assert [each.name for each in made.imports if not each.name.lower().startswith(WINDOWS)] == []
    exports = made.get_export()
    return {each.name for each in exports.entries}


def looked_at(content, tag):
    """Whether a library is one of its platform, and what it exports."""
    look = elf if "linux" in tag else mach_o if "macosx" in tag else pe
    return look(list(content), tag)


CALLER = """
import numpy as np
from lissom.kernel.compile import kernel

@kernel
def waves(x, out):
    for k in range(len(x)):
        out[k] = np.sin(x[k]) * np.exp(x[k]) + np.tanh(x[k]) ** 3
"""


@pytest.fixture(scope="module")
def caller(tmp_path_factory):
    folder = tmp_path_factory.mktemp("caller")
    (folder / "waves.py").write_text(CALLER)
    sys.path.insert(0, str(folder))
    import waves

    assert waves.waves.py_func
    yield SimpleNamespace(folder=folder, needs={Need("waves", "waves", kinds((np.ones(3), np.ones(3)))): "none"})
    sys.path.remove(str(folder))


@pytest.mark.slow
@pytest.mark.parametrize("tag", TARGETS)
def test_a_library_for_each_platform_is_whole_and_needs_nothing_unusual(tag, caller):
    targets = toolchain.targets_of(TARGETS[tag])[-1:]
    (table,) = build(caller.needs, targets, caller.folder / tag, "library-{level}", lambda *_: None, caller.folder)
    about = json.loads(table.read_text())
    content = table.with_name(about["file"]).read_bytes()
    assert hashlib.sha256(content).hexdigest() == about["digest"]
    assert looked_at(content, tag) == {NAME}
    assert {path.name for path in (caller.folder / tag).iterdir()} == {table.name, about["file"]}


@pytest.mark.slow
def test_a_wheel_is_made_of_the_sources_alone(tmp_path):
    source = staged(tmp_path)
    assert not list(source.rglob("built")) and not list(source.rglob("__pycache__"))
    assert (source / "src" / "lissom" / "kernel" / "compile" / "translate" / "prelude.h").exists()


@pytest.mark.slow
@pytest.mark.skipif(not WHEELS, reason="`make wheels` makes them, and names their folder")
def test_there_is_a_wheel_for_every_platform():
    assert sorted(wheel.stem.split("-")[-1] for wheel in WHEELS) == sorted(TARGETS)


@pytest.mark.slow
@pytest.mark.parametrize("wheel", WHEELS, ids=lambda wheel: wheel.stem.split("-")[-1])
def test_a_wheel_holds_whole_libraries_of_its_platform_and_of_its_own_sources(wheel, tmp_path):
    tag, archive = wheel.stem.split("-")[-1], zipfile.ZipFile(wheel)
    archive.extractall(tmp_path)
    built = tmp_path / "lissom" / "kernel" / "compile" / "built"
    processor = TARGETS[tag].partition("-")[0]
    levels = [target.level for target in toolchain.targets_of(TARGETS[tag])] if processor == "aarch64" else X86
    assert sorted(built.glob("*.json")) == sorted(built / f"library-{level}.json" for level in levels)
    counts = {}
    for level in levels:
        about = json.loads((built / f"library-{level}.json").read_text())
        content = (built / about["file"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == about["digest"]
        assert is_unchanged(tmp_path / "lissom", about["sources"])
        assert looked_at(content, tag) == {NAME}
        counts[level] = len(about["entries"])
    assert counts.pop(levels[0]) > 250
    assert min(counts.values(), default=100) > 50  # the usual work
