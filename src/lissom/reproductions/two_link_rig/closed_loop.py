"""The rig in closed loop: models under the rig's own controller follow its reference, without any measured input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

import lissom
from lissom.identify import Record, Validation
from lissom.identify.residuals import OutputBlock
from lissom.reproductions.two_link_rig.records import STEP, STRAIN, TORQUE, Columns, Feedback, Scales, record

if TYPE_CHECKING:
    from lissom.results.trajectory import Trajectory

WINDOWS = {"square": (62.2, 82.1), "steps": (24.0, 40.0)}  # s, of no fit and no choice
RUNS: dict[str, Any] = {"rtol": 1e-4, "atol": 1e-6, "audit": False}


class Controller:
    """Torques of both hubs from what encoders and gauges tell, as the rig computes its currents."""

    def __init__(self, time: np.ndarray, references: list[np.ndarray], start: list[float], scales: Scales) -> None:
        self.time, self.references, self.start, self.scales = time, references, start, scales
        self.reset()

    def reset(self) -> None:
        """Begin anew, as at the start of a run."""
        self.hubs = [Feedback(k, STEP, angle) for k, angle in enumerate(self.start)]

    def __call__(self, t: float, readings: Mapping[str, float]) -> dict[str, float]:
        """Return the torques of both hubs from the readings at time t."""
        torques = {}
        for k, (hub, wanted) in enumerate(zip(self.hubs, self.references)):
            deflection = readings.get(f"gauge{k + 1}", 0.0) * self.scales.gauge[k] / STRAIN[k]
            current = hub(float(np.interp(t, self.time, wanted)), readings[f"angle{k + 1}"], deflection)
            torques[f"hub{k + 1}"] = TORQUE[k] * self.scales.torque[k] * current
        return torques


def in_loop(data: Columns, models: Mapping[str, tuple[lissom.Robot, Scales]]) -> Validation:
    """Errors of hub angles and strains of robots, each with its scales, that follow the rig's reference."""
    return Validation(
        {
            name: [block for run, window in WINDOWS.items() for block in _simulate_histories(data, run, window, *model)]
            for name, model in models.items()
        }
    )


def _simulate_histories(
    data: Columns, run: str, window: tuple[float, float], robot: lissom.Robot, scales: Scales
) -> list[OutputBlock]:
    """Histories of one run; the unknown zero of a gauge is where its error has no mean."""
    seen = record(data, run, window, scales).model_copy(update={"torques": {}, "unknown": {}})
    samples = seen.samples()
    start = [float(samples.outputs[f"position.hub{s}"][0]) for s in "12"]
    references = [data[f"{run}_hub{s}_reference"] for s in "12"]
    controller = Controller(data[f"{run}_time"] - samples.begin, references, start, scales)
    names = [sensor.called for sensor in robot.sensors]
    told = lissom.simulate(
        robot,
        float(samples.time[-1]),
        start=dict(zip(("hub1", "hub2"), start)),
        controller=lissom.control.Sampled(controller, 1 / STEP, sensors=tuple(names)),
        rate=samples.rate,
        progress=False,
        **RUNS,
    )
    return output_blocks(told, seen, robot)


def output_blocks(told: Trajectory, seen: Record, robot: lissom.Robot) -> list[OutputBlock]:
    """Return what a run says beside every output of a record; gauges are moved to where their error has no mean."""
    samples, names = seen.samples(), [sensor.called for sensor in robot.sensors]
    blocks = []
    for output, measured in samples.outputs.items():
        head, _, joint = output.partition(".")
        if head == "position":
            unit, modelled = "rad", told[joint].values
        else:
            unit, modelled = "1", told.reading(head, ideal=True).values if head in names else np.zeros(len(measured))
            measured = measured - np.mean(measured - modelled)
        time, none = samples.time + samples.begin, np.zeros((len(measured), 0))
        blocks.append(OutputBlock(seen.name, output, unit, time, measured, modelled, none))
    return blocks
