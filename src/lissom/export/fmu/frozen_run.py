"""A run before its first step: everything its machine code works on, as an `Image`, and the calls that advance it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lissom.dynamics.sensing import Sensing, sensors_of
from lissom.dynamics.sensor_kinds import Moment, kind_of
from lissom.errors import LissomError
from lissom.export.fmu.memory_image import Image
from lissom.kernel.algorithms.newton_euler import inverse_dynamics
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


@dataclass(frozen=True)
class FrozenSensors:
    """Ideal sensors: what they read lies in memory after the calls."""

    readings: tuple[tuple[str, str, np.ndarray], ...]  # name, unit and place (1,) of each number
    wrench: np.ndarray  # (rows, 6) external wrenches, of the model's rows first
    calls: tuple[Call, ...]


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
        controller=prepared.controller,
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
    return Frozen(prepared, memory, method, seen, calls, tuple(fed), all_loads, senses)


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
    return OwnMemory(*(np.zeros(size) for size in sizes))


def check(prepared: Prepared) -> None:
    """Refuse what needs Python while it runs."""
    from lissom.control.laws.control_law import ControlLaw

    if prepared.controller is not None and not isinstance(prepared.controller, ControlLaw):
        raise LissomError(
            "is sampled or computed in Python, which an FMU cannot hold; leave out rate and delay, take pd, "
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
