"""Reduced models: errors below their bounds, motions that do not decay kept, known systems reduced as the books say."""

import numpy as np
import pytest

import lissom
from lissom.analysis import LinearModel, reduce_model
from lissom.errors import LissomError
from lissom.model import Accelerometer, Encoder, ForceTorque, Gyro, StrainGauge


def system(A, B, C):
    """A linear model of given matrices."""
    A, B, C = (np.atleast_2d(np.asarray(x, float)) for x in (A, B, C))
    names = [tuple(f"{letter}{k}" for k in range(n)) for letter, n in (("x", len(A)), ("u", B.shape[1]), ("y", len(C)))]
    none = np.zeros(0)
    return LinearModel(A, B, C, np.zeros((len(C), B.shape[1])), *names, none, none, none, none)


def arm(name, outputs=None):
    model = lissom.load(name).compile()
    return lissom.linearise(model, lissom.static_equilibrium(model), outputs=outputs or [f"{model.links[-1]}.tip"])


@pytest.mark.parametrize("name", ["ella", "canadarm2"])
@pytest.mark.parametrize("method", ["balanced", "modal"])
@pytest.mark.parametrize("static", [False, True])
def test_the_measured_error_is_below_the_bound(name, method, static):
    linear = arm(name)
    least = reduce_model(linear, order=len(linear.A), method=method).undamped
    for order in (least, least + 2, least + 6, len(linear.A)):
        small = reduce_model(linear, order=order, method=method, static=static)
        rounding = (1e-9 if method == "balanced" else 1e-8) * small.hankel[0]  # eigenvectors are worse conditioned
        assert small.order <= order
        assert small.largest_error() <= small.bound * (1 + 1e-6) + rounding
        projected = small.dual @ linear.A @ small.basis
        assert static or np.abs(projected - small.model.A).max() < 1e-4 * np.abs(linear.A).max()


def test_hankel_singular_values_of_a_known_system():
    """Of diag(-1, -10) with unit gains: gramians 1/(p_i + p_j), the eigenvalues of their product squared."""
    small = reduce_model(system(np.diag([-1.0, -10.0]), [[1], [1]], [[1, 1]]), order=1)
    gramian = np.array([[1 / 2, 1 / 11], [1 / 11, 1 / 20]])
    assert small.hankel == pytest.approx(np.sort(np.linalg.eigvalsh(gramian))[::-1], rel=1e-12)
    assert small.bound == pytest.approx(2 * small.hankel[1])
    assert small.largest_error() == pytest.approx(
        small.bound, rel=0.01
    )  # reached by such systems, at high or zero frequency


def test_a_balanced_model_has_equal_gramians_with_the_singular_values_on_their_diagonals():
    from scipy.linalg import solve_continuous_lyapunov

    rng = np.random.default_rng(2)
    A = rng.normal(size=(6, 6)) - 4 * np.eye(6)
    small = reduce_model(system(A, rng.normal(size=(6, 2)), rng.normal(size=(3, 6))), order=6)
    m = small.model
    for left, right in ((m.A, m.B @ m.B.T), (m.A.T, m.C.T @ m.C)):
        assert np.abs(solve_continuous_lyapunov(left, -right) - np.diag(small.hankel)).max() < 1e-10


def test_rigid_motions_and_undamped_modes_are_kept_exactly():
    """A mass that nothing holds, an undamped oscillator and three damped ones."""
    parts = [np.array([[0, 1], [0, 0]]), np.array([[0, 1], [-9.0, 0]])]
    parts += [np.array([[0, 1], [-(w**2), -0.02 * w]]) for w in (20.0, 50.0, 90.0)]
    n = 2 * len(parts)
    A = np.zeros((n, n))
    for k, part in enumerate(parts):
        A[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = part
    mix = np.random.default_rng(1).normal(size=(n, n)) + 3 * np.eye(n)
    linear = system(
        mix @ A @ np.linalg.inv(mix), mix @ np.tile([[0], [1]], (5, 1)), np.tile([1, 0], 5) @ np.linalg.inv(mix)
    )
    for method in ("balanced", "modal"):
        small = reduce_model(linear, order=6, method=method)
        assert small.undamped == 4
        poles = np.sort_complex(np.round(np.linalg.eigvals(small.model.A[:4, :4]), 4))
        assert np.abs(poles - np.sort_complex([0, 0, 3j, -3j])).max() < 1e-3
        frequencies = np.array([0.1, 1.0, 2.0, 30.0])
        apart = np.abs(linear.response(frequencies) - small.model.response(frequencies))[:, 0, 0]
        assert apart == pytest.approx(small.error(frequencies), rel=1e-4)
        assert small.largest_error() <= small.bound


def test_modal_reduction_keeps_the_poles_below_the_frequency():
    linear = arm("ella")
    small = reduce_model(linear, frequency=100.0, method="modal")
    wanted = linear.poles().values[linear.poles().frequencies <= 100.0]
    decaying = wanted[np.abs(wanted) > 5.0]
    kept = small.model.poles().values
    assert (
        np.abs(np.sort_complex(kept[np.abs(kept) > 5.0]) - np.sort_complex(decaying)).max()
        < 1e-6 * np.abs(decaying).max()
    )


def test_an_arm_without_damping_is_reduced_by_modes_with_an_infinite_bound():
    linear = arm("l-mechanism-torque")
    small = reduce_model(linear, frequency=50.0, method="modal")
    assert small.order == np.sum(linear.poles().frequencies <= 50.0) < len(linear.A)
    assert small.bound == np.inf
    at = np.array([0.5, 2.0, 7.0])
    gain = np.linalg.norm(linear.response(at), 2, axis=(1, 2))
    assert np.all(small.error(at) < 0.05 * gain)
    assert reduce_model(linear, order=len(linear.A)).undamped == len(linear.A)


def test_a_frequency_asks_for_the_fewest_states_that_are_right_up_to_it():
    linear = arm("ella")
    orders = []
    for frequency in (15.0, 60.0, 200.0):
        small = reduce_model(linear, frequency=frequency, tolerance=0.02)
        at = np.geomspace(0.5, frequency, 300)
        gain = np.linalg.norm(small.decaying.response(at), 2, axis=(1, 2))
        assert np.all(small.error(at) <= 0.021 * gain)
        orders.append(small.order)
    assert orders == sorted(orders)
    assert orders[0] < orders[-1] < len(linear.A)


def test_a_tolerance_is_a_share_of_the_largest_singular_value():
    small = reduce_model(arm("ella"), tolerance=0.01)
    assert small.bound <= 0.01 * small.hankel[0]
    assert small.bound + 2 * small.hankel[small.order - small.undamped - 1] > 0.01 * small.hankel[0]


def test_static_reduction_is_right_at_rest():
    linear = arm("ella", ["forearm.deflection"])
    for method in ("balanced", "modal"):
        plain, static = (reduce_model(linear, order=10, method=method, static=flag) for flag in (False, True))
        assert static.error(np.array([1e-4]))[0] < 1e-3 * plain.error(np.array([1e-4]))[0]


def test_what_cannot_be_reduced_is_said():
    linear = arm("ella")
    for words, options in (
        ("frequency = -1: must be a positive number", {"frequency": -1}),
        ("order = 1000: must be a whole number of states, at most the 46", {"order": 1000}),
        ("order = 2.5: must be a whole number", {"order": 2.5}),
        ("order = 1: is less than the 6 states that do not decay", {"order": 1}),
        ("order = 10: cannot be combined with frequency", {"order": 10, "frequency": 3.0}),
        ("order: does not say how far to reduce; give frequency", {}),
        ("give frequency .Hz. or order$", {"tolerance": 0.1, "method": "modal"}),
        ("method = 'modl': must be 'balanced' or 'modal'", {"order": 10, "method": "modl"}),
        ("tolerance = 'small': must be a positive number, not text", {"tolerance": "small"}),
    ):
        with pytest.raises(LissomError, match=words):
            reduce_model(linear, **options)
    with pytest.raises(LissomError, match="linear: is in discrete time; reduce the continuous model"):
        reduce_model(linear.discretise(0.01), order=10)


# sensors as outputs


def test_sensors_are_outputs_of_linear_models():
    """The linear model answers as the differences of ideal readings along the nonlinear equations do."""
    model = lissom.load("ella").compile()
    rest = lissom.static_equilibrium(model, {"shoulder": 0.3, "elbow": 0.4})
    sensors = [Accelerometer(link="forearm"), Gyro(link="upper"), Encoder(joint="elbow"), ForceTorque(joint="elbow")]
    sensors += [StrainGauge(link="upper", at=0.1, fibre=[0.01, 0.02])]
    linear = lissom.linearise(model, rest, outputs=sensors)
    rng, h = np.random.default_rng(0), 1e-6
    x, u = rng.normal(size=2 * model.nv), rng.normal(size=len(linear.inputs))

    def readings(size):
        q = lissom.dynamics.integrate(model, rest.q, size * x[: model.nv])
        v, tau = size * x[model.nv :], rest.tau.copy()
        tau[model.actuated] += size * u
        a = lissom.forward_dynamics(model, q, v, tau)
        return np.concatenate([np.ravel(value) for value in lissom.sense(model, q, v, a, sensors).values()])

    wanted = (readings(h) - readings(-h)) / (2 * h)
    assert np.abs(linear.C @ x + linear.D @ u - wanted).max() < 1e-5 * np.abs(wanted).max()
    assert linear.outputs[-1] == "strain-gauge-upper"


def test_sensors_of_the_file_are_outputs_by_name():
    data = lissom.load("ella").to_dict() | {"sensors": [{"name": "tacho", "type": "tachometer", "joint": "elbow"}]}
    linear = lissom.linearise(lissom.Robot.from_dict(data), outputs=["tacho", "elbow.rate"])
    assert linear.outputs == ("tacho", "elbow.rate")
    assert np.array_equal(linear.C[0], linear.C[1])
    with pytest.raises(LissomError, match="force-torque sensors are outputs of linear models without loops"):
        lissom.linearise("five-bar", outputs=[ForceTorque(joint=lissom.load("five-bar").links[0].joint.name)])
