"""An actuator of a type that lissom does not have: one class with one registration."""

from typing import Annotated, ClassVar, Literal

import numpy as np
import pytest
from driven_arms import END, PENDULUM, WALL, driven

import lissom
from lissom.errors import LissomError
from lissom.model.actuators import registry
from lissom.model.actuators.actuator import Actuator, Commanded
from lissom.model.actuators.registry import register_actuator
from lissom.model.actuators.routes import Routed
from lissom.model.schema.number_fields import Number


class ShapeMemoryWire(Commanded, Routed):
    """A wire that pulls by its heat: a tension of so many newtons per watt, which follows the power slowly."""

    type: Literal["memory-wire"] = "memory-wire"
    pull: Annotated[float, Number("the tension per watt", "N/W", above=0)]

    def states(self, robot):
        return (self.commanded_state("power", "W", 1.0),)

    def numbers(self, robot):
        return (-self.pull, 1.0)


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setattr(registry.ACTUATORS, "kinds", dict(registry.ACTUATORS.kinds))
    register_actuator(ShapeMemoryWire)


def wire(**more):
    return {"type": "memory-wire", "name": "wire", "through": [WALL, END], "pull": 4.0, "response": 0.3} | more


def test_a_type_from_outside_pulls_as_a_tendon_does():
    model = driven(PENDULUM, wire()).compile()
    run = lissom.simulate(model, 0.5, controller=lissom.control.torques(model, {"wire": 10.0}))
    warm = 10.0 * (1 - np.exp(-run.time / 0.3))
    assert np.abs(run["wire.power"] - warm).max() < 1e-5 * 10.0
    assert np.abs(run.quantities["actuator_effort"][:, 0] + 4.0 * warm).max() < 1e-4


def test_its_mistakes_are_told_by_its_fields():
    with pytest.raises(LissomError, match=r"pull = 0: must be positive; give the tension per watt in N/W"):
        driven(PENDULUM, wire(pull=0))


def test_a_law_that_the_kernel_has_not_is_refused():
    class Magic(Actuator):
        kind: ClassVar = 77
        type: Literal["magic"] = "magic"

    with pytest.raises(LissomError, match="has the law 77, which the kernel has not"):
        register_actuator(Magic)
