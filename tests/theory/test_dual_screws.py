"""The dual-screw theory: its nonlinear form is the kernel's model, its other forms are right to first order."""

import numpy as np
import pytest
from elastic_states import scaled
from places import reference_figures
from random_robots import random_robot

import lissom
from lissom import fem, theory
from lissom.control.laws.rigid_model import rigid_twin
from lissom.dynamics import integrate
from lissom.theory.dual_screws import screws

STEP = 1e-30
FIGURES = reference_figures()["manoeuvres"]["dual-screw-arm"]


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


def first_order(function, model, q, v, speeds=True):
    """Value at zero deflection and derivative along the deflection, summed; by the complex step."""
    value = function(*scaled(model, q, v, 1j * STEP, speeds))
    return value.real + value.imag / STEP


def close(a, b, tolerance):
    assert np.abs(a - b).max() <= tolerance * max(1.0, np.abs(b).max())


def test_the_nonlinear_form_is_the_kernels_model(tree):
    model, q, v, a = tree
    form = theory.DualScrew(model, "nonlinear")
    close(form.inverse_dynamics(q, v, a), lissom.inverse_dynamics(model, q, v, a), 1e-11)
    close(form.wrenches(q, v, a), lissom.joint_wrenches(model, q, v, a), 1e-11)
    M, c = form.equations(q, v)
    close(M, lissom.mass_matrix(model, q), 1e-11)
    close(c, lissom.bias(model, q, v), 1e-11)
    close(form.accelerations(q, v, a), lissom.forward_dynamics(model, q, v, a), 1e-7)
    close(form.tip(q), lissom.tip_pose(model, q), 1e-12)


@pytest.mark.parametrize(("name", "speeds"), [("first-order", False), ("truncated", True)])
def test_forms_of_first_order_are_that_of_the_kernels_model_and_nothing_else(tree, name, speeds):
    model, q, v, a = tree
    form = theory.DualScrew(model, name)

    def exact(function):
        return first_order(function, model, q, v, speeds)

    close(form.inverse_dynamics(q, v, a), exact(lambda q, v: lissom.inverse_dynamics(model, q, v, a)), 1e-11)
    close(form.wrenches(q, v, a), exact(lambda q, v: lissom.joint_wrenches(model, q, v, a)), 1e-11)
    M, c = form.equations(q, v)
    close(M, exact(lambda q, v: lissom.mass_matrix(model, q)), 1e-11)
    close(M @ a + c, form.inverse_dynamics(q, v, a), 1e-11)


def test_the_linear_form_has_the_same_first_order(tree):
    """Its difference from the first-order form shrinks with the square of the deflection, at speeds of any size."""
    model, q, v, a = tree
    linear, first = theory.DualScrew(model), theory.DualScrew(model, "first-order")
    for read in (lambda form, *state: form.inverse_dynamics(*state), lambda form, *state: form.wrenches(*state)):
        apart = []
        for s in (1e-3, 0.5e-3):
            qs, vs = scaled(model, q, v, s, speeds=False)
            apart.append(np.linalg.norm(read(linear, qs, vs, a) - read(first, qs, vs, a)))
        assert apart[0] < 1e-12 or 3.9 < apart[0] / apart[1] < 4.1
    M, c = linear.equations(q, v)
    close(M @ a + c, linear.inverse_dynamics(q, v, a), 1e-11)


def test_the_linear_mass_matrix_is_positive_definite_at_any_deflection():
    model = lissom.load("dual-screw-arm").compile()
    q = model.neutral()
    q[model.link("link2").modes_q] = 0.3
    assert np.linalg.eigvalsh(theory.DualScrew(model).equations(q, np.zeros(model.nv))[0])[0] > 0
    assert np.linalg.eigvalsh(theory.DualScrew(model, "first-order").equations(q, np.zeros(model.nv))[0])[0] < 0


def slope(form, model, q, v, a, speeds=True):
    """Power of the deflection with which the forces leave the kernel's; with it, or not, fall elastic speeds."""
    sizes, residuals = np.array([1.0, 0.5, 0.25, 0.125]), []
    for s in sizes:
        qs, vs = scaled(model, q, v, float(s), speeds)
        exact = lissom.inverse_dynamics(model, qs, vs, a)
        residuals.append(np.linalg.norm(form.inverse_dynamics(qs, vs, a) - exact))
    return np.polyfit(np.log(sizes), np.log(residuals), 1)[0]


@pytest.mark.parametrize("form", ["linear", "first-order", "truncated"])
@pytest.mark.parametrize("robot", ["dual-screw-arm", "ella", "satellite-two-arm"])
def test_the_residual_falls_with_the_square_of_the_deflection(robot, form):
    model = lissom.load(robot).compile()
    q, v, a = state(model, np.random.default_rng(5), 2e-3)
    assert 1.9 < slope(theory.DualScrew(model, form), model, q, v, a) < 2.1


@pytest.mark.parametrize(("form", "power"), [("linear", 2.0), ("first-order", 2.0), ("truncated", 0.0)])
def test_fast_vibrations_of_small_deflection_need_products_of_elastic_speeds(form, power):
    """As a stiff link vibrates: at speeds that do not fall with the deflection."""
    model = lissom.load("dual-screw-arm").compile()
    q, v, a = state(model, np.random.default_rng(5), 2e-3)
    v = v + state(model, np.random.default_rng(6), 0.2)[1]
    assert abs(slope(theory.DualScrew(model, form), model, q, v, a, speeds=False) - power) < 0.1


def test_the_screws_as_printed_leave_out_forces_of_first_order():
    model = lissom.load("dual-screw-arm").compile()
    q, v, a = state(model, np.random.default_rng(5), 2e-3)
    assert 0.9 < slope(theory.DualScrew(model, "printed"), model, q, v, a) < 1.1


def test_an_undeformed_arm_is_the_rigid_arm():
    model = lissom.load("dual-screw-arm").compile()
    q, v, a = state(model, np.random.default_rng(2), 0.0)
    twin = rigid_twin(model.robot).compile()
    joints = [body.joint_v.start for body in model.bodies]
    rigid = lissom.inverse_dynamics(twin, q[joints], v[joints], a[joints])
    form = theory.DualScrew(model)
    close(form.inverse_dynamics(q, v, a)[joints], rigid, 1e-12)
    close(form.wrenches(q, v, a), lissom.joint_wrenches(twin, q[joints], v[joints], a[joints]), 1e-12)
    close(form.tip(q), lissom.tip_pose(twin, q[joints]), 1e-13)


def test_a_rigid_arm_is_exact():
    model = lissom.load("rigid-7-axis").compile()
    q, v, a = state(model, np.random.default_rng(3), 0.0)
    form = theory.DualScrew(model)
    close(form.accelerations(q, v, a), lissom.forward_dynamics(model, q, v, a), 1e-10)


def test_the_tip_is_where_the_coordinates_put_it():
    model = lissom.load("dual-screw-arm").compile()
    q, *_ = state(model, np.random.default_rng(4), 2e-3)
    for form in ("linear", "first-order"):
        close(theory.DualScrew(model, form).tip(q), lissom.tip_pose(model, q), 1e-13)


@pytest.mark.parametrize("form", ["truncated", "printed"])
def test_the_tip_of_the_papers_forms_is_right_to_first_order(form):
    model = lissom.load("dual-screw-arm").compile()
    q, v, _ = state(model, np.random.default_rng(4), 2e-3)
    form, sizes, errors = theory.DualScrew(model, form), np.array([1.0, 0.5, 0.25]), []
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
        x = 0.0 if link in model.flexible else None

        def exact(q, v, link=link, x=x, shift=shift):
            return lissom.point_velocity(model, q, v, link, x, shift, "local")

        close(twist, first_order(exact, model, q, v), 1e-11)


def test_derivatives_of_projection_matrices_are_those_along_the_motion(tree):
    model, q, v, _ = tree
    h = 1e-6
    ahead, behind = (screws.projections(model, integrate(model, q, s * h * v), v) for s in (1, -1))
    for link, at in screws.projections(model, q, v).items():
        slope = (ahead[link].jacobian - behind[link].jacobian) / (2 * h)
        assert np.abs(at.rate - slope).max() < 1e-7 * max(1.0, np.abs(slope).max())


PLAIN = {"rhoA": 1.2, "EA": 3e7, "EIy": 1.2e4, "EIz": 1.5e4, "GJ": 9e3}
LUMP = {"mass": 0.4, "com": [0.02, 0.05, -0.03], "inertia": [0.02, 0.03, 0.01], "at": 0.6}


@pytest.mark.parametrize("rotary", [{"Jx": 1e-30, "Jy": 0.0, "Jz": 0.0}, {"Jx": 0.05, "Jy": 0.03, "Jz": 0.04}])
def test_system_matrices_summed_over_sections_are_those_of_the_compiled_model(rotary):
    """With rotary inertia too, (107): as printed it does not turn with the section."""
    rng = np.random.default_rng(8)
    robot = lissom.load("dual-screw-arm")
    for link in ("link2", "link3"):
        robot = robot.with_value(f"links.{link}.beam.section", PLAIN | rotary)
    if rotary["Jy"]:
        robot = robot.with_value("links.link2.beam.masses", [LUMP])
    model = robot.compile()
    q, v, _ = state(model, rng, 2e-3)
    own = screws.matrices(model, q, v)
    M, c = theory.DualScrew(model, "printed").equations(q, v)
    close(own.M, M, 1e-12)
    eta, damping = np.zeros(model.nv), np.zeros(model.nv)
    for body in model.bodies:
        if body.link in model.flexible:
            eta[body.modes_v] = q[body.modes_q]
            damping[body.modes_v] = model.flexible[body.link].damping_matrix() @ v[body.modes_v]
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
        assert 1.9 < slope(theory.DualScrew(model), model, q, v, a) < 2.1


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
    beam = {"length": 0.6, "material": "plastic", "section": rod, "shear": "none"}
    beam["modes"] = {"y": 2, "z": 2, "torsion": 1}
    camera = {"mass": 0.3, "com": [0, 0.05, 0], "inertia": [1e-3, 1e-3, 1e-3]}
    turn = {"type": "revolute", "axis": [0, 0, 1]}
    links = [
        {"name": "boom", "joint": {"name": "shoulder", "type": "revolute", "axis": [0, 1, 0]}, "finite_elements": mesh},
        {"name": "rod", "at": "flange", "joint": turn, "beam": beam},
        {"name": "camera", "parent": "boom", "at": "side", "joint": turn, "body": camera},
    ]
    materials = {"plastic": {"E": 2e9, "nu": 0.35, "rho": 1200.0}}
    return lissom.Robot.from_dict({"lissom": 1, "name": "meshed", "materials": materials, "links": links}).compile()


def test_links_of_finite_elements_serve_as_well(meshed_tree):
    model = meshed_tree
    q, v, a = state(model, np.random.default_rng(9), 1e-3)
    nonlinear, linear = theory.DualScrew(model, "nonlinear"), theory.DualScrew(model)
    close(nonlinear.inverse_dynamics(q, v, a), lissom.inverse_dynamics(model, q, v, a), 1e-11)
    close(nonlinear.wrenches(q, v, a), lissom.joint_wrenches(model, q, v, a), 1e-11)
    exact = first_order(lambda q, v: lissom.inverse_dynamics(model, q, v, a), model, q, v, speeds=False)
    close(theory.DualScrew(model, "first-order").inverse_dynamics(q, v, a), exact, 1e-11)
    assert 1.9 < slope(linear, model, q, v, a) < 2.1
    rates = screws.projections(model, q, v)
    assert np.abs(rates["rod"].rate).max() > 0
    with pytest.raises(theory.Unsupported, match=r"links\.boom: .*finite elements"):
        screws.matrices(model, q, v)


def test_links_of_finite_elements_in_time(meshed_tree):
    start = {"shoulder": 0.3, "rod": 0.5}
    linear = theory.simulate(theory.DualScrew(meshed_tree), 0.5, start=start, rtol=1e-6, atol=1e-8)
    kernel = lissom.simulate(meshed_tree, 0.5, start=start, progress=False)
    apart = np.linalg.norm(linear.tip("rod").values - kernel.tip("rod").values, axis=1).max()
    bent = np.linalg.norm(kernel.deflection("rod").values, axis=1).max()
    assert apart < 0.1 * bent < 1e-2


def test_a_mass_matrix_that_lost_its_sign_is_an_error_that_says_so():
    model = lissom.load("dual-screw-arm").compile()
    q = model.neutral()
    q[model.link("link2").modes_q] = 0.3
    with pytest.raises(lissom.LissomError, match=r"first-order mass matrix .* not positive definite .* in link\d\."):
        theory.DualScrew(model, "first-order").accelerations(q, np.zeros(model.nv), np.zeros(model.nv))


def test_prescribed_joints_are_driven_from_outside_the_theory():
    model = lissom.load("ella").compile(prescribed="elbow")
    with pytest.raises(theory.Unsupported, match=r"prescribed = 'elbow': .*`theory.build` drives"):
        theory.DualScrew(model)
    assert theory.build("dual_screw", model).model is model


def test_links_with_the_exact_field_are_not_covered():
    model = lissom.load("ella").with_value("links.upper.beam.stiffening", "exact").compile()
    with pytest.raises(theory.Unsupported, match=r"upper.beam.stiffening = 'exact': .*use stiffening: first"):
        theory.build("dual_screw", model)


def test_an_unknown_form_is_refused():
    with pytest.raises(lissom.LissomError, match="form = 'quadratic': is unknown; choose from linear, first-order"):
        theory.DualScrew(lissom.load("ella").compile(), "quadratic")
