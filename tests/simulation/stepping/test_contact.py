"""Contact in time: rebounds, rest, friction, stops, with the energy balance closed."""

import numpy as np
import pytest
from scipy.optimize import brentq
from touching import ball

import lissom
from lissom.model import Robot

STEEL = {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7800.0}}


def rebound(speed, damping):
    """Speed after the impact: the first integral v/d - ln(1 + d v)/d^2 of m v dv/ddepth = -k depth^n (1 + d v)."""

    def level(v):
        return v / damping - np.log(1 + damping * v) / damping**2

    return brentq(lambda out: level(-out) - level(speed), 1e-9, min(speed, 1 / damping - 1e-9))


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("method", ["radau", "dopri5"])
def test_a_ball_rebounds_as_hunt_and_crossley_say(method, exponent):
    robot = ball(damping=0.3, exponent=exponent)
    start = {"ball": [1, 0, 0, 0, 0, 0, 0.35], "ball.rate": [0, 0, 0, 0, 0, -2.0]}
    run = lissom.simulate(robot, 0.4, start=start, method=method, rtol=1e-8, atol=1e-10, rate=2000)
    assert run.velocity("ball").values[-1, 5] == pytest.approx(rebound(2.0, 0.3), rel=1e-5)
    assert run.energy_audit().relative < 1e-5
    assert float(run.dataset["contact_gap"].min()) < 0 < float(run.dataset["contact_force"].max())
    lost = 0.5 * 2.0 * (2.0**2 - rebound(2.0, 0.3) ** 2)
    assert run.dissipated[-1] == pytest.approx(lost, rel=1e-4)


@pytest.mark.parametrize("method", ["radau", "generalised-alpha", "dop853"])
def test_a_falling_ball_bounces_and_the_balance_closes(method):
    run = lissom.simulate(ball(9.81), 1.5, start={"ball": [1, 0, 0, 0, 0, 0, 0.6]}, method=method)
    height = run["ball"].values[:, 6]
    deepest = (2.0 * 9.81 * 0.515 * 2.5 / 1e6) ** 0.4  # all energy of the fall in the spring: k depth^2.5 / 2.5
    assert 0.1 - deepest < height.min() < 0.1 - 0.5 * deepest
    assert run.energy_audit().relative < (2e-3 if method == "generalised-alpha" else 2e-4)  # which damps by itself
    touches = np.diff((run.dataset["contact_gap"].values[:, 0] < 0).astype(int)) == 1
    assert touches.sum() >= 2


def test_fast_balls_are_stopped_by_thin_plates():
    plate = {"link": "world", "shape": "box", "size": [1, 1, 0.01]}
    robot = Robot.from_dict(ball().to_dict() | {"contacts": [ball().to_dict()["contacts"][0] | {"surface": plate}]})
    start = {"ball": [1, 0, 0, 0, 0, 0, 5.0], "ball.rate": [0, 0, 0, 0, 0, -100.0]}
    run = lissom.simulate(robot, 0.2, start=start, method="radau")
    assert run.velocity("ball").values[-1, 5] > 0


@pytest.mark.parametrize("share", [0.5, pytest.param(0.9, marks=pytest.mark.slow)])
def test_a_block_on_a_slope_below_the_friction_angle_creeps_as_the_law_says(share):
    friction, angle = 0.4, np.arctan(share * 0.4)
    feet = [(x, y) for x in (-0.1, 0.1) for y in (-0.08, 0.08)]
    robot = Robot.from_dict(
        {
            "name": "block",
            "links": [{"name": "block", "joint": "free", "body": {"mass": 3.0, "inertia": [0.01, 0.015, 0.02]}}],
            "contacts": [
                {
                    "name": f"foot{k}",
                    "sphere": {"link": "block", "radius": 0.01, "origin": {"xyz": [x, y, -0.05]}},
                    "surface": {"link": "world", "shape": "plane", "origin": {"rpy": [0, float(angle), 0]}},
                    "stiffness": 1e6,
                    "damping": 1.0,
                    "friction": friction,
                }
                for k, (x, y) in enumerate(feet)
            ],
        }
    )
    down = np.array([np.cos(angle), 0, -np.sin(angle)])
    up = np.array([np.sin(angle), 0, np.cos(angle)])
    depth = (3.0 * 9.81 * np.cos(angle) / 4 / 1e6) ** (1 / 1.5)  # at rest on four feet
    start = [np.cos(angle / 2), 0, np.sin(angle / 2), 0, *((0.06 - depth) * up)]
    run = lissom.simulate(robot, 11.0, start={"block": start}, rate=20, method="radau", rtol=1e-8)
    settled = 20  # after 1 s
    moved = (run["block"].values[:, 4:7] - run["block"].values[settled, 4:7]) @ down
    assert moved[-1] < 1e-4
    creep = 5e-6 * np.arctanh(share)
    late = (moved[-1] - moved[100]) / (run.time[-1] - run.time[100])
    assert late == pytest.approx(creep, rel=0.02)
    pressed = 4 * 1e6 * depth**2.5 / 2.5  # energy in the feet, J; hardly any is exchanged
    assert np.abs(run.energy_audit().residual).max() < 1e-3 * pressed


def arm(contact, **beam):
    """A horizontal steel strip with a small ball at its tip, on a hinge about y that a spring turns."""
    return Robot.from_dict(
        {
            "name": "strip",
            "materials": STEEL,
            "gravity": [0, 0, 0],
            "links": [
                {
                    "name": "strip",
                    "joint": {"type": "revolute", "axis": [0, 1, 0], "damping": 2.0} | beam.pop("joint", {}),
                    "beam": {
                        "length": 1.0,
                        "material": "steel",
                        "section": {"shape": "rectangle", "width": 0.04, "height": 0.008},
                        "shear": "none",
                        "modes": {"z": 4},
                        "damping": 0.05,
                    }
                    | beam,
                }
            ],
            "contacts": [contact],
        }
    )


@pytest.mark.parametrize("stiffening", ["none", "first", "exact"])
def test_a_beam_pressed_on_a_wall_settles_at_the_static_answer(stiffening):
    wall = {
        "name": "wall",
        "sphere": {"link": "strip", "radius": 0.02},
        "surface": {"link": "world", "shape": "plane", "origin": {"xyz": [0, 0, -0.03]}},
        "stiffness": 1e5,
        "exponent": 1.0,
        "damping": 2.0,
    }
    spring = {"spring": {"stiffness": 100.0, "rest": 0.2}}  # turns the tip down
    robot = arm(wall, stiffening=stiffening, joint=spring)
    run = lissom.simulate(robot, 6.0, method="radau", rtol=1e-7)
    rest = lissom.static_equilibrium(robot, run.q[-1], hold=())
    force = float(run.dataset["contact_force"][-1, 0])
    angle = float(run["strip"][-1])
    assert force == pytest.approx(100.0 * (0.2 - angle) / 1.0, rel=2e-3)  # moments about the hinge
    np.testing.assert_allclose(run.q[-1], rest.q, atol=1e-6)
    bent = force * 1.0**3 / (3 * 2.1e11 * 0.04 * 0.008**3 / 12)
    assert float(run.deflection("strip")[-1, 2]) == pytest.approx(bent, rel=5e-3)
    assert run.energy_audit().relative < 1e-4


def test_a_ball_bounces_on_a_beam_and_momentum_and_energy_are_kept():
    data = {
        "name": "trampoline",
        "materials": STEEL,
        "links": [
            {
                "name": "strip",
                "joint": "fixed",
                "beam": {
                    "length": 1.0,
                    "material": "steel",
                    "section": {"shape": "rectangle", "width": 0.05, "height": 0.01},
                    "shear": "none",
                    "modes": {"z": 5},
                },
            },
            {"name": "ball", "parent": "world", "joint": "free", "body": {"mass": 0.2, "inertia": [1e-4] * 3}},
        ],
        "contacts": [
            {
                "name": "bounce",
                "sphere": {"link": "ball", "radius": 0.03},
                "surface": {"link": "strip", "at": 0.8, "shape": "plane"},
                "stiffness": 1e8,
                "friction": 0.2,
            }
        ],
    }
    start = {"ball": [1, 0, 0, 0, 0.8, 0, 0.2]}
    coarse, run = (
        lissom.simulate(Robot.from_dict(data), 0.6, start=start, method="radau", rtol=rtol, atol=1e-2 * rtol)
        for rtol in (1e-8, 1e-10)
    )
    # a hard impact rings the undamped strip up to its highest mode: the balance closes as the tolerance asks
    assert run.energy_audit().relative < min(1e-4, 0.1 * coarse.energy_audit().relative)
    assert run.velocity("ball").values[:, 5].max() > 0.5
    assert abs(run.deflection("strip").values[:, 2]).max() > 1e-4


def test_a_stop_hit_at_speed_throws_the_arm_back():
    stop = {
        "name": "stop",
        "sphere": {"link": "strip", "radius": 0.02},
        "surface": {
            "link": "world",
            "shape": "cylinder",
            "radius": 0.05,
            "length": 0.4,
            "origin": {"xyz": [0.9, 0, -0.5]},
        },
        "stiffness": 1e7,
        "damping": 0.2,
    }
    stop["surface"]["origin"]["rpy"] = [1.5707963267948966, 0, 0]
    run = lissom.simulate(arm(stop), 0.5, start={"strip.rate": 3.0}, rtol=1e-8, atol=1e-10)
    assert run.velocity("strip").values.min() < -0.2
    assert float(run.dataset["contact_force"].max()) > 100
    assert run.energy_audit().relative < 1e-4


@pytest.mark.parametrize(("speed", "stiffness"), [(2.0, 1e6), (0.1, 1e4), (5.0, 1e8), (0.5, 1e5)])
def test_a_cart_hits_a_stop_with_the_force_of_its_spring(speed, stiffness):
    """Its kinetic energy becomes that of the stop: F = v sqrt(k m), however little the stop is pressed."""
    limits = {"lower": -1.0, "upper": 0.02, "stiffness": stiffness}
    joint = {"name": "slide", "type": "prismatic", "axis": [1, 0, 0], "limits": limits}
    cart = {"name": "cart", "joint": joint, "body": {"mass": 2.0}}
    robot = lissom.Robot.from_dict({"lissom": 1, "name": "cart", "links": [cart]})
    until = 0.02 / speed + np.pi * np.sqrt(2.0 / stiffness)
    run = lissom.simulate(robot, until, start={"slide.rate": speed}, rate=2000 / until, progress=False)
    force = 2.0 * np.abs(run.dataset["acceleration"].values).max()
    assert force == pytest.approx(speed * np.sqrt(2.0 * stiffness), rel=2e-3)
