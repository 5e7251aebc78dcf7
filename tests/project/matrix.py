"""The smoke suite on every Python there is, with the oldest and the newest packages that pyproject.toml allows.

    make matrix
    python tests/project/matrix.py 3.13 /opt/python3.14/bin/python3    (only these)

Each combination gets a fresh environment in out/matrix; Python versions that this machine does not have, neither on the
path nor with pyenv, are named and left out. The numbers of all environments must agree. It takes some minutes for each.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "out" / "matrix"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
CHOICES = {"oldest": "lowest-direct", "newest": "highest"}
AGREE = 1e-9  # relative to the largest of an array


def main() -> int:
    tool = FOLDER / "tool" / "bin"
    subprocess.run([sys.executable, "-m", "venv", "--clear", FOLDER / "tool"], check=True)
    subprocess.run([tool / "python", "-m", "pip", "install", "--quiet", "uv"], check=True)
    results: dict[str, dict[str, list[float]]] = {}
    failed = 0
    for wanted in sys.argv[1:] or PYTHONS:
        python = interpreter(tool / "uv", wanted)
        if python is None:
            print(f"Python {wanted}: not on this machine")
            continue
        version = _output([python, "-c", "import platform; print(platform.python_version())"])
        for name, resolution in CHOICES.items():
            label = f"Python {version}, {name} packages"
            numbers, problem = tried(tool / "uv", python, resolution, FOLDER / f"{version}-{name}")
            if numbers is None:
                failed += 1
            else:
                results[label] = numbers
            print(f"{label}: {problem or 'passed'}", flush=True)
    for label, numbers in list(results.items())[1:]:
        reference = next(iter(results.values()))
        for key, values in reference.items():
            if distance(values, numbers[key]) > AGREE:
                failed += 1
                print(f"{label}: {key} differs by {distance(values, numbers[key]):.1e}")
    print(f"{len(results)} passed, {failed} failed")
    return 1 if failed or not results else 0


def interpreter(uv: Path, wanted: str) -> str | None:
    """A Python of this version, or at this path; of those that pyenv keeps, the search path may show only one."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    kept = sorted(root.glob(f"versions/{wanted}.*/bin/python"))
    found = _output([uv, "python", "find", "--no-python-downloads", wanted])
    return found or (str(kept[-1]) if kept else None)


def tried(uv: Path, python: str, resolution: str, place: Path) -> tuple[dict[str, list[float]] | None, str]:
    """Numbers of the smoke suite in a fresh environment, or what went wrong."""
    own = place / "bin" / "python"
    install = [uv, "pip", "install", "--quiet", "--python", own, "--resolution", resolution, str(ROOT)]
    for command in ([uv, "venv", "--quiet", "--clear", "--python", python, place], install):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return None, f"cannot be installed: {done.stderr.strip()[-600:]}"
    environment = {**os.environ, "LISSOM_CACHE": str(place / "cache"), "PYTHONPATH": ""}
    for command in (
        [place / "bin" / "lissom", "run", "rigid-7-axis", "--out", place / "run", "--quiet"],
        [own, "-c", f"import lissom; print(lissom.Trajectory.load({str(place / 'run' / 'trajectory.nc')!r}))"],
        [own, ROOT / "tests" / "helpers" / "smoke.py"],
    ):
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode:
            return None, f"{command[0].name} failed: {done.stderr.strip()[-600:]}"
    return json.loads(done.stdout), ""


def distance(a: list, b: list) -> float:
    """Largest difference of two nested lists over the largest number of the first."""
    first, second = list(_flat(a)), list(_flat(b))
    largest = max(map(abs, first)) or 1.0
    return max(abs(x - y) for x, y in zip(first, second, strict=True)) / largest


def _flat(values: list | float):
    if isinstance(values, list):
        for value in values:
            yield from _flat(value)
    else:
        yield values


def _output(command: list) -> str | None:
    done = subprocess.run(command, capture_output=True, text=True)
    return None if done.returncode else done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
