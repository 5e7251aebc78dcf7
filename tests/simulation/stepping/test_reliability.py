"""A run that goes wrong says where and why, and keeps what it has computed."""

import inspect
import signal

import numpy as np
import pytest
from soft_arms import SUNDIALS, needs

import lissom
from lissom.control import Reference, Sampled, pd, torques
from lissom.errors import LissomError
from lissom.simulation import Ending, RunSettings, SimulationWarning
from lissom.simulation.stepping.time_loop import simulate_raw


def pendulum(**joint):
    """A rigid rod that swings about y."""
    joint = {"name": "pivot", "type": "revolute", "axis": [0, 1, 0]} | joint
    body = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [0.01, 0.1, 0.1]}
    links = [{"name": "rod", "joint": joint, "body": body}]
    return lissom.Robot.from_dict({"lissom": 1, "name": "pendulum", "links": links}).compile()


def flexible_arm():
    return lissom.load("ella").compile()


def soft_link(kind):
    """A soft rod, as a beam or of frame elements, on an upright hinge: its weight bends it, and it can be spun."""
    section = {"shape": "rectangle", "width": 0.01, "height": 0.01}
    frame = {
        "points": {"root": [0, 0, 0], "tip": [1, 0, 0]},
        "members": [{"between": ["root", "tip"], "section": section, "elements": 4}],
    }
    link = {
        "beam": {"beam": {"length": 1.0, "material": "rubber", "section": section, "stiffening": "none"}},
        "finite elements": {
            "finite_elements": {"frame": frame, "material": "rubber", "interfaces": {"root": {}, "tip": {}}, "modes": 2}
        },
    }[kind]
    joint = {"name": "hinge", "type": "revolute", "axis": [0, 0, 1]}
    return lissom.Robot.from_dict(
        {
            "lissom": 1,
            "name": "soft",
            "materials": {"rubber": {"E": 5e8, "nu": 0.4, "rho": 1000.0}},
            "links": [{"name": "rod", "joint": joint, **link}],
        }
    ).compile()


def after(time, action):
    """A progress callback that acts once the run has passed a time."""

    def progress(t):
        if t >= time:
            action()

    return progress


def interrupt():
    raise KeyboardInterrupt


# stopped by hand


@pytest.mark.parametrize("method", ["radau", "dop853", "generalised-alpha", "rk4", *SUNDIALS])
def test_interrupt_keeps_the_part_computed(method):
    needs(method)
    model, step = pendulum(), 1e-3 if method == "rk4" else None
    whole = simulate_raw(model, 20.0, method=method, step=step)
    part = simulate_raw(model, 20.0, method=method, step=step, progress=after(4.0, interrupt))
    assert part.status == "interrupted"
    assert "stopped by hand at t = " in part.message
    assert "kept" in part.message
    assert 3.9 < part.time[-1] < 19
    assert np.array_equal(part.q, whole.q[: len(part.time)])
    assert np.all(np.isfinite(part.tau))
    assert np.all(np.isfinite(part.a))


def test_keyboard_during_a_run_gives_a_trajectory_and_a_warning():
    """The signal that Ctrl-C sends, from within a controller as slow as those of users are."""
    calls = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may ignore it in the background

    def controller(t, q, v):
        calls.append(t)
        if len(calls) == 150:
            signal.raise_signal(signal.SIGINT)
        return [0.0]

    with pytest.warns(SimulationWarning, match=r"interrupted: stopped by hand at t = 0\.1\d* s"):
        result = lissom.simulate(pendulum(), 5.0, controller=controller)
    signal.signal(signal.SIGINT, before)
    assert result.info.status == "interrupted"
    assert 0.1 < result.time[-1] < 0.2
    assert "interrupted" in repr(result)


# controllers that fail


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (lambda: [0.0, np.nan, 0.0], "shoulder = nan"),
        (lambda: {"elbow": np.inf}, "elbow = inf"),
        (lambda: np.zeros(2), r"an array of shape \(2,\)"),
        (lambda: {"elbo": 1.0}, "did you mean 'elbow'"),
        (lambda: {"elbow": [1.0, 2.0]}, r"elbow = \[1, 2\]"),
        (lambda: None, "returned None"),
        (lambda: "full speed", "full speed"),
        (lambda: 1 / 0, "ZeroDivisionError: division by zero .*test_reliability.py, line"),
    ],
)
def test_controller_that_returns_nonsense_stops_with_time_and_value_and_keeps_the_rest(bad, told):
    model = flexible_arm()

    def controller(t, q, v):
        return bad() if t > 0.0205 else np.zeros(3)

    result = simulate_raw(model, 1.0, controller=controller, rate=1000)
    assert result.status is Ending.CONTROLLER_FAILED
    assert "at t = 0.021 s" in result.message
    with pytest.raises(AssertionError, match=told):
        raise AssertionError(result.message)
    assert result.time[-1] == pytest.approx(0.021)
    assert np.all(np.isfinite(result.q))
    with pytest.warns(SimulationWarning, match="failed: the controller"):
        assert len(lissom.simulate(model, 1.0, controller=controller).time) > 1


def test_controller_that_is_wrong_from_the_start_is_refused():
    with pytest.raises(LissomError, match=r"an array of shape \(5,\) at t = 0 s; return 3 torques"):
        simulate_raw(flexible_arm(), 1.0, controller=lambda t, q, v: np.zeros(5))
    with pytest.raises(LissomError, match=r"^controller = 3: must be"):
        simulate_raw(flexible_arm(), 1.0, controller=3.0)


@pytest.mark.parametrize(
    ("controller", "told"),
    [
        (
            lambda: 0.0,
            r"^controller = <function.*: takes \(\); a controller is called with three arguments, \(t, q, v\)",
        ),
        (lambda t: 0.0, r"^controller = .*: takes \(t\); a controller is called with three arguments"),
        (lambda t, q, v, more: 0.0, r"^controller = .*: takes \(t, q, v, more\); a controller"),
        ("full speed", r"^controller = 'full speed': must be a ControlLaw, a Sampled or a function"),
        (
            lambda t, q, v: 1 / 0,
            r"^the controller failed at t = 0 s with ZeroDivisionError: division by zero \(.*, line",
        ),
    ],
)
def test_controller_that_cannot_be_called_is_refused(controller, told):
    with pytest.raises(LissomError, match=told):
        simulate_raw(pendulum(), 1.0, controller=controller)


def test_an_unknown_setting_is_named_with_what_was_meant():
    with pytest.raises(
        TypeError, match=r"^a run has no setting 'rtoll' \(did you mean 'rtol'\?\); its settings are rate"
    ):
        lissom.simulate(pendulum(), 1.0, rtoll=1e-6)


def test_the_settings_stand_in_the_signature_with_their_defaults():
    parameters = inspect.signature(lissom.simulate).parameters
    settings = RunSettings(duration=1.0)
    shown = {name: parameters[name].default for name in RunSettings.model_fields if name != "duration"}
    assert shown == {name: getattr(settings, name) for name in shown}
    assert RunSettings.of(settings, rate=10).rate == 10
    assert settings.rate == 200


def test_outputs_that_do_not_fit_into_memory_are_refused_before_they_are_made():
    with pytest.raises(LissomError, match=r"^rate = 1e\+06: 1e\+11 outputs of \d+ numbers need \d+ TB of memory"):
        simulate_raw(pendulum(), 1e5, rate=1e6)


def test_controller_of_another_robot_is_refused():
    law = torques(pendulum(), {"pivot": 1.0})
    with pytest.raises(LissomError, match="build it from the same robot"):
        simulate_raw(flexible_arm(), 1.0, controller=law)


def test_controller_cannot_change_the_state_it_reads():
    def controller(t, q, v):
        q[:], v[:] = np.nan, np.nan
        return [0.0]

    model = pendulum()
    result, free = simulate_raw(model, 0.5, controller=Sampled(controller, rate=50)), simulate_raw(model, 0.5)
    assert result.status == "finished"
    assert np.max(np.abs(result.q - free.q)) < 1e-6


# steps that do not converge


@pytest.mark.parametrize("method", ["radau", "generalised-alpha"])
def test_fixed_step_that_does_not_converge_is_cut_and_the_run_goes_on(method):
    """A hard stop, met at speed with steps much too long for it."""
    limits = {"lower": -2.0, "upper": 1.0, "stiffness": 1e7, "damping": 1e3}
    result = simulate_raw(pendulum(limits=limits), 1.0, method=method, step=0.05)
    assert result.status == "finished"
    assert result.rejected > 0
    assert result.q[:, 0].max() < 1.1


@pytest.mark.parametrize("method", ["radau", "generalised-alpha", "dopri5"])
def test_steps_that_never_converge_are_reported_with_time_and_coordinate(method):
    """At rest only the absolute error counts, and this one is far below round-off."""
    result = simulate_raw(flexible_arm(), 1.0, method=method, atol=1e-35)
    assert result.status is Ending.NOT_CONVERGED
    assert f"{method} did not converge at t = " in result.message
    assert "fastest coordinate: " in result.message
    assert "loosen rtol or atol" in result.message
    assert len(result.time) >= 1
    assert result.rejected > 3


# instability and overflow


@pytest.mark.parametrize("method", ["euler", "rk4", "dopri5", "dop853"])
def test_explicit_step_beyond_stability_is_called_by_its_name(method):
    model = flexible_arm()
    law = pd(model, {j: {"p": 500, "d": 50} for j in model.joints}, [0.1, 0.1, 0.1])
    with pytest.warns(SimulationWarning) as told:
        result = lissom.simulate(model, 0.5, controller=law, method=method, step=1e-3)
    assert result.info.status in (Ending.NOT_FINITE, Ending.DIVERGED)
    message = result.info.message
    assert f"{method} is unstable with steps of 0.001 s" in message
    assert "fastest eigenvalue" in message
    assert "radau" in message
    assert any(message in str(warning.message) for warning in told)
    assert np.all(np.isfinite(result.q))


def test_growth_without_bound_of_a_rigid_robot_is_reported():
    """A motor that pushes the faster, the faster it turns."""
    law = Sampled(lambda t, q, v: [500 * v[0] + 1.0], rate=1000)
    result = simulate_raw(pendulum(), 5.0, controller=law)
    assert result.status == "diverged"
    assert "the motion diverges: pivot moves by 1" in result.message
    assert "e+06 per second at t = " in result.message
    assert np.all(np.isfinite(result.q))
    assert 0 < result.time[-1] < 1


# wrong from the start


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"duration": np.nan}, "^duration = nan: must be a finite number; give the time to simulate in seconds"),
        ({"duration": -1.0}, "^duration = -1: must be positive; give the time to simulate in seconds"),
        ({"duration": None}, "^duration .*: must be a number, not an empty value; give the time to simulate"),
        ({"duration": "2 kg"}, "^duration = '2 kg': has a unit of the wrong kind: this takes a unit of seconds"),
        ({"duration": 1j}, "^duration = 1j: must be a number, not complex"),
        ({"rtol": 0.0}, "^rtol = 0: must be at least 1e-14; give the relative error allowed per step"),
        ({"rtol": 1e-16}, "^rtol = 1e-16: must be at least 1e-14"),
        ({"step": -1e-3}, "^step = -0.001: must be positive; give a fixed step in seconds"),
        ({"rate": np.inf}, "^rate = inf: must be a finite number; give the number of outputs per second"),
        ({"method": "rk5"}, r"^method = 'rk5': is unknown \(did you mean 'rk4'\?\); choose an integrator: auto, euler"),
        ({"method": "rk4"}, "^step: missing; rk4 takes fixed steps, give their size in seconds"),
        ({"method": "generalised-alpha", "radius": 1.5}, "^radius = 1.5: .*at most 1"),
        ({"audit": "yes"}, "^audit = 'yes': must be true or false"),
        ({"start": {"pivot": np.nan}}, "^start.pivot = nan: takes 1 finite number"),
        ({"start": {"pivt": 0.1}}, "did you mean 'pivot'"),
        ({"start": [0.0, 1.0]}, r"^start.q: must have shape \(1,\) for \w+, got \(2,\)"),
        ({"start": ([0.0], [np.inf])}, "^start.v.pivot = inf: must be a finite number"),
        ({"start": 1j}, "^start"),
        ({"start": [1j]}, "^start = .*: must hold real numbers"),
        ({"start": {"pivot": 1j}}, "^start = .*: must hold real numbers"),
        ({"start": "upright"}, "^start"),
        ({"start": {"pivot": "upright"}}, "^start.pivot"),
        ({"start": {3: 1.0}}, "^start: .* no joint or coordinate '3'"),
        ({"start": [[0.0], [1.0, 2.0]]}, "^start.q = .*: must be an array of numbers"),
        ({"motion": {"pivot": 3.0}}, "^motion.pivot = 3: must be a Reference, such as"),
        (
            {"motion": {"pivot": Reference.constant([0.0, 1.0])}},
            "^motion.pivot = .*: must be a Reference with 1 channel",
        ),
        ({"motion": 3.0}, "^motion = 3: must be {joint: Reference}"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(arguments, told):
    with pytest.raises(LissomError, match=told):
        simulate_raw(pendulum(), **({"duration": 1.0} | arguments))


def test_masses_that_are_no_numbers_are_refused_before_anything_runs():
    for mass in (np.nan, -1.0):
        with pytest.raises(LissomError, match="mass"):
            lissom.load("ella").with_value("links.hub.body.mass", mass).compile()


def test_joint_without_inertia_is_reported_with_its_name():
    body = {"mass": 0.0, "inertia": [0, 0, 0]}
    links = [{"name": "rod", "joint": {"name": "pivot", "type": "revolute", "axis": [0, 1, 0]}, "body": body}]
    with pytest.raises(LissomError, match=r"pivot|rod"):
        simulate_raw(lissom.Robot.from_dict({"lissom": 1, "name": "nothing", "links": links}), 1.0)


@pytest.mark.parametrize(
    ("kind", "remedy"),
    [("beam", "; use stiffening: exact"), ("finite elements", "; describe it as a beam with stiffening: exact")],
)
def test_a_large_deflection_is_told_with_a_remedy_that_exists(kind, remedy):
    result = simulate_raw(soft_link(kind), 0.5)  # sags by its weight
    event = next(event for event in result.warnings if event.kind == "deflection")
    assert event.text.startswith("rod: its tip is deflected by")
    assert event.text.endswith(remedy)


@pytest.mark.parametrize(
    ("kind", "remedy"), [("beam", "stiffening: first"), ("finite elements", "fast rotation softens it; use a beam")]
)
def test_a_link_softened_by_fast_rotation_is_told_with_a_remedy_that_exists(kind, remedy):
    result = simulate_raw(soft_link(kind), 2.0, start={"hinge.rate": 30.0})
    assert result.status == "diverged"
    assert "the tip of rod is" in result.message
    assert result.message.endswith(remedy)
