"""Forces that step on inside a span: the history there by default functions, against sums of sixty modes."""

import numpy as np
import pytest
from scipy.optimize import brentq

import lissom
from lissom import Load

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
MODES = 60


def modes(x):
    """Wave numbers (n,) of a clamped beam of unit length, and its shapes (n, k) at x (k,)."""

    def free(b):
        return np.cos(b) + 2 * np.exp(-b) / (1 + np.exp(-2 * b))

    b = np.array([brentq(free, (n - 0.5) * np.pi - 0.4, (n - 0.5) * np.pi + 0.4) for n in range(1, MODES + 1)])[:, None]
    rest = 2 * (np.sin(b) - np.cos(b) - np.exp(-b)) / (1 - np.exp(-2 * b) + 2 * np.exp(-b) * np.sin(b))  # (1 - s) e^b
    growing = rest * (np.exp(b * (x - 1)) - np.exp(-b * (x + 1))) / 2
    s = 1 - rest * np.exp(-b)
    return b[:, 0], np.exp(-b * x) + growing - np.cos(b * x) + s * np.sin(b * x)


def history(t, places, at, zeta):
    """Deflection (times, places) of a beam of unit length, stiffness and mass under a unit force that steps on."""
    b, shapes = modes(np.array([*places, at]))
    w = b**2
    swing = np.exp(-zeta * np.outer(t, w)) * (
        np.cos(np.outer(t, w * np.sqrt(1 - zeta**2)))
        + zeta / np.sqrt(1 - zeta**2) * np.sin(np.outer(t, w * np.sqrt(1 - zeta**2)))
    )
    return (1 - swing) @ (shapes[:, :-1] * shapes[:, -1:] / w[:, None] ** 2)


def off(at, zeta, **options):
    """Errors of the history at the force and at the tip over those histories, (2,), and the run."""
    section = {"rhoA": 1.0, "EA": 1e6, "EIy": 1.0, "EIz": 1.0, "GJ": 1.0, "Jx": 1e-5}
    rod = {"name": "rod", "joint": "fixed", "beam": {"length": 1.0, "section": section, "damping": float(zeta)}}
    robot = lissom.Robot.from_dict({"lissom": 1, "name": "arm", "gravity": [0, 0, 0], "links": [rod]})
    force = 0.005 * 6 / (at**2 * (3 - at))  # that would hold the tip down by half a percent of the length
    loads = [Load(link="rod", at=float(at), force=[0, 0, -force])]
    run = lissom.simulate(robot, 4.0, loads=loads, rate=200, progress=False, **options)
    beam, eta = run.model.flexible["rod"], run.q[:, run.model.bodies[0].modes_q]
    found = np.stack([beam.displacement(x, eta)[:, 2] for x in (at, 1.0)], axis=1)
    expected = -force * history(run.time, (at, 1.0), at, zeta)
    return np.sqrt(((found - expected) ** 2).mean(axis=0) / (expected**2).mean(axis=0)), run


@pytest.mark.parametrize("seed", range(24))
def test_histories_under_a_step_force_are_right_or_told(seed):
    rng = np.random.default_rng(seed)
    at, zeta = rng.uniform(0.08, (0.3, 0.95)[seed % 2]), rng.choice([0.0, 0.005, 0.02])
    error, run = off(at, zeta)
    assert run.warnings or error.max() < 0.01, (at, zeta, error)


@pytest.mark.parametrize("at", [0.1, 0.15, 0.2])
def test_near_the_clamp_fine_steps_are_as_right_without_damping(at):
    """The functions alone: with coarser steps the energy tells."""
    error, _ = off(at, 0.0, rtol=1e-8)
    assert error.max() < 0.01, error
