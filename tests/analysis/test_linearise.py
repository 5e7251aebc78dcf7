"""Linear models: exact against finite differences, well named, with poles, discrete time and outputs."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from random_robots import JOINTS, random_robot, random_state
from single_beams import clamped_beam, hinged_beam

import lissom
from lissom.analysis import LinearModel
from lissom.dynamics import integrate
from lissom.lie import quaternion


def central(function, size, h=1e-6):
    """Columns of the derivative of a function of a small step (size,)."""
    steps = h * np.eye(size)
    return np.stack([(function(s) - function(-s)) / (2 * h) for s in steps], axis=-1)


def difference(model, q0, q1):
    """Displacement (nv,) that leads from q0 to q1, the inverse of `integrate`."""
    out = np.zeros(model.nv)
    for link, body in zip(model.robot.bodies, model.bodies, strict=True):
        a, b = q0[body.joint_q], q1[body.joint_q]
        if link.joint.type in ("spherical", "free"):
            turn = quaternion.log(quaternion.product(quaternion.conjugate(a[:4]), b[:4]))
            v_body = quaternion.to_matrix(a[:4]).T @ (b - a)[4:] if link.joint.type == "free" else []
            out[body.joint_v] = [*turn, *v_body]
        else:
            out[body.joint_v] = b - a
        out[body.modes_v] = q1[body.modes_q] - q0[body.modes_q]
        if body.rotor_v is not None:
            out[body.rotor_v] = q1[body.rotor_q] - q0[body.rotor_q]
    return out


@pytest.mark.parametrize("seed", range(6))
def test_a_and_b_equal_finite_differences_of_the_forward_dynamics_for_every_joint(seed):
    rng = np.random.default_rng(seed)
    robot = random_robot(rng, [JOINTS[(seed + k) % 8] for k in (1, 4, 7)])
    model = robot.compile()
    q, v = random_state(robot, rng)
    tau = rng.normal(size=model.nv)
    n = model.nv
    A, B = lissom.linearise(model, q, v, tau)
    assert A.shape == (2 * n, 2 * n)
    assert B.shape == (2 * n, len(model.actuated))
    by_q = central(lambda s: lissom.forward_dynamics(model, integrate(model, q, s), v, tau), n)
    by_v = central(lambda s: lissom.forward_dynamics(model, q, v + s, tau), n)
    by_tau = central(lambda s: lissom.forward_dynamics(model, q, v, tau + s), n)
    for exact, numeric in ((A[n:, :n], by_q), (A[n:, n:], by_v), (B[n:], by_tau[:, model.actuated])):
        assert np.abs(exact - numeric).max(initial=0) <= 1e-6 * np.abs(numeric).max(initial=1)
    assert np.array_equal(A[:n, n:], np.eye(n))
    assert not B[:n].any()

    def drift(s, h=1e-6):
        """Rate of the displacement between the motion and one that starts a step `s` away."""
        start, ahead = integrate(model, q, s), integrate(model, q, h * v)
        return (difference(model, ahead, integrate(model, start, h * v)) - difference(model, q, start)) / h

    assert A[:n, :n] == pytest.approx(central(drift, n, 1e-3), abs=2e-5)


@pytest.mark.parametrize("stiffening", ["first", "exact"])
def test_outputs_equal_finite_differences_of_what_they_name(stiffening):
    model = lissom.load("ella").with_value("links.upper.beam.stiffening", stiffening).compile()
    rng = np.random.default_rng(1)
    q, v = 0.01 * rng.normal(size=model.nq), rng.normal(size=model.nv)
    q[model.q_names.index("elbow")] = 0.7
    tau = rng.normal(size=model.nv)
    names = [
        "elbow",
        ("tip", "forearm"),
        "upper.deflection",
        "upper.y1.rate",
        "forearm.tip.y.rate",
        "upper.deflection.x.rate",
        "elbow.acceleration",
    ]
    linear = lissom.linearise(model, q, v, tau, outputs=names)
    beam, modes = model.flexible["upper"], model.link("upper").modes_q

    def outputs(s):
        at, rate = integrate(model, q, s[: model.nv]), v + s[model.nv :]
        return np.array(
            [
                at[model.q_names.index("elbow")],
                *lissom.tip_pose(model, at, "forearm")[:3, 3],
                *beam.displacement(beam.length, at[modes]),
                rate[model.coordinates.index("upper.y1")],
                lissom.point_velocity(model, at, rate, "forearm")[4],
                (beam.displacement(beam.length, at[modes] + 1e-30j * rate[modes]).imag / 1e-30)[0],
                lissom.forward_dynamics(model, at, rate, tau)[model.coordinates.index("elbow")],
            ]
        )

    numeric = central(outputs, 2 * model.nv)
    scale = np.abs(numeric).max(axis=1, keepdims=True)
    assert np.abs((linear.C - numeric) / scale).max() < 1e-6
    assert linear.outputs == (
        "elbow", "forearm.tip.x", "forearm.tip.y", "forearm.tip.z",
        "upper.deflection.x", "upper.deflection.y", "upper.deflection.z",
        "upper.y1.rate", "forearm.tip.y.rate", "upper.deflection.x.rate", "elbow.acceleration",
    )  # fmt: skip
    assert not linear.D[:-1].any()
    assert np.array_equal(linear.D[-1], linear.B[model.nv + model.coordinates.index("elbow")])


def test_the_acceleration_of_a_tip_at_rest_equals_finite_differences_off_equilibrium_too():
    model = lissom.load("ella").compile()
    q, tau = np.zeros(model.nq), np.full(model.nv, 0.3)
    q[model.q_names.index("elbow")] = 0.7
    linear = lissom.linearise(model, q, tau=tau, outputs="forearm.tip.acceleration", inputs=["elbow", "forearm.tip.z"])

    def acceleration(s):
        at = integrate(model, q, s[: model.nv])
        return (lissom.jacobian(model, at, "forearm") @ lissom.forward_dynamics(model, at, s[model.nv :], tau))[3:]

    numeric = central(acceleration, 2 * model.nv)
    assert np.abs(linear.C - numeric).max() < 1e-6 * np.abs(numeric).max()
    assert np.abs(linear.a).max() > 1
    push = lissom.dynamics.point_force(model, q, [0, 0, 0, 0, 0, 1], "forearm")
    moved = lissom.forward_dynamics(model, q, np.zeros(model.nv), tau + push) - linear.a
    assert linear.D[:, 1] == pytest.approx((lissom.jacobian(model, q, "forearm") @ moved)[3:], rel=1e-9)
    with pytest.raises(lissom.LissomError, match="about a state at rest"):
        lissom.linearise(model, q, tau, outputs="forearm.tip.acceleration")


def test_a_prescribed_joint_takes_its_acceleration_as_input():
    model, free = hinged_beam(prescribed=["hinge"]), hinged_beam()
    q, v = 0.001 * np.arange(model.nq), 0.1 * np.arange(model.nv)
    linear = lissom.linearise(model, q, v)
    assert linear.inputs == ("hinge",)

    def run(a):
        return lissom.forward_dynamics(model, q, v, None, None, np.eye(model.nv)[0] * a[0])

    assert linear.B[model.nv :] == pytest.approx(central(run, 1, 1e3), rel=1e-8)
    assert lissom.linearise(free, q, v).inputs == ("hinge",)
    pushed = lissom.linearise(model, q, v, inputs="beam.tip.y").B[model.nv :, 0]
    force = lissom.dynamics.point_force(model, q, [0, 0, 0, 0, 1, 0], "beam")
    still = lissom.forward_dynamics(model, q, v)
    assert pushed == pytest.approx(lissom.forward_dynamics(model, q, v, force) - still, rel=1e-6, abs=1e-6)
    assert pushed[0] == 0


def test_poles_of_a_clamped_beam_have_the_damping_ratio_asked_for():
    model = clamped_beam(0.02).compile()
    poles = lissom.linearise(model).poles().oscillating
    assert poles.damping_ratios == pytest.approx(np.full(model.nv, 0.02), rel=1e-9)
    undamped = lissom.natural_modes(model)
    assert poles.frequencies == pytest.approx(undamped.frequencies, rel=1e-9)
    assert undamped.damping_ratios == pytest.approx(np.full(model.nv, 0.02), rel=1e-9)
    assert lissom.linearise(model).poles().stable
    assert not lissom.linearise(clamped_beam().compile()).poles().stable
    assert poles.table().row_count == model.nv


def test_discrete_time_steps_equal_a_fine_integration_with_the_input_held():
    linear = lissom.linearise(hinged_beam(), outputs=["hinge"])
    dt, fine = 1e-3, 2000
    x, u = np.linspace(0, 0.01, len(linear.A)), np.array([3.0])
    step = linear.discretise(dt)
    h, y = dt / fine, x
    half = np.eye(len(linear.A)) - h / 2 * linear.A
    for _ in range(fine):
        y = np.linalg.solve(half, y + h / 2 * linear.A @ y + h * linear.B @ u)
    assert step.A @ x + step.B @ u == pytest.approx(y, rel=1e-5, abs=1e-6 * np.abs(y).max())
    slow, stepped = linear.poles().oscillating, step.poles().oscillating
    assert stepped.frequencies[:2] == pytest.approx(slow.frequencies[:2], rel=1e-6)
    assert stepped.damping_ratios[:2] == pytest.approx(slow.damping_ratios[:2], rel=1e-6)
    assert step.dt == dt
    assert "dt = 0.001" in repr(step)
    with pytest.raises(lissom.LissomError, match="already"):
        step.discretise(dt)
    with pytest.raises(lissom.LissomError, match="positive time"):
        linear.discretise(0)
    with pytest.raises(lissom.LissomError, match="dt = 10000: is so long"):
        replace(linear, A=np.eye(len(linear.A))).discretise(1e4)


def test_the_linear_model_about_an_equilibrium_stays_there():
    model = lissom.load("canadarm2").compile()
    rest = lissom.static_equilibrium(model, {"shoulder": 0.4, "elbow": -0.9})
    linear = lissom.linearise(model, rest)
    assert np.abs(linear.a).max() < 1e-7
    assert isinstance(linear, LinearModel)
    assert linear.inputs == tuple(f"{joint}.rotor" for joint in model.joints)
    assert linear.states[: model.nv] == model.coordinates
    assert linear.states[-1] == "wrist-swing.rotor.rate"
    with pytest.raises(lissom.LissomError, match="brings its own forces"):
        lissom.linearise(model, rest, tau=np.zeros(model.nv))


def test_loads_and_wrenches_are_part_of_the_linear_model():
    model = lissom.load("ella").compile()
    loads, wrenches = {"forearm": [1.0, 2.0, 0.5, 20.0, -30.0, 10.0]}, {"upper": [0.0, 1.0, 0.0, 5.0, 0.0, 3.0]}
    rest = lissom.static_equilibrium(model, {"elbow": 0.6}, loads=loads, wrenches=wrenches)
    linear = lissom.linearise(model, rest)
    assert np.abs(linear.a).max() < 1e-7
    still = np.zeros(model.nv)

    def moved(s):
        at = integrate(model, rest.q, s)
        push = lissom.dynamics.point_force(model, at, loads["forearm"], "forearm")
        return lissom.forward_dynamics(model, at, still, rest.tau + push, wrenches)

    numeric = central(moved, model.nv)
    assert np.abs(linear.A[model.nv :, : model.nv] - numeric).max() < 1e-6 * np.abs(numeric).max()


def test_to_control_is_the_same_system_or_says_what_to_install(monkeypatch):
    linear = lissom.linearise(hinged_beam(), outputs=["hinge", "beam.tip.y"])
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "control", None)
        with pytest.raises(lissom.LissomError, match=r"pip install \"lissom\[control\]\""):
            linear.to_control()
    control = pytest.importorskip("control")
    system = linear.to_control()
    assert np.array_equal(system.A, linear.A)
    assert system.output_labels == ["hinge", "beam_tip_y"]
    omega = 11.0
    expected = lissom.frequency_response(
        linear, outputs="beam.tip.y", inputs="hinge", frequencies=[omega / 2 / np.pi]
    ).response[0]
    assert system(1j * omega)[1, 0] == pytest.approx(expected, rel=1e-9)
    assert control.isdtime(linear.discretise(0.01).to_control(), strict=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"outputs": "elbo"}, "did you mean 'elbow'"),
        ({"outputs": "forarm.tip"}, "did you mean 'forearm'"),
        ({"outputs": "forearm.tip.w"}, "x, y or z"),
        ({"outputs": "hub.deflection"}, "hub is rigid; the flexible links are upper, forearm"),
        ({"outputs": [3]}, "signal = 3: write a name like"),
        ({"inputs": "upper.deflection"}, "cannot be an input"),
        ({"q": np.zeros(2)}, r"shape \(23,\)"),
        ({"q": {"elbow": float("nan")}}, "^q.elbow = nan: takes 1 finite number"),
        ({"q": {"elbow": [1, 2]}}, r"^q.elbow = \[1, 2\]: takes 1 finite number"),
        ({"tau": {"elbows": 1.0}}, "did you mean 'elbow'"),
    ],
)
def test_wrong_arguments_get_a_plain_message(options, message):
    with pytest.raises(lissom.LissomError, match=message):
        lissom.linearise(lissom.load("ella"), **options)


def test_something_that_is_no_model_is_refused():
    with pytest.raises(lissom.LissomError, match=r"robot = .*: must be its name"):
        lissom.linearise(3.0)


@pytest.mark.parametrize(
    ("speed", "flap", "lag"), [(2, 4.1373196, 3.621797), (6, 7.360373, 4.2632254), (4, 5.5850014, 3.8977225)]
)
def test_a_spinning_blade_is_linearised_about_its_steady_motion(speed, flap, lag):
    """Wright et al. 1982, omega sqrt(rhoA L^4 / EI): the blade stretches first, and that tension stiffens it."""
    section = {"shape": "circle", "diameter": 0.02}
    beam = {"length": 2.0, "material": "steel", "section": section, "modes": {"y": 5, "z": 5, "axial": 2}}
    hub = {"name": "hub", "type": "revolute", "axis": [0, 0, 1]}
    data = {"lissom": 1, "name": "blade", "gravity": [0, 0, 0], "links": [{"name": "rod", "joint": hub, "beam": beam}]}
    data["materials"] = {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7850.0}}
    model = lissom.Robot.from_dict(data).compile(prescribed=["hub"])
    unit = np.sqrt(2.1e11 * np.pi * 0.01**4 / 4 / (7850.0 * np.pi * 0.01**2 * 2.0**4))
    steady = lissom.steady_motion(model, v={"hub": speed * unit})
    linear = lissom.linearise(model, *steady)
    assert np.abs(linear.a).max() < 1e-6
    found = np.unique(np.round(np.abs(np.linalg.eigvals(linear.A)) / unit, 6))
    assert found[found > 0.1][:2] == pytest.approx([lag, flap], rel=2e-3)
    with pytest.warns(UserWarning, match=r"rod.axial1 by .* about the steady motion"):
        lissom.linearise(model, v={"hub": speed * unit})
