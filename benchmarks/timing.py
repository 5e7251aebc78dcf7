"""Fair timing on a shared machine: competitors take turns in short runs, so that a disturbance meets all of them.

The clock is the thread's own processor time: it stands still while other programs have the core.
"""

from __future__ import annotations

import os
import platform
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

UNUSUAL = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
RUN = 1e-3  # seconds that one run of a competitor should take


@dataclass(frozen=True)
class Timing:
    """Seconds per call: of the least disturbed run, and the median of all runs."""

    best: float
    median: float


@dataclass(frozen=True)
class Ratio:
    """How many times longer one competitor takes: median and quartiles over the turns."""

    median: float
    low: float
    high: float


class Race:
    """Timings of several competitors, each a function that does its work `n` times."""

    def __init__(self, competitors: dict[str, Callable[[int], object]], turns: int = 200) -> None:
        counts = {name: _calibrated(run) for name, run in competitors.items()}
        self._seconds: dict[str, list[float]] = {name: [] for name in competitors}
        for _ in range(turns):
            for name, run in competitors.items():
                self._seconds[name].append(_clock(run, counts[name]))

    def timing(self, name: str) -> Timing:
        return Timing(min(self._seconds[name]), float(np.median(self._seconds[name])))

    def ratio(self, name: str, to: str) -> Ratio:
        """Turn by turn: both ran within a few milliseconds of each other."""
        ratios = np.array(self._seconds[name]) / np.array(self._seconds[to])
        low, median, high = np.quantile(ratios, (0.25, 0.5, 0.75))
        return Ratio(float(median), float(low), float(high))


def _clock(run: Callable[[int], object], count: int) -> float:
    began = time.thread_time()
    run(count)
    return (time.thread_time() - began) / count


def _calibrated(run: Callable[[int], object]) -> int:
    """How often to call for one run; the first call of all is for compilers and caches."""
    run(1)
    return max(1, round(RUN / min(_clock(run, 1 + k) for k in range(5))))


def environment(**more: str) -> dict[str, str]:
    """That of a process, as a person has it: Python keeps what it compiled."""
    kept = {name: value for name, value in os.environ.items() if name not in UNUSUAL}
    return kept | more


def machine() -> dict[str, str]:
    """What the numbers were measured on."""
    import numpy

    import lissom
    from lissom.kernel.compile.libraries import toolchain

    command = toolchain.compiler()
    kernels = toolchain.version(command).partition("\n")[0] if command else "no C compiler"
    gcc = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "software": f"lissom {lissom.__version__}, Python {platform.python_version()}, NumPy {numpy.__version__}, "
        f"kernels by {kernels}, other C by gcc {gcc}",
    }


def moment() -> dict[str, str]:
    """When a part is measured, and how many processes want to run at that time."""
    return {"date": time.strftime("%Y-%m-%d"), "load": f"{os.getloadavg()[0]:.1f}"}


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
