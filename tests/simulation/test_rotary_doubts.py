"""A strip that spins is turned flat by its own inertia: `exact` has the closed form, `first` says that it does not."""

import numpy as np
import pytest

import lissom
from lissom.simulation.rotary_doubts import largest_share


def strip(stiffening, wide, thin, GJ=1.0):
    """A rotor blade of length 1 m with second moments `wide` along y and `thin` along z of its mass per length."""
    section = {"rhoA": 1.0, "EA": 1e7, "EIy": 5e3, "EIz": 5e3, "GJ": GJ, "Jx": wide + thin, "Jy": thin, "Jz": wide}
    beam = {"length": 1.0, "section": section, "modes": {"y": 1, "z": 1, "torsion": 3}, "stiffening": stiffening}
    link = {"name": "blade", "joint": {"name": "hub", "type": "revolute", "axis": [0, 0, 1]}, "beam": beam}
    return lissom.Robot.from_dict({"lissom": 1, "name": "rotor", "gravity": [0, 0, 0], "links": [link]})


def test_what_is_left_out_is_the_propeller_moment_on_random_sections_and_spins():
    rng = np.random.default_rng(1)
    for _ in range(50):
        wide, thin = 10 ** rng.uniform(-5, -3, 2)
        GJ = 10 ** rng.uniform(-1, 1)
        across = rng.uniform(0.1, 1) * np.pi / 2 * np.sqrt(GJ / (wide + thin))
        found = largest_share(strip("first", wide, thin, GJ).flexible_links()["blade"], np.array([0, 0, across]))
        # centrifugal forces on the width: Omega^2 wide against (pi / 2)^2 GJ
        assert found == pytest.approx(across**2 * wide / (np.pi**2 / 4 * GJ), rel=5e-3)


@pytest.mark.parametrize(
    ("stiffening", "part", "told"), [("first", 0.5, True), ("first", 0.1, False), ("exact", 0.5, False)]
)
def test_a_run_says_where_it_matters(stiffening, part, told):
    robot = strip(stiffening, 1e-3, 1e-5)
    spin = part * np.pi / 2 * np.sqrt(1.0 / 1.01e-3)
    with pytest.warns(UserWarning) if told else pytest.MonkeyPatch.context():
        run = lissom.simulate(robot, 0.01, rate=1000, start={"hub.rate": spin})
    assert any("propeller moment" in event.text for event in run.warnings) == told
