"""C sources of this folder, compiled for this machine in the run that times them."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from pathlib import Path

COMMAND = ("gcc", "-std=c11", "-O3", "-march=native", "-ffast-math", "-shared", "-fPIC")


def load(source: str, **sizes: int) -> ctypes.CDLL:
    """The library of `source`, with `sizes` fixed at compile time."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "library.so"
        defines = [f"-D{name}={value}" for name, value in sizes.items()]
        path = Path(__file__).with_name(source)
        subprocess.run([*COMMAND, *defines, str(path), "-o", str(library), "-lm"], check=True)
        return ctypes.CDLL(str(library))
