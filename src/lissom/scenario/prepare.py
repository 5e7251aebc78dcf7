"""From a scenario to what `lissom.simulate` takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lissom.control import from_config
from lissom.errors import LissomError, ScenarioError
from lissom.model.compiled import Model
from lissom.scenario.motion import motions
from lissom.scenario.schema import Scenario
from lissom.simulation.start import start_state


@dataclass(frozen=True)
class Prepared:
    """A compiled model and the keyword arguments of `lissom.simulate` for it."""

    model: Model
    arguments: dict[str, Any]


def prepare(scenario: Scenario) -> Prepared:
    """Compile the robot, build controller, start and motion; each error names its field."""
    robot = scenario.load_robot()
    model = robot.compile()
    try:
        start = start_state(model, scenario.start)
        motion = motions(model, scenario.motion, start[0], scenario.duration)
        if motion:
            model = robot.compile(prescribed=tuple(motion))
        controller = from_config(model, scenario.control, start[0])
    except LissomError as error:
        raise ScenarioError(str(error)) from None
    return Prepared(
        model,
        {
            "duration": scenario.duration,
            "controller": controller,
            "start": start,
            "motion": motion or None,
            "method": scenario.method,
            "step": scenario.step,
            "rtol": scenario.rtol,
            "atol": scenario.atol,
            "radius": scenario.radius,
            "rate": scenario.output.rate,
        },
    )
