"""Numbers given with a tolerance are carried through to error bars, and ranked by what they bring."""

import numpy as np
import pytest
from swinging_arm import ARM, swing

import lissom
from lissom.errors import RobotError

PLAIN = ARM.replace("MODES", "{y: 4}").replace("FIELD", "first")


def toleranced(**given):
    text = PLAIN.replace("stiffening: first", "stiffening: exact")
    for old, new in given.values():
        assert old in text
        text = text.replace(old, new)
    return lissom.Robot.from_yaml(text)


STIFFNESS = ("E: 7.0e10", "E: 70 GPa +- 3 %")
MASS = ("{mass: 0.5}", "{mass: 0.5 ± 10 g}")


def test_a_frequency_moves_with_the_root_of_the_stiffness():
    robot = toleranced(E=STIFFNESS)
    assert robot.toleranced() == {"materials.aluminium.E": (7e10, pytest.approx(2.1e9))}
    assert lissom.Robot.from_yaml(robot.to_yaml()) == robot
    sure = lissom.trust(lissom.natural_modes, toleranced(), number=1, progress=False)["frequency.1"]
    bar = lissom.trust(lissom.natural_modes, robot, number=1, progress=False)["frequency.1"]
    assert bar.sources[0].text == "materials.aluminium.E (± 3 %)"
    assert bar.sources[0].error == pytest.approx(bar.value * (1 - np.sqrt(0.97)), rel=2e-3)
    assert bar.error == pytest.approx(np.hypot(sure.error, bar.sources[0].error))


def test_tolerances_of_several_numbers_are_ranked():
    trust = swing(toleranced(E=STIFFNESS, mass=MASS), rate=2000, trust=True).trust
    bent, force = trust["peak |deflection.upper|"], trust["peak |wrench.hand.force|"]
    assert bent.sources[0].text == "materials.aluminium.E (± 3 %)"
    assert force.sources[0].text == "links.hand.body.mass (± 10 g)"
    assert 0.02 * force.value < force.sources[0].error < 0.03 * force.value  # its weight, and how fast it swings
    assert "measure" in trust.remedy


@pytest.mark.parametrize("wrong", ["3 mm", "-3 %", "much", "0 %"])
def test_a_tolerance_that_is_none_is_refused_by_its_path(wrong):
    with pytest.raises(RobotError, match=r"tolerances.materials.aluminium.E.*3 %"):
        toleranced(E=("E: 7.0e10", f"E: 70 GPa +- {wrong}"))


def test_tolerances_may_stand_in_a_block_of_their_own():
    robot = lissom.Robot.from_yaml(PLAIN + "tolerances: {links.upper.beam.length: 1 mm}\n")
    assert robot.toleranced() == {"links.upper.beam.length": (1.0, 0.001)}
    with pytest.raises(RobotError, match=r"tolerances\.links\.uper"):
        lissom.Robot.from_yaml(PLAIN + "tolerances: {links.uper.beam.length: 1 mm}\n")
    with pytest.raises(RobotError, match="leads to no number"):
        lissom.Robot.from_yaml(PLAIN + "tolerances: {links.upper.joint: 1 mm}\n")
