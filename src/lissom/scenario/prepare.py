"""From a scenario to what `lissom.simulate` takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.control import Reference, from_config
from lissom.control.config import Controller
from lissom.errors import LissomError, ScenarioError
from lissom.model.compiled import Model
from lissom.scenario.motion import motions
from lissom.scenario.schema import Scenario
from lissom.simulation.settings import RunSettings
from lissom.simulation.start import settled, start_state

if TYPE_CHECKING:
    from lissom.simulation.trajectory import Trajectory


@dataclass(frozen=True)
class Prepared:
    """A compiled model, and what else `lissom.simulate` takes."""

    model: Model
    controller: Controller
    start: tuple[np.ndarray, np.ndarray]  # q (nq,) and v (nv,)
    motion: dict[str, Reference]
    settings: RunSettings

    def simulate(self, *, progress: bool = True, **options: Any) -> Trajectory:
        """Run it; `options` such as duration=1.0 take the place of its settings."""
        from lissom.simulation.main import simulate

        drive = {"controller": self.controller, "start": self.start, "motion": self.motion}
        return simulate(self.model, self.settings, **(drive | options), progress=progress)


def prepare(scenario: Scenario) -> Prepared:
    """Compile the robot, build controller, start and motion; each error names its field."""
    robot = scenario.load_robot()
    model = robot.compile()
    try:
        q, v = start_state(model, scenario.start)
        motion = motions(model, scenario.motion, q, scenario.duration)
        if motion:
            model = robot.compile(prescribed=tuple(motion))
        if scenario.hold is not None:
            q = settled(model, q, scenario.hold, motion)
        controller = from_config(model, scenario.control, q)
    except LissomError as error:
        raise ScenarioError.of(error) from None
    return Prepared(model, controller, (q, v), motion, RunSettings.joined(scenario, scenario.output))
