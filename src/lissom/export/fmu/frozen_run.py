"""A run before its first step: everything its machine code works on, as an `Image`, and the calls that advance it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lissom.control.laws.control_kernel import control_forces, law_scratch
from lissom.control.laws.digital_kernel import digital_step, follow_reference
from lissom.control.laws.digital_law import DigitalLaw, StateLook, as_digital
from lissom.control.laws.law_tables import packed_law
from lissom.control.laws.sampled_control import Sampled
from lissom.dynamics.sensing import Sensing, sensors_of
from lissom.dynamics.sensor_kinds import Moment, kind_of
from lissom.errors import LissomError
from lissom.export.fmu.memory_image import Image
from lissom.kernel.algorithms.newton_euler import inverse_dynamics
from lissom.kernel.data.arrays import Drive
from lissom.kernel.kinematics.forward_kinematics import world_frames
from lissom.model.model import Model
from lissom.scenario.prepare import Prepared
from lissom.simulation.equations.recorder import make_record, write_sample
from lissom.simulation.equations.system import acceleration
from lissom.simulation.inputs.loads import Load
from lissom.simulation.integrators.registry import AUTO, Method, integrator
from lissom.simulation.postprocess import DrivenRows, GivenLoads, Observation, fill_observation, observing
from lissom.simulation.settings import RunSettings
from lissom.simulation.stepping.run_memory import RunMemory
from lissom.simulation.stepping.time_loop import TimeLoop

FED = "inputs"  # name of a load that comes from outside
CHUNK = 50  # steps at a time, as in `simulation.stepping.time_loop`


class Scalar(NamedTuple):
    """An argument that the caller gives: its name, and an example."""

    name: str
    example: Any


class Call(NamedTuple):
    """A call of a kernel on the memory of the run."""

    name: str
    kernel: Any
    arguments: tuple[Any, ...]
    returns: str = "none"


class OwnMemory(NamedTuple):
    """Memory beside that of the run."""

    inputs: np.ndarray  # (number of inputs,)
    switches: np.ndarray  # (1,) 1 where references come from outside
    parameters: np.ndarray  # (number of parameters,)
    q: np.ndarray  # (nq,) configuration with quaternions of unit length
    v: np.ndarray  # (nv,)
    a: np.ndarray  # (nv,)
    rate: np.ndarray  # (nq,) of the configuration
    acting: np.ndarray  # (na,) torques of a digital controller that act
    waiting: np.ndarray  # (late + 2, 1 + na) times and torques of samples that are to act
    counts: np.ndarray  # (3,) samples taken, first of those that wait, how many wait
    added: np.ndarray  # (nv,) torques of a model for the controller


@dataclass(frozen=True)
class FrozenSensors:
    """Ideal sensors: what they read lies in memory after the calls."""

    readings: tuple[tuple[str, str, np.ndarray], ...]  # name, unit and place (1,) of each number
    wrench: np.ndarray  # (rows, 6) external wrenches, of the model's rows first
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class FrozenControl:
    """A digital controller in an FMU."""

    law: DigitalLaw
    rate: float
    delay: float
    calls: tuple[Call, ...]

    def places(self, frozen: Frozen, image: Image) -> list[int]:
        """Return where the measured numbers lie: states, or readings of ideal sensors."""
        state = frozen.memory.state
        if isinstance(self.law.look, StateLook):
            q, v = image.entries(state.q), image.entries(state.v)
            return [*(int(q[k]) for k in self.law.look.on_q), *(int(v[k]) for k in self.law.look.on_v)]
        readings = frozen.senses.readings if frozen.senses is not None else ()
        known = {name: int(image.entries(place)[0]) for name, _, place in readings}
        return [known[name] for name in self.law.measured]


@dataclass(frozen=True)
class Frozen:
    """A run that is ready to begin."""

    prepared: Prepared
    memory: RunMemory
    method: Method
    seen: Observation  # one sample
    calls: tuple[Call, ...]
    fed: tuple[str, ...]  # links on whose tips loads from outside act
    all_loads: tuple[Load, ...]  # with these
    senses: FrozenSensors | None  # where there are sensors
    control: FrozenControl | None = None  # where the controller is sampled

    @property
    def model(self) -> Any:
        """The model that runs, with the loads from outside."""
        return self.memory.model

    @property
    def sample(self) -> Any:
        """The Record of one sample."""
        return self.memory.record

    def image(self, own: OwnMemory) -> Image:
        """Return all memory of the run and of its own."""
        arguments = [argument for call in self.calls for argument in call.arguments]
        roots = [argument for argument in arguments if not isinstance(argument, Scalar | int)]
        return Image([*roots, *self.memory.segments, *(array for array in own if array.size)])


def freeze(prepared: Prepared, fed: Sequence[str], own: OwnMemory) -> Frozen:
    """Return the scenario's run at its start; loads from outside act on the tips of the links `fed`."""
    still: Any = (0.0, 0.0, 0.0)
    inputs = tuple(Load(name=f"{FED}-{link}", link=link, force=still, torque=still) for link in fed)
    settings = RunSettings(
        **(prepared.settings.model_dump() | {"audit": False, "rate": 1.0 / prepared.settings.duration})
    )
    all_loads = (*prepared.loads, *inputs)
    memory = RunMemory(
        prepared.model,
        settings,
        controller=None if isinstance(prepared.controller, Sampled) else prepared.controller,
        start=prepared.start,
        motion=prepared.motion,
        loads=all_loads,
    )
    model, loads = memory.model, memory.loads
    memory.keep(make_record(model, np.zeros(1), False, len(loads.row), memory.closure))
    method = TimeLoop(memory).begin()  # fills the one sample, so that nothing is wanted of steps
    record = memory.record
    given = GivenLoads(record.load, loads.row, loads.entry)
    arguments, seen = observing(model, record.q, record.v, record.a, given, DrivenRows(record.lam, record.given))
    t = Scalar("t", 0.0)
    calls: tuple[Call, ...] = (
        Call(
            "march",
            method.take_steps,
            (
                *(memory.packed, memory.scratch, memory.scratch_c, memory.packed_record, memory.packed_state),
                method.work,
                *(Scalar("end", 0.0), Scalar("longest", 0.0), Scalar("fixed", True), Scalar("steps", CHUNK)),
            ),
            "int64",
        ),
        Call("accelerate", acceleration, (memory.packed, memory.scratch, t, own.q, own.v, own.a)),
        Call("sample", write_sample, (memory.packed, memory.scratch, memory.packed_record, t, own.q, own.v, own.a)),
        Call("observe", fill_observation, arguments),
    )
    senses = _senses(prepared, model, own, seen)
    calls += senses.calls if senses is not None else ()
    control = _control(prepared.controller, model, own) if isinstance(prepared.controller, Sampled) else None
    calls += control.calls if control is not None else ()
    return Frozen(prepared, memory, method, seen, calls, tuple(fed), all_loads, senses, control)


def _control(controller: Sampled, model: Model, own: OwnMemory) -> FrozenControl:
    """Return a sampled controller before its first sample."""
    law = digital_law(controller, model)
    law.reset()
    t = Scalar("t", 0.0)
    calls: tuple[Call, ...] = (
        Call("digital_reference", follow_reference, (law.struct, t)),
        Call("digital_sample", digital_step, (law.struct,)),
    )
    if law.added is not None:
        packed, twin = packed_law(law.added), law.added.twin or model
        scratch = law_scratch(packed, None, twin, np.float64)
        arguments = (packed, twin.struct, scratch, t, own.q, own.v, own.added)
        calls += (Call("added_torques", control_forces, arguments),)
    return FrozenControl(law, controller.rate, controller.delay, calls)


def digital_law(controller: Sampled, model: Model) -> DigitalLaw:
    """Return a sampled controller as data, or refuse what is Python or reads more than an FMU's ideal sensors tell."""
    law = as_digital(controller.function, model)
    if law is None:
        raise LissomError(
            "is computed in Python, which an FMU cannot hold; take pd, pid, lqr, lqg, computed-torque or torque, or "
            "remove it and feed the torques through inputs.torque",
            ("control",),
        )
    if not law.eyes and not isinstance(law.look, StateLook):
        text = "reads sensors beside encoders by lqr, which an FMU cannot look at; take lqg, whose sensors it has"
        raise LissomError(text, ("control", "sensors"))
    for eye in law.eyes:
        late = next((name for name in ("rate", "delay", "low_pass") if getattr(eye, name)), None)
        if late is not None:
            text = "is none in an FMU, whose sensors are ideal; leave it out, and design again"
            raise LissomError(f"{eye.called}: {late} {text}", ("control", "sensors"))
        if not kind_of(eye).in_memory:
            text = f"is of type {eye.kind}, which an FMU cannot hold; design with other sensors"
            raise LissomError(f"{eye.called} {text}", ("control", "sensors"))
    return law


def _senses(prepared: Prepared, model: Model, own: OwnMemory, seen: Observation) -> FrozenSensors | None:
    """Return the sensors whose readings are numbers in the kernel's memory: not strain gauges."""
    sensors = [one for one in sensors_of(model, prepared.sensors) if kind_of(one).in_memory]
    if not sensors:
        return None
    sensing = Sensing(model, sensors)
    points = sensing.points
    work, wrench = points.workspace(), np.zeros((len(points.arrays.tree.parent), 6))
    moment = Moment(own.q, own.v, points.scratch(), seen.loop_wrench[0])
    readings = []
    for one in sensing.mounted:
        places = np.asarray(one.read(moment))
        readings += [(name, unit, places[k : k + 1]) for k, (name, unit) in enumerate(zip(one.labels, one.units))]
    calls = (
        Call("sense_forces", inverse_dynamics, (points.struct, work, own.q, own.v, own.a, wrench, np.zeros(model.nv))),
        Call("sense_places", world_frames, (points.struct, work)),
    )
    return FrozenSensors(tuple(readings), wrench, calls)


def own_memory(prepared: Prepared, inputs: int, parameters: int) -> OwnMemory:
    """Make the memory that an exported model has beside that of the run."""
    nq, nv = prepared.model.nq, prepared.model.nv
    sizes = (inputs, 1, parameters, nq, nv, nv, nq)
    controller = prepared.controller
    na = late = 0
    if isinstance(controller, Sampled):
        na = len(digital_law(controller, prepared.model).names)
        late = int(np.ceil(controller.delay * controller.rate)) + 2
    waiting, counts = np.zeros((late, 1 + na)), np.zeros(3 if na else 0, np.int64)
    more: tuple[np.ndarray, ...] = (np.zeros(na), waiting, counts, np.zeros(nv if na else 0))
    return OwnMemory(*(np.zeros(size) for size in sizes), *more)


def check(prepared: Prepared) -> None:
    """Refuse what needs Python while it runs."""
    from lissom.control.laws.control_law import ControlLaw

    if isinstance(prepared.controller, Sampled):
        digital_law(prepared.controller, prepared.model)
    elif prepared.controller is not None and not isinstance(prepared.controller, ControlLaw):
        raise LissomError(
            "is several at once or computed in Python, which an FMU cannot hold; take one of pd, pid, lqr, lqg, "
            "computed-torque or torque, or remove it and feed the torques through inputs.torque",
            ("control",),
        )
    if prepared.model.robot.contacts:
        name = prepared.model.robot.contacts[0].name
        raise LissomError(
            "an FMU cannot look for the times when surfaces touch; remove the contacts, or replace them by elements",
            ("contacts", 0),
            name,
        )
    for k, actuator in enumerate(prepared.model.robot.actuators):
        if actuator.kind == Drive.HYDRAULIC:
            text = "is a hydraulic cylinder, whose pressures an FMU does not follow; take type: thrust in its place"
            raise LissomError(text, ("actuators", k), actuator.name)
    if prepared.payloads:
        raise LissomError(
            "an FMU cannot pick up and drop; give the link that carries it a body of that mass, and export again "
            "without it",
            ("payloads", 0),
            prepared.payloads[0].link,
        )
    for k, load in enumerate(prepared.loads):
        if _of_state(load):
            raise LissomError(
                "is a function of the state in Python, which an FMU cannot hold; feed it through inputs.load",
                ("loads", k),
            )
    method = prepared.settings.method
    if method != AUTO and not integrator(method).compiled:
        raise LissomError("is not compiled into an FMU; take radau, or auto", ("method",), method)


def _of_state(load: Load) -> bool:
    from lissom.control.schema.time_series_schema import Given
    from lissom.simulation.inputs.loads import _takes_state

    return any(isinstance(each, Given) and _takes_state(each.value) for each in (load.force, load.torque))
