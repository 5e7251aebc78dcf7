"""The C compiler: which one, for which processors, with which options."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from lissom.errors import LissomError
from lissom.operating_system import PROCESSOR, SYSTEM, processor_has

PRELUDE = Path(__file__).parents[1] / "translate" / "prelude.h"
WIDE = "x86-64-v4"  # a pack in one register, or four complex numbers
LEVELS = {  # of x86-64 processors, the best first: what Linux says that they have, what Windows calls it
    WIDE: ({"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"}, 41),
    "x86-64-v3": ({"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"}, 40),
    "x86-64-v2": ({"cx16", "popcnt", "sse4_1", "sse4_2", "ssse3"}, 38),
}
# Contraction lets sums of products be fused. NaN, infinity, signs of zero and the order of sums keep their meaning.
OPTIONS: tuple[str, ...] = (
    "-std=gnu11",
    "-O3",
    "-fPIC",
    "-fvisibility=hidden",
    "-w",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=fast",
)
# Long sums are written in vectors; other loops take two to four turns, for which gcc makes code that is entered slowly.
# Measured on forward dynamics (4 x 8, 7 x 12, 20 x 8): 2 to 4 % less time of plain numbers, with registers renamed too
# 3 to 5 % of complex ones, and 2 to 4 % of those by loops that begin at lines of code. zig's clang gains nothing by it.
GCC_OPTIONS = ("-fno-tree-loop-vectorize", "-frename-registers", "-falign-functions=64", "-falign-loops=32")
# The widest registers are for what is written in them: those that gcc makes of other code take 1 to 2 % more time.
GCC_WIDE_OPTIONS = ("-mprefer-vector-width=256",)
CHECKED_OPTIONS = ("-DCHECKED", "-O1", "-g")
# Of UBSan what AddressSanitizer does not see anyway: all of it and -g take twelve times as long to compile.
ARITHMETIC = "signed-integer-overflow,shift,integer-divide-by-zero,float-cast-overflow,bounds"
SANITIZED_OPTIONS = (f"-fsanitize=address,{ARITHMETIC}", f"-fno-sanitize-recover={ARITHMETIC}", "-O1", "-g1")
MODES = {"": (), "checked": CHECKED_OPTIONS, "sanitized": SANITIZED_OPTIONS}
X86 = ("x86_64", "AMD64")


def mode() -> str:
    """Return how kernels are built.

    LISSOM_KERNELS=checked stops where Python would raise, =sanitized where C is undefined.
    """
    asked = os.environ.get("LISSOM_KERNELS", "")
    return asked if asked in MODES else ""


@cache
def compiler() -> tuple[str, ...] | None:
    """Return the command of the C compiler: CC, cc, gcc, clang, or zig's of the package ziglang; None if none."""
    asked = shlex.split(os.environ.get("CC", ""))
    if asked and shutil.which(asked[0]):
        return tuple(asked)
    for name in ("cc", "gcc", "clang"):
        if found := shutil.which(name):
            return (found,)
    return zig()


@cache
def zig() -> tuple[str, ...] | None:
    """Return the command of zig's C compiler, which compiles for all platforms."""
    found = find_spec("ziglang")
    places = [] if found is None else [Path(each) for each in found.submodule_search_locations or ()]
    programs = (place / name for place in places for name in ("zig", "zig.exe"))
    return next(((str(program), "cc") for program in programs if program.is_file()), None)


@dataclass(frozen=True)
class Target:
    """Processors that a library is for.

    level: of x86-64, or the name of a processor. triple: the platform, as zig names it, if it is not this one.
    """

    level: str
    triple: str = ""

    @property
    def suffix(self) -> str:
        """Return the ending of a shared library's name."""
        system = self.triple or SYSTEM
        if "darwin" in system or "macos" in system:
            return ".dylib"
        return ".dll" if "win" in system else ".so"

    def command(self) -> tuple[str, ...]:
        """Return the compiler with what it needs to know of the processor; an error if there is none."""
        if not self.triple:
            found = compiler()
            flag = f"-march={self.level}" if self.level.startswith("x86-64") else ""
        else:
            found, flag = zig(), ""
        if found is None:
            raise FileNotFoundError("no C compiler; install gcc or clang, or the package ziglang")
        if self.level.startswith("x86-64") and any("zig" in Path(part).name for part in found):  # names them otherwise
            flag = f"-mcpu={self.level.replace('-', '_')}"
        return (*found, *([f"--target={self.triple}"] if self.triple else []), *([flag] if flag else []))

    def compile(self, source: Path, goal: Path) -> None:
        """Compile one object file."""
        run((*self.command(), *self._options(), "-I", str(PRELUDE.parent), "-c", str(source), "-o", str(goal)))

    def link(self, objects: list[Path], goal: Path) -> None:
        """Link one shared library, whose functions are found by its table alone."""
        strip = () if mode() or self.suffix == ".dylib" else ("-s",)
        libraries: tuple[str, ...] = () if self.suffix == ".dll" else ("-lm",)
        if self.suffix == ".dylib":  # would carry the path on this machine
            libraries += ("-Wl,-install_name,@rpath/lissom_kernels.dylib",)
        run((*self.command(), *MODES[mode()], "-shared", *strip, "-o", str(goal), *map(str, objects), *libraries))

    def describe(self) -> str:
        """Return text that changes when other code would come out."""
        prelude = PRELUDE.read_text(encoding="utf-8")
        return "\n".join((version(self.command()), *self.command(), *self._options(), prelude))

    def _options(self) -> tuple[str, ...]:
        of_gcc = (*GCC_OPTIONS, *(GCC_WIDE_OPTIONS if self.level == WIDE else ())) if is_gcc(self.command()) else ()
        return (*OPTIONS, *of_gcc, *MODES[mode()])


@cache
def version(command: tuple[str, ...]) -> str:
    """Return what a compiler says of itself."""
    return subprocess.run((*command, "--version"), capture_output=True, text=True).stdout


def is_gcc(command: tuple[str, ...]) -> bool:
    """Return whether a compiler is GNU's, whatever it is called."""
    return "Free Software Foundation" in version(command)


def run(command: tuple[str, ...]) -> None:
    """Run a compiler or linker; what it says is raised where it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise CompilerError(f"{command[0]} failed:\n{done.stderr.strip()}")


class CompilerError(RuntimeError):
    """The C compiler did not take the C of a kernel."""


@cache
def levels() -> tuple[str, ...]:
    """Return the levels of this processor, the best first."""
    if PROCESSOR not in X86:
        return (PROCESSOR,)  # what all processors of this kind have
    return tuple(level for level, (flags, feature) in LEVELS.items() if processor_has(flags, feature)) or ("x86-64",)


def own_target() -> Target:
    """Return what libraries for this processor are made for."""
    return Target(levels()[0])


def targets_of(triple: str) -> tuple[Target, ...]:
    """Return what libraries for another platform are for: all levels of x86-64, else what all its processors have."""
    processor, _, system = triple.partition("-")
    if not system:
        raise LissomError("name a platform as zig does: x86_64-windows-gnu, aarch64-macos", ("target",), triple)
    if zig() is None:
        raise LissomError("libraries for other platforms need the package ziglang: pip install lissom[compiler]")
    if processor == "x86_64":
        return tuple(Target(level, triple) for level in LEVELS)
    return (Target("arm64" if "macos" in system else processor, triple),)  # as Python there names the processor
