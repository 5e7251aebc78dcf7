"""The variables of an FMU: names, units, and where their numbers lie in the memory of the run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from lissom.control.laws.channels import channel_unit, channels
from lissom.control.laws.control_law import ControlLaw
from lissom.control.laws.digital_law import as_digital
from lissom.control.laws.sampled_control import Sampled
from lissom.export.fmu.fmu_parameters import FmuParameter
from lissom.export.fmu.frozen_run import Frozen, OwnMemory
from lissom.export.fmu.memory_image import Image
from lissom.model.model import Model
from lissom.results.quantity_names import (
    AXES,
    ENERGIES,
    QUATERNION,
    TWIST,
    WRENCH,
    force_units,
    position_columns,
    velocity_columns,
)

Role = Literal["input", "parameter", "state", "derivative", "output", "switch", "time"]
ROLES: tuple[Role, ...] = ("time", "input", "parameter", "switch", "state", "derivative", "output")


class FmuVariable(NamedTuple):
    """A number that a tool may read or set; its value reference is its place in the list of all."""

    name: str
    role: Role
    at: int  # offset into the run's memory
    unit: str = ""
    text: str = ""
    start: float = 0.0
    of: str = ""  # of a derivative: the state
    sign: int = 1  # of the number in memory
    limits: tuple[float, float] | None = None  # of a parameter


def plain(name: str) -> str:
    """Return a name that other languages take: letters, digits, underscores, and dots between its parts."""
    if name.startswith("der("):
        return f"der({plain(name[4:-1])})"
    parts = (re.sub(r"\W", "_", part) for part in name.split("."))
    return ".".join(f"_{part}" if part[:1].isdigit() else part for part in parts)


class Inputs:
    """What comes from outside, in order."""

    def __init__(self, model: Model, controller: Any, fed: Sequence[str]) -> None:
        units = velocity_columns(model).units
        driven = set(np.flatnonzero(model.arrays.velocities.prescribed).tolist())
        self.torques = [int(k) for k in model.actuated if int(k) not in driven]  # places in v
        self.channels = followed(controller)  # of the law
        known = _digital(controller)[0] if isinstance(controller, Sampled) else getattr(controller, "names", ())
        names = [known[k] for k in self.channels]
        commands = {own.command: f"command.{own.actuator}" for own in model.states}
        self.names = [f"inputs.{commands.get(k, f'torque.{model.coordinates[k]}')}" for k in self.torques]
        self.units = [force_units(model)[k] for k in self.torques]
        added = ["command" if k in commands else "torque" if units[k] == "rad" else "force" for k in self.torques]
        self.texts = [f"{what} that is added" for what in added]
        for name in names:
            unit = channel_unit(model, *channels(model, [name], "control"))
            self.names += [f"inputs.reference.{name}{part}" for part in ("", ".rate", ".acceleration")]
            self.units += [unit, f"{unit}/s", f"{unit}/s2"]
            self.texts += [f"{what} to follow, if inputs.follow" for what in ("value", "rate", "acceleration")]
        for link in fed:
            self.names += [f"inputs.load.{link}.{part}" for part in WRENCH]
            self.units += ["N m"] * 3 + ["N"] * 3
            self.texts += ["torque on the tip, world axes"] * 3 + ["force on the tip, world axes"] * 3

    def __len__(self) -> int:
        return len(self.names)


def followed(controller: ControlLaw | Sampled | None) -> list[int]:
    """Return channels of a law that follow a reference; of those with one name the first.

    A sampled one that knows a model of the arm follows the references of the scenario alone.
    """
    found: dict[str, int] = {}
    if isinstance(controller, Sampled):
        names, added = _digital(controller)
        return [] if added else list(range(len(names)))
    if controller is not None:
        kinds = [part.kind for part in controller.parts for _ in part.names]
        for k, name in enumerate(controller.names):
            if kinds[k].follows(controller.kp[k], controller.kd[k]):
                found.setdefault(name, k)
    return list(found.values())


def _digital(controller: Sampled) -> tuple[tuple[str, ...], bool]:
    """Return coordinates of a sampled controller, and whether it adds torques of a model."""
    function = controller.function
    if isinstance(function, ControlLaw):
        return function.names, True
    law = as_digital(function)
    return ((), True) if law is None else (law.names, law.added is not None)


class Variables(list[FmuVariable]):
    """All variables of a frozen run."""

    def __init__(
        self, frozen: Frozen, own: OwnMemory, image: Image, inputs: Inputs, tuned: Sequence[FmuParameter]
    ) -> None:
        super().__init__()
        self.image = image
        self.append(FmuVariable("time", "time", image.offset(frozen.memory.state.clock), "s", "time"))
        for name, at, unit, text in zip(
            inputs.names, image.entries(own.inputs), inputs.units, inputs.texts, strict=True
        ):
            self.append(FmuVariable(name, "input", int(at), unit, text))
        if inputs.channels:
            text = "follow inputs.reference in place of the scenario's references"
            self.append(FmuVariable("inputs.follow", "switch", image.offset(own.switches), "", text))
        for each, at in zip(tuned, image.entries(own.parameters), strict=True):
            limits = None if np.isinf(each.half) else each.limits
            self.append(FmuVariable(each.name, "parameter", int(at), each.unit, each.text, each.value, limits=limits))
        self._motion(frozen, own)
        self._results(frozen)
        names = [plain(each.name) for each in self]
        for k, name in enumerate(names):
            again = names[:k].count(name)
            self[k] = self[k]._replace(name=f"{name}_{again + 1}" if again else name, of=plain(self[k].of))

    def _all(
        self, name: str, labels: Iterable[Sequence[str]], array: np.ndarray, unit: str | Sequence[str], text: str
    ) -> None:
        """Add outputs for all entries of an array, whose last axis has the units."""
        places = self.image.entries(array).reshape(-1) if array.size else ()
        units = [unit] if isinstance(unit, str) else unit
        for k, (label, at) in enumerate(zip(labels, places, strict=True)):
            self.append(FmuVariable(".".join((name, *label)), "output", int(at), units[k % len(units)], text))

    def _motion(self, frozen: Frozen, own: OwnMemory) -> None:
        """Add coordinates: states and their derivatives, outputs where they are given in time."""
        model, state = frozen.model, frozen.memory.state
        q, v = position_columns(model), velocity_columns(model)
        given_q, given_v = prescribed_coordinates(model)
        kinds = (
            ("position", state.q, own.rate, q, given_q, ""),
            ("velocity", state.v, own.a, v, given_v, "/s"),
        )
        for name, array, rate, columns, given, per in kinds:
            for k, coordinate in enumerate(columns.names):
                of_actuator = k in columns.states
                full = coordinate if of_actuator else f"{name}.{coordinate}"
                unit = columns.units[k] + ("" if of_actuator else per)
                at, moving = int(self.image.entries(array)[k]), int(self.image.entries(rate)[k])
                if k in given:
                    self.append(FmuVariable(full, "output", at, unit, f"{name}, given in time", float(array[k])))
                    continue
                self.append(FmuVariable(full, "state", at, unit, name, float(array[k])))
                per_second = unit.replace("/s", "/s2") if per and not of_actuator else f"{unit}/s"
                self.append(FmuVariable(f"der({full})", "derivative", moving, per_second, f"rate of {full}", of=full))
        first = slice(model.moving)  # rates of states of actuators are their derivatives
        units = [unit + "/s2" for unit in v.units[first]]
        self._all("acceleration", [(name,) for name in v.names[first]], own.a[first], units, "acceleration")

    def _results(self, frozen: Frozen) -> None:
        model, seen, record = frozen.model, frozen.seen, frozen.sample
        flexible = [link for link in model.links if link in model.flexible]

        def each(names: Iterable[str], parts: Sequence[str]) -> list[tuple[str, str]]:
            return [(name, part) for name in names for part in parts]

        wrench, twist = ["N m"] * 3 + ["N"] * 3, ["rad/s"] * 3 + ["m/s"] * 3
        driving = "force that drives"
        self._all("torque", [(name,) for name in model.coordinates], record.tau[0], force_units(model), driving)
        for body in model.bodies:  # the torque of a joint is that of its motor
            if body.rotor_v is not None:
                joint, rotor = (
                    next(n for n, each in enumerate(self) if each.name == f"torque.{name}")
                    for name in (body.joint, f"{body.joint}.rotor")
                )
                self[joint] = self[joint]._replace(at=self[rotor].at)
        self._all("wrench", each(model.joints, WRENCH), seen.wrench[0], wrench, "of parent on child, child axes")
        self._all("tip_position", each(model.links, AXES), seen.tip_position[0], "m", "tip in the world")
        self._all("tip_orientation", each(model.links, QUATERNION), seen.tip_orientation[0], "1", "axes in the world")
        self._all("tip_twist", each(model.links, TWIST), seen.tip_twist[0], twist, "of the tip, world axes")
        self._all("deflection", each(flexible, AXES), seen.deflection[0], "m", "elastic, of the tip, link axes")
        self._all("rotation", each(flexible, AXES), seen.rotation[0], "rad", "elastic, of the tip, link axes")
        loops = [loop.name for loop in model.loops]
        self._all("loop_wrench", each(loops, WRENCH), seen.loop_wrench[0], wrench, "of first frame on second")
        elements = [element.name for element in model.robot.elements]
        parts = ("length", "rate", "force", "stored", "loss")
        self._all("element", each(elements, parts), seen.element[0], ["m", "m/s", "N", "J", "W"], "of the element")
        for row, k in enumerate(model.held_elements, start=-len(model.held_elements)):  # what keeps a given length
            at = int(self.image.entries(record.lam[0])[row])
            force = next(n for n, each in enumerate(self) if each.name == f"element.{elements[k]}.force")
            self[force] = self[force]._replace(at=at, sign=-1)
        for name, unit, place in frozen.senses.readings if frozen.senses is not None else ():
            self._all("reading", [(name,)], place, unit, "of an ideal sensor")
        self._all("energy", [(name.removesuffix("_energy"),) for name in ENERGIES], seen.energy[0], "J", "stored")


def prescribed_coordinates(model: Model) -> tuple[set[int], set[int]]:
    """Return places in q and in v of joints that follow a motion."""
    places: tuple[set[int], set[int]] = set(), set()
    for joint in model.prescribed:
        body = model.joint(joint)
        places[0].update(range(body.motor_q.start, body.motor_q.stop))
        places[1].update(range(body.motor_v.start, body.motor_v.stop))
    return places
