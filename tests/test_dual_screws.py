"""The dual-screw theory: its nonlinear form is the kernel's model, its linear form the first order of that."""

import numpy as np
import pytest
from random_robots import random_robot

import lissom
from lissom import fem, theory
from lissom.control.twin import rigid_twin
from lissom.dynamics import integrate
from lissom.theory.dual_screws import screws

STEP = 1e-30


@pytest.fixture(params=range(4), ids=lambda seed: f"tree{seed}")
def tree(request):
    """A random tree with all kinds of joints, and a state of it with deflections of a few millimetres."""
    rng = np.random.default_rng(100 + request.param)
    model = random_robot(rng, 5, flexible=0.6).compile()
    return model, *state(model, rng, 3e-3)


def state(model, rng, deflection):
    """Random q, v, a with elastic parts of the given size."""
    size = np.ones(model.nv)
    for body in model.bodies:
        size[body.modes_v] = deflection
    return integrate(model, model.neutral(), size * rng.normal(size=model.nv)), *(size * rng.normal(size=(2, model.nv)))


def scaled(model, q, v, s):
    """The state with its elastic part times s."""
    q, v = q.astype(type(s)), v.astype(type(s))
    for body in model.bodies:
        q[body.modes_q], v[body.modes_v] = s * q[body.modes_q], s * v[body.modes_v]
    return q, v


def first_order(function, model, q, v):
    """Value at zero deflection and derivative along the deflection, summed; by the complex step."""
    value = function(*scaled(model, q, v, 1j * STEP))
    return value.real + value.imag / STEP


def close(a, b, tolerance):
    assert np.abs(a - b).max() <= tolerance * max(1.0, np.abs(b).max())


def test_the_nonlinear_form_is_the_kernels_model(tree):
    model, q, v, a = tree
    form = theory.dual_screw(model, "nonlinear")
    close(form.inverse_dynamics(q, v, a), lissom.inverse_dynamics(model, q, v, a), 1e-11)
    close(form.wrenches(q, v, a), lissom.joint_wrenches(model, q, v, a), 1e-11)
    M, c = form.equations(q, v)
    close(M, lissom.mass_matrix(model, q), 1e-11)
    close(c, lissom.bias(model, q, v), 1e-11)
    close(form.accelerations(q, v, a), lissom.forward_dynamics(model, q, v, a), 1e-7)
    close(form.tip(q), lissom.tip_pose(model, q), 1e-12)


def test_the_linear_form_is_the_first_order_of_the_kernels_model_and_nothing_else(tree):
    model, q, v, a = tree
    form = theory.dual_screw(model)
    close(
        form.inverse_dynamics(q, v, a),
        first_order(lambda q, v: lissom.inverse_dynamics(model, q, v, a), model, q, v),
        1e-11,
    )
    close(
        form.wrenches(q, v, a),
        first_order(lambda q, v: lissom.joint_wrenches(model, q, v, a), model, q, v),
        1e-11,
    )
    M, c = form.equations(q, v)
    close(M, first_order(lambda q, v: lissom.mass_matrix(model, q), model, q, v), 1e-11)
    close(M @ a + c, form.inverse_dynamics(q, v, a), 1e-11)


def slope(form, model, q, v, a):
    """Power of the deflection with which the forces leave the kernel's; elastic accelerations are of its order."""
    sizes, residuals = np.array([1.0, 0.5, 0.25, 0.125]), []
    for s in sizes:
        qs, vs = scaled(model, q, v, float(s))
        exact = lissom.inverse_dynamics(model, qs, vs, a)
        residuals.append(np.linalg.norm(form.inverse_dynamics(qs, vs, a) - exact))
    return np.polyfit(np.log(sizes), np.log(residuals), 1)[0]


@pytest.mark.parametrize("robot", ["dual-screw-arm", "ella", "satellite-two-arm"])
def test_the_linear_forms_residual_falls_with_the_square_of_the_deflection(robot):
    model = lissom.load(robot).compile()
    q, v, a = state(model, np.random.default_rng(5), 2e-3)
    assert 1.9 < slope(theory.dual_screw(model), model, q, v, a) < 2.1


def test_the_screws_as_printed_leave_out_forces_of_first_order():
    model = lissom.load("dual-screw-arm").compile()
    q, v, a = state(model, np.random.default_rng(5), 2e-3)
    assert 0.9 < slope(theory.dual_screw(model, "printed"), model, q, v, a) < 1.1


def test_an_undeformed_arm_is_the_rigid_arm():
    model = lissom.load("dual-screw-arm").compile()
    q, v, a = state(model, np.random.default_rng(2), 0.0)
    twin = rigid_twin(model.robot).compile()
    joints = [body.joint_v.start for body in model.bodies]
    rigid = lissom.inverse_dynamics(twin, q[joints], v[joints], a[joints])
    form = theory.dual_screw(model)
    close(form.inverse_dynamics(q, v, a)[joints], rigid, 1e-12)
    close(form.wrenches(q, v, a), lissom.joint_wrenches(twin, q[joints], v[joints], a[joints]), 1e-12)
    close(form.tip(q), lissom.tip_pose(twin, q[joints]), 1e-13)


def test_a_rigid_arm_is_exact():
    model = lissom.load("rigid-7-axis").compile()
    q, v, a = state(model, np.random.default_rng(3), 0.0)
    form = theory.dual_screw(model)
    close(form.accelerations(q, v, a), lissom.forward_dynamics(model, q, v, a), 1e-10)


def test_the_tip_is_right_to_first_order():
    model = lissom.load("dual-screw-arm").compile()
    q, v, _ = state(model, np.random.default_rng(4), 2e-3)
    form, sizes, errors = theory.dual_screw(model), np.array([1.0, 0.5, 0.25]), []
    for s in sizes:
        qs, _ = scaled(model, q, v, float(s))
        errors.append(np.linalg.norm(form.tip(qs) - lissom.tip_pose(model, qs)))
    assert 1.9 < np.polyfit(np.log(sizes), np.log(errors), 1)[0] < 2.1
    R = form.tip(q)[:3, :3]
    close(R @ R.T, np.eye(3), 1e-14)


def test_projection_matrices_map_speeds_to_the_twist_of_every_link(tree):
    model, q, v, _ = tree
    for link, at in screws.projections(model, q, v).items():
        twist = (at.jacobian @ v).reshape(2, 2, 3).sum(axis=1).ravel()
        body = model.robot.link(link).body
        shift = np.zeros(3) if body is None or body.tip is None else -np.asarray(body.tip)
        x = 0.0 if link in model.beams else None

        def exact(q, v, link=link, x=x, shift=shift):
            return lissom.point_velocity(model, q, v, link, x, shift, "point")

        close(twist, first_order(exact, model, q, v), 1e-11)


def test_derivatives_of_projection_matrices_are_those_along_the_motion(tree):
    model, q, v, _ = tree
    h = 1e-6
    ahead, behind = (screws.projections(model, integrate(model, q, s * h * v), v) for s in (1, -1))
    for link, at in screws.projections(model, q, v).items():
        slope = (ahead[link].jacobian - behind[link].jacobian) / (2 * h)
        assert np.abs(at.rate - slope).max() < 1e-7 * max(1.0, np.abs(slope).max())


def test_system_matrices_summed_over_sections_are_those_of_the_recursion():
    """With sections that have no rotary inertia: the paper's does not turn with the section."""
    rng = np.random.default_rng(8)
    robot = lissom.load("dual-screw-arm")
    section = {"rhoA": 1.2, "EA": 3e7, "EIy": 1.2e4, "EIz": 1.5e4, "GJ": 9e3, "Jx": 1e-30, "Jy": 0.0, "Jz": 0.0}
    for link in ("link2", "link3"):
        robot = robot.with_value(f"links.{link}.beam.section", section)
    model = robot.compile()
    q, v, _ = state(model, rng, 2e-3)
    own = screws.matrices(model, q, v)
    M, c = theory.dual_screw(model, "printed").equations(q, v)
    close(own.M, M, 1e-12)
    eta, damping = np.zeros(model.nv), np.zeros(model.nv)
    for body in model.bodies:
        if body.link in model.beams:
            eta[body.modes_v] = q[body.modes_q]
            damping[body.modes_v] = model.beams[body.link].damping_matrix() @ v[body.modes_v]
    elastic = own.K @ eta + damping
    close(own.C @ v - own.tau, c - elastic, 1e-9)


def test_mode_families_of_the_paper_serve_as_well():
    robot = lissom.load("dual-screw-arm")
    for link, mass in (("link2", 1.5), ("link3", 0.8)):
        robot = robot.with_value(f"links.{link}.beam.modes", {"y": 2, "z": 2, "torsion": 2})
        robot = robot.with_value(f"links.{link}.beam.ends", {"family": "clamped-mass", "tip_mass": mass})
    for family in (robot, robot.with_value("links.link2.beam.ends", "clamped-free")):
        model = family.compile()
        q, v, a = state(model, np.random.default_rng(6), 2e-3)
        assert 1.9 < slope(theory.dual_screw(model), model, q, v, a) < 2.1


@pytest.fixture(scope="module")
def meshed_tree(tmp_path_factory):
    """A boom of solid elements that carries a beam at its end and a camera at its side."""
    file = tmp_path_factory.mktemp("mesh") / "boom.vtk"
    fem.box_mesh((0.8, 0.05, 0.04), (6, 1, 1)).write(file)
    mesh = {
        "mesh": str(file),
        "material": "plastic",
        "interfaces": {
            "root": {"x": 0},
            "side": {"box": [[0.2, 0.025, -0.02], [0.6, 0.025, 0.02]], "tie": "averaging"},
            "flange": {"x": 0.8, "tie": "averaging"},
        },
        "modes": {"count": 6},
    }
    rod = {"shape": "circle", "diameter": 0.02}
    beam = {"length": 0.6, "material": "plastic", "section": rod, "modes": {"y": 2, "z": 2, "torsion": 1}}
    camera = {"mass": 0.3, "com": [0, 0.05, 0], "inertia": [1e-3, 1e-3, 1e-3]}
    turn = {"type": "revolute", "axis": [0, 0, 1]}
    links = [
        {"name": "boom", "joint": {"name": "shoulder", "type": "revolute", "axis": [0, 1, 0]}, "flexible": mesh},
        {"name": "rod", "at": "flange", "joint": turn, "beam": beam},
        {"name": "camera", "parent": "boom", "at": "side", "joint": turn, "body": camera},
    ]
    materials = {"plastic": {"E": 2e9, "nu": 0.35, "rho": 1200.0}}
    return lissom.Robot.from_dict({"lissom": 1, "name": "meshed", "materials": materials, "links": links}).compile()


def test_links_of_finite_elements_serve_as_well(meshed_tree):
    model = meshed_tree
    q, v, a = state(model, np.random.default_rng(9), 1e-3)
    nonlinear, linear = theory.dual_screw(model, "nonlinear"), theory.dual_screw(model)
    close(nonlinear.inverse_dynamics(q, v, a), lissom.inverse_dynamics(model, q, v, a), 1e-11)
    close(nonlinear.wrenches(q, v, a), lissom.joint_wrenches(model, q, v, a), 1e-11)
    exact = first_order(lambda q, v: lissom.inverse_dynamics(model, q, v, a), model, q, v)
    close(linear.inverse_dynamics(q, v, a), exact, 1e-11)
    assert 1.9 < slope(linear, model, q, v, a) < 2.1
    rates = screws.projections(model, q, v)
    assert np.abs(rates["rod"].rate).max() > 0
    with pytest.raises(theory.Unsupported, match="boom is made of finite elements"):
        screws.matrices(model, q, v)


def test_links_of_finite_elements_in_time(meshed_tree):
    start = {"shoulder": 0.3, "rod": 0.5}
    linear = theory.simulate(theory.dual_screw(meshed_tree), 0.5, start=start, rtol=1e-6, atol=1e-8)
    kernel = lissom.simulate(meshed_tree, 0.5, start=start, progress=False)
    apart = np.linalg.norm(linear.tip("rod").values - kernel.tip("rod").values, axis=1).max()
    bent = np.linalg.norm(kernel.deflection("rod").values, axis=1).max()
    assert apart < 0.1 * bent < 1e-2


def test_a_mass_matrix_that_lost_its_sign_is_an_error_that_says_so():
    model = lissom.load("dual-screw-arm").compile()
    q = model.neutral()
    q[model.body("link2").modes_q] = 0.3
    with pytest.raises(lissom.LissomError, match=r"not positive definite.*deflection is too large"):
        theory.dual_screw(model).accelerations(q, np.zeros(model.nv), np.zeros(model.nv))


def test_prescribed_joints_are_not_covered():
    model = lissom.load("ella").compile(prescribed="elbow")
    with pytest.raises(theory.Unsupported, match=r"elbow.*prescribed"):
        theory.build("dual_screw", model)


def test_links_with_the_exact_field_are_not_covered():
    model = lissom.load("ella").with_value("links.upper.beam.stiffening", "exact").compile()
    with pytest.raises(theory.Unsupported, match=r"upper: stiffening 'exact'.*take 'first'"):
        theory.build("dual_screw", model)


def test_an_unknown_form_is_refused():
    with pytest.raises(lissom.LissomError, match="'linear', 'printed' or 'nonlinear'"):
        theory.dual_screw(lissom.load("ella").compile(), "quadratic")


def paper_arm():
    """The four-joint arm with the paper's count of modes: two per plane, two for twist, no extension."""
    scenario = lissom.scenario.load("dual-screw-arm")
    modes = [(f"links.{link}.beam.modes", {"y": 2, "z": 2, "torsion": 2}) for link in ("link2", "link3")]
    return scenario.with_values(modes)


def manoeuvre(scenario, form):
    prepared = scenario.prepare()
    given = {key: prepared.arguments[key] for key in ("duration", "controller", "start", "rate")}
    formulation = theory.dual_screw(prepared.model, form)
    run = theory.simulate(formulation, **given, rtol=1e-6, atol=1e-8)
    return run, np.array([formulation.tip(q)[:3, 3] for q in run.q])


def test_the_manoeuvre_linear_and_nonlinear_by_one_compiled_loop():
    scenario = paper_arm()
    kernel = scenario.run(progress=False)
    exact = kernel.tip("link4").values
    nonlinear, tip = manoeuvre(scenario, "nonlinear")
    assert np.linalg.norm(tip - exact, axis=1).max() < 1e-7
    linear, tip = manoeuvre(scenario, "linear")
    difference = np.linalg.norm(tip - exact, axis=1)
    rest = linear.t < 0.5, (linear.t > 2.0) & (linear.t < 3.0), linear.t > 5.0
    assert difference.max() < 5e-3  # of a path of 2.6 m; largest amid the steps, where links bend by 15 mm
    assert all(difference[part].max() < 2e-4 for part in rest)
    for joint in nonlinear.model.joints:
        assert np.abs(linear[joint] - nonlinear[joint]).max() < 1e-2


def test_a_run_beyond_the_linear_range_says_so():
    scenario = lissom.scenario.load("dual-screw-arm")  # three functions per plane, and extension
    with pytest.warns(lissom.simulation.main.SimulationWarning, match=r"not positive definite at .* first at t = 3"):
        manoeuvre(scenario, "linear")
