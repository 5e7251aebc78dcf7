"""When a run is recorded, and whether that fits into memory."""

from __future__ import annotations

import math

import numpy as np

from lissom.errors import Keys, LissomError
from lissom.model.model import Model
from lissom.operating_system import memory
from lissom.simulation.settings import RunSettings

PER_LINK = 26  # numbers per output: poses of frame and tip, twist of the tip, wrench
OTHERS = 20  # energies and accounts
COPIES = 3  # what the loop records, the dataset, and the file being written


def output_times(model: Model, settings: RunSettings) -> np.ndarray:
    """Return 0 to the duration at the rate, the end included; refused where the outputs do not fit into memory."""
    check_size(model, settings.duration * settings.rate, ("rate",), settings.rate)
    return instants(settings.duration, settings.rate)


def instants(duration: float, rate: float) -> np.ndarray:
    """Return the times of outputs, however many."""
    times = np.arange(int(np.floor(duration * rate * (1 + 1e-12))) + 1) / rate
    return times if times[-1] >= duration * (1 - 1e-12) else np.append(times, duration)


def check_size(model: Model, outputs: float, path: Keys, value: float) -> None:
    """Refuse more outputs than fit into memory; the path and the value are those that ask for them."""
    numbers = model.nq + 3 * model.nv + PER_LINK * len(model.links) + OTHERS
    size, available = 8.0 * COPIES * numbers * outputs, memory()
    if size > available:
        raise LissomError(
            f"{outputs:.3g} outputs of {numbers} numbers need {readable(size)} of memory, and there are "
            f"{readable(available)}; lower the rate or the duration",
            path,
            value,
        )


def readable(size: float) -> str:
    """Return a number of bytes as a person reads it."""
    units = ("bytes", "kB", "MB", "GB", "TB", "PB")
    power = min(int(math.log(max(size, 1.0), 1000)), len(units) - 1)
    return f"{size / 1000**power:.3g} {units[power]}"
