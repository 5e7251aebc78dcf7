"""Elements of types that lissom does not have: one class with one registration.

A class says which of the kernel's elements it is and gives its numbers: here a spring that hardens, with a polynomial
of its own, and a band of rubber, whose law the kernel gets as a table. What asks for more than the kernel computes is
refused.
"""

from typing import Annotated, ClassVar, Literal

import numpy as np
import pytest

import lissom
from lissom.kernel.data.arrays import Element as Kind
from lissom.model import Robot
from lissom.model.description import force_elements
from lissom.model.description.force_curve import Curve
from lissom.model.description.force_elements import Element, register_element
from lissom.model.schema.number_fields import Number
from lissom.theory import entries
from lissom.theory.formulation import Unsupported
from lissom.view.drawing.arm_drawing import Drawing

FINE = {"rtol": 1e-9, "atol": 1e-11}


class Hardening(Element):
    """A spring whose stiffness doubles at a stretch: F = k x (1 + x^2 / (3 s^2))."""

    drawn: ClassVar[str] = "coil"
    type: Literal["hardening"] = "hardening"
    stiffness: Annotated[float, Number("the stiffness of the relaxed spring", "N/m", above=0)]
    doubled: Annotated[float, Number("the stretch at which it is twice as stiff", "metres", above=0)]
    length: Annotated[float, Number("the length without force", "metres", above=0)]

    @property
    def curve(self):  # not checked again: its numbers may carry a derivative
        return Curve.model_construct(polynomial=(0.0, 0.0, self.stiffness / (3 * self.doubled**2)))


class Rubber(Element):
    """A band of rubber, neo-Hooke's: F = E A / 3 (L - 1 / L^2) at the stretch ratio L."""

    type: Literal["rubber"] = "rubber"
    rigidity: Annotated[float, Number("the rigidity E A", "N", above=0)]
    length: Annotated[float, Number("the length without force", "metres", above=0)]

    @property
    def curve(self):  # not checked again, as above
        ratio = np.linspace(0.5, 3.0, 101)
        force = self.rigidity / 3 * (ratio - ratio**-2)
        return Curve.model_construct(table=tuple(zip(self.length * (ratio - 1), force)))


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setattr(force_elements.ELEMENTS, "kinds", dict(force_elements.ELEMENTS.kinds))
    register_element(Hardening)
    register_element(Rubber)


HARDENING = {"type": "hardening", "stiffness": 200.0, "doubled": "50 mm", "length": 0.3}
RUBBER = {"type": "rubber", "rigidity": 30.0, "length": 0.4}


def weight(element):
    """A body that slides down under an element: length 0.5 m at q = 0."""
    body = {"mass": 1.5, "inertia": [0.01, 0.01, 0.01]}
    link = {"name": "weight", "origin": {"xyz": [0, 0, -0.5]}, "joint": {"type": "prismatic", "axis": [0, 0, -1]}}
    between = [{"link": "world"}, {"link": "weight"}]
    elements = [{"name": "spring", "between": between, **element}]
    return Robot.from_dict({"lissom": 1, "name": "hung", "links": [link | {"body": body}], "elements": elements})


def force(element, length):
    """The law from its definition."""
    if element is HARDENING:
        x = length - 0.3
        return 200.0 * x * (1 + x**2 / (3 * 0.05**2))
    ratio = length / 0.4
    return 30.0 / 3 * (ratio - ratio**-2)


@pytest.mark.parametrize("element", [HARDENING, RUBBER], ids=["hardening", "rubber"])
def test_it_acts_in_dynamics_runs_results_and_pictures(element):
    robot = weight(element)
    model = robot.compile()
    for q in (-0.1, 0.05, 0.2):
        expected = 9.81 - force(element, 0.5 + q) / 1.5
        np.testing.assert_allclose(lissom.forward_dynamics(model, [q], [0.0]), expected, rtol=2e-5)
    run = lissom.simulate(robot, 0.5, **FINE)
    total = run["kinetic_energy"].values + run["gravity_energy"].values + run["element_energy"].values
    np.testing.assert_allclose(total, total[0], atol=1e-5)
    length, pull = run["element_length"].values[:, 0], run["element_force"].values[:, 0]
    np.testing.assert_allclose(pull, [force(element, each) for each in length], rtol=2e-4, atol=1e-3)
    assert "spring" in {piece.link for piece in Drawing(model).pieces}
    assert Robot.from_yaml(robot.to_yaml()) == robot


@pytest.mark.parametrize("element", [HARDENING, RUBBER], ids=["hardening", "rubber"])
def test_it_is_linearised_at_rest(element):
    rest = lissom.static_equilibrium(weight(element), hold=[])
    length = 0.5 + rest.q[0]
    np.testing.assert_allclose(force(element, length), 1.5 * 9.81, rtol=1e-4)
    stiffness = (force(element, length + 1e-5) - force(element, length - 1e-5)) / 2e-5
    frequency = lissom.natural_modes(weight(element), rest, locked=False).frequencies[0]
    np.testing.assert_allclose(frequency, np.sqrt(stiffness / 1.5) / (2 * np.pi), rtol=2e-3)


def test_a_polynomial_is_derived_by_its_numbers_and_a_table_says_that_it_is_not():
    robot, path = weight(HARDENING), "elements.spring.doubled"
    slope = lissom.sensitivity(robot, [path], 0.4, **FINE).q[0, -1]
    ends = [lissom.simulate(robot.with_value(path, 0.05 + d), 0.4, **FINE).q[-1] for d in (1e-5, -1e-5)]
    np.testing.assert_allclose(slope, np.subtract(*ends) / 2e-5, rtol=1e-4)
    with pytest.raises(lissom.LissomError, match="spring's table and play have no derivatives"):
        lissom.sensitivity(weight(RUBBER), ["elements.spring.rigidity"], 0.1)


def test_formulations_of_papers_refuse_it_by_name():
    model = weight(RUBBER).compile()
    for name, entry in entries().items():
        if name != "kernel":
            with pytest.raises(Unsupported, match=r"elements = .spring.: \w+ knows no elements"):
                entry.make(model)


def test_what_the_kernel_does_not_compute_is_no_element():
    class Odd(Element):
        kind: ClassVar[Kind] = 9
        type: Literal["odd"] = "odd"

    class Nameless(Element):
        pass

    with pytest.raises(lissom.LissomError, match="Odd has the kind 9, which the kernel has not"):
        register_element(Odd)
    with pytest.raises(lissom.LissomError, match="Nameless needs the word that chooses it"):
        register_element(Nameless)


def test_mistakes_are_told_with_its_fields():
    with pytest.raises(lissom.LissomError, match=r"elements\.spring\.rigidity = -1.*give the rigidity E A in N"):
        weight(RUBBER | {"rigidity": -1})
    with pytest.raises(lissom.LissomError, match=r"'rubbber': is unknown \(did you mean 'rubber'\?\)"):
        weight(RUBBER | {"type": "rubbber"})
