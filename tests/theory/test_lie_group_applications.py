"""What the screws of Park, Bobrow and Ploen are for: operation counts, derivatives by axes, learning, design."""

from dataclasses import replace

import numpy as np
import pytest

import lissom
from lissom.control import Reference, Sampled
from lissom.dynamics import parameter_derivatives
from lissom.errors import LissomError
from lissom.lie import se3
from lissom.theory import lie_group as lg


def chain(n, **more):
    """Turning joints about axes of any direction, bodies of any inertia."""
    links = [
        {
            "name": f"link{k}",
            "origin": {"xyz": [0.3, 0.1 * k, 0.05], "rpy": [0.4, 0.2 * k, 0.3]},
            "joint": {"name": f"joint{k}", "type": "revolute", "axis": [0.2, 0.1 * k, 1.0]} | more,
            "body": {"mass": 1 + k, "com": [0.1, 0.2, 0.05], "inertia": [0.11, 0.12, 0.13]},
        }
        for k in range(n)
    ]
    return lissom.Robot.from_dict({"lissom": 1, "name": "chain", "gravity": [1, 2, -9], "links": links})


def planar(com=0.25, joint="revolute"):
    """Two links in the horizontal plane; the centre of the forearm at `com` from its joint."""
    links = [
        {
            "name": "upper",
            "joint": {"name": "shoulder", "type": "revolute", "axis": [0, 0, 1]},
            "body": {"mass": 4.0, "com": [0.25, 0, 0], "inertia": [0.01, 0.08, 0.08]},
        },
        {
            "name": "forearm",
            "origin": {"xyz": [0.5, 0, 0]},
            "joint": {"name": "elbow", "type": "revolute", "axis": [0, 0, 1]},
            "body": {"mass": 3.0, "com": [com, 0, 0], "inertia": [0.01, 0.06, 0.06]},
        },
    ]
    return lissom.Robot.from_dict({"lissom": 1, "name": "planar", "gravity": [0, 0, 0], "links": links})


def test_the_recursion_takes_270_products_and_249_sums_per_joint():
    """Featherstone's 130 n - 68 and 101 n - 56, as the paper quotes them, know frames on the axes of the joints."""
    for n in (1, 2, 5, 9):
        found = lg.operation_count(lg.arm(chain(n).compile()))
        assert found == (249 * n - 24, 270 * n - 24, 0, 2 * n)
        assert lg.featherstone_count(n) == (130 * n - 68, 101 * n - 56)


def test_derivatives_by_screws_in_closed_form_are_those_of_differences():
    arm = lg.arm(chain(4).compile())
    x, xd, xdd = np.random.default_rng(1).normal(size=(3, 2, 4))
    D = lg.inverse_dynamics_by_screws(arm, x, xd, xdd)
    rng = np.random.default_rng(2)
    for j, node in enumerate(arm.node):
        axis = arm.S[node, :3]
        dS = np.concatenate([np.cross(axis, rng.normal(size=3)), rng.normal(size=3)])  # turned and shifted

        def torque(e, node=node, dS=dS):
            S = arm.S.copy()
            S[node] += e * dS
            S[node] /= np.linalg.norm(S[node, :3])
            return lg.inverse_dynamics(replace(arm, S=S), x, xd, xdd)

        h = 1e-6
        expected = (torque(h) - torque(-h)) / (2 * h)
        found = D[..., j, :] @ (se3.Ad(arm.home[node]) @ dS)
        assert np.abs(found - expected).max() < 1e-7 * np.abs(expected).max()


@pytest.mark.parametrize("component", range(3))
def test_derivatives_by_the_axis_of_a_joint_are_exact_and_equal_those_by_screws(component):
    """By complex steps through the kernel, with the axis of unit length; by screws; by differences of the file."""
    robot = chain(4)
    arm = lg.arm(robot.compile())
    q, v, a = np.random.default_rng(3).normal(size=(3, 4))
    D = lg.inverse_dynamics_by_screws(arm, q, v, a)
    for j, link in enumerate(robot.bodies):
        path = f"links.{link.name}.joint.axis.{component}"
        (found,) = parameter_derivatives(robot, [path], q, v, a, function=lissom.inverse_dynamics)
        axis = np.array(link.joint.axis)
        turn = np.eye(3)[component] - axis * axis[component]
        dA = se3.Ad(arm.home[arm.node[j]]) @ np.concatenate([turn, np.zeros(3)])
        assert np.abs(found - D[:, j] @ dA).max() < 1e-12 * np.abs(D).max()
        h = 1e-6
        ahead, behind = (
            lissom.inverse_dynamics(robot.with_value(path, axis[component] + s * h).compile(), q, v, a) for s in (1, -1)
        )
        assert np.abs(found - (ahead - behind) / (2 * h)).max() < 1e-6 * np.abs(D).max()


def test_a_sliding_joint_has_derivatives_by_its_axis_too():
    robot = chain(3, type="prismatic")
    q, v, a = np.random.default_rng(3).normal(size=(3, 3))
    path = "links.link1.joint.axis.0"
    (found,) = parameter_derivatives(robot, [path], q, v, a, function=lissom.inverse_dynamics)
    arm, axis = lg.arm(robot.compile()), np.array(robot.bodies[1].joint.axis)
    dS = np.concatenate([np.zeros(3), np.eye(3)[0] - axis * axis[0]])
    by_screw = lg.inverse_dynamics_by_screws(arm, q, v, a)[:, 1] @ (se3.Ad(arm.home[arm.node[1]]) @ dS)
    assert np.abs(found - by_screw).max() < 1e-12 * np.abs(found).max()


def test_one_of_two_axes_cannot_be_complex():
    robot = chain(2).with_value("links.link1.joint", {"type": "universal", "axes": [[1, 0, 0], [0, 1, 0]]})
    with pytest.raises(LissomError, match=r"direction among others.*turn origin\.rpy instead"):
        parameter_derivatives(robot, ["links.link1.joint.axes.0.1"], np.zeros(3), np.zeros(3), np.zeros(3))


def test_the_control_regressor_has_the_coriolis_matrix_times_the_reference_rate():
    model = chain(4).compile()
    arm = lg.arm(model)
    x, xd, v_r, a_r = np.random.default_rng(5).normal(size=(4, 4))
    expected = lg.mass_matrix(arm, x) @ a_r + lg.coriolis_matrix(arm, x, xd) @ v_r + lg.gravity_forces(arm, x)
    found = lg.control_regressor(arm, x, xd, v_r, a_r) @ arm.parameters
    assert np.abs(found - expected).max() < 1e-12 * np.abs(expected).max()


def learn(references, duration, guess=0.0):
    robot = planar()
    control = lg.AdaptiveControl(robot, references, rate=200, bandwidth=6.0, gain=8.0, adaptation=0.6)
    run = lissom.simulate(robot, duration, controller=Sampled(control, rate=200), rate=200, progress=False)
    wrong = np.array(control.history) - control.truth
    wanted = [references[joint](run.time) for joint in run.model.coordinates]
    e = np.stack([run.q[:, k] - np.asarray(one[0]).ravel() for k, one in enumerate(wanted)], axis=1)
    return control, run, wrong, e


def test_parameters_converge_under_excitation():
    references = {
        "shoulder": Reference.multisine(0.5, [0.5, 1.1], 8.0),
        "elbow": Reference.multisine(0.5, [0.8, 1.7], 8.0),
    }
    control, _, wrong, e = learn(references, 8.0)
    assert control.minimal.names == ("forearm.m", "forearm.mx", "forearm.my", "forearm.Izz")
    left = np.linalg.norm(wrong, axis=1)
    assert left[-1] < 0.05 * left[0]
    assert left[800] < 0.5 * left[400]
    assert left[1200] < 0.6 * left[800]
    assert np.abs(e[-300:]).max() < 0.1 * np.abs(e).max()


def test_without_excitation_the_motion_is_followed_and_the_parameters_are_not_learnt():
    references = {joint: Reference.quintic(0.0, 0.5, 1.5) for joint in ("shoulder", "elbow")}
    _, _, wrong, e = learn(references, 4.0)
    left = np.linalg.norm(wrong, axis=1)
    assert np.abs(e[-1]).max() < 0.02 * np.abs(e).max()
    assert left[-1] > 0.2 * left[0]
    assert abs(left[-1] - left[-100]) < 1e-3 * left[0]  # nothing is learnt at rest


def test_a_joint_without_a_reference_is_told():
    with pytest.raises(LissomError, match=r"references.*elbow: has no reference"):
        lg.AdaptiveControl(planar(), {"shoulder": Reference.constant(0.0)})
