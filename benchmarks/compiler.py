"""C sources of this folder, compiled for this machine in the run that times them."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from pathlib import Path

COMPILE = ("gcc", "-std=c11", "-O3", "-march=native", "-ffast-math", "-fPIC", "-c")
LINK = ("gcc", "-shared")  # without -ffast-math, which would make the whole process flush small numbers to zero


def load(source: str, **sizes: int) -> ctypes.CDLL:
    """The library of `source`, with `sizes` fixed at compile time."""
    with tempfile.TemporaryDirectory() as folder:
        object_file, library = Path(folder) / "library.o", Path(folder) / "library.so"
        defines = [f"-D{name}={value}" for name, value in sizes.items()]
        path = Path(__file__).with_name(source)
        subprocess.run([*COMPILE, *defines, str(path), "-o", str(object_file)], check=True)
        subprocess.run([*LINK, str(object_file), "-o", str(library), "-lm"], check=True)
        return ctypes.CDLL(str(library))
