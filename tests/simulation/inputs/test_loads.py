"""Loads, elements, payloads and prescribed poses in time, against formulas and balances."""

import numpy as np
import pytest

import lissom
from lissom import Load, Payload, control
from lissom.control import Reference
from lissom.lie import quaternion, so3
from lissom.model import Robot

EI = 2.1e11 * 0.03 * 0.02**3 / 12


def cantilever(stiffening="first", **more):
    beam = {
        "length": 1.5,
        "material": "steel",
        "section": {"shape": "rectangle", "width": 0.03, "height": 0.02},
        "shear": "none",
        "modes": {"z": 5, "y": 2},
        "damping": 0.2,
        "stiffening": stiffening,
    }
    data = {
        "name": "cantilever",
        "gravity": [0, 0, 0],
        "materials": {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7800.0}},
        "links": [{"name": "beam", "joint": "fixed", "beam": beam}],
    }
    return Robot.from_dict(data | more)


@pytest.mark.parametrize("stiffening", ["none", "first", "exact"])
def test_a_force_at_a_station_bends_the_beam_as_the_formula_says(stiffening):
    a, force = 0.9, 30.0
    step = Reference.step([0, 0, 0], [0, 0, force], at=0.2)
    run = lissom.simulate(
        cantilever(stiffening), 4.0, loads=[Load(link="beam", at=a, force=step)], rtol=1e-8, atol=1e-10
    )
    tip = force * a**2 * (3 * 1.5 - a) / (6 * EI)
    assert float(run.deflection("beam")[-1, 2]) == pytest.approx(tip, rel=2e-3)
    assert abs(float(run.deflection("beam").sel(time=0.2, method="nearest")[2])) < 1e-4
    wrench = run.wrench("beam", frame="world").values[-1]
    np.testing.assert_allclose(wrench[3:], [0, 0, -force], atol=1e-3 * force)
    assert wrench[1] == pytest.approx(force * a, rel=2e-3)
    assert run.energy_audit().relative < 1e-5
    assert run.load_work[-1] > 0


def test_joint_wrenches_balance_the_loads_of_a_free_body():
    robot = lissom.load("ella")
    rng = np.random.default_rng(0)
    loads = [
        Load(link=link.name, force=rng.normal(size=3).tolist(), torque=rng.normal(size=3).tolist(), name=f"l{k}")
        for k, link in enumerate(robot.links)
    ]
    plain = lissom.simulate(robot, 0.05, rate=100)
    run = lissom.simulate(robot, 0.05, rate=100, loads=loads)
    model, k = run.model, -1
    a = run.a[k]
    without = lissom.joint_wrenches(robot, run.q[k], run.v[k], a, frame="world")[0]
    force = np.sum([load.force.to for load in loads], axis=0)
    first = run.wrench(model.joints[0], frame="world").values[k]
    np.testing.assert_allclose(first[3:], without[3:] - force, atol=1e-9)
    places = run.dataset["load_position"].values[k] - run.dataset["link_position"].values[k, 0]
    torque = sum(np.cross(p, load.force.to) + np.array(load.torque.to) for p, load in zip(places, loads))
    np.testing.assert_allclose(first[:3], without[:3] - torque, atol=1e-9)
    assert not np.allclose(plain.q[-1], run.q[-1])
    assert "load_work" not in plain.dataset


def test_loads_from_steps_splines_waves_tables_and_functions(tmp_path):
    table = tmp_path / "gust.csv"
    table.write_text("t,fx,fy,fz\n" + "\n".join(f"{t},0,{np.sin(t)},0" for t in np.linspace(0, 2, 41)))
    waves = {
        "spline": {
            "type": "spline",
            "at": np.linspace(0, 2, 41).tolist(),
            "to": [[0, np.sin(t), 0] for t in np.linspace(0, 2, 41)],
        },
        "sine": {"type": "sine", "amplitude": [0, 1, 0], "frequency": 1 / (2 * np.pi)},
        "csv": {"type": "csv", "path": str(table), "columns": ["fx", "fy", "fz"]},
        "function": lambda t: [0, np.sin(t), 0],
        "reference": Reference.from_function(lambda t: np.array([0, np.sin(t), 0]), 2.0),
    }
    ends = {
        name: lissom.simulate(cantilever(), 2.0, loads=[{"link": "beam", "force": force}], rate=50, method="radau").q[
            -1
        ]
        for name, force in waves.items()
    }
    for name, end in ends.items():
        np.testing.assert_allclose(end, ends["sine"], atol=2e-7, err_msg=name)
    held = lissom.simulate(cantilever(), 1.0, loads=Load(link="beam", force=lambda t, q, v: [0, 1.0, 0], rate=50))
    same = lissom.simulate(cantilever(), 1.0, loads=Load(link="beam", force=[0, 1.0, 0]))
    np.testing.assert_allclose(held.q[-1], same.q[-1], atol=1e-7)


def test_a_wave_has_one_number_for_all_or_as_many_of_each():
    wave = {"type": "sine", "amplitude": [0, 1, 0], "frequency": 2.0}
    Load(link="beam", force=wave | {"mean": 2.0, "phase": [0, 0, 1]})
    with pytest.raises(lissom.LissomError, match=r"force.mean = \[1, 2\]: has 2 numbers where amplitude has 3"):
        Load(link="beam", force=wave | {"mean": [1, 2]})


def test_a_load_in_link_axes_turns_with_the_link():
    wheel = {
        "name": "wheel",
        "gravity": [0, 0, 0],
        "links": [
            {
                "name": "wheel",
                "joint": {"type": "revolute", "axis": [0, 0, 1]},
                "body": {"mass": 1.0, "inertia": [1, 1, 2]},
            }
        ],
    }
    push = {"link": "wheel", "origin": {"xyz": [0.5, 0, 0]}, "force": [0, 4.0, 0]}
    run = lissom.simulate(Robot.from_dict(wheel), 2.0, loads=[push | {"frame": "local"}])
    assert float(run["wheel"][-1]) == pytest.approx(0.5 * (0.5 * 4.0 / 2) * 2.0**2, rel=1e-6)
    assert run.load_work[-1] == pytest.approx(run.dataset["kinetic_energy"].values[-1], rel=1e-6)


def pendulum(length=3.0, **rope):
    """A payload that a rope carries below a fixed point."""
    hoist = {
        "name": "hoist",
        "type": "rope",
        "between": [{"link": "world"}, {"link": "hook"}],
        "stiffness": 1e6,
        "damping": 500.0,
        "length": length,
    }
    return Robot.from_dict(
        {
            "name": "rope-pendulum",
            "links": [{"name": "hook", "joint": "free", "body": {"mass": 50.0, "inertia": [2.0] * 3}}],
            "elements": [hoist | rope],
        }
    )


@pytest.mark.parametrize("method", ["radau", "generalised-alpha"])
def test_a_payload_on_a_rope_swings_with_the_pendulums_period(method):
    hang = 3.0 + 50 * 9.81 / 1e6 + 0.5e-5 * 3.0  # stretched; half of where it becomes taut
    small = 0.05
    start = {"hook": [1, 0, 0, 0, hang * np.sin(small), 0, -hang * np.cos(small)]}
    run = lissom.simulate(pendulum(), 7.5, start=start, method=method, rate=500, rtol=1e-7)
    x = run["hook"].values[:, 4]
    crossings = run.time[:-1][(x[:-1] > 0) & (x[1:] <= 0)]
    period = 2 * np.pi * np.sqrt(hang / 9.81) * (1 + small**2 / 16)
    assert np.diff(crossings) == pytest.approx(period, rel=1e-3)
    assert run.dataset["element_force"].values.min() > 0
    assert run.energy_audit().relative < 1e-4


def test_a_slack_rope_does_not_push_and_catches_the_payload():
    run = lissom.simulate(pendulum(), 1.2, start={"hook": [1, 0, 0, 0, 0, 0, -2.0]}, method="radau", rtol=1e-7)
    force, length = run.dataset["element_force"].values[:, 0], run.dataset["element_length"].values[:, 0]
    assert np.all(force[length < 3.0] == 0)
    assert force.max() > 50 * 9.81 * 2
    assert run.energy_audit().relative < 1e-4


def test_a_spring_between_links_counts_in_natural_frequencies_and_the_linear_model():
    free = {"joint": {"type": "prismatic", "axis": [1, 0, 0]}}
    data = {
        "name": "two-masses",
        "gravity": [0, 0, 0],
        "links": [
            {"name": "a", "body": {"mass": 2.0}, "parent": "world"} | free,
            {"name": "b", "body": {"mass": 3.0}, "parent": "world", "origin": {"xyz": [1.0, 0, 0]}} | free,
        ],
        "elements": [
            {
                "name": "s",
                "type": "spring",
                "between": [{"link": "a"}, {"link": "b"}],
                "stiffness": 500.0,
                "length": 1.0,
            },
            {
                "name": "wall",
                "type": "spring",
                "between": [{"link": "world", "origin": {"xyz": [-1, 0, 0]}}, {"link": "a"}],
                "stiffness": 200.0,
                "length": 1.0,
            },
        ],
    }
    robot = Robot.from_dict(data)
    K = np.array([[700.0, -500.0], [-500.0, 500.0]])
    expected = np.sqrt(np.sort(np.linalg.eigvals(np.diag([1 / 2, 1 / 3]) @ K).real)) / (2 * np.pi)
    np.testing.assert_allclose(lissom.natural_modes(robot, locked=False).frequencies, expected, rtol=1e-9)
    linear = lissom.linearise(robot, robot.compile().neutral())
    poles = np.sort(np.abs(np.linalg.eigvals(linear.A)))[::2] / (2 * np.pi)
    np.testing.assert_allclose(poles, expected, rtol=1e-6)


def test_a_cylinder_pushes_with_what_drives_it():
    data = {
        "name": "press",
        "gravity": [0, 0, 0],
        "links": [
            {
                "name": "ram",
                "joint": {"type": "prismatic", "axis": [1, 0, 0]},
                "origin": {"xyz": [0.5, 0, 0]},
                "body": {"mass": 4.0},
            }
        ],
        "elements": [
            {"name": "lift", "type": "cylinder", "between": [{"link": "world"}, {"link": "ram"}], "force": 2.0}
        ],
    }
    run = lissom.simulate(
        Robot.from_dict(data),
        1.0,
        loads=[{"element": "lift", "force": {"type": "steps", "at": [0, 0.5], "to": [0, 6.0]}}],
    )
    assert float(run.velocity("ram")[-1]) == pytest.approx((2.0 * 1.0 + 6.0 * 0.5) / 4.0, rel=1e-9)
    assert run.load_work[-1] == pytest.approx(0.5 * 4.0 * float(run.velocity("ram")[-1]) ** 2, rel=1e-9)
    assert float(run.dataset["element_force"][-1, 0]) == pytest.approx(-8.0)


def test_a_stiff_bushing_holds_as_a_fixed_joint():
    """A free body held by an ever stiffer bushing moves as one that is joined."""
    beam = cantilever().to_dict()["links"][0]
    joined = beam | {"joint": {"type": "revolute", "axis": [0, 1, 0]}}
    base = cantilever().to_dict() | {"gravity": [0, 0, -9.81]}
    tip = {"name": "tip", "joint": "fixed", "body": {"mass": 2.0, "inertia": [0.02] * 3}}
    fixed = Robot.from_dict(base | {"links": [joined, tip]})
    expected = lissom.simulate(fixed, 0.2, method="radau", rtol=1e-9, atol=1e-11).tip("tip").values[-1]
    apart = []
    for stiffness in (1e6, 1e8):
        bushing = {"name": "b", "type": "bushing", "between": [{"link": "beam"}, {"link": "tip"}]}
        bushing |= {"stiffness": [stiffness / 10] * 3 + [stiffness] * 3, "damping": [stiffness / 1e5] * 6}
        cut = tip | {"parent": "world", "origin": {"xyz": [1.5, 0, 0]}, "joint": "free"}
        robot = Robot.from_dict(base | {"links": [joined, cut], "elements": [bushing]})
        run = lissom.simulate(robot, 0.2, method="radau", rtol=1e-9, atol=1e-11)
        apart.append(np.linalg.norm(run.tip("tip").values[-1] - expected))
        assert run.energy_audit().relative < 1e-4
    assert apart[1] < 0.05 * apart[0] < 1e-4


@pytest.mark.parametrize("method", ["radau", "dop853", "generalised-alpha"])
def test_a_ships_roll_and_heave_carry_the_arm_and_their_work_closes_the_balance(method):
    mast = {
        "name": "mast",
        "parent": "ship",
        "origin": {"xyz": [0, 0, 4.0]},
        "joint": {"type": "revolute", "axis": [1, 0, 0], "damping": 5.0},
        "body": {"mass": 20.0, "com": [0, 0, -1.0], "inertia": [3.0] * 3},
    }
    robot = Robot.from_dict(
        {
            "name": "ship",
            "links": [
                {"name": "ship", "joint": {"name": "sea", "type": "free"}, "body": {"mass": 1e4, "inertia": [1e5] * 3}},
                mast,
            ],
        }
    )
    t = np.linspace(0, 6, 61)
    rpy = np.stack([0.2 * np.sin(t), 0.1 * np.sin(1.3 * t), 0.4 * t], axis=1)
    motion = {"sea": control.pose_motion(t, rpy=rpy, position=np.stack([t, 0 * t, 0.5 * np.sin(0.8 * t)], axis=1))}
    run = lissom.simulate(robot, 5.5, motion=motion, method=method, rtol=1e-8, atol=1e-10)
    assert run.energy_audit().relative < (1e-3 if method == "generalised-alpha" else 1e-6)
    k = int(np.argmin(abs(run.time - 3.0)))
    R = so3.from_rpy([0.2 * np.sin(3.0), 0.1 * np.sin(3.9), 1.2])
    np.testing.assert_allclose(quaternion.to_matrix(run.q[k, :4]), R, atol=2e-5)
    # the twist that is reported is the derivative of the pose that is reported, its rate that of the twist
    pose, h = run.q[:, :7], run.time[1] - run.time[0]
    dR = (quaternion.to_matrix(pose[k + 1, :4]) - quaternion.to_matrix(pose[k - 1, :4])) / (2 * h)
    np.testing.assert_allclose(so3.vee(R.T @ dR), run.v[k, :3], atol=1e-4)
    np.testing.assert_allclose((run.v[k + 1, :6] - run.v[k - 1, :6]) / (2 * h), run.a[k, :6], atol=1e-3)


def test_a_payload_picked_up_at_rest_keeps_the_momentum():
    cart = {
        "name": "cart",
        "gravity": [0, 0, 0],
        "links": [{"name": "cart", "joint": {"type": "prismatic", "axis": [1, 0, 0]}, "body": {"mass": 3.0}}],
    }
    run = lissom.simulate(
        Robot.from_dict(cart),
        3.0,
        start={"cart.rate": 2.0},
        payloads=[Payload(link="cart", mass=1.0, pick=1.0, drop=2.0)],
    )
    v = run.velocity("cart").values
    assert v[0] == pytest.approx(2.0)
    assert v[-1] == pytest.approx(1.5, rel=1e-9)  # 3 * 2 / (3 + 1); dropping changes nothing
    assert run.dissipated[-1] == pytest.approx(0.5 * 3 * 2**2 - 0.5 * 4 * 1.5**2)
    assert run.energy_audit().relative < 1e-9
    assert float(run.dataset["kinetic_energy"].sel(time=1.5)) == pytest.approx(0.5 * 4 * 1.5**2)
    assert float(run.dataset["kinetic_energy"][-1]) == pytest.approx(0.5 * 3 * 1.5**2)
    assert [event.kind for event in run.warnings] == ["payload", "payload"]


def steadily(start, speed):
    """A motion at one speed."""
    t = np.linspace(0.0, 3.0, 4)
    return Reference.from_samples(t, start + speed * t)


def test_a_driven_cart_picks_up_a_payload_at_its_own_speed():
    cart = {"name": "cart", "joint": {"type": "prismatic", "axis": [1, 0, 0]}, "body": {"mass": 3.0}}
    robot = Robot.from_dict({"name": "belt", "gravity": [0, 0, 0], "links": [cart]})
    drive = {"cart": steadily(0.0, 2.0)}
    run = lissom.simulate(robot, 2.0, motion=drive, payloads=Payload(link="cart", mass=1.0, pick=1.0))
    assert run.velocity("cart").values == pytest.approx(2.0)
    assert run.dataset["work"].values[-1] == pytest.approx(1.0 * 2.0**2)  # half of it moves the payload
    assert run.dissipated[-1] == pytest.approx(0.5 * 1.0 * 2.0**2)
    assert run.energy_audit().relative < 1e-9


@pytest.mark.parametrize("motors", ["free", "driven"])
def test_a_payload_picked_up_by_a_closed_loop_leaves_it_closed(motors):
    locked = ["left-motor", "right-motor"] if motors == "driven" else []
    model = lissom.load("five-bar").compile(prescribed=locked)
    motion = {name: steadily(angle, 2.0) for name, angle in zip(locked, (2.0944, 1.0472))}
    start = {"left-motor": 2.0944, "right-motor": 1.0472, "left-motor.rate": 2.0, "right-motor.rate": 2.0}
    start |= {"left-elbow.near": -1.3, "right-elbow.near": 1.3}
    pick = Payload(link="right-far", mass=0.8, pick=0.01)
    run = lissom.simulate(model, 0.02, start=start, motion=motion, payloads=pick, rate=1e3, method="radau", rtol=1e-9)
    k = int(np.argmin(abs(run.time - 0.01)))
    before = lissom.simulate(model, 0.01, start=start, motion=motion, rate=1e3, method="radau", rtol=1e-9)
    q, v, after = before.q[-1], before.v[-1], run.v[k]
    np.testing.assert_allclose(run.q[k], q, atol=1e-9)
    G, M = lissom.dynamics.loop_jacobian(model, q), lissom.mass_matrix(model, q)
    assert np.abs(G @ after).max() < 1e-11
    J = lissom.jacobian(model, q, "right-far")[3:]
    impulse = M @ (after - v) + 0.8 * J.T @ (J @ after)  # of loops and drives alone
    free = model.arrays.velocities.prescribed == 0
    across = np.linalg.svd(G[:, free])[2][np.linalg.matrix_rank(G[:, free], tol=1e-9) :]
    assert np.abs(across @ impulse[free]).max() < 1e-9 * np.abs(M @ v).max()
    assert np.abs(after - v).max() > 0.1
    assert run.energy_audit().relative < 1e-6


@pytest.mark.parametrize("stiffening", ["none", "first", "exact"])
def test_a_payload_on_a_flexible_link_weighs_where_it_is(stiffening):
    robot = cantilever(stiffening, gravity=[0, 0, -9.81])
    own = lissom.static_equilibrium(robot).deflections["beam"].displacement[2]
    run = lissom.simulate(
        robot, 5.0, start="equilibrium", payloads=Payload(link="beam", at=1.0, mass=2.0, pick=0.1), method="radau"
    )
    more = float(run.deflection("beam")[-1, 2]) - own
    assert more == pytest.approx(-2.0 * 9.81 * 1.0**2 * (4.5 - 1.0) / (6 * EI), rel=4e-3)
    assert run.energy_audit().relative < 1e-5
    wrench = run.wrench("beam", frame="world").values
    assert wrench[-1, 5] - wrench[0, 5] == pytest.approx(2.0 * 9.81, rel=1e-2)


def truss_arm(**more):
    """A cantilever of 1 m by frame elements, 20 mm square steel, fixed at its root."""
    section = {"shape": "rectangle", "width": 0.02, "height": 0.02}
    members = [{"between": pair, "section": section, "elements": 6} for pair in (["root", "middle"], ["middle", "tip"])]
    points = {"root": [0, 0, 0], "middle": [0.5, 0, 0], "tip": [1.0, 0, 0]}
    interfaces = {"root": {}, "middle": {}, "tip": {}}
    bar = {"frame": {"points": points, "members": members}, "material": "steel", "interfaces": interfaces, "modes": 4}
    return Robot.from_dict(
        {
            "name": "truss",
            "gravity": [0, 0, 0],
            "materials": {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7800}},
            "links": [{"name": "bar", "joint": "fixed", "finite_elements": bar | {"damping": 0.2}}],
            **more,
        }
    )


@pytest.mark.parametrize(("at", "x"), [("middle", 0.5), ("tip", 1.0)])
def test_a_force_on_an_interface_of_finite_elements_bends_them_as_the_formula_says(at, x):
    load = lissom.Load(link="bar", at=at, force=[0, 0, -30.0])
    run = lissom.simulate(truss_arm(), 2.0, loads=[load], rate=100, rtol=1e-8, atol=1e-10)
    down = -float(lissom.point_pose(run.model, run.q[-1], "bar", x=at)[2, 3])
    assert down == pytest.approx(30.0 * x**3 / (3 * 2.1e11 * 0.02**4 / 12), rel=1e-6)  # without shear
    assert run.load_work[-1] == pytest.approx(30.0 * down, rel=1e-6)
    assert run.energy_audit().relative < 1e-5
    at_root = run.wrench("bar", frame="world").values[-1]
    np.testing.assert_allclose(at_root, [0, -30.0 * x, 0, 0, 0, 30.0], atol=0.05)


def test_a_spring_between_finite_elements_and_the_world_carries_its_share():
    ends = [{"link": "world", "origin": {"xyz": [1.0, 0, 0.5]}}, {"link": "bar", "at": "tip"}]
    spring = {"name": "s", "type": "spring", "stiffness": 4000.0, "length": 0.4, "between": ends}
    rest = lissom.static_equilibrium(truss_arm(elements=[spring]))
    up = float(lissom.point_pose(rest.model, rest.q, "bar", x="tip")[2, 3])
    assert up == pytest.approx(0.1 * 4000.0 / (4000.0 + 3 * 2.1e11 * 0.02**4 / 12), rel=1e-6)
