"""Controllers from the `control:` block of a scenario file."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from places import DATA

import lissom
from lissom import LissomError, control
from lissom.control import (
    ControlLaw,
    Reference,
    Sampled,
    StateFeedback,
    Together,
    from_config,
    light_modes,
    pd,
)
from lissom.control.laws.law_kinds import COMPUTED_TORQUE, GRAVITY
from lissom.model import Deflection

ELLA = lissom.load("ella").compile()
GAINS = {
    "shoulder-yaw": {"p": 900, "d": 157},
    "shoulder": {"p": 2000, "d": 200},
    "elbow": {"p": 600, "d": 40},
}
TO = {"shoulder-yaw": -0.4928, "shoulder": 0.6922, "elbow": 0.427}
QUINTIC = {"type": "quintic", "to": TO, "duration": 1.5}
SINE = {"type": "sine", "amplitude": {"elbow": 0.2}, "frequency": 1.5}
CSV = {"type": "csv", "path": str(DATA / "turn.csv")}
PD = {"type": "pd", "gains": GAINS, "reference": QUINTIC}
STATE = np.linspace(-0.1, 0.1, ELLA.nq), np.linspace(0.2, -0.1, ELLA.nv)
T = np.linspace(0, 3, 40)
COLUMNS = {"elbow": "a", "shoulder": "b", "shoulder-yaw": "c"}


def law(config: Any, **options: Any) -> ControlLaw:
    controller = from_config(ELLA, config, **options)
    assert isinstance(controller, ControlLaw)
    return controller


def motion(reference: dict[str, Any] | None, start: Any = None, **options: Any) -> np.ndarray:
    """Values (times, 3) of the reference that a block describes."""
    config = {"type": "pd", "gains": GAINS} | ({} if reference is None else {"reference": reference})
    return law(config, start=start, **options).reference(T)[0]


def test_the_scenario_of_the_manual_is_the_law_written_in_python() -> None:
    python = pd(ELLA, GAINS, Reference.quintic([0, 0, 0], list(TO.values()), 1.5))
    np.testing.assert_array_equal(law(PD)(0.4, *STATE), python(0.4, *STATE))


def test_no_control() -> None:
    assert from_config(ELLA, None) is None
    assert from_config(ELLA, {"type": "none"}) is None


def test_options_reach_the_law() -> None:
    full = law(PD | {"gravity_compensation": True, "saturation": {"elbow": 5}, "side": "motor"})
    assert full.parts[0].kind is GRAVITY
    np.testing.assert_array_equal(full.upper, [np.inf, np.inf, 5])
    assert law(PD | {"type": "computed-torque"}).parts[0].kind is COMPUTED_TORQUE


def test_a_rate_makes_the_law_sampled() -> None:
    sampled = from_config(ELLA, PD | {"rate": 500, "delay": 0.001})
    assert isinstance(sampled, Sampled)
    assert (sampled.rate, sampled.delay) == (500, 0.001)


def test_without_a_reference_the_start_is_held() -> None:
    np.testing.assert_allclose(motion(None, {"elbow": 0.3}), np.tile([0, 0, 0.3], (40, 1)))


def test_a_motion_begins_at_the_start_and_joints_that_are_not_named_stay() -> None:
    path = motion({"type": "quintic", "to": {"elbow": 1.0}, "duration": 1.0}, {"elbow": 0.3, "shoulder": 0.2})
    np.testing.assert_allclose(path[0], [0, 0.2, 0.3])
    np.testing.assert_allclose(path[-1], [0, 0.2, 1.0])
    given = motion({"type": "quintic", "from": [1, 1, 1], "to": [2, 2, 2], "duration": 1.0})
    np.testing.assert_allclose(given[[0, -1]], [[1, 1, 1], [2, 2, 2]])


def test_every_type_of_reference(tmp_path: Path) -> None:
    (tmp_path / "motion.csv").write_text("t,a,b,c\n0,0,0,0\n1,1,2,3\n2,0,0,1\n")
    ends = {
        "constant": ({"to": [1, 2, 3]}, [1, 2, 3]),
        "step": ({"to": {"elbow": 1}, "at": 0.5}, [0, 0, 1]),
        "steps": ({"points": [{"elbow": 1}, {"shoulder": 2}], "times": [0.0, 1.0]}, [0, 2, 1]),
        "trapezoid": ({"to": TO, "speed": dict.fromkeys(TO, 1.0), "acceleration": 3}, list(TO.values())),
        "via": ({"points": [[0, 0, 0], [1, 1, 1], {"elbow": 2}], "times": [0, 1, 2]}, [1, 1, 2]),
        "csv": ({"path": "motion.csv", "columns": COLUMNS}, [1, 0, 0]),
        "spin-up": ({"speed": {"elbow": 3}, "duration": 1}, [0, 0, 7.5]),
        "sine": ({"amplitude": {"elbow": 2}, "frequency": 0.25, "duration": 1}, [0, 0, 2]),
        "chirp": ({"amplitude": [1, 0, 2], "frequencies": [0.5, 2.5], "duration": 1.5}, [1, 0, 2]),
        "multisine": ({"amplitude": {"elbow": 2}, "frequencies": [1, 2], "duration": 1, "ramp": 0.3}, [0, 0, 0]),
    }  # fmt: skip
    for kind, (block, end) in ends.items():
        np.testing.assert_allclose(motion({"type": kind, **block}, folder=tmp_path, until=T[-1])[-1], end, atol=1e-12)


def test_a_wave_without_a_duration_goes_on_until_the_end_of_the_run() -> None:
    swinging = law(PD | {"reference": SINE | {"ramp": 0.5}}, until=4.0)
    t = np.linspace(0.5, 4.0, 30)
    np.testing.assert_allclose(swinging.reference(t)[0][:, 2], 0.2 * np.sin(2 * np.pi * 1.5 * t), atol=1e-12)
    swept = law(PD | {"reference": {"type": "chirp", "amplitude": {"elbow": 1}, "frequencies": [1, 3]}}, until=4.0)
    assert swept.reference.end == 4.0


def test_controllers_in_a_list_add_up() -> None:
    push = {"type": "torque", "torques": {"elbow": 3}}
    both = law([PD, push, {"type": "none"}])
    assert both.names == (*law(PD).names, "elbow")
    np.testing.assert_allclose(both(0.1, *STATE), law(PD)(0.1, *STATE) + law(push)(0.1, *STATE))
    assert from_config(ELLA, []) is None
    mixed = from_config(ELLA, [PD | {"rate": 500}, push])
    assert isinstance(mixed, Together)
    assert mixed.law is not None
    assert [s.rate for s in mixed.sampled] == [500]


def test_torques_from_numbers_and_references() -> None:
    steps = {"type": "steps", "points": [[0], [4.0]], "times": [0, 1]}
    open_loop = law({"type": "torque", "torques": {"elbow": steps, "shoulder": 7}})
    assert open_loop(2.0, *STATE)[ELLA.actuated].tolist() == [0, 7, 4]
    with warnings.catch_warnings():  # a torque of 400 N m does not look like degrees
        warnings.simplefilter("error")
        law({"type": "torque", "torques": {"elbow": steps | {"points": [0, 400.0]}}})


def test_torques_are_fed_forward_beside_pd() -> None:
    feed: dict[str, Any] = {"elbow": 3.0, "shoulder": {"type": "steps", "times": [0, 1], "points": [0, 7]}}
    fed, alone = from_config(ELLA, PD | {"feedforward": feed}), from_config(ELLA, PD)
    assert isinstance(fed, ControlLaw)
    assert isinstance(alone, ControlLaw)
    for t, shoulder in ((0.5, 0.0), (1.2, 7.0)):
        more = fed(t, *STATE) - alone(t, *STATE)
        expected = np.zeros(ELLA.nv)
        expected[[ELLA.coordinates.index("elbow"), ELLA.coordinates.index("shoulder")]] = 3.0, shoulder
        np.testing.assert_allclose(more, expected, atol=1e-11)


def test_a_shaper_lengthens_the_motion_by_a_period_of_the_closed_loop() -> None:
    plain, shaped = law(PD), law(PD | {"shaper": {"type": "zvd", "modes": 1}})
    modes = light_modes(ELLA, TO, plain)
    period = 1 / modes.frequencies[0] / np.sqrt(1 - modes.damping[0] ** 2)
    assert shaped.reference.end - plain.reference.end == pytest.approx(period, rel=1e-6)
    assert law(PD | {"shaper": "zv"}).reference.end < shaped.reference.end
    given = law(PD | {"shaper": {"type": "zv", "frequency": 2.0}})
    assert given.reference.end == pytest.approx(1.75)


def test_lqr_is_designed_where_the_motion_ends() -> None:
    block = {
        "type": "lqr",
        "reference": QUINTIC,
        "rate": 500,
        "sensors": ["tip"],
    }
    sampled = from_config(ELLA, block, sensors=[Deflection(name="tip", link="forearm", noise=1e-4)])
    assert isinstance(sampled, Sampled)
    assert sampled.rate == 500
    function = sampled.function
    assert isinstance(function, StateFeedback)
    assert function.at.q[ELLA.q_names.index("elbow")] == pytest.approx(TO["elbow"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"type": "pdd"}, r"type = 'pdd': is unknown \(did you mean 'pd'\?\); choose none, torque, pd"),
        ({"type": None}, r"type: missing; choose"),
        ({"gain": 3}, r"gain = 3: unknown field \(did you mean 'gains'\?\)"),
        ({"gains": None}, r"gains = \(empty\): must be a mapping, not an empty value; give gains"),
        ({"gains": {"sholder": {"p": 1, "d": 1}}}, r"gains: ella has no joint 'sholder' \(did you mean"),
        ({"gains": GAINS | {"elbow": {"p": 1}}}, r"gains\.elbow\.d: missing"),
        ({"gains": GAINS | {"elbow": {"p": -1, "d": 1}}}, r"gains\.elbow\.p = -1: must not be negative"),
        ({"gains": {"elbow": {"p": 1, "d": 1}}}, r"reference\.to: 'shoulder-yaw' is not controlled"),
        ({"reference": 3}, r"reference = 3: must be a mapping"),
        ({"reference": QUINTIC | {"type": "quintik"}}, r"reference\.type = 'quintik': is unknown \(did"),
        ({"reference": {"to": TO}}, r"reference\.type: missing; choose constant"),
        ({"reference": QUINTIC | {"time": 1}}, r"reference\.time = 1: unknown field"),
        ({"reference": QUINTIC | {"duration": -1}}, r"reference\.duration = -1: must be positive"),
        ({"reference": {"type": "quintic", "to": TO}}, r"reference\.duration: missing"),
        ({"reference": {"type": "quintic", "duration": 1}}, r"reference\.to: missing"),
        ({"reference": QUINTIC | {"to": {"elbo": 1}}}, r"reference\.to: ella has no joint 'elbo'"),
        ({"reference": QUINTIC | {"to": {"elbow": "x"}}}, r"reference\.to\.elbow = 'x': must be a number"),
        ({"reference": QUINTIC | {"to": [1, 2]}}, r"reference\.to = \[1, 2\]: has 2 values, not 3"),
        ({"reference": {"type": "trapezoid", "to": TO}}, r"reference: a trapezoid takes speed and"),
        (
            {"reference": {"type": "via", "points": [TO], "times": [0, 1]}},
            r"reference\.points: has 1 entries for 2",
        ),
        (
            {"reference": {"type": "via", "points": [TO, TO], "times": [1, 0]}},
            r"reference\.times\[1\] = 0: must be later",
        ),
        ({"reference": {"type": "csv", "path": "nope.csv"}}, r"reference\.path: nope\.csv: no such CSV file"),
        ({"side": "moto"}, r"side = 'moto': is unknown \(did you mean 'motor'\?\)"),
        ({"gravity_compensation": "yes"}, r"gravity_compensation = 'yes': must be true or false"),
        ({"saturation": {"elbow": -3}}, r"saturation\.elbow = -3: must not be negative"),
        ({"rate": 0}, r"rate = 0: must be positive"),
        ({"delay": 0.1}, r"rate: missing, and delay needs it"),
        ({"shaper": 3}, r"shaper = 3: must be"),
        ({"shaper": {"type": "zvv"}}, r"shaper\.type = 'zvv': is unknown \(did you mean"),
        ({"shaper": {"modes": 99}}, r"shaper\.modes = 99: .* is not a mode"),
        ({"shaper": {"frequency": 1, "modes": 1}}, r"shaper\.modes = 1: cannot be combined with frequency"),
        ({"shaper": {"damping": 0.1}}, r"shaper\.damping = 0\.1: belongs to a frequency"),
        ({"shaper": {"frequency": 1, "damping": 1}}, r"shaper\.damping = 1: must be less than 1"),
        ({"reference": CSV | {"columns": {"elbow": 1.5}}}, r"reference\.columns = {elbow}: must be a name or a whole"),
        ({"reference": CSV | {"columns": 1.5}}, r"reference\.columns = 1\.5: must be a name or a whole number"),
        ({"reference": CSV | {"columns": 5}}, r"reference\.path: .*column 5: is not there; the columns are 0 to 1"),
    ],
)
def test_an_error_names_field_value_and_remedy(change: dict[str, Any], message: str) -> None:
    with pytest.raises(LissomError, match=rf"^control\.{message}"):
        from_config(ELLA, PD | change)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (1, r"^control = 1: must be a mapping, not a number; give {type: pd"),
        ([1], r"^control\[0\] = 1: must be a mapping, not a number; give {type: none, torque, pd"),
        ([PD, {"type": "pdd"}], r"^control\[1\]\.type = 'pdd': is unknown \(did you mean 'pd'\?\)"),
        ([PD, PD | {"gain": 3}], r"^control\[1\]\.gain = 3: unknown field \(did you mean 'gains'\?\)"),
        ([{"type": "torque", "torques": {"wrist": 1}}], r"^control\[0\]\.torques: .*no joint 'wrist'"),
        (PD | {"reference": SINE | {"frequency": 0}}, r"control\.reference\.frequency = 0: must be positive"),
        (PD | {"reference": SINE}, r"control\.reference\.duration: missing; give the time"),
        (PD | {"reference": SINE | {"duration": 1, "ramp": 2}}, r"control\.reference\.ramp = 2.*half"),
        (PD | {"reference": SINE | {"duration": 1e6, "frequency": 100}}, r"reference\.frequency = 100.*1e\+08 periods"),
        (
            {"type": "torque", "torques": {"elbow": {"type": "chirp", "amplitude": 1, "frequencies": [1, 2, 3]}}},
            r"control\.torques\.elbow\.frequencies",
        ),
        (
            {
                "type": "torque",
                "torques": {"elbow": {"type": "multisine", "amplitude": 1, "frequencies": [1, 2], "phases": [0]}},
            },
            r"control\.torques\.elbow\.phases: has 1 entries for 2 frequencies",
        ),
        ({"type": "torque"}, r"control\.torques: missing"),
        ({"type": "torque", "torques": 3}, r"control\.torques = 3: must be"),
        (
            {"type": "torque", "torques": {"elbow": np.inf}},
            r"control\.torques\.elbow = inf: must be a finite number",
        ),
        ({"type": "torque", "torques": {"elbow": {"type": "step"}}}, r"control\.torques\.elbow\.to: missing"),
        ({"type": "lqr", "angle": -1}, r"control\.angle = .*: must be positive"),
        ({"type": "lqr", "joint": []}, r"control\.joint = \[\]: unknown field \(did you mean 'joints'\?\)"),
        (
            {"type": "lqr", "sensors": ["gauge"]},
            r"control\.sensors\[0\] = 'gauge': is not a sensor",
        ),
    ],
)
def test_errors_of_other_types(config: Any, message: str) -> None:
    with pytest.raises(LissomError, match=message):
        from_config(ELLA, config)


def test_a_pid_block_is_what_pid_makes() -> None:
    block = {
        "type": "pid",
        "gains": {"elbow": {"p": 600, "i": 900, "d": 40}},
        "notches": [{"joint": "elbow", "frequency": "15 Hz", "depth": 0.1}],
        "reference": {"type": "quintic", "to": {"elbow": 0.4}, "duration": 0.5},
        "saturation": 60,
        "rate": 20000,
        "inverse_dynamics": True,
    }
    made = control.from_config("ella", block, until=1.0)
    wanted = control.pid(
        "ella", {"elbow": {"p": 600.0, "i": 900.0, "d": 40.0}}, control.Reference.quintic(0.0, 0.4, 0.5),
        notches={"elbow": control.Notch(15.0, 0.1)}, saturation=60.0, rate=20000.0, inverse_dynamics=True,
    )  # fmt: skip
    model = lissom.load("ella").compile()
    rng = np.random.default_rng(0)
    for k in range(4):
        q, v = 0.1 * rng.normal(size=(2, model.nv))
        np.testing.assert_array_equal(made.function(0.1 * k, q, v), wanted.function(0.1 * k, q, v))


def test_an_impedance_block_holds_the_tip_where_it_says() -> None:
    block = {"type": "impedance", "link": "link7", "stiffness": [500, 400, 300], "damping": 60}
    model = lissom.load("rigid-7-axis").compile()
    made = control.from_config(model, block | {"reference": [0.4, 0.2, 0.6], "joint_damping": 2})
    wanted = control.impedance(model, "link7", [500, 400, 300], 60.0, [0.4, 0.2, 0.6], joint_damping=2.0)
    q = np.linspace(-0.5, 0.7, 7)
    np.testing.assert_array_equal(made(0.0, q, q), wanted(0.0, q, q))
    start = {name: 0.3 for name in wanted.names}
    stays = control.from_config(model, block, start=start)
    q = lissom.dynamics.configuration(model, start)
    weight = lissom.inverse_dynamics(control.rigid_twin(model.robot, rotors=True).compile(), q, 0 * q, 0 * q)
    np.testing.assert_allclose(stays(0.0, q, 0 * q), weight, atol=1e-9)


def test_a_block_may_ask_for_designs_at_several_poses() -> None:
    reference = {"type": "quintic", "to": {"elbow": 1.5}, "duration": 1.0}
    made = control.from_config("ella", {"type": "lqr", "reference": reference, "poses": 3})
    np.testing.assert_allclose(made.function.poses[:, 2], [0.0, 0.75, 1.5], atol=1e-12)
