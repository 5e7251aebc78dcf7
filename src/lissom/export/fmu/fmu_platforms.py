"""Machines that an FMU can hold a library for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lissom.errors import LissomError, check_choice
from lissom.kernel.compile import decorators
from lissom.kernel.compile.libraries import toolchain
from lissom.kernel.compile.libraries.toolchain import Target
from lissom.operating_system import PROCESSOR, SYSTEM


class Platform(NamedTuple):
    """Names of the folders in which FMI 2.0 and 3.0 look for a library, and what compiles it."""

    fmi2: str
    fmi3: str
    target: Target

    def folder(self, version: str) -> str:
        """Return the folder of its binaries in an FMU of a version."""
        return self.fmi2 if version == "2.0" else self.fmi3


LEVEL = "x86-64-v3"  # Intel's and AMD's processors since 2013 and 2015
PLATFORMS = {
    "win64": Platform("win64", "x86_64-windows", Target(LEVEL, "x86_64-windows-gnu")),
    "linux64": Platform("linux64", "x86_64-linux", Target(LEVEL, "x86_64-linux-gnu.2.17")),
    "darwin64": Platform("darwin64", "x86_64-darwin", Target(LEVEL, "x86_64-macos")),
    "aarch64-linux": Platform("aarch64-linux", "aarch64-linux", Target("aarch64", "aarch64-linux-gnu.2.17")),
    "aarch64-darwin": Platform("darwin64", "aarch64-darwin", Target("aarch64", "aarch64-macos")),
}
ALL = "all"
SAME = {"AMD64": "x86_64", "arm64": "aarch64", "win32": "windows"}  # names of Python's, as FMI 3.0 has them


def own() -> Platform:
    """Return this machine's platform, for other processors of its kind too."""
    processor, system = PROCESSOR, SYSTEM
    name = f"{SAME.get(processor, processor)}-{SAME.get(system, system)}"
    fmi2 = next((each.fmi2 for each in PLATFORMS.values() if each.fmi3 == name), name)
    return Platform(fmi2, name, Target(LEVEL if LEVEL in toolchain.levels() else toolchain.levels()[0]))


def chosen(names: Sequence[str], version: str) -> list[Platform]:
    """Return this machine's platform and those named; an error where one cannot be compiled for."""
    if toolchain.compiler() is None:
        raise LissomError("an FMU needs a C compiler: install gcc or clang, or: pip install lissom[compiler]")
    if decorators.AS_PYTHON:
        raise LissomError("an FMU runs by machine code; unset LISSOM_KERNELS=python to export it")
    found = {own().folder(version): own()}
    for name in _every(version) if ALL in names else names:
        check_choice("platforms", name, (*PLATFORMS, ALL))
        asked = PLATFORMS[name]
        if asked.fmi3 == own().fmi3:
            continue
        if toolchain.zig() is None:
            raise LissomError(
                "needs the compiler for all platforms: pip install lissom[compiler]", ("platforms",), name
            )
        if asked.folder(version) in found:
            raise LissomError(
                f"FMI 2.0 has one folder {asked.fmi2} for two kinds of processors; export FMI 3.0", ("platforms",), name
            )
        found[asked.folder(version)] = asked
    return list(found.values())


def _every(version: str) -> list[str]:
    """Return one platform for each folder that an FMU of a version can have beside that of this machine."""
    folders = {own().folder(version): ""}
    for name, each in PLATFORMS.items():
        folders.setdefault(each.folder(version), name)
    return [name for name in folders.values() if name]
