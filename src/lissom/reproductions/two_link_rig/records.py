"""Records of the rig: the excerpt that comes with lissom, the published files, and windows of them for a fit."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lissom.errors import LissomError
from lissom.identify import Fit, Record

TORQUE = (8.925, 0.87)  # N m per A at the joint, nominal: gear, motor constant and an efficiency of 0.75
STRAIN = (1 / 106.03674540682414, 1 / 151.36857892763405)  # strain at the base per deflection angle: 3 t / (2 L)
GAINS = (  # A per hub angle, deflection and their rates: the state feedback of the rig's documentation
    (15.811388300841923, -42.931266034576765, 2.1825283220124763, -0.7065413522378758),
    (15.811388300841914, -40.33490222197476, 0.42388465683411214, -0.7109026028467197),
)
LIMITS = (0.94, 1.2)  # A
FILTERS = (2 * np.pi * 40.0, 2 * np.pi * 2.0)  # rad/s: of hub angles, of deflections
ZETA = 0.9  # of both
STEP = 0.002  # s between samples of the rig
COARSE = 0.01  # s between means that are fitted
RUNS = {  # file, and the times of it that are used, s
    "square": ("lqr_square_25deg_10deg.npz", (62.174, 102.17)),  # currents were measured from 82.174 s on
    "steps": ("lqr_steps.npz", (3.0, 40.0)),
}
OFFSETS = ("offset.torques.hub1", "offset.torques.hub2", "offset.gauge1", "offset.gauge2")
EFFICIENCY = ("scale.torques.hub1", "scale.torques.hub2")
GAUGES = ("scale.gauge1", "scale.gauge2")

Columns = dict[str, np.ndarray]


def excerpt() -> Columns:
    """Return the records that come with lissom, by column; those of the run with square waves and of the stair."""
    with files("lissom.reproductions").joinpath("data/two-link-rig.npz").open("rb") as file, np.load(file) as data:
        return {name: np.array(data[name], float) for name in data.files}


def read_folder(folder: str | Path) -> Columns:
    """Read the two runs from a folder of the published files, every sample of them."""
    made: Columns = {}
    for run, (file, (begin, end)) in RUNS.items():
        data = published(Path(folder) / file)
        inside = (data["time"] >= begin - 0.5 * STEP) & (data["time"] <= end + 0.5 * STEP)
        made |= {f"{run}_{name}": values[inside] for name, values in data.items()}
    return made


def thinned(data: Columns, every: int = round(COARSE / STEP)) -> Columns:
    """Means of so many samples each, in single precision but for times: how the excerpt was made of the whole."""
    made = {}
    for name, values in data.items():
        mean = values[: len(values) // every * every].reshape(-1, every).mean(axis=1)
        made[name] = mean if name.endswith("time") else mean.astype(np.float32)
    return made


def published(path: str | Path) -> Columns:
    """Read a record in the rig's own format (.npz with counts of encoders and converters), in SI units by column.

    Motor currents that were not measured are those of the rig's state feedback; in other runs than those of it, of the
    second hub alone.
    """
    if not Path(path).exists():
        raise LissomError("there is no such record; give the folder of the rig's files", source=str(path))
    with np.load(path, allow_pickle=False) as data:
        size, step = len(data["hub1_encoder_counts"]), float(data["dt_s"])
        made: Columns = {"time": np.arange(size) * step}
        for k, s in enumerate("12"):
            angle = data[f"hub{s}_encoder_counts"] * float(data[f"hub{s}_rad_per_count"])
            counts = data[f"link{s}_strain_adc_counts"] + float(data[f"link{s}_strain_adc_offset"])
            bent = counts * float(data[f"link{s}_rad_per_adc_count"])
            bent[: int(data[f"link{s}_first_valid_index"])] = 0.0  # while the rig estimates the bias
            wanted = np.array(data[f"hub{s}_ref_rad"], float)
            feedback = Feedback(k, step)
            current = np.array([feedback(*each) for each in zip(wanted, angle, bent)])
            if f"motor{s}_current_measured_A" in data:
                first, values = int(data["current_first_index"]), data[f"motor{s}_current_measured_A"]
                current[:] = np.nan
                current[first : first + len(values)] = values
            bent[: int(data[f"link{s}_first_valid_index"])] = np.nan
            made |= {f"hub{s}_angle": angle, f"link{s}_deflection": bent, f"hub{s}_reference": wanted}
            made[f"current{s}"] = current
    return made


class Feedback:
    """The rig's controller of one hub: I = K (x_ref - x) within limits, rates and deflections by its own filters."""

    def __init__(self, stage: int, step: float = STEP, angle: float = 0.0) -> None:
        """Begins at rest at an angle."""
        self.gains, self.limit, self.step = np.array(GAINS[stage]), LIMITS[stage], step
        self.hub, self.deflection = np.array([angle, 0.0]), np.zeros(2)

    def __call__(self, wanted: float, angle: float, deflection: float) -> float:
        """Return the current in A of the next sample."""
        error = np.array([wanted - angle, -self.deflection[0], -self.hub[1], -self.deflection[1]])
        self.hub = self._filter(self.hub, angle, FILTERS[0])
        self.deflection = self._filter(self.deflection, deflection, FILTERS[1])
        return float(np.clip(self.gains @ error, -self.limit, self.limit))

    def _filter(self, state: np.ndarray, u: float, w: float) -> np.ndarray:
        """One forward step of Euler of a second-order low-pass, output and its rate."""
        y, v = state
        return np.array([y + self.step * v, v + self.step * (w * w * (u - y) - 2 * ZETA * w * v)])


class Scales(NamedTuple):
    """Factors on what is nominal: torque per ampere, reading per strain of a gauge; of both stages."""

    torque: tuple[float, float] = (1.0, 1.0)
    gauge: tuple[float, float] = (1.0, 1.0)

    @classmethod
    def of(cls, found: Fit) -> Scales:
        """Those that a fit has found."""
        run = next(iter(found.misfit.records))
        torque, gauge = (tuple(found.values[f"{run}: {name}"] for name in names) for names in (EFFICIENCY, GAUGES))
        return cls(torque, gauge)  # type: ignore[arg-type]


AS_GIVEN = Scales()


def record(
    data: Columns,
    run: str,
    window: tuple[float, float],
    scales: Scales = AS_GIVEN,
    more: Any = (),
    hub: str = "position",
) -> Record:
    """Return a window of a run, with further unknowns.

    Columns have the run's name in front where there are several runs.

    `hub` is the quantity that encoders see: the position, or the rotor_position where gears give way.
    """
    start = f"{run}_" if f"{run}_time" in data else ""
    outputs: dict[str, Any] = {}
    torques: dict[str, Any] = {}
    for k, s in enumerate("12"):
        outputs[f"{hub}.hub{s}"] = {"column": f"{start}hub{s}_angle", "unit": "rad"}
        outputs[f"gauge{s}"] = {"column": f"{start}link{s}_deflection", "factor": STRAIN[k] / scales.gauge[k]}
        torques[f"hub{s}"] = {"column": f"{start}current{s}", "factor": TORQUE[k] * scales.torque[k]}
    time = data[f"{start}time"]
    return Record(
        data=data,
        name=f"{run} {window[0]:g}-{window[1]:g} s",
        time=f"{start}time",  # type: ignore[arg-type]
        outputs=outputs,
        torques=torques,
        window=window,
        every=max(1, round(COARSE / float(time[1] - time[0]))),
        start="measured",
        unknown=[*OFFSETS, *more],  # type: ignore[arg-type]
    )
