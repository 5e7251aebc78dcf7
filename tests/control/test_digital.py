"""Digital controllers: PID with anti-windup and notches, the same data for all designs, their loops and budgets."""

import warnings
from typing import Any

import numpy as np
import pytest

import lissom
from lissom import LissomError, control
from lissom.analysis import LinearModel
from lissom.control import LawRangeWarning, Notch, Reference, Sampled
from lissom.model import Encoder, Robot

INERTIA = 2.0


def rotor(damping: float = 0.0, **joint: Any) -> Robot:
    """One rigid body of 2 kg m2 about a vertical axis."""
    body = {"mass": 1.0, "com": [0, 0, 0], "inertia": [1.0, 1.0, INERTIA]}
    turn = {"name": "hub", "type": "revolute", "axis": [0, 0, 1], "damping": damping, **joint}
    return Robot.from_dict({"lissom": 1, "name": "rotor", "links": [{"name": "disc", "joint": turn, "body": body}]})


def spring_arm() -> Robot:
    """A motor, an elastic gear, and an arm that hangs in gravity."""
    joint = {"name": "elbow", "type": "revolute", "axis": [0, 1, 0], "damping": 0.1}
    joint["transmission"] = {"rotor_inertia": 0.4, "stiffness": 900.0, "damping": 0.3}
    body = {"mass": 3.0, "com": [0.4, 0, 0], "inertia": [0.01, 0.2, 0.2]}
    data = {"lissom": 1, "name": "spring-arm", "links": [{"name": "arm", "joint": joint, "body": body}]}
    return Robot.from_dict(data)


PUSH = control.torques(rotor(), {"hub": 7.0})
KEEP = {"elbow": 0.02, "shoulder": 0.02, "shoulder-yaw": 0.02}
GAINS = {"hub": {"p": 200.0, "i": 300.0, "d": 40.0}}


def run(model: Any, law: Any, duration: float = 4.0, **options: Any) -> Any:
    return lissom.simulate(model, duration, controller=law, progress=False, **options)


def test_a_pid_without_integral_is_the_sampled_pd() -> None:
    robot, motion = spring_arm(), Reference.quintic(0.0, 1.0, 0.5)
    gains = {"elbow": {"p": 150.0, "d": 12.0}}
    law = control.pid(robot, gains, motion, rate=500.0, side="motor")
    other = Sampled(control.pd(robot, gains, motion, side="motor"), 500.0)
    a, b = run(robot, law, 0.6), run(robot, other, 0.6)
    np.testing.assert_allclose(a.raw.q, b.raw.q, atol=1e-12)


def test_the_integral_takes_away_what_a_constant_push_leaves() -> None:
    model = rotor().compile()
    off = run(model, PUSH + control.pd(model, {"hub": {"p": 200.0, "d": 40.0}}, 0.3))
    assert float(off["hub"][-1]) - 0.3 == pytest.approx(7 / 200, rel=1e-4)
    found = run(model, PUSH + control.pid(model, GAINS, 0.3), 12.0)
    assert abs(float(found["hub"][-1]) - 0.3) < 1e-6


def test_a_sampled_pid_moves_as_its_difference_equation_says() -> None:
    """A rigid rotor under held torques is a double integrator, exactly: x+ = x + h v + h2/2 u/J."""
    h, rest = 0.01, 0.3
    q = v = total = 0.0
    path = []
    for _ in range(200):
        path.append(q)
        u = 200 * (rest - q) + total - 40 * v
        total += h * 300 * (rest - q)
        q, v = q + h * v + 0.5 * h * h * u / INERTIA, v + h * u / INERTIA
    law = control.pid(rotor(), GAINS, rest, rate=1 / h)
    found = lissom.simulate(rotor(), 2.0, controller=law, rate=1 / h, progress=False)
    np.testing.assert_allclose(found["hub"].values[:200], path, atol=1e-9)


def test_the_integral_does_not_wind_up() -> None:
    """At its limit for long, the loop without tracking overshoots by more than the way; with it, by little."""
    law, wound = (
        control.pid(rotor(), {"hub": {"p": 60.0, "i": 40.0, "d": 20.0}}, 3.0, saturation=8.0, tracking=tracking)
        for tracking in (None, 1e9)
    )
    over = [float(run(rotor(), each, 12.0)["hub"].max()) / 3.0 - 1 for each in (law, wound)]
    assert over[0] < 0.12
    assert over[1] > 1


def test_rates_by_filtered_differences_act_as_measured_ones() -> None:
    law = control.pid(rotor(), GAINS, Reference.quintic(0.0, 0.5, 1.0), derivative=200.0, rate=2000.0)
    exact = control.pid(rotor(), GAINS, Reference.quintic(0.0, 0.5, 1.0), rate=2000.0)
    a, b = run(rotor(), law, 1.5), run(rotor(), exact, 1.5)
    assert np.abs(a["hub"] - b["hub"]).max() < 2e-3


def test_encoders_are_read_and_their_rates_are_differences() -> None:
    eye = Encoder(name="angle", joint="hub", counts=65536)
    law = control.pid(rotor(), GAINS, 0.3, sensors=[eye])
    assert law.sensors == ("angle",)
    found = lissom.simulate(rotor(), 8.0, controller=law, sensors=[eye], progress=False)
    assert abs(float(found["hub"][-1]) - 0.3) < 2e-4


@pytest.mark.parametrize("frequency", [3.0, 40.0, 300.0])
def test_a_notch_has_its_depth_at_its_frequency_and_lets_the_rest_pass(frequency: float) -> None:
    filt = Notch(frequency, 0.1, 0.4).sampled(1000.0)
    gain = np.abs(filt.response(np.array([1e-3, frequency, 499.9])))[:, 0, 0]
    np.testing.assert_allclose(gain, [1, 0.1, 1], atol=2e-3)
    # and half way up, of the analogue filter at the frequency that Tustin's rule maps there
    w, s = 2 * np.pi * frequency, 2j * np.pi * frequency
    low = 1e-2 * frequency
    s = 2j * np.pi * low
    analogue = (s * s + 2 * 0.1 * 0.4 * w * s + w * w) / (s * s + 2 * 0.4 * w * s + w * w)
    assert abs(filt.response(np.array([low]))[0, 0, 0] - analogue) < 1e-2


def test_notches_stand_behind_the_gains() -> None:
    law = control.pid(rotor(), GAINS, 0.0, notches={"hub": [Notch(20.0), 50.0]})
    plain = control.pid(rotor(), GAINS, 0.0)
    f = np.array([0.5, 20.0, 33.0, 50.0])
    with_it, without = (
        control.as_digital(each.function).feedback(1000.0, np.zeros(1)).response(f)[:, 0] for each in (law, plain)
    )
    notch = Notch(20.0).sampled(1000.0).response(f)[:, 0, 0] * Notch(50.0).sampled(1000.0).response(f)[:, 0, 0]
    np.testing.assert_allclose(with_it, without * notch[:, None], rtol=1e-10)


def test_inverse_dynamics_with_friction_leaves_nothing_to_the_gains() -> None:
    robot = rotor(0.7, friction={"coulomb": 2.0, "viscous": 0.0, "velocity": 0.05})
    motion = Reference.quintic(0.0, 1.0, 1.0)
    gains = {"hub": {"p": 50.0, "d": 10.0}}
    with_it, without = (control.pd(robot, gains, motion, inverse_dynamics=each) for each in (True, False))
    found = [run(robot, law, 1.0) for law in (with_it, without)]
    off = [np.abs(each["hub"].values - motion(each.time)[0][:, 0]).max() for each in found]
    assert off[0] < 1e-4
    assert off[1] > 1e-2


@pytest.mark.parametrize("name", ["lqr", "lqr with a gauge", "lqg"])
def test_designs_as_data_give_the_torques_of_their_classes(name: str) -> None:
    model = lissom.load("ella").compile()
    pose = {"elbow": 0.5, "shoulder": 0.2}
    if name == "lqg":
        sensors: Any = [Encoder(joint=j, counts=40000) for j in ("shoulder-yaw", "shoulder", "elbow")]
        law = control.lqg(model, pose, sensors=sensors, keep=KEEP, torque=10.0, frequency=60, rate=500)
    else:
        eyes = [lissom.model.Deflection(link="forearm", noise=1e-4)] if "gauge" in name else []
        law = control.lqr(model, pose, sensors=eyes, delay=0.0007)
    data = control.as_digital(law.function)
    rng = np.random.default_rng(0)
    law.function.reset()
    for k in range(5):
        t, q = k / law.rate, law.function.at.q + 1e-3 * rng.normal(size=model.nq)
        seen: Any = (q, np.zeros(model.nv))
        if name == "lqg":
            at = dict(zip(law.function.names, law.function.rest + 1e-3 * rng.normal(size=3), strict=True))
            seen = (at,)
        wanted = law.function(t, *seen)
        np.testing.assert_allclose(data(t, *seen), wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())


def test_the_open_loop_of_a_pd_law_is_that_of_the_textbook() -> None:
    law = control.pd(rotor(), {"hub": {"p": 200.0, "d": 40.0}}, 0.0)
    loop = control.open_loop(rotor(), law)
    f = np.array([0.3, 1.0, 5.0])
    s = 2j * np.pi * f
    np.testing.assert_allclose(loop.response(f)[:, 0, 0], (200 + 40 * s) / (INERTIA * s * s), rtol=1e-12)
    found = loop.margins()
    w = np.sqrt((400 + np.sqrt(400**2 + 4 * 100**2)) / 2)  # (w^2)^2 = 20^2 w^2 + 100^2
    assert 2 * np.pi * found.phase_frequency == pytest.approx(w, rel=1e-10)
    assert found.phase == pytest.approx(np.degrees(np.arctan(w * 40 / 200)), rel=1e-9)


def test_the_open_loop_with_one_motor_cut_has_the_others_closed() -> None:
    model = lissom.load("ella").compile()
    law = control.pd(model, {"shoulder": {"p": 2000.0, "d": 200.0}, "elbow": {"p": 600.0, "d": 40.0}}, [0.0, 0.0])
    a = control.open_loop(model, law, motor="elbow").feedback().poles().values
    b = control.open_loop(model, law, motor="shoulder").feedback().poles().values
    np.testing.assert_allclose(np.sort(np.abs(a)), np.sort(np.abs(b)), rtol=1e-6, atol=1e-6)


def test_margins_of_a_sampled_loop_tell_the_gain_at_which_runs_grow() -> None:
    margins = control.open_loop(rotor(), control.pid(rotor(), GAINS, 0.0, rate=50.0)).margins()
    assert margins.stable
    for factor, grows in ((0.97 * margins.gain, False), (1.03 * margins.gain, True)):
        gains = {"hub": {name: factor * value for name, value in GAINS["hub"].items()}}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = run(rotor(), control.pid(rotor(), gains, 0.0, rate=50.0), 12.0, start={"hub": 1e-3})
        assert (abs(found["hub"].values[-100:]).max() > 1e-3) == grows


def test_a_loop_that_its_rate_makes_unstable_is_told_where_it_is_designed() -> None:
    with pytest.warns(LawRangeWarning, match=r"pid: the loop is not stable at hub = 0.*lower its gains"):
        control.pid(rotor(), {"hub": {"p": 200.0, "d": 40.0}}, 0.0, rate=8.0)


def test_noise_comes_through_as_long_runs_show() -> None:
    eye = Encoder(name="angle", joint="hub", noise=1e-3)
    law = control.pid(rotor(), GAINS, 0.0, sensors=[eye], rate=200.0)
    budget = control.noise_budget(rotor(), law, outputs=["hub"])
    assert budget.sources == ("noise of angle",)
    found = lissom.simulate(rotor(), 100.0, controller=law, sensors=[eye], rate=200.0, progress=False)
    assert float(found["hub"].values[2000:].std()) == pytest.approx(float(budget.total[0]), rel=0.15)


def test_a_disturbance_comes_through_as_the_closed_form_says() -> None:
    """A first-order loop: v' = (w - 40 v) / 2, w held over samples: var v = b^2 s^2 / (1 - a^2)."""
    law = control.pid(rotor(), {"hub": {"p": 1e-9, "d": 40.0}}, 0.0, rate=100.0)
    budget = control.noise_budget(rotor(), law, outputs=["hub.rate"], disturbances={"hub": 3.0})
    b = 0.01 / INERTIA
    a = 1 - 40 * b
    assert float(budget.total[0]) == pytest.approx(3 * b / np.sqrt(1 - a * a), rel=1e-6)


def test_wrong_input_is_told() -> None:
    with pytest.raises(LissomError, match=r"notches.hub\[0\].frequency.*beyond half the rate"):
        control.pid(rotor(), GAINS, 0.0, rate=100.0, notches={"hub": 80.0})
    with pytest.raises(LissomError, match=r"gains.hub.k.*give p, i and d"):
        control.pid(rotor(), {"hub": {"p": 1.0, "k": 1.0}}, 0.0)
    with pytest.raises(LissomError, match=r"is not controlled"):
        control.open_loop(rotor(), control.pid(rotor(), GAINS, 0.0), motor="elbow")


def test_linear_models_in_a_row_multiply_their_responses() -> None:
    a, b = Notch(20.0).sampled(1000.0), Notch(50.0).sampled(1000.0)
    assert isinstance(a.after(b), LinearModel)
    f = np.array([3.0, 21.0])
    np.testing.assert_allclose(a.after(b).response(f), a.response(f) * b.response(f), rtol=1e-12)


def satellite() -> Robot:
    """A bus that floats, with a driven panel that bends and one that is clamped."""
    beam = {"length": 2.0, "material": "m", "section": {"shape": "rectangle", "width": 0.3, "height": 0.006}}
    beam |= {"damping": 0.0005, "masses": [{"mass": 1.0}], "modes": {"z": 2}}
    bus = {"mass": 80.0, "com": [0, 0, 0], "inertia": [6.0, 6.0, 6.0]}
    links = [
        {"name": "bus", "joint": {"name": "base", "type": "free"}, "body": bus},
        {"name": "wing", "joint": {"name": "drive", "type": "revolute", "axis": [0, 1, 0]}, "beam": beam},
    ]
    materials = {"m": {"E": 7e10, "nu": 0.33, "rho": 2700.0}}
    return Robot.from_dict({"lissom": 1, "name": "sat", "gravity": [0, 0, 0], "materials": materials, "links": links})


@pytest.mark.parametrize("design", ["lqr", "lqg"])
def test_a_panel_on_a_free_base_is_damped_by_its_drive_and_momentum_stays(design: str) -> None:
    model = satellite().compile()
    motion = Reference.quintic(0.0, 0.4, 1.0)
    if design == "lqr":
        law, eyes = control.lqr(model, reference=motion, joints=["drive"], bandwidth=0.5), []
    else:
        eyes = [Encoder(name="angle", joint="drive", noise=1e-5)]
        law = control.lqg(model, sensors=eyes, keep={"drive": 0.01}, torque=3.0, frequency=10.0, reference=motion)
    found = lissom.simulate(model, 12.0, controller=law, sensors=eyes, progress=False)
    tip = np.linalg.norm(found.deflection("wing").values, axis=-1)
    assert tip[found.time > 11].max() < 0.05 * tip.max()
    assert float(found["drive"][-1]) == pytest.approx(0.4, abs=5e-3)
    assert np.abs(found.momentum().linear).max() < 1e-4 * 80 * np.abs(found.velocity("base").values[:, 3:]).max()


def test_a_schedule_over_poses_is_stable_where_one_design_is_not() -> None:
    model = lissom.load("ella").compile()
    motion = Reference.quintic([0.0, 0.0, 0.0], [0.0, 0.0, 2.4], 1.0)
    options: Any = {"bandwidth": 2.0}
    with pytest.warns(LawRangeWarning, match=r"lqr: the loop is not stable at .*poses"):
        control.lqr(model, {"elbow": 0.0}, reference=motion, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        law = control.schedule(model, control.lqr, 5, reference=motion, **options)
    assert len(law.function.designs) == 5


def test_a_schedule_at_one_of_its_poses_is_the_design_there() -> None:
    model = lissom.load("ella").compile()
    poses = [{"elbow": 0.2}, {"elbow": 0.6}, {"elbow": 1.0}]
    law = control.schedule(model, control.lqr, poses)
    one = control.as_digital(control.lqr(model, poses[1]).function)
    q = model.neutral()
    q[model.q_names.index("elbow")] = 0.6
    np.testing.assert_allclose(
        law.function.feedback(1000.0, q).response(np.array([1.0, 7.0, 80.0])),
        one.feedback(1000.0, q).response(np.array([1.0, 7.0, 80.0])),
        rtol=1e-7,
    )
