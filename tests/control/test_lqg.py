"""Kalman filters against formulas and statistics; output feedback on reduced models, run on full ones with sensors."""

import numpy as np
import pytest

import lissom
from lissom import control
from lissom.control.design.kalman_filter import Way, sampled_plant
from lissom.errors import LissomError
from lissom.model import Accelerometer, Encoder, StrainGauge


def strip(damping=0.02, **changes):
    """A motor that turns a strip with a mass at its end."""
    beam = {"length": 0.8, "material": "m", "section": {"shape": "rectangle", "width": 0.004, "height": 0.04}}
    beam |= {"modes": {"y": 4}, "damping": 0.01, "masses": [{"mass": 0.2}]} | changes
    joint = {
        "name": "hub",
        "type": "revolute",
        "axis": [0, 0, 1],
        "damping": damping,
        "transmission": {"rotor_inertia": 0.02},
    }
    sensors = [
        {"name": "angle", "type": "encoder", "joint": "hub", "counts": 8192},
        {
            "name": "gauge",
            "type": "strain-gauge",
            "link": "arm",
            "at": 0.05,
            "noise": 2e-6,
            "low_pass": 90.0,
            "delay": 0.004,
        },
    ]
    links = [{"name": "arm", "joint": joint, "beam": beam}]
    materials = {"m": {"E": 7e10, "nu": 0.33, "rho": 2700.0}}
    return lissom.Robot.from_dict(
        {"lissom": 1, "name": "strip", "materials": materials, "links": links, "sensors": sensors}
    )


def linear(robot, outputs=("angle", "gauge")):
    model = robot.compile()
    return lissom.linearise(model, lissom.static_equilibrium(model), outputs=list(outputs), inputs=["hub"])


@pytest.mark.parametrize("resolution", [1e-3, 1e-6, 1e-7, 1e-8])
def test_a_fine_encoder_beside_an_accelerometer_has_a_filter(resolution):
    """Readings whose precision differs by many orders: the Riccati equation is badly scaled, but has its solution."""
    joint = {"name": "slide", "type": "prismatic", "axis": [0, 0, 1], "damping": 5.0}
    body = {"mass": 1.5, "com": [0, 0, -0.1], "inertia": [0.01, 0.01, 0.001]}
    turn = {"name": "turn", "type": "revolute", "axis": [0, 0, 1]}
    turn["transmission"] = {"rotor_inertia": 1.0, "stiffness": 9000.0, "damping": 1.0}
    arm = {"mass": 8, "com": [0.2, 0, 0], "inertia": [0.02, 0.1, 0.1]}
    links = [
        {"name": "arm", "joint": turn, "body": arm},
        {"name": "quill", "origin": {"xyz": [0.4, 0, 0]}, "joint": joint, "body": body},
    ]
    robot = lissom.Robot.from_dict({"lissom": 1, "name": "picker", "links": links})
    sensors = [
        Encoder(name="a", joint="turn", resolution=1e-5),
        Encoder(name="z", joint="slide", resolution=resolution),
        Accelerometer(name="tip", link="quill", noise=0.02),
    ]
    law = control.lqg(robot, sensors=sensors, keep={"turn": 1e-3, "slide": 1e-3}, torque=50.0, frequency=60.0)
    assert np.abs(law.function.filter.poles).max() < 1


def test_a_scalar_filter_is_that_of_the_formula():
    """x' = -x + u: the steady covariance solves P = a^2 P V / (P + V) + W."""
    from lissom.analysis import LinearModel

    none, one = np.zeros(0), np.ones((1, 1))
    model = LinearModel(-one, one, one, 0 * one, ("x",), ("u",), ("y",), none, none, none, none)
    made = control.kalman(model, 10.0, noise=0.3, disturbance=2.0)
    a = np.exp(-0.1)
    W, V = ((1 - a) * 2.0) ** 2, 0.09
    P = 1.0
    for _ in range(500):
        P = a**2 * P * V / (P + V) + W
    assert made.L[0, 0] == pytest.approx(P / (P + V), rel=1e-6)
    assert made.covariance[0, 0] == pytest.approx(P * V / (P + V), rel=1e-6)


def test_errors_of_estimates_are_as_large_as_the_filter_says():
    small = lissom.reduce_model(linear(strip()), order=6).model
    rate, push = 200.0, 0.05
    noise = np.array([1e-4, 5e-6])
    made = control.kalman(small, rate, noise=noise, disturbance=push, ways=[Way(), Way(40.0, 2)])
    rng, plant = np.random.default_rng(4), made.plant
    x, errors = np.zeros(len(plant.A)), []
    for k in range(6000):
        y = plant.C @ x + noise * rng.normal(size=2)
        estimate = made.correct(y).copy()
        if k > 1000:
            errors.append(x - estimate)
        u = np.array([np.sin(0.05 * k)])
        made.predict(u)
        x = plant.A @ x + plant.B @ (u + push * rng.normal(size=1))
    measured = np.cov(np.array(errors).T)
    scale = np.sqrt(np.diag(made.covariance)[:6])
    apart = (measured - made.covariance)[:6, :6] / np.outer(scale, scale)
    assert np.abs(apart).max() < 0.2


def test_low_passes_and_delays_on_the_way_of_a_reading_are_in_the_plant():
    model = linear(strip(), [*strip().sensors, Accelerometer(link="arm")])
    rate, corner = 500.0, 30.0
    ways = [Way(), Way(corner, 3), Way(), Way(None, 1), Way()]
    plant = sampled_plant(model, rate, ways)
    for f in (1.0, 7.0, 40.0):
        z = np.exp(2j * np.pi * f / rate)
        found = plant.C @ np.linalg.solve(z * np.eye(len(plant.A)) - plant.A, plant.B)[:, 0]
        bare = sampled_plant(model, rate, [Way()] * 5)
        plain = bare.C @ np.linalg.solve(z * np.eye(len(bare.A)) - bare.A, bare.B)[:, 0]
        assert found[3] == pytest.approx(plain[3] / z, rel=1e-6, abs=1e-12)
        assert found[0] == pytest.approx(plain[0], rel=1e-9)
        assert found[2] == pytest.approx(plain[2], rel=1e-9)
        w = 2 * np.pi * corner
        expected = plain[1] * w / (w + 2j * np.pi * f) / z**3
        assert abs(found[1] - expected) < 0.03 * abs(expected) or f > 10  # samples of a held input know no better
    assert np.any(model.D[2:])  # the accelerometer answers to the torque at once


def test_vibrations_end_sooner_than_with_the_encoder_alone():
    robot = strip()
    move = control.Reference.quintic(0.0, 0.4, 0.5)
    law = control.lqg(
        robot, {"hub": 0.4}, sensors=["angle", "gauge"], keep={"hub": 0.01, "arm.tip": 0.005}, torque=0.3,
        frequency=60.0, rate=250, reference=move,
    )  # fmt: skip
    stiff = control.pd(robot, {"hub": {"p": 30, "d": 4}}, move)
    goal = lissom.tip_pose(robot, lissom.dynamics.configuration(robot, {"hub": 0.4}))[:3, 3]

    def left(controller):
        run = lissom.simulate(robot, 1.5, controller=controller)
        return np.linalg.norm(run.tip("arm").values - goal, axis=1)[run.time > 1.0].max()

    with_gauge, without = left(law), left(stiff)
    assert with_gauge < without / 8
    assert with_gauge < 3e-3
    assert left(law) == with_gauge  # it is reset, and noise is seeded
    assert np.abs(law.function.poles).max() < 1
    assert np.abs(law.function.filter.poles).max() < 1
    assert law.function.reduction.order < 10
    assert "reduced model" in str(law.function)


def test_an_estimate_begins_where_the_encoder_says():
    robot = strip()
    law = control.lqg(robot, sensors=["angle", "gauge"], keep={"hub": 0.01}, torque=0.3, order=8, rate=250)
    law.function(0.0, {"angle": 0.2, "gauge": 0.0})
    state = law.function.state()
    names = law.function.reduction.full.states
    assert state[names.index("hub")] == pytest.approx(0.2, rel=0.02)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sensors": ["angel"]}, r"sensors\[0\] = 'angel': is not a sensor of strip; .*angle"),
        ({"sensors": []}, "sensors = .*must be a list of sensors"),
        ({"sensors": [Encoder(joint="hub", name="e")]}, r"sensors\[0\].noise: missing; a filter must know how far"),
        ({"keep": {}}, "keep = .*must be .signal: acceptable deviation"),
        ({"keep": {"hub": 0}}, "keep.hub = 0: must be positive"),
        ({"keep": {"elbow": 0.1}}, "has no joint or coordinate 'elbow'"),
        ({"torque": 0.0}, "torque = .*must be positive"),
        ({"torque": {"hb": 1.0}}, "torque: strip has no joint 'hb'.*did you mean 'hub'"),
        ({"rate": 0}, "rate = 0: must be positive; give the samples per second"),
        ({"method": "best"}, "method = 'best': must be 'balanced' or 'modal'"),
        ({"order": 100}, "order = 100: must be a whole number of states"),
        ({"torque": 50.0, "frequency": 12.0}, "not stable with the full model .*raise `frequency`, lower `torque`"),
        ({"sensors": ["gauge"]}, "kalman: .*add a sensor"),
    ],
)
def test_what_keeps_a_design_from_working_is_said(changes, words):
    options = {"sensors": ["angle", "gauge"], "keep": {"hub": 0.01, "arm.tip": 0.005}, "torque": 0.3, "frequency": 60.0}
    options |= {"rate": 250.0} | changes
    if "order" in changes:
        options.pop("frequency")
    with pytest.raises(LissomError, match=words):
        control.lqg(strip(damping=0.0), **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"noise": 0.0, "disturbance": 1.0}, "noise = 0: must be positive; give the standard deviation"),
        ({"noise": [1.0], "disturbance": 1.0}, "noise = .*has 1 values, not 2"),
        ({"noise": 1.0, "disturbance": "much"}, "disturbance = 'much': must be a number, not text"),
    ],
)
def test_what_keeps_a_filter_from_working_is_said(options, words):
    with pytest.raises(LissomError, match=words):
        control.kalman(linear(strip()), 100.0, **options)


def test_sensors_that_are_not_in_the_file_are_given_to_both():
    robot = strip()
    sensors = [Encoder(joint="hub", name="e", noise=1e-4), StrainGauge(link="arm", name="g", at=0.1, noise=1e-6)]
    law = control.lqg(robot, sensors=sensors, keep={"arm.tip": 0.01}, torque=0.2, order=8, rate=200)
    run = lissom.simulate(robot, 0.3, start={"hub": 0.1}, controller=law, sensors=sensors)
    assert law.sensors == ("e", "g")
    assert abs(run["hub"].values[-1]) < 0.1
