"""Arms with loops at rest: the joints that lead are held or locked, and the others follow."""

import numpy as np
import pytest

import lissom
from lissom.analysis.equilibrium.loop_freedoms import leading_joints
from lissom.scenario import load


def at_start(name, **changes):
    prepared = load(name).prepare()
    robot = lissom.load(name)
    for path, value in changes.items():
        robot = robot.with_value(path, value)
    return robot.compile(), prepared.start[0]


@pytest.mark.parametrize(
    ("name", "lead"),
    [("five-bar", ["left-motor", "right-motor"]), ("slider-crank", ["crank"])],
)
def test_joints_near_the_ground_lead(name, lead):
    model, q = at_start(name)
    assert [model.coordinates[k] for k in leading_joints(model, q)] == lead


def test_motors_hold_a_five_bar_under_its_weight():
    model, q = at_start("five-bar", gravity=[0, -9.81, 0])
    rest = lissom.static_equilibrium(model, q)
    held = {joint: torque for joint, torque in rest.torques.items() if joint.endswith("motor")}
    assert rest.stable
    assert max(map(abs, held.values())) > 0.01
    assert [rest.torques[joint] for joint in rest.torques if joint not in held] == [0.0, 0.0]
    assert np.abs(rest.residual).max() < 1e-9
    a = lissom.closed_loops(model, rest.q, np.zeros(model.nv), rest.tau).a
    assert np.abs(a).max() < 1e-6


def test_the_rod_of_a_slider_crank_swings_between_two_pins():
    model, q = at_start("slider-crank")
    found = lissom.natural_modes(model, q, number=2).frequencies
    EI, rhoA = 2.1e11 * 0.02 * 0.006**3 / 12, 7800 * 0.006 * 0.02
    between_pins = np.array([1, 4]) * np.pi / 2 / 0.6**2 * np.sqrt(EI / rhoA)
    assert found == pytest.approx(between_pins, rel=1e-2)


def lowered_load(**start):
    """The luffing crane at rest, its load let go from somewhere else."""
    scenario = load("luffing-crane")
    return scenario.model_copy(update={"start": scenario.start | start}).prepare()


@pytest.mark.parametrize("place", [[1, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, -13.4, 0, 2.85]])
def test_a_load_far_from_its_rope_comes_to_rest_below_it(place):
    """The rope pulls at first by 10 to 25 times what the boom carries: only once the load hangs may the boom bend."""
    far, near = lowered_load(**{"swing.near": place}), lowered_load()
    q = [prepared.start[0][prepared.model.link("boom").modes_q] for prepared in (far, near)]
    np.testing.assert_allclose(*q, rtol=1e-8, atol=1e-12)


def test_the_search_for_rest_ends_where_a_start_is_too_far(monkeypatch):
    from lissom.analysis.equilibrium import equilibrium_search, load_path, tangent_matrices

    iterations = []
    once = tangent_matrices.inverse_derivatives
    monkeypatch.setattr(tangent_matrices, "inverse_derivatives", lambda *given: iterations.append(1) or once(*given))
    with pytest.raises(lissom.LissomError, match=r"swing.[vw]\w still moves.* nearer to rest than swing = .*9.9e\+08"):
        lowered_load(**{"swing.near": [1, 0, 0, 0, 9.9e8, 0, 2.85]})
    assert len(iterations) <= 1.5 * equilibrium_search.ITERATIONS + 2 * load_path.STEPS


def test_rest_is_found_from_close_by_where_corrections_are_made_of_rounding():
    """A load hangs 13 m out: what rounding moves it by is more than 1e-13 of a boom's deflection."""
    start = {"pin": 0.3, "swing": [1, 0, 0, 0, 13.4, 0, 2.85]}
    for length in (3.6, 3.8, 4.0):
        rest = lissom.static_equilibrium("luffing-crane", start, hold=["slew"], lengths={"lift": length})
        assert rest.stable
        assert rest.iterations < 40
        start = rest.q


def test_state_feedback_refuses_loops_by_name():
    with pytest.raises(lissom.LissomError, match="five-bar has loops"):
        lissom.control.lqr("five-bar")


def undamped(name, **changes):
    robot = lissom.load(name)
    damped = {f"links.{link.name}.beam.damping": 0.0 for link in robot.links if link.beam is not None}
    for path, value in (damped | changes).items():
        robot = robot.with_value(path, value)
    return robot.compile()


def crane():
    """The crane at rest, with the locks that its drives are."""
    model = undamped("luffing-crane", **{"elements.hoist.damping": 0.0})
    start = {"pin": 0.3, "swing": [1, 0, 0, 0, 13.4, 0, 2.85]}
    return model, lissom.static_equilibrium(model, start, hold=["slew"]), ["slew"]


def five_bar():
    model, q = undamped("five-bar", gravity=[0, -9.81, 0]), at_start("five-bar")[1]
    motors = ["left-motor", "right-motor"]
    return model, lissom.static_equilibrium(model, q, hold=motors), motors


@pytest.mark.parametrize("arm", [crane, five_bar])
def test_poles_of_the_linear_model_are_the_natural_modes(arm):
    model, rest, locked = arm()
    found = lissom.natural_modes(model, rest, locked=locked, number=100)
    held = model.robot.compile(prescribed=locked)
    linear = lissom.linearise(held, rest.q, tau=rest.tau)
    poles = np.linalg.eigvals(linear.A)
    swings = np.sort(np.abs(poles[poles.imag > 1e-3])) / (2 * np.pi)
    wanted = np.sort(found.frequencies)[-len(swings) :]
    np.testing.assert_allclose(swings, wanted, rtol=1e-6)
    assert len(swings) > 8


def bushed(stiffness):
    """The five-bar whose pin at the tip is a bushing that turns freely about z; and with gravity in its plane."""
    data = lissom.load("five-bar").to_dict() | {"gravity": [0, -9.81, 0]}
    (pin,) = data.pop("loops")
    holding = [0.0, 0.0, 0.0, stiffness, stiffness, 0.0]
    bushing = {"name": "pin", "type": "bushing", "between": pin["between"], "stiffness": holding}
    return lissom.Robot.from_dict(data | {"elements": [bushing]})


def test_an_ever_stiffer_bushing_becomes_the_loop():
    model, rest, motors = five_bar()
    force = rest.loop_wrenches["tip-pin"][3:5]
    modes = lissom.natural_modes(model, rest, locked=motors, number=3).frequencies
    errors = []
    for stiffness in (1e6, 1e7, 1e8):
        other = bushed(stiffness).compile()
        found = lissom.static_equilibrium(other, rest.q, hold=motors)
        close = lissom.natural_modes(other, found, locked=motors, number=3).frequencies
        left, right = (lissom.point_pose(other, found.q, link)[:2, 3] for link in ("left-far", "right-far"))
        pull = stiffness * np.linalg.norm(right - left)
        errors.append([np.abs(close / modes - 1).max(), abs(pull / np.linalg.norm(force) - 1)])
    errors = np.array(errors)
    np.testing.assert_allclose(errors[:-1] / errors[1:], 10.0, rtol=0.1)  # as one over the stiffness
    assert errors[-1].max() < 1e-4
