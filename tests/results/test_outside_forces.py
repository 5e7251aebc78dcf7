"""Forces of cylinders, ropes and rods in summaries and at rest: by hand, and by the energy that they give."""

import numpy as np
import pytest

import lissom
from lissom.view.pages.run_report import report

G = 9.81


def boom(rod_end, **more):
    """A weight of 100 kg on a boom of 2 m without mass, hinged at the world, held level by a rod to its tip."""
    ends = [{"link": "world", "origin": {"xyz": rod_end}}, {"link": "boom", "origin": {"xyz": [2, 0, 0]}}]
    link = {"name": "boom", "joint": {"name": "hinge", "type": "revolute", "axis": [0, 1, 0]}}
    link["body"] = {"mass": 100.0, "com": [2, 0, 0], "inertia": [1e-3, 1e-3, 1e-3], "tip": [2, 0, 0]}
    stay = {"name": "stay", "between": ends, "distance": float(np.linalg.norm(np.subtract(rod_end, [2, 0, 0])))}
    return {"lissom": 1, "name": "boom", "links": [link], "loops": [stay]} | more


@pytest.mark.parametrize(("height", "side"), [(2.0, "pull"), (-2.0, "push")])
def test_a_tie_rod_pulls_and_a_strut_pushes_as_statics_say(height, side):
    robot = lissom.Robot.from_dict(boom([0.0, 0.0, height]))
    run = lissom.simulate(robot, 0.05, progress=False)
    (peak,) = run.summary().loops
    assert peak.loop == "stay"
    assert getattr(peak, side).value == pytest.approx(100 * G * np.sqrt(2), rel=1e-9)
    assert getattr(peak, "push" if side == "pull" else "pull").value == 0.0
    assert peak.force.value == pytest.approx(100 * G * np.sqrt(2), rel=1e-9)
    assert side in str(run.summary())
    rest = lissom.static_equilibrium(robot)
    assert f"stay {side}" in str(rest)
    assert "Peak force in every loop" in report(run)


def test_equilibrium_tells_the_forces_of_cylinder_and_rope_and_leaves_out_idle_motors():
    hang = {"pin": 0.3, "swing": [1, 0, 0, 0, 13.4, 0, 2.85]}
    rest = lissom.static_equilibrium("luffing-crane", hang, hold=["slew"])
    assert rest.element_forces["hoist"] == pytest.approx(2000 * G, rel=1e-9)
    assert -rest.element_forces["lift"] == pytest.approx(np.linalg.norm(rest.loop_wrenches["lift"][3:]), rel=1e-9)
    text = str(rest)
    assert "lift push" in text
    assert "hoist pull" in text
    assert "swing" not in text
    assert "e-2" not in text


def test_the_work_of_a_cylinder_is_what_the_energy_balance_says():
    run = lissom.scenario.load("luffing-crane").run(duration=1.5, progress=False)
    work = {peak.element: peak.work for peak in run.summary().elements}
    assert work["lift"] == pytest.approx(float(run.work[-1] - run.work[0]), rel=1e-4)
    assert "work J" in str(run.summary())
