"""Make wheels with the machine code of all kernels for every platform, from any one: `python wheels.py [--only TEXT]`.

zig compiles for all of them, from the package ziglang, against the oldest C library that a wheel's tag promises. Those
for x86-64 need AVX2 (Intel since 2013, AMD since 2015) and hold the kernels of the usual work for AVX-512 too. What a
wheel holds is checked by tests/project/test_wheels.py.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent
PARTS = ("src", "pyproject.toml", "hatch_build.py", "README.md", "LICENSE")
BUILT = "src/lissom/kernel/compile/built"
TARGETS = {  # by the wheel's tag: the platform as zig names it
    "manylinux_2_17_x86_64": "x86_64-linux-gnu.2.17",
    "manylinux_2_17_aarch64": "aarch64-linux-gnu.2.17",
    "win_amd64": "x86_64-windows-gnu",
    "macosx_11_0_arm64": "aarch64-macos.11.0",
    "macosx_10_13_x86_64": "x86_64-macos.10.13",
}


LIBRARIES = {  # by the processor: options of `lissom build`, for each library of a wheel
    "x86_64": (("--all", "--level", "x86-64-v3"), ("--level", "x86-64-v4")),
    "aarch64": (("--all",),),
}


def staged(folder: Path) -> Path:
    """Copy what a wheel is made of, without machine code of this platform."""
    folder.mkdir(exist_ok=True)
    for name in PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "built"))
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def make(tag: str, to: Path) -> None:
    """Make the wheel of one platform."""
    with tempfile.TemporaryDirectory() as place:
        source = staged(Path(place) / "source")
        own = {"PYTHONPATH": str(source / "src"), "LISSOM_BUILD": "off", "LISSOM_CACHE": str(Path(place) / "cache")}
        environment = {**os.environ, **own}  # a cache of its own: object files of other platforms would fill the user's
        for options in LIBRARIES[TARGETS[tag].partition("-")[0]]:
            build = ["build", *options, "--target", TARGETS[tag], "--folder", str(source / BUILT)]
            subprocess.run([sys.executable, "-m", "lissom", *build], check=True, env=environment)
        wheel = ["wheel", "--quiet", "--no-deps", "--wheel-dir", str(to), str(source)]
        subprocess.run([sys.executable, "-m", "pip", *wheel], check=True, env={**os.environ, "LISSOM_WHEEL": tag})


def main() -> None:
    """Make all wheels, or those whose tags have a text in them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help="platforms whose tags have this in them")
    parser.add_argument("--folder", type=Path, default=ROOT / "dist", help="where wheels are put")
    given = parser.parse_args()
    for tag in TARGETS:
        if given.only in tag:
            make(tag, given.folder)


if __name__ == "__main__":
    main()
