"""From C source and machine code to the shared library of an FMU."""

from __future__ import annotations

import pickle
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lissom import cache
from lissom.errors import LissomError
from lissom.export.fmu.image import Code
from lissom.kernel.compile import library
from lissom.kernel.compile.build import Workers, build, compiler
from lissom.kernel.compile.library import Library
from lissom.kernel.compile.trace import Need
from lissom.progress import Progress

SOURCES = Path(__file__).parent
OPTIONS = ("-std=gnu11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra")
PLATFORMS = {"2.0": {"x86_64": "linux64"}, "3.0": {}}


def check_tools() -> None:
    """Refuse where no library can be made."""
    if sys.platform != "linux":
        raise LissomError("an FMU can be made on Linux only; export it there")
    if compiler() is None:
        raise LissomError("an FMU needs a C compiler, and there is none; install gcc or clang, or set CC")
    if shutil.which("nm") is None:
        raise LissomError("an FMU needs the program nm, and it is not there; install binutils")


def platform_folder(version: str) -> str:
    """Name of the folder of binaries for this machine."""
    machine = platform.machine()
    return PLATFORMS[version].get(machine, f"{machine}-linux")


def find_code(needed: dict[Code, str]) -> tuple[dict[Code, str], list[Path]]:
    """Names of machine code, and the libraries that have it; what none has is compiled, once for a machine.

    Args:
        needed: with what each returns.
    """
    held: dict[Code, tuple[Library, str]] = {}
    for code in needed:
        found = library.holding(code.kernel, code.kinds)
        if found is not None:
            held[code] = found
    missing = {code: returns for code, returns in needed.items() if code not in held}
    if missing:
        more = _compiled(missing)
        held |= {code: (more, library.key(code.kernel, code.kinds)) for code in missing}
    symbols = {code: of.entries[name]["symbol"] for code, (of, name) in held.items()}
    files = dict.fromkeys(file for of, _ in held.values() for file in of.files)
    return symbols, list(files)


def _compiled(missing: dict[Code, str]) -> Library:
    """A library of kernels that the usual one lacks, kept for all models that need just these."""
    needs = {
        Need(code.kernel.__module__, code.kernel.__name__, code.kinds): returns for code, returns in missing.items()
    }
    names = sorted(library.key(code.kernel, code.kinds) for code in missing)
    kept, levels = cache.folder("kernels"), library.own_levels()[-1:]
    folder = Path(tempfile.mkdtemp()) if kept is None else kept / f"fmu-{library.digest(*names)}"
    table = folder / f"library-{levels[0]}.json"
    if not table.exists():
        _build_elsewhere(needs, folder, levels)
    made = Library(table) if table.exists() else None
    lost = [name for name in names if made is None or name not in made.entries]
    if made is None or lost:
        raise LissomError(f"{lost[0].partition('(')[0]} cannot be compiled into an FMU; export a simpler robot")
    return made


def _build_elsewhere(needs: dict[Need, str], folder: Path, levels: tuple[str, ...]) -> None:
    """Build in another process: scripts need not guard their own lines against being run by its workers."""
    code = f"import sys; sys.path.insert(0, {str(library.PACKAGE.parent)!r}); import {__name__} as it; it.build_asked()"
    with Progress(f"compiling {len(needs)} kernels, once") as progress:
        progress.update(0.0)
        asked = pickle.dumps((needs, folder, levels))
        subprocess.run([sys.executable, "-c", code], input=asked, stderr=subprocess.DEVNULL, check=False)


def build_asked() -> None:
    """Build what standard input asks for."""
    needs, folder, levels = pickle.load(sys.stdin.buffer)
    with Workers(levels) as workers:
        build(needs, folder, "library-{level}", lambda done, total: None, workers, folder)


def _stubs(libraries: Iterable[Path]) -> str:
    """C source of the functions of Python that kernels would call to raise an error, which they never do."""
    names: set[str] = set()
    for path in libraries:
        listed = subprocess.run(["nm", "-D", "-u", str(path)], capture_output=True, text=True, check=True).stdout
        names |= {line.split()[-1] for line in listed.splitlines() if line.split()[-1].startswith(("Py", "_Py"))}
    seen = '__attribute__((visibility("default")))'
    return "#include <stdlib.h>\n" + "".join(f"{seen} void {name}(void) {{ abort(); }}\n" for name in sorted(names))


def compile_library(
    folder: Path, identifier: str, interface: str, libraries: Iterable[Path], texts: dict[str, Any]
) -> None:
    """The shared library `identifier` in `folder`, with the libraries of machine code beside it.

    Args:
        interface: name of the C file of the version of FMI.
        texts: contents of the files written for the model.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shared = [path for path in libraries if path.suffix == ".so"]
    objects = [str(path) for path in libraries if path.suffix != ".so"]
    for path in shared:
        shutil.copy(path, folder)
    with tempfile.TemporaryDirectory() as place:
        for name in ("run.h", "run.c", interface):
            shutil.copy(SOURCES / name, place)
        for name, content in {**texts, "stubs.c": _stubs(shared)}.items():
            path = Path(place) / name
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        linked = [f"-L{folder.resolve()}", *(f"-l:{path.name}" for path in shared), "-Wl,-rpath,$ORIGIN"]
        goal = (folder / f"{identifier}.so").resolve()
        command = [
            str(compiler()),
            *OPTIONS,
            "-o",
            str(goal),
            "model.c",
            "run.c",
            "stubs.c",
            interface,
            *objects,
            *linked,
            "-lm",
        ]
        done = subprocess.run(command, cwd=place, capture_output=True, text=True)
    if done.returncode:
        raise LissomError(f"the C compiler failed:\n{done.stderr.strip()}")
