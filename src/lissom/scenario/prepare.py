"""From a scenario to what `lissom.simulate` takes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.control import Reference, from_config
from lissom.control.config import Controller
from lissom.dynamics.sensing import Sensing, sensors_of
from lissom.errors import LissomError, ScenarioError
from lissom.model.compiled import Model
from lissom.model.sensor import Sensor
from lissom.scenario.motion import motions
from lissom.scenario.paths import plain
from lissom.scenario.schema import Scenario
from lissom.simulation.drive import lengths_apart
from lissom.simulation.loads import Load, activate
from lissom.simulation.methods import check_installed
from lissom.simulation.payload import Payload, with_payloads
from lissom.simulation.raw import RawRun
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
    loads: tuple[Load, ...]
    payloads: tuple[Payload, ...]
    sensors: tuple[Sensor, ...]
    settings: RunSettings
    scenario: dict[str, Any] = field(default_factory=dict)  # as in its file, without the robot

    def simulate(self, *, progress: bool = True, **options: Any) -> Trajectory:
        """Run it; `options` such as duration=1.0 take the place of its settings."""
        from lissom.simulation.main import simulate

        given = {name: options.pop(name) for name in tuple(options) if name in RunSettings.model_fields}
        settings = RunSettings(**(self.settings.model_dump() | given))
        made = simulate(self.model, settings, **(self.drive | options), progress=progress)
        made.info = replace(made.info, scenario=self.scenario)
        return made

    def integrate(self, audit: bool) -> RawRun:
        """Run it for its samples alone, with or without the account of energy, and tell nothing."""
        from lissom.simulation.run import run  # the time loop, which a check does without

        return run(self.model, self.settings.model_copy(update={"audit": audit}), **self.drive)

    @property
    def drive(self) -> dict[str, Any]:
        """What moves and measures the model, as `lissom.simulate` takes it."""
        names = ("controller", "start", "motion", "loads", "payloads", "sensors")
        return {name: getattr(self, name) for name in names}


def prepare(scenario: Scenario) -> Prepared:
    """Compile the robot, build controller, start and motion; each error names its field."""
    check_installed(scenario.method)
    robot = scenario.load_robot()
    model = robot.compile()
    try:
        q, v = start_state(model, scenario.start)
        motion = motions(model, scenario.motion, q, scenario.duration)
        joints, lengths = lengths_apart(model, motion)
        if joints:
            model = robot.compile(prescribed=tuple(joints))
        if lengths:
            q, v = start_state(model, scenario.start, joints, lengths)
        if scenario.hold is not None:
            q = settled(model, q, scenario.hold, joints, lengths)
        Sensing(model, sensors_of(model, scenario.sensors))
        controller = from_config(model, scenario.control, q, until=scenario.duration, sensors=scenario.sensors)
        activate(model, scenario.loads, scenario.duration)
        with_payloads(model, scenario.payloads)
    except LissomError as error:
        raise ScenarioError.of(error) from None
    told = {key: value for key, value in plain(scenario, whole_robot=False).items() if key not in ("robot", "lissom")}
    settings = RunSettings.joined(scenario, scenario.output)
    drive = (scenario.loads, scenario.payloads, scenario.sensors)
    return Prepared(model, controller, (q, v), motion, *drive, settings, told)
