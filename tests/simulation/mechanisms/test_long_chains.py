"""Long chains: with the recursive Newton matrix steps are as large as accuracy allows, however many links there are."""

import numpy as np
import pytest

from lissom.control import computed_torque
from lissom.dynamics import energy
from lissom.model import Robot
from lissom.simulation.stepping.run_memory import RunMemory
from lissom.simulation.stepping.time_loop import simulate_raw

STRIP = {
    "length": 0.5,
    "material": "aluminium",
    "section": {"shape": "rectangle", "width": 0.03, "height": 0.01},
    "shear": "none",
    "modes": {"y": 2, "z": 2, "torsion": 1},
    "damping": {"stiffness": 1e-4},
}


def chain(links, joint="revolute", stiffening="first"):
    """Strips that fall from level, in space: axes z and y by turns, oblique gravity."""
    parts = []
    for k in range(links):
        axis = {} if joint == "spherical" else {"axis": [0, 0, 1] if k % 2 == 0 else [0, 1, 0]}
        parts.append(
            {
                "name": f"link{k}",
                "joint": {"type": joint, "damping": 0.05, **axis},
                "beam": STRIP | {"stiffening": stiffening},
            }
        )
    materials = {"aluminium": {"E": 7e10, "nu": 0.33, "rho": 2700.0}}
    return Robot.from_dict(
        {"lissom": 1, "name": "chain", "gravity": [0, -6.94, -6.94], "materials": materials, "links": parts}
    ).compile()


def falls(model, rtol, **options):
    result = simulate_raw(model, 0.5, method="radau", rtol=rtol, atol=1e-2 * rtol, rate=100, **options)
    assert result.status.word == "finished", result.message
    return result


@pytest.mark.parametrize("joint", ["revolute", "spherical"])
def test_a_spatial_chain_of_eight_links_converges_with_the_tolerance(joint):
    model = chain(8, joint)
    precise = falls(model, 1e-8)
    errors = [np.abs(falls(model, rtol).q - precise.q).max() for rtol in (1e-3, 1e-5)]
    assert errors[0] < 5e-3
    assert errors[1] < 1e-4
    start, end = (energy(model, precise.q[k], precise.v[k]).total for k in (0, -1))
    assert abs(end - start + precise.dissipated[-1]) < 1e-6 * precise.dissipated[-1] + 1e-5


def test_a_spatial_chain_of_sixty_links_takes_no_more_steps_than_one_of_eight():
    short, long = falls(chain(8), 1e-4), falls(chain(60), 1e-4)
    assert long.steps + long.rejected < 1.5 * (short.steps + short.rejected)
    assert long.newton["matrix"]["each stage"]["contraction"] < 0.1
    assert long.jacobians == 0


def test_a_spatial_chain_of_sixty_links_is_the_same_at_a_tighter_tolerance():
    model = chain(60)
    coarse, fine = falls(model, 1e-4), falls(model, 1e-6)
    assert np.abs(coarse.q - fine.q).max() < 0.02
    assert np.abs(coarse.q[:, 0] - fine.q[:, 0]).max() < 1e-3


def test_auto_finds_no_eigenvalues_that_take_longer_than_the_run(monkeypatch):
    monkeypatch.setattr(RunMemory, "poles", lambda self: pytest.fail("all eigenvalues were computed"))
    result = simulate_raw(chain(8), 0.05, rtol=1e-7, atol=1e-9)
    assert result.method == "radau"
    assert result.steps > 50


def test_exact_links_in_a_chain_take_the_recursion_too():
    model = chain(4, stiffening="exact")
    coarse, fine = falls(model, 1e-4), falls(model, 1e-7)
    assert coarse.jacobians == 0
    assert coarse.steps < 100
    assert np.abs(coarse.q - fine.q).max() < 2e-3


def test_a_law_that_couples_the_joints_gets_the_exact_matrix():
    """Computed torque with strong gains: the recursion leaves out what the law computes from its model of the arm."""
    model = chain(3)
    gains = {name: {"p": 4e4, "d": 400.0} for name in model.joints}
    law = computed_torque(model, gains, [0.2, -0.1, 0.3])
    result = falls(model, 1e-4, controller=law)
    assert result.newton["matrix"]["exact"]["steps"] > 0
    precise = simulate_raw(model, 0.5, controller=law, method="radau", rtol=1e-8, atol=1e-10, rate=100)
    assert np.abs(result.q - precise.q).max() < 1e-3
