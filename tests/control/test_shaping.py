"""Input shaping."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lissom
from lissom import LissomError
from lissom.control import Impulses, Reference, impulses, light_modes, pd, shape, shaper
from lissom.control.design.input_shaping import combine

ELLA = lissom.load("ella").compile()


def residual(reference: Reference, hz: float, damping: float) -> float:
    """Amplitude left of an oscillator y'' + 2 z w y' + w^2 (y - r) = 0 when the reference has ended."""
    w = 2 * np.pi * hz

    def rate(t: float, x: np.ndarray) -> list[float]:
        return [x[1], -2 * damping * w * x[1] - w**2 * (x[0] - reference(t)[0][0])]

    x, t = np.zeros(2), float(reference.breaks[0])
    for end in reference.breaks[1:]:  # piece by piece: the integrator never steps over a corner
        x = solve_ivp(rate, (t, end - 1e-12), x, rtol=1e-7, atol=1e-9).y[:, -1]
        t = float(end)
    error = x[0] - reference(t)[0][0]
    return float(np.hypot(error, x[1] / w))


@pytest.mark.parametrize("kind", ["zv", "zvd", "zvdd"])
@pytest.mark.parametrize("damping", [0.0, 0.1])
def test_a_shaped_motion_leaves_no_vibration(kind: str, damping: float) -> None:
    motion = Reference.quintic(0.0, 1.0, 0.4)
    shaped = shape(motion, impulses(kind, 1.7, damping))
    assert residual(shaped, 1.7, damping) < 1e-3 * residual(motion, 1.7, damping)
    assert shaped(shaped.end)[0][0] == pytest.approx(1.0)


def test_several_modes_are_shaped_at_once() -> None:
    motion = Reference.step(0.0, 1.0, at=0.1)
    shaped = shape(motion, combine([impulses("zv", 1.7), impulses("zvd", 4.1, 0.02)]))
    for hz, damping in ((1.7, 0.0), (4.1, 0.02)):
        assert residual(shaped, hz, damping) < 1e-3 * residual(motion, hz, damping)


def test_zv_is_two_impulses_half_a_period_apart() -> None:
    sequence = impulses("zv", 2.0)
    np.testing.assert_allclose(sequence.times, [0, 0.25])
    np.testing.assert_allclose(sequence.amplitudes, [0.5, 0.5])
    np.testing.assert_allclose(impulses("zvd", 2.0).amplitudes, [0.25, 0.5, 0.25])


@pytest.mark.parametrize("kind", ["zv", "zvd", "zvdd", "ei"])
@pytest.mark.parametrize("damping", [0.0, 0.05, 0.3])
def test_the_motion_arrives_where_it_should(kind: str, damping: float) -> None:
    sequence = impulses(kind, 3.0, damping)
    assert sequence.amplitudes.sum() == pytest.approx(1.0)
    assert np.all(sequence.amplitudes > 0)
    assert np.all(np.diff(sequence.times) > 0)
    assert sequence.residual(3.0, damping) < (0.06 if kind == "ei" else 1e-12)


def test_longer_sequences_forgive_more_error_in_the_frequency() -> None:
    off = [float(impulses(kind, 1.0).residual(1.15)) for kind in ("zv", "zvd", "zvdd")]
    assert off[0] > 3 * off[1] > 9 * off[2]
    band = np.linspace(0.86, 1.14, 57)
    assert impulses("ei", 1.0).residual(band).max() == pytest.approx(0.05, abs=0.002)
    assert impulses("zvd", 1.0).residual(band).max() < 0.05


def test_shaping_is_designed_from_the_frequencies_at_a_pose() -> None:
    straight, bent = light_modes(ELLA), light_modes(ELLA, {"elbow": 1.5})
    assert bent.frequencies[0] > 1.05 * straight.frequencies[0]
    sequence = shaper(ELLA, {"elbow": 1.5}, kind="zv")
    assert sequence.duration == pytest.approx(0.5 / bent.frequencies[0] / np.sqrt(1 - bent.damping[0] ** 2))
    both = shaper(ELLA, {"elbow": 1.5}, kind="zv", modes=[1, 3])
    for k in (0, 2):
        assert both.residual(bent.frequencies[k], bent.damping[k]) < 1e-12
    assert len(shaper(ELLA, kind="zv", modes=2).times) == 4


def test_locked_frequencies_are_those_of_the_generalised_eigenproblem() -> None:
    from scipy.linalg import eigh

    spinning = lissom.load("spinup-beam").compile()
    M = lissom.mass_matrix(spinning, np.zeros(4))[1:, 1:]
    K = spinning.flexible["blade"].stiffness()
    np.testing.assert_allclose(light_modes(spinning).frequencies, np.sqrt(eigh(K, M)[0]) / (2 * np.pi), rtol=1e-9)
    np.testing.assert_allclose(light_modes(spinning).damping, 0, atol=1e-9)


def test_soft_gains_lower_the_frequency_and_stiff_gains_lock_the_joint() -> None:
    spinning = lissom.load("spinup-beam").compile()
    locked = light_modes(spinning).frequencies[0]
    soft = light_modes(spinning, gains={"shaft": {"p": 100.0, "d": 0.0}}).frequencies[0]
    stiff = light_modes(spinning, gains={"shaft": {"p": 1e7, "d": 0.0}}).frequencies[0]
    assert soft < 0.9 * locked
    assert stiff == pytest.approx(locked, rel=1e-3)
    law = pd(spinning, {"shaft": {"p": 100.0, "d": 0.0}}, 0.0)
    assert light_modes(spinning, gains=law).frequencies[0] == soft


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: impulses("zvv", 1.0), r"kind = 'zvv': is unknown \(did you mean 'zv"),
        (lambda: impulses("zv", 0.0), "frequency = 0: must be positive"),
        (lambda: impulses("zv", 1.0, 1.0), "damping = 1: a mode with ratio 1 or more does not vibrate"),
        (lambda: shaper(ELLA, modes=0), "modes = 0: give how many modes"),
        (lambda: shaper(ELLA, modes=[99]), "99 is not a mode; there are"),
        (lambda: shaper(ELLA, {"elbo": 1}), "no joint or coordinate 'elbo'"),
        (lambda: shaper(ELLA, np.zeros(3)), r"q: must have shape \(23,\) for ella"),
    ],
)
def test_wrong_arguments_are_named(make, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(LissomError, match=message):
        make()


def test_no_modes_no_shaping() -> None:
    nothing = combine([])
    assert isinstance(nothing, Impulses)
    motion = Reference.quintic(0.0, 1.0, 1.0)
    np.testing.assert_allclose(shape(motion, nothing)(0.3)[0], motion(0.3)[0])
