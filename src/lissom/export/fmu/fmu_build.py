"""The C sources of an FMU, and the shared libraries they become."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lissom import cache
from lissom.errors import LissomError
from lissom.export.fmu.fmu_platforms import Platform
from lissom.kernel.compile.libraries import toolchain
from lissom.kernel.compile.libraries.library_build import evict
from lissom.kernel.compile.libraries.object_files import Objects
from lissom.kernel.compile.libraries.toolchain import CompilerError
from lissom.kernel.compile.translate import Unit
from lissom.operating_system import cores, locked
from lissom.progress import Progress

HERE = Path(__file__).parent


def own_files(version: str) -> list[str]:
    """Return names of the C files that are not kernels."""
    return [f"fmi{version[0]}.c", "run.c", "model.c"]


def source_names(version: str, units: Sequence[Unit]) -> list[str]:
    """Return names of all files to compile."""
    return [*own_files(version), *sorted(f"{unit.pointer}.c" for unit in units)]


def write_sources(to: Path, version: str, units: Sequence[Unit], texts: dict[str, str]) -> None:
    """Write all C of an FMU into a folder; `texts`: what is of this model, by name of the file."""
    to.mkdir()
    fixed = [HERE / name for name in ("run.h", *own_files(version)) if name not in texts]
    for path in (toolchain.PRELUDE, *fixed):
        shutil.copy(path, to)
    for name, text in [*texts.items(), *((f"{unit.pointer}.c", unit.text) for unit in units)]:
        (to / name).write_text(text, encoding="utf-8", newline="\n")


def compile_libraries(sources: Path, version: str, units: Sequence[Unit], goals: dict[Path, Platform]) -> None:
    """Compile the libraries `goals`; object files of kernels, which other models have too, are kept."""
    with (
        Progress("compiling the FMU", unit="functions") as progress,
        tempfile.TemporaryDirectory() as place,
        ThreadPoolExecutor(cores()) as pool,
    ):
        kept, parts = _cache_folder(Path(place)), {}
        with locked(kept / "building.lock"):
            objects = Objects(kept / "objects", pool)
            for goal, platform in goals.items():
                own = Path(place) / platform.fmi3
                own.mkdir()
                parts[goal] = [objects.add(unit.text, platform.target) for unit in units]
                for name in own_files(version):
                    parts[goal].append(objects.compile(sources / name, own / f"{name}.o", platform.target))
            try:
                objects.wait(progress.reach)
                for goal, platform in goals.items():
                    made = Path(place) / platform.fmi3 / goal.name
                    platform.target.link(parts[goal], made)
                    goal.parent.mkdir(parents=True)
                    shutil.copy(made, goal)
            except CompilerError as error:
                raise LissomError(str(error)) from None
            evict(kept)


def _cache_folder(instead: Path) -> Path:
    """Return where machine code is kept; another folder where nothing can be."""
    kept = cache.folder("kernels")
    if kept is not None:
        with cache.writing("kernels"):
            kept.mkdir(parents=True, exist_ok=True)
            return kept
    return instead
