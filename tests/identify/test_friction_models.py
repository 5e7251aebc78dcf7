"""Which friction, and which gear, an arm has: records decide that no model was fitted to."""

import numpy as np
import pytest
from sticking_hinge import ROBOT

import lissom
from lissom.control import Reference, torques
from lissom.identify import Record, validate

JOINT = "links.arm.joint."
SHARED = [JOINT + name for name in ("friction.coulomb", "friction.viscous", "transmission.stiffness")]
STICK, LOOP, CUBIC = (JOINT + name for name in ("friction.stick", "transmission.hysteresis", "transmission.curve"))
PLAIN = ROBOT.with_value(STICK, 0.0).with_value(LOOP, 0.0)
MODELS = {  # what is in the true arm, what a search begins with, what is found beside the shared numbers
    "Coulomb": (PLAIN, PLAIN, []),
    "Stribeck": (PLAIN.with_value(STICK, 0.3), PLAIN.with_value(STICK, 0.15), [STICK]),
    "hysteresis": (PLAIN.with_value(LOOP, 0.25), PLAIN.with_value(LOOP, 0.1), [LOOP]),
    "stiffening": (
        PLAIN.with_value(CUBIC, {"polynomial": [0.0, 0.0, 3e4]}),
        PLAIN.with_value(CUBIC, {"polynomial": [0.0, 0.0, 1e4]}),
        [CUBIC + ".polynomial.2"],
    ),
}
TIME = np.arange(401) / 100
DRIVE = 0.9 * np.sin(2.5 * TIME) + 0.8 * np.sin(0.9 * TIME) + 0.8 * np.sin(11 * TIME)  # it sticks, slips and shakes


def records(truth):
    """Two seconds to be fitted, and two that are held back."""
    law = torques(truth, {"hinge": Reference.from_samples(TIME, DRIVE, "linear")})
    run = lissom.simulate(truth, 4.0, controller=law, rate=100, rtol=1e-8, atol=1e-10, progress=False)
    rng = np.random.default_rng(3)
    noisy = {name: run[name].values + 5e-4 * rng.standard_normal(401) for name in ("hinge", "hinge.rotor")}
    outputs = {"position.hinge": "hinge", "rotor_position.hinge": "hinge.rotor"}
    columns = {"data": {"time": TIME, "u": DRIVE, **noisy}, "outputs": outputs, "torques": {"hinge": "u"}}
    unknown = [f"start.{name}{rate}" for name in ("hinge", "hinge.rotor") for rate in ("", ".rate")]
    return Record(**columns, window=(0, 2)), Record(**columns, window=(2, 4), start="measured", unknown=unknown)


def judged(truth, models):
    seen, later = records(MODELS[truth][0])
    fits = {}
    for name in models:
        _, start, own = MODELS[name]
        fits[name] = lissom.fit(start, [*SHARED, *own], seen, progress=False, rtol=1e-6, atol=1e-8).robot
    return validate(fits, later, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("truth", ["Stribeck", "hysteresis", "stiffening"])
def test_the_model_that_an_arm_has_beats_plain_friction(truth):
    held = judged(truth, ["Coulomb", truth])
    assert held.best == truth
    assert held.factor(truth, "Coulomb") > 1.5


@pytest.mark.slow
@pytest.mark.parametrize("truth", MODELS)
def test_held_back_data_tells_which_model_an_arm_has(truth):
    """Of four; where the arm has nothing beyond Coulomb friction, the others do no better than that."""
    held = judged(truth, MODELS)
    if truth == "Coulomb":
        assert held.error("Coulomb") < 1.02 * held.error(held.best)
    else:
        assert held.best == truth
