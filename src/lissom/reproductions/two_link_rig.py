"""A measured arm: a two-link flexible rig fitted to its records, and judged by records that were held back.

Stiffnesses come from two measured frequencies first; then friction, stiffness and drive efficiency from ten seconds of
measured motor current, hub angles and strain. The later ten seconds and another run, with other moves, are held back.
There the nominal arm, the fitted one, a rigid one and the linear model of the rig's documentation are compared.

The records are an excerpt at 100 Hz (means of five samples) of those of O. Bastar, Czech Technical University, Prague:
MIT licence, Copyright (c) 2022 aa4cc / Edu Ctrl Lab Models, text beside the data.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import lissom
from lissom import printing
from lissom.identify import Fit, Record, Validation, validate
from lissom.terminal import screen

TORQUE = (8.925, 0.87)  # N m per A at the joint, nominal: gear, motor constant and an efficiency of 0.75
STRAIN = (1 / 106.03674540682414, 1 / 151.36857892763405)  # strain at the base per deflection angle: 3 t / (2 L)
MEASURED = ((1.84, 0.01), (5.65, 0.02))  # Hz: both lowest frequencies, hubs held, and their deviations
RANGES = ((1.78, 1.92), (5.5, 5.8))  # Hz that the rig's documentation gives
FITTED = (82.2, 92.2)  # s of the square waves
HELD = {"square": (92.2, 102.1), "steps": (11.5, 24.0)}  # s of the square waves, and of the stair
FRICTION = {
    "hub1": {"viscous": 4.0, "coulomb": 1.8, "velocity": 0.01},
    "hub2": {"viscous": 0.3, "coulomb": 0.09, "velocity": 0.01},
}
FOUND = (
    "links.hub1.joint.friction.viscous", "links.hub1.joint.friction.coulomb", "links.hub2.joint.friction.viscous",
    "links.hub2.joint.friction.coulomb", "materials.steel1.E", "materials.steel2.E",
)  # fmt: skip
OFFSETS = ("offset.torques.hub1", "offset.torques.hub2", "offset.gauge1", "offset.gauge2")
EFFICIENCY = ("scale.torques.hub1", "scale.torques.hub2")
GAUGES = ("scale.gauge1", "scale.gauge2")
MOST = 20  # evaluations
RUNS: dict[str, Any] = {"rtol": 1e-4, "atol": 1e-6}
# the documentation's linear model of each stage: hub angle, deflection and their rates; input in A
LINEAR = (
    (
        [[0, 0, 1, 0], [0, 0, 0, 1], [0, 628.8890140829702, -62.95627560746511, 0],
         [0, -863.3324306102392, 62.95627560746511, 0]],
        [0, 0, 140.4711899491565, -140.4711899491565],
    ),
    (
        [[0, 0, 1, 0], [0, 0, 0, 1], [0, 2271.1168857794682, -496.76276266331075, 28.35124439072047],
         [0, -3336.1998940789476, 496.76276266331075, -41.647094046797775]],
        [0, 0, 288.1224023447202, -288.1224023447202],
    ),
)  # fmt: skip


class Result(NamedTuple):
    """What the rig's records say."""

    nominal: np.ndarray  # (2,) Hz, lowest frequencies of the arm as documented
    fitted: np.ndarray  # (2,) Hz, after fitting
    fit: Fit
    held: Validation  # nominal and fitted on what was held back
    rigid: Validation  # hub angles of the fitted arm with rigid links
    linear: dict[tuple[str, str], float]  # normalised errors of the documentation's linear model, by record and output


def excerpt() -> dict[str, np.ndarray]:
    """The records that come with lissom, by column; those of the run with square waves and of the stair."""
    with files("lissom.reproductions").joinpath("data/two-link-rig.npz").open("rb") as file, np.load(file) as data:
        return {name: np.array(data[name], float) for name in data.files}


def published(path: str | Path) -> dict[str, np.ndarray]:
    """A record in the rig's own format (.npz with counts of encoders and converters), in SI units by column.

    Motor currents are there where they were measured, else not a number.
    """
    with np.load(path, allow_pickle=False) as data:
        size, step = len(data["hub1_encoder_counts"]), float(data["dt_s"])
        made: dict[str, np.ndarray] = {"time": np.arange(size) * step}
        for s in ("1", "2"):
            made[f"hub{s}_angle"] = data[f"hub{s}_encoder_counts"] * float(data[f"hub{s}_rad_per_count"])
            counts = data[f"link{s}_strain_adc_counts"] + float(data[f"link{s}_strain_adc_offset"])
            made[f"link{s}_deflection"] = counts * float(data[f"link{s}_rad_per_adc_count"])
            made[f"link{s}_deflection"][: int(data[f"link{s}_first_valid_index"])] = np.nan
            made[f"current{s}"] = np.full(size, np.nan)
            if f"motor{s}_current_measured_A" in data:
                first, values = int(data["current_first_index"]), data[f"motor{s}_current_measured_A"]
                made[f"current{s}"][first : first + len(values)] = values
    return made


class Scales(NamedTuple):
    """Factors on what is nominal: torque per ampere, strain per reading of a gauge; of both stages."""

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
    data: dict[str, np.ndarray], run: str, window: tuple[float, float], scales: Scales = AS_GIVEN, more: Any = ()
) -> Record:
    """A window of a run, with further unknowns. Columns have the run's name in front where there are several runs."""
    start = f"{run}_" if f"{run}_time" in data else ""
    outputs: dict[str, Any] = {}
    torques: dict[str, Any] = {}
    for k, s in enumerate("12"):
        outputs[f"position.hub{s}"] = {"column": f"{start}hub{s}_angle", "unit": "rad"}
        outputs[f"gauge{s}"] = {"column": f"{start}link{s}_deflection", "factor": STRAIN[k] / scales.gauge[k]}
        torques[f"hub{s}"] = {"column": f"{start}current{s}", "factor": TORQUE[k] * scales.torque[k]}
    given = {"data": data, "time": f"{start}time", "outputs": outputs, "torques": torques, "window": window}
    name = f"{run} {window[0]:g}-{window[1]:g} s"
    return Record(**given, name=name, start="measured", unknown=[*OFFSETS, *more])  # type: ignore[arg-type]


def with_friction() -> lissom.Robot:
    """The nominal arm, with Coulomb friction of the size that the documentation guesses."""
    nominal = lissom.load("two-link-rig")
    return nominal.with_values([(f"links.{hub}.joint.friction", values) for hub, values in FRICTION.items()])


def frequencies(robot: lissom.Robot) -> np.ndarray:
    """Both lowest ones, hubs held, Hz."""
    return lissom.natural_modes(robot, number=2).frequencies


def fitted(data: dict[str, np.ndarray], progress: bool = True) -> Fit:
    """Stiffnesses from frequencies, then all from frequencies and ten seconds of the record.

    Vibrations of a model that is too stiff are out of step after a second, so the search must start near.
    """
    known = [{"frequency": f, "deviation": by, "mode": k + 1} for k, (f, by) in enumerate(MEASURED)]
    stiffness = ["materials.steel1.E", "materials.steel2.E"]
    start = lissom.fit(with_friction(), stiffness, frequencies=known, progress=progress).robot
    seen = record(data, "square", FITTED, more=[*EFFICIENCY, *GAUGES])
    return lissom.fit(start, FOUND, seen, frequencies=known, most=MOST, progress=progress, **RUNS)


def study(data: dict[str, np.ndarray], progress: bool = True) -> Result:
    """The fit, and everything on what was held back."""
    nominal = lissom.load("two-link-rig")
    found = fitted(data, progress)
    return Result(
        frequencies(nominal), frequencies(found.robot), found, *held_back(data, found.robot, Scales.of(found))
    )


def held_back(
    data: dict[str, np.ndarray], robot: lissom.Robot, scales: Scales
) -> tuple[Validation, Validation, dict[tuple[str, str], float]]:
    """Nominal and fitted arm, the fitted one with rigid links, and the linear model, on records not fitted."""
    given = {
        "nominal": (lissom.load("two-link-rig"), [record(data, run, at) for run, at in HELD.items()]),
        "fitted": (robot, [record(data, run, at, scales) for run, at in HELD.items()]),
    }
    blocks = {name: validate({name: arm}, seen, **RUNS).blocks[name] for name, (arm, seen) in given.items()}
    hubs = [_of_hubs(seen) for seen in given["fitted"][1]]
    twin = lissom.control.rigid_twin(robot.model_copy(update={"sensors": ()}), rotors=True)
    rigid = twin.with_values(
        [(path, robot.value(path)) for path in (f"links.{hub}.joint.friction" for hub in FRICTION)]
    )
    return Validation(blocks), validate({"rigid": rigid}, hubs, **RUNS), _linear(data)


def _of_hubs(seen: Record) -> Record:
    """The record without its gauges."""
    outputs = {name: each for name, each in seen.outputs.items() if name.startswith("position")}
    unknown = {name: each for name, each in seen.unknown.items() if "gauge" not in name}
    return seen.model_copy(update={"outputs": outputs, "unknown": unknown})


def _linear(data: dict[str, np.ndarray]) -> dict[tuple[str, str], float]:
    """Normalised errors of the documentation's linear model, driven by the same currents from the same angles."""
    from scipy.signal import lsim

    errors = {}
    for run, window in HELD.items():
        given = record(data, run, window)
        samples = given.samples()
        for s, (A, B) in enumerate(LINEAR):
            current = samples.torques[f"hub{s + 1}"] / TORQUE[s]
            current = current - np.median(current)  # its offset
            angle, strain = samples.outputs[f"position.hub{s + 1}"], samples.outputs[f"gauge{s + 1}"]
            system = (A, np.array(B)[:, None], np.eye(4)[:2], np.zeros((2, 1)))
            _, y, _ = lsim(system, current, samples.time, [angle[0], 0.0, 0.0, 0.0])
            bent = y[:, 1] * STRAIN[s]
            for name, model, seen in (("position.hub", y[:, 0], angle), ("gauge", bent, strain - strain.mean())):
                error = float(np.sqrt(np.mean((model - seen) ** 2)) / np.std(seen))
                errors[given.name, f"{name}{s + 1}"] = error
    return errors


def table(result: Result) -> Any:
    """Normalised errors in percent on what was held back."""
    made = printing.table(
        "record", "output", "linear", "rigid", "nominal", "fitted", title="held back, errors in percent"
    )
    rigid = {(block.record, block.output): block.normalised for block in result.rigid.blocks["rigid"]}
    for before, after in zip(*(result.held.blocks[name] for name in ("nominal", "fitted"))):
        key = before.record, before.output
        row = (result.linear.get(key), rigid.get(key), before.normalised, after.normalised)
        made.add_row(*key, *("-" if value is None else f"{100 * value:.1f}" for value in row))
    return made


def main(folder: str | Path) -> Result:
    """Print the comparison, draw the fit and what was held back."""
    result = study(excerpt())
    shown = screen()
    shown.print(result.fit.table())
    shown.print(table(result))
    shown.print(f"frequencies, Hz: nominal {result.nominal.round(3)}, fitted {result.fitted.round(3)}, ranges {RANGES}")
    result.fit.plot(Path(folder) / "rig-fitted.png")
    _picture(result).savefig(Path(folder) / "rig-held-back.png")
    result.fit.save(Path(folder) / "two-link-rig-fitted.yaml")
    return result


def _picture(result: Result) -> Any:
    """Histories that were held back: measured, of the nominal arm and of the fitted one."""
    import matplotlib.pyplot as plt

    from lissom.view.fit import histories
    from lissom.view.style import style

    pairs = list(zip(result.held.blocks["nominal"], result.held.blocks["fitted"]))
    with style():
        figure = plt.figure(figsize=(12, 2.4 * len(pairs) / 2), layout="constrained")
        axes: Any = figure.subplots(len(pairs) // 2, 2, squeeze=False)
        for axis, (before, after) in zip(axes.T.ravel(), pairs):
            histories(axis, before, after)
        for axis in axes[-1]:
            axis.set_xlabel("time [s]")
    return figure
