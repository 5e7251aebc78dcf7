"""A trajectory gives every quantity under its name, in the documented frame and unit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sample_runs import ella_run, satellite_run, small_ella

import lissom
from lissom.lie import quaternion, so3
from lissom.results.quantity_names import ENERGIES
from lissom.results.trajectory import from_run
from lissom.simulation import RunSettings
from lissom.simulation.raw_run import RawRun

MASSES = {"hub": 1.0, "upper": 1.6302 * 0.95 + 3.3, "forearm": 1.6302 * 0.93 + 2.1}


def moving(model, q, v, duration=0.02, samples=41):
    """A run with constant velocities: kinematics alone, without forces."""
    t = np.linspace(0, duration, samples)
    q = np.array([lissom.dynamics.integrate(model, q, v * s) for s in t])
    zero = np.zeros((samples, model.nv))
    return from_run(RawRun(model, t, q, zero + v, zero, zero, 0 * t, 0 * t))


def random_motion(model, seed=1):
    rng = np.random.default_rng(seed)
    small = np.array([0.03 if "." in name and name[-1].isdigit() else 1.0 for name in model.coordinates])
    q = lissom.dynamics.integrate(model, model.neutral(), rng.normal(size=model.nv) * small)
    return q, rng.normal(size=model.nv) * small


# wrenches


def test_joints_at_rest_carry_the_weight_beyond_them():
    model = small_ella().compile()
    q, _ = random_motion(model)
    run = moving(model, q, np.zeros(model.nv), samples=2)
    carried = 0.0
    for joint, link in reversed(list(zip(model.joints, model.links))):
        carried += MASSES[link]
        force = run.wrench(joint, frame="world").values[:, 3:]
        assert_allclose(force, [[0, 9.81 * carried, 0]] * 2, rtol=0, atol=1e-10)


def test_the_straight_arm_at_rest_needs_the_moment_of_its_weight():
    model = small_ella().compile()
    run = moving(model, model.neutral(), np.zeros(model.nv), samples=2)
    beams = 1.6302 * (0.95 * 0.475 + 0.93 * (0.95 + 0.465))
    moment = 9.81 * (beams + 3.3 * 0.95 + 2.1 * 1.88)
    assert_allclose(run.wrench("shoulder").values[0, :3], [0, 0, moment], atol=1e-10)


def test_wrenches_are_those_of_the_dynamics_in_all_three_frames():
    run = ella_run()
    for frame in ("local", "parent", "world"):
        for k in (0, 57, 200):
            expected = lissom.joint_wrenches(run.model, run.q[k], run.v[k], run.a[k], frame=frame)
            found = [run.wrench(joint, frame).values[k] for joint in run.model.joints]
            assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_the_motor_torque_is_part_of_the_wrench():
    run = ella_run()
    assert_allclose(run.wrench("elbow").sel(wrench_component="tz"), run.torque("elbow"), atol=1e-7)


# coordinates


def test_a_joint_is_found_by_its_name():
    run = ella_run()
    k = run.model.q_names.index("elbow")
    assert_allclose(run["elbow"].values, run.q[:, k])
    assert_allclose(run.velocity("elbow").values, run.v[:, k])
    assert_allclose(run.acceleration("elbow").values, run.a[:, k])
    assert [a.attrs["units"] for a in (run["elbow"], run.velocity("elbow"), run.acceleration("elbow"))] == [
        "rad",
        "rad/s",
        "rad/s2",
    ]
    assert run.torque("elbow").attrs["units"] == "N m"
    assert run["elbow"].dims == ("time",)


def test_modes_and_joints_with_several_coordinates_are_found_by_name():
    run = satellite_run()
    names = run.model.q_names
    assert_allclose(run["left-upper.y1"], run.q[:, names.index("left-upper.y1")])
    assert_allclose(run["left-shoulder"], run.q[:, run.model.link("left-upper").joint_q])
    assert_allclose(run["base.wx"], run.v[:, 0])
    assert run["base"].shape == (26, 7)
    assert run["base"].attrs["units"] == "1, m"
    assert run["base.z"].attrs["units"] == "m"
    assert run["base.qw"].attrs["units"] == "1"
    assert run.velocity("base").attrs["column_units"] == ["rad/s"] * 3 + ["m/s"] * 3


def test_rotors_and_their_torques_are_found_by_name():
    model = lissom.load("canadarm2").compile()
    t = np.array([0.0, 1.0])
    rng = np.random.default_rng(0)
    q, v, a, tau = (rng.normal(size=(2, n)) for n in (model.nq, model.nv, model.nv, model.nv))
    run = from_run(RawRun(model, t, q, v, a, tau, 0 * t, 0 * t))
    assert_allclose(run["elbow.rotor"], q[:, model.q_names.index("elbow.rotor")])
    assert_allclose(run.velocity("elbow.rotor"), v[:, model.coordinates.index("elbow.rotor")])
    assert_allclose(run.torque("elbow"), tau[:, model.coordinates.index("elbow.rotor")])
    for whole, raw in ((run.q, q), (run.v, v), (run.a, a)):
        assert_allclose(whole, raw)


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (lambda run: run["elbw"], "did you mean 'elbow'"),
        (lambda run: run.velocity("shouldr"), "did you mean 'shoulder'"),
        (lambda run: run["upper"], r"upper is a link; ask for run.tip\('upper'\)"),
        (lambda run: run.tip("forarm"), "did you mean 'forearm'"),
        (lambda run: run.wrench("elbo"), "the joints are shoulder-yaw, shoulder, elbow"),
        (lambda run: run.wrench("elbow", "link"), "frame = 'link': must be 'local', 'parent' or 'world'"),
        (lambda run: run.deflection("hub"), "link = 'hub': is rigid; the flexible links are upper, forearm"),
        (lambda run: run.shape("upper", [0.1, 2.0]), "must lie on upper, from 0 to 0.95 m"),
        (lambda run: run.state(1.5), "outside the run, which lasts from 0 s to 1 s"),
        (lambda run: run.plot("enrgy"), "did you mean 'energy'"),
    ],
)
def test_a_wrong_name_gets_a_helpful_answer(ask, answer):
    with pytest.raises(lissom.LissomError, match=answer):
        ask(ella_run())


def test_the_reference_is_kept_beside_the_motion():
    run = ella_run()
    assert run.dataset["reference"].dims == ("time", "reference_q")
    assert_allclose(run.dataset["reference"].sel(reference_q="elbow")[-1], 0.4270)


# tips and deflections


@pytest.mark.parametrize("base", ["fixed", "turning", "gliding"])
def test_tip_twists_are_the_rates_of_tip_poses(base):
    model = small_ella().compile() if base == "fixed" else satellite_run().model
    q, v = random_motion(model)
    if base != "fixed":
        v[slice(3, 6) if base == "turning" else slice(0, 3)] = 0
    run = moving(model, q, v)
    step = run.time[2] - run.time[0]
    for link in model.links:
        position, turned = run.tip(link).values, run.tip(link, "orientation").values
        rate = (position[2:] - position[:-2]) / step
        turn = quaternion.product(turned[2:], quaternion.conjugate(turned[:-2]))
        twist = run.tip(link, "twist").values[1:-1]
        assert_allclose(twist[:, 3:], rate, atol=2e-5)
        assert_allclose(twist[:, :3], quaternion.log(turn) / step, atol=2e-5)


def test_the_last_station_of_the_shape_is_the_deflected_tip():
    run = ella_run()
    for link in ("upper", "forearm"):
        field = run.shape(link, stations=5)
        assert field.dims == ("time", "x", "axis")
        assert_allclose(field.isel(x=-1).values, run.deflection(link).values, atol=1e-15)
        assert_allclose(field.isel(x=0).values, 0, atol=1e-15)
        assert_allclose(run.centre_line(link, 5).isel(x=-1).values, run.tip(link).values, atol=1e-12)


def test_deflection_and_rotation_compare_the_tip_with_the_base_of_the_link():
    run = ella_run()
    base, tip = run.pose(run.time), run.pose(run.time, of="tip")
    for link, length in (("upper", 0.95), ("forearm", 0.93)):
        relative = np.linalg.inv(base[link]) @ tip[link]
        assert_allclose(run.deflection(link).values, relative[:, :3, 3] - [length, 0, 0], atol=1e-12)
        assert_allclose(run.rotation(link).values, so3.log(relative[:, :3, :3]), atol=1e-12)


def test_orientations_never_jump_between_the_two_signs_of_a_quaternion():
    model = satellite_run().model
    v = np.zeros(model.nv)
    v[:3] = 3.0, -2.0, 1.0
    run = moving(model, model.neutral(), v, duration=10.0, samples=400)
    for name in ("link_orientation", "tip_orientation"):
        q = run.dataset[name].values
        assert np.all(np.sum(q[1:] * q[:-1], axis=-1) > 0.9)


# states between samples


def test_states_at_samples_are_the_samples():
    run = satellite_run()
    q, v = run.state(run.time)
    assert_allclose(q, run.q, rtol=0, atol=1e-15)
    assert_allclose(v, run.v, rtol=0, atol=1e-15)
    assert run.state(0.1)[0].shape == (run.model.nq,)


def test_a_steady_turn_is_interpolated_exactly():
    model = satellite_run().model
    v = np.zeros(model.nv)
    v[:3] = 0.7, -0.4, 0.9
    run = moving(model, model.neutral(), v, duration=3.0, samples=4)
    q, rate = run.state(1.3)
    assert_allclose(q[:4], quaternion.exp(1.3 * v[:3]), atol=1e-12)
    assert_allclose(rate, v, atol=1e-12)


def tumbling(model, t):
    """A free base on a known way: it turns by exp(a t) exp(b t) and glides along a curve."""
    a, b = np.array([0.9, -0.5, 0.4]), np.array([-0.3, 1.1, 0.6])
    q, v, acceleration = np.tile(model.neutral(), (len(t), 1)), *np.zeros((2, len(t), model.nv))
    q[:, :4] = quaternion.product(quaternion.exp(np.outer(t, a)), quaternion.exp(np.outer(t, b)))
    q[:, 4:7] = np.stack([np.sin(2 * t), np.cos(t), t**3], axis=1)
    turned = so3.act(so3.exp(np.outer(-t, b)), a)
    back = so3.inverse(quaternion.to_matrix(q[:, :4]))
    v[:, :3] = turned + b
    v[:, 3:6] = so3.act(back, np.stack([2 * np.cos(2 * t), -np.sin(t), 3 * t**2], axis=1))
    acceleration[:, :3] = -np.cross(b, turned)
    pull = so3.act(back, np.stack([-4 * np.sin(2 * t), -np.cos(t), 6 * t], axis=1))
    acceleration[:, 3:6] = pull - np.cross(v[:, :3], v[:, 3:6])
    return q, v, acceleration


def test_interpolation_is_of_fourth_order():
    model = satellite_run().model
    between = np.linspace(0, 1, 101)
    exact = tumbling(model, between)
    errors = []
    for samples in (5, 9, 17):
        t = np.linspace(0, 1, samples)
        q, v, a = tumbling(model, t)
        run = from_run(RawRun(model, t, q, v, a, 0 * v, 0 * t, 0 * t))
        errors.append([np.abs(x - y).max() for x, y in zip(run.state(between), exact[:2])])
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(orders > 3.6), orders
    assert np.all(np.array(errors[-1]) < 1e-5), errors


# energy


def test_the_energy_accounts_close():
    run = ella_run()
    audit = run.energy_audit()
    assert audit.relative < 1e-6
    assert_allclose(run.work[-1] - run.dissipated[-1], run["stored_energy"][-1] - run["stored_energy"][0], rtol=1e-6)
    k = 100
    parts = [float(run[name][k]) for name in ENERGIES]
    assert_allclose(parts, lissom.energy(run.model, run.q[k], run.v[k]), rtol=1e-12, atol=1e-12)


def test_a_run_without_accounts_says_so():
    model = small_ella().compile()
    t = np.zeros(1)
    zero = np.zeros((1, model.nv))
    run = from_run(
        RawRun(model, t, model.neutral()[None], zero, zero, zero, t, t, settings=RunSettings(duration=1.0, audit=False))
    )
    assert "work" not in run.dataset
    with pytest.raises(lissom.LissomError, match="audit=True"):
        run.energy_audit()
    assert run.summary().energy.work is None


def test_every_variable_has_a_unit_and_a_meaning():
    for run in (ella_run(), satellite_run()):
        for name, values in run.dataset.items():
            assert values.attrs["units"], name
            assert values.attrs["long_name"], name
            assert np.all(np.isfinite(values)), name


def test_the_repr_is_one_short_line():
    assert repr(ella_run()) == (
        "<Trajectory of ella: 1 s in 201 samples, 3 joint coordinates, 4 modes, lsoda, 1 warning>"
    )


def test_a_rigid_robot_and_a_single_sample_make_a_trajectory():
    model = lissom.load("rigid-7-axis").compile()
    zero = np.zeros((1, model.nv))
    run = from_run(RawRun(model, np.zeros(1), zero, zero, zero, zero, np.zeros(1), np.zeros(1)))
    assert "eta" not in run.dataset
    assert "deflection" not in run.dataset
    assert run.state(0.0)[0].shape == (7,)
    assert str(run.summary())
