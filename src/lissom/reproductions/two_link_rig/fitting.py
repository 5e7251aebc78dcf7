"""The fit of the rig, and what was held back: nominal, fitted, rigid, and the linear model of its documentation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import lissom
from lissom import printing
from lissom.identify import Fit, Record, Validation, validate
from lissom.reproductions.two_link_rig.closed_loop import in_loop
from lissom.reproductions.two_link_rig.records import (
    AS_GIVEN,
    EFFICIENCY,
    GAUGES,
    STRAIN,
    TORQUE,
    Columns,
    Scales,
    record,
)

MEASURED = ((1.84, 0.01), (5.65, 0.02))  # Hz: both lowest frequencies, hubs held, and their deviations
KNOWN = [{"frequency": f, "deviation": by, "mode": k + 1} for k, (f, by) in enumerate(MEASURED)]
RANGES = ((1.78, 1.92), (5.5, 5.8))  # Hz that the rig's documentation gives
FITTED = (82.2, 92.2)  # s of the square waves
COMPARED = {"square": (92.2, 97.2), "steps": (11.5, 24.0)}  # s of the square waves and of the stair: which friction?
HELD = {"square": (97.2, 102.1), "steps": (24.0, 28.3)}  # s that neither found nor chose anything
FRICTION = {
    "hub1": {"viscous": 4.0, "coulomb": 1.8, "velocity": 0.01},
    "hub2": {"viscous": 0.3, "coulomb": 0.09, "velocity": 0.01},
}
STEEL = ("materials.steel1.E", "materials.steel2.E")
FOUND = (
    "links.hub1.joint.friction.viscous", "links.hub1.joint.friction.coulomb", "links.hub2.joint.friction.viscous",
    "links.hub2.joint.friction.coulomb", *STEEL,
)  # fmt: skip
MOST = 40  # evaluations
# looser ones leave the end of a search to rounding, by a fifth of what the data can tell
RUNS: dict[str, Any] = {"rtol": 1e-6, "atol": 1e-8}
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


class Found(NamedTuple):
    """A model of the arm that was fitted."""

    fit: Fit
    hub: str = "position"  # the quantity that encoders on the motors see: rotor_position where gears give way

    @property
    def scales(self) -> Scales:
        """The scales of torques and gauges that were fitted."""
        return Scales.of(self.fit)


class Result(NamedTuple):
    """What the rig's records say."""

    nominal: np.ndarray  # (2,) Hz, lowest frequencies of the arm as documented
    fitted: np.ndarray  # (2,) Hz, after fitting
    fit: Fit  # of the friction that was chosen
    held: Validation  # nominal and fitted on what was held back
    rigid: Validation  # hub angles of the fitted arm with rigid links
    loop: Validation  # nominal and fitted with the rig's own controller
    linear: dict[tuple[str, str], float]  # normalised errors of the documentation's linear model, by record and output


def with_friction() -> lissom.Robot:
    """Return the nominal arm, with Coulomb friction of the size that the documentation guesses."""
    nominal = lissom.load("two-link-rig")
    return nominal.with_values([(f"links.{hub}.joint.friction", values) for hub, values in FRICTION.items()])


def frequencies(robot: lissom.Robot) -> np.ndarray:
    """Both lowest ones, hubs held, Hz."""
    return lissom.natural_modes(robot, number=2).frequencies


def fitted(data: Columns, progress: bool = True) -> Fit:
    """Stiffnesses from frequencies, then all from frequencies and ten seconds of the record.

    Vibrations of a model that is too stiff are out of step after a second, so the search must start near.
    """
    start = lissom.fit(with_friction(), STEEL, frequencies=KNOWN, progress=progress).robot
    seen = record(data, "square", FITTED, more=[*EFFICIENCY, *GAUGES])
    return lissom.fit(start, FOUND, seen, frequencies=KNOWN, most=MOST, progress=progress, **RUNS)


def judged(data: Columns, found: Found) -> Result:
    """Judge a fitted arm on what was held back, beside a nominal, a rigid and the documentation's linear one."""
    nominal, robot = lissom.load("two-link-rig"), found.fit.robot
    held, rigid, linear = held_back(data, found)
    loop = in_loop(data, {"nominal": (nominal, AS_GIVEN), "fitted": (robot, found.scales)})
    return Result(frequencies(nominal), frequencies(robot), found.fit, held, rigid, loop, linear)


def held_back(data: Columns, found: Found) -> tuple[Validation, Validation, dict[tuple[str, str], float]]:
    """Nominal and fitted arm, the fitted one with rigid links, and the linear model, on records not fitted."""
    robot, scales = found.fit.robot, found.scales
    as_drawn = [record(data, run, at) for run, at in HELD.items()]
    seen = [record(data, run, at, scales, hub=found.hub) for run, at in HELD.items()]
    nominal = validate({"nominal": lissom.load("two-link-rig")}, as_drawn, **RUNS)
    fitted = validate({"fitted": robot}, seen, **RUNS)
    twin = lissom.control.rigid_twin(robot.model_copy(update={"sensors": ()}), rotors=True)
    rigid = twin.with_values(
        [(path, robot.value(path)) for path in (f"links.{hub}.joint.friction" for hub in FRICTION)]
    )
    hubs = [_of_hubs(record(data, run, at, scales)) for run, at in HELD.items()]
    return Validation(nominal.blocks | fitted.blocks), validate({"rigid": rigid}, hubs, **RUNS), _linear(data)


def _of_hubs(seen: Record) -> Record:
    """Return the record without its gauges."""
    outputs = {name: each for name, each in seen.outputs.items() if name.startswith("position")}
    unknown = {name: each for name, each in seen.unknown.items() if "gauge" not in name}
    return seen.model_copy(update={"outputs": outputs, "unknown": unknown})


def _linear(data: Columns) -> dict[tuple[str, str], float]:
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
