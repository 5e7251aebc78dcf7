"""From a scenario to what `lissom.simulate` takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.control import Reference, from_config
from lissom.control.schema.controller_builder import Controller, needs_model
from lissom.errors import LissomError, ScenarioError
from lissom.model.compilation.attachment_points import with_attachments
from lissom.model.compilation.variants import variants
from lissom.model.description.robot import Robot
from lissom.model.model import Model
from lissom.results.trust.repeatable_run import RepeatableRun
from lissom.scenario.prescribed_motion import motions
from lissom.scenario.scenario_paths import plain
from lissom.scenario.scenario_schema import Scenario
from lissom.simulation.initial_state import find_rest, start_state
from lissom.simulation.inputs.packed_inputs import lengths_apart
from lissom.simulation.integrators.registry import check_installed
from lissom.simulation.settings import RunSettings
from lissom.simulation.status.run_ending import Ending

if TYPE_CHECKING:
    from lissom.model.description.sensor import Sensor
    from lissom.results.trajectory import Trajectory
    from lissom.simulation.inputs.loads import ActiveLoads, Load
    from lissom.simulation.inputs.payload import Payload
    from lissom.simulation.raw_run import RawRun

OWN = [name for name in Scenario.model_fields if name not in ("lissom", "name", "robot")]


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
    source: Scenario  # with its robot

    def simulate(self, *, progress: bool = True, **options: Any) -> Trajectory:
        """Run it; `options` such as duration=1.0 take the place of its settings."""
        from lissom.simulation.run_simulation import simulate

        given = {name: options.pop(name) for name in tuple(options) if name in RunSettings.model_fields}
        settings = RunSettings(**(self.settings.model_dump() | given))
        told = plain(self.source, whole_robot=False)
        wanted, accuracy = options.pop("trust", False), options.pop("accuracy", self.source.accuracy)
        made = simulate(self.model, settings, **(self.drive | options), progress=progress)
        made.info = replace(made.info, scenario={key: told[key] for key in told if key not in ("robot", "lissom")})
        if not options:
            made.repeat = self.repeatable
        if accuracy is not None and made.info.status is Ending.FINISHED:
            from lissom.results.trust.accuracy_search import reach_accuracy
            from lissom.simulation.status.run_warnings import warn_about_run

            made = reach_accuracy(made, accuracy, progress=progress)
            warn_about_run(made.raw, [event for event in made.warnings if event.kind == "accuracy"], stacklevel=2)
            return made
        if wanted and made.info.status is Ending.FINISHED:
            from lissom.results.trust.run_trust import trust

            trust(made, progress=progress)
        return made

    @property
    def repeatable(self) -> RepeatableRun:
        """What it runs, to be run again: another robot is prepared anew, with its control, start and motion."""
        from lissom.simulation.stepping.time_loop import simulate_raw

        def make(robot: Robot, settings: RunSettings) -> RawRun:
            other = self
            if robot is not self.model.robot:
                other = prepare(self.source.model_copy(update={"robot": robot}))
            return simulate_raw(other.model, settings, **other.drive)

        return RepeatableRun(self.model.robot, make, self.motion)

    @property
    def drive(self) -> dict[str, Any]:
        """What moves and measures the model, as `lissom.simulate` takes it."""
        names = ("controller", "start", "motion", "loads", "payloads", "sensors")
        return {name: getattr(self, name) for name in names}

    @property
    def alone(self) -> bool:
        """Whether nothing but its controller drives and measures the robot."""
        robot = self.model.robot
        outside = self.motion or self.loads or self.payloads or self.sensors or robot.sensors or robot.contacts
        return not (outside or self.model.loops)

    def begins(self, scenario: Scenario, model: Model) -> bool:
        """Return whether another scenario begins where this one does: as its file says, by names that mean the same."""
        own = self.source
        named = scenario.start is own.start and scenario.hold is None and own.hold is None and not self.motion
        return named and not model.loops and model.bodies == self.model.bodies

    def serves(self, scenario: Scenario, model: Model) -> bool:
        """Return whether all but the model serves another scenario too.

        Only numbers of its robot differ then, and it is driven by what asks for none of them.
        """
        own, before = self.source, self.model.robot
        if any(getattr(scenario, name) is not getattr(own, name) for name in OWN) or not self.alone:
            return False
        same = model.robot.sensors == before.sensors and model.bodies == self.model.bodies
        return same and own.hold is None and not needs_model(own.control)


def prepare_all(scenarios: Sequence[Scenario], before: Prepared) -> Iterator[Prepared | None]:
    """Yield scenarios that differ from one that was prepared `before`; similar robots are compiled together.

    None of a refused one: whoever prepares it by itself is told why.
    """
    robots = [scenario.load_robot() for scenario in scenarios]
    others = {id(robot): robot for robot in robots if robot is not before.source.robot}
    models = dict(zip(others, variants(list(others.values()), before.model), strict=True))
    for scenario, robot in zip(scenarios, robots, strict=True):
        try:
            yield prepare(scenario, before, models.get(id(robot)))
        except LissomError:
            yield None


def prepare(scenario: Scenario, before: Prepared | None = None, model: Model | None = None) -> Prepared:
    """Compile the robot, build controller, start and motion; each error names its field.

    What a scenario shares with one that was prepared `before` is taken from there; `model`: that of its robot, where it
    is at hand.
    """
    check_installed(scenario.method)
    robot = scenario.load_robot()
    if not isinstance(scenario.robot, Robot):
        scenario = scenario.model_copy(update={"robot": robot})
    acted = [(load.link, load.at) for load in scenario.loads if load.link]
    known = with_attachments(robot, acted + [(payload.link, payload.at) for payload in scenario.payloads])
    if known is not robot:
        robot, model = known, None
        scenario = scenario.model_copy(update={"robot": robot})
    if before is not None and before.source.robot is robot and not before.motion:
        model = before.model
    elif model is None:
        model = robot.compile(before=None if before is None else before.model)
    if before is not None and before.serves(scenario, model):
        return replace(before, model=model, source=scenario)
    try:
        begun = before is not None and before.begins(scenario, model)
        q, v = before.start if before is not None and begun else start_state(model, scenario.start)
        motion = motions(model, scenario.motion, q, scenario.duration)
        joints, lengths = lengths_apart(model, motion)
        if joints:
            model = robot.compile(prescribed=tuple(joints))
        if lengths or any(model.joint(name).rotor_q is not None for name in joints):
            q, v = start_state(model, scenario.start, joints, lengths)
        loaded, loads = _add_payloads(model, scenario)
        if scenario.hold is not None:
            q = find_rest(loaded, q, scenario.hold, joints, lengths, loads)
        _check_sensors(model, scenario)
        controller = from_config(model, scenario.control, q, until=scenario.duration, sensors=scenario.sensors)
    except LissomError as error:
        raise ScenarioError.of(error) from None
    settings = RunSettings.joined(scenario, scenario.output)
    drive = (scenario.loads, scenario.payloads, scenario.sensors)
    return Prepared(model, controller, (q, v), motion, *drive, settings, scenario)


def _check_sensors(model: Model, scenario: Scenario) -> None:
    """Check that sensors are on something."""
    if model.robot.sensors or scenario.sensors:
        from lissom.dynamics.sensing import Sensing, sensors_of

        Sensing(model, sensors_of(model, scenario.sensors))


def _add_payloads(model: Model, scenario: Scenario) -> tuple[Model, ActiveLoads | None]:
    """Return the model with the payloads that it carries at the start and the frames of its loads, and the loads."""
    loads = None
    if scenario.payloads:
        from lissom.simulation.inputs.payload import with_payloads

        model, _ = with_payloads(model, scenario.payloads)
    if scenario.loads:
        from lissom.simulation.inputs.loads import activate

        model, loads = activate(model, scenario.loads, scenario.duration)
    return model, loads
