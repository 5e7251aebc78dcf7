"""Formulations by name, and in time."""

import numpy as np
import pytest

import lissom
from lissom import theory
from lissom.control import Reference, pd


def test_the_kernel_is_the_first_formulation():
    assert theory.names()[0] == "kernel"


def test_every_formulation_keeps_the_protocol():
    model = lissom.load("ella").compile()
    for name in theory.names():
        try:
            formulation = theory.build(name, model)
        except theory.Unsupported:
            continue
        assert isinstance(formulation, theory.Formulation), name


def test_an_unknown_formulation_is_named_with_the_nearest_one():
    with pytest.raises(lissom.LissomError, match="did you mean 'kernel'"):
        theory.build("kernal", lissom.load("ella").compile())


def test_a_formulation_in_time_is_the_simulation():
    model = lissom.load("ella").compile()
    gains = {"shoulder": {"p": 3000.0, "d": 150.0}, "elbow": {"p": 1500.0, "d": 60.0}}
    reference = Reference.quintic(np.zeros(2), np.array([0.69, 0.43]), 0.3)
    law = pd(model, gains, reference)
    own = theory.simulate(theory.build("kernel", model), 0.5, controller=law)
    run = lissom.simulate(model, 0.5, controller=law, rtol=1e-9, atol=1e-11)
    assert np.abs(own["elbow"] - run["elbow"]).max() < 1e-7
    assert np.abs(own.tip("forearm") - run.tip("forearm")).max() < 1e-7
    own_wrench, wrench = own.wrench("shoulder"), run.wrench("shoulder")
    assert np.abs(own_wrench - wrench).max() < 1e-3 * np.abs(wrench).max()


def test_a_ball_joint_in_time():
    robot = lissom.Robot.model_validate(
        {
            "lissom": 1,
            "name": "ball",
            "links": [
                {
                    "name": "bar",
                    "joint": {"name": "ball", "type": "spherical"},
                    "body": {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [0.01, 0.1, 0.1]},
                },
            ],
        }
    )
    model = robot.compile()
    start = (model.neutral(), np.array([3.0, -2.0, 1.0]))
    own = theory.simulate(theory.build("kernel", model), 1.0, start=start)
    run = lissom.simulate(model, 1.0, start=start, rtol=1e-10, atol=1e-12)
    assert np.abs(own.tip("bar") - run.tip("bar")).max() < 1e-6
