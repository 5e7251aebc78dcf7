"""Programs of exported C, compiled by the compilers at hand."""

import shutil
import subprocess
from pathlib import Path

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]


def built(folder: Path, *flags: str, compiler: str = "", program: str = "check") -> Path:
    """The program, compiled with the code; a warning is an error."""
    name = next(path.stem for path in folder.glob("*.h"))
    to = folder / program
    call = [compiler or COMPILERS[0], *STRICT, *(flags or ("-O0",)), f"{program}.c", f"{name}.c", "-lm", "-o", to.name]
    found = subprocess.run(call, cwd=folder, capture_output=True, text=True)
    assert found.returncode == 0 and not found.stderr, found.stderr[:4000]
    return to
