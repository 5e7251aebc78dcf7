"""The live page of machines with cylinders: sliders for what leads, payload at the end-effector; without a browser."""

from itertools import pairwise
from types import SimpleNamespace
from unittest.mock import MagicMock

import numpy as np
import pytest

import lissom
from lissom.view.drawing.arm_drawing import end_effector
from lissom.view.live.cylinder_sliders import FOLLOW, CylinderHandle, CylinderMotion
from lissom.view.live.manual_mode import ManualMode
from lissom.view.live.modes_mode import Modal


class Page:
    """A server whose sliders are numbers by name."""

    def __init__(self):
        self.server, self.sliders = MagicMock(), {}
        self.server.gui.add_slider = self.slider
        self.server.gui.add_dropdown = lambda name, options, initial_value=None: SimpleNamespace(
            value=initial_value or options[0], on_update=lambda _: None
        )

    def slider(self, name, lower, upper, step, value):
        assert lower <= value <= upper
        self.sliders[name] = SimpleNamespace(value=value, on_update=lambda _: None)
        return self.sliders[name]


def start(name):
    return lissom.scenario.load(name).prepare().start[0]


def test_a_crane_is_lifted_by_its_cylinder_and_stays_where_it_is_put():
    page = Page()
    mode = ManualMode(page.server, lissom.load("luffing-crane"), start("luffing-crane"), lambda: 1.0, MagicMock())
    assert set(page.sliders) == {"slew [rad]", "lift [m]", "Payload [kg]"}  # the pin would fight the cylinder
    for k in range(35):  # a law that fed the rope's pull back would have thrown the boom by then
        mode.step(0.1, 0.1 * k)
    assert np.abs(mode.v).max() < 1e-6
    page.sliders["lift [m]"].value = 3.8
    for k in range(40):
        mode.step(0.1, 3.5 + 0.1 * k)
    assert lissom.lengths(mode.model, mode.q)["lift"] == pytest.approx(3.8, abs=0.01)
    assert "push [N]" in {f"{chart.quantity} [{chart.unit}]" for chart in mode._charts()}


def test_the_payload_sits_at_the_end_effector_and_not_on_the_last_link_of_the_file():
    crane = lissom.load("luffing-crane")
    assert crane.links[-1].name == "load"
    assert end_effector(crane.compile()) == "boom"
    page = Page()
    mode = ManualMode(page.server, crane, start("luffing-crane"), lambda: 1.0, MagicMock())
    assert mode.payload.robot.links[-1].parent == "boom"
    tip = mode.stage.tip(mode.stage.arm.frames(mode.stage.arm.motion(mode.q), 0, 1.0))
    assert tip == pytest.approx(lissom.tip_pose(mode.model, mode.q, "boom")[:3, 3], abs=1e-9)


def test_a_cylinder_driven_by_force_has_a_slider_for_its_push():
    arm = {"name": "arm", "joint": {"name": "hinge", "type": "revolute", "axis": [0, 1, 0], "damping": 50.0}}
    arm["body"] = {"mass": 10.0, "com": [0.5, 0, 0], "inertia": [0.1, 1, 1], "tip": [1, 0, 0]}
    ram = {"name": "ram", "type": "cylinder", "force": 200.0}
    ram["between"] = [{"link": "world", "origin": {"xyz": [0, 0, -1]}}, {"link": "arm", "origin": {"xyz": [0.5, 0, 0]}}]
    page = Page()
    robot = lissom.Robot.from_dict({"lissom": 1, "name": "ramp", "links": [arm], "elements": [ram]})
    mode = ManualMode(page.server, robot, None, lambda: 1.0, MagicMock())
    assert page.sliders["ram [N]"].value == 200.0
    assert "hinge [rad]" not in page.sliders
    page.sliders["ram [N]"].value = 300.0
    for k in range(60):
        mode.step(0.1, 0.1 * k)
    assert -mode.samples[-1][5][0] == pytest.approx(300.0, rel=0.01)


def test_modes_are_shown_at_the_lengths_of_the_sliders():
    page = Page()
    shown = Modal(page.server, lissom.load("luffing-crane").compile(), start("luffing-crane"), lambda: 1.0, MagicMock())
    page.sliders["lift [m]"].value = 4.0
    shown._wish()
    shown.step(0.1, 0.0)
    assert lissom.lengths(shown.model, shown.q)["lift"] == pytest.approx(4.0, abs=1e-9)
    assert shown.found is not None


def test_a_cylinder_follows_its_slider_as_the_equation_says_without_jumps_of_speed():
    motion = CylinderMotion(CylinderHandle("ram", "m", 1.0, 0.5, 2.0))
    ends = []
    for _ in range(20):
        way = motion.advance(1.5, 0.1)
        ends.append((way(0.0), way(0.1)))
    t = 2.0
    exact = 1.5 - 0.5 * (1 + FOLLOW * t) * np.exp(-FOLLOW * t)
    assert motion.value == pytest.approx(exact, rel=1e-12)
    for (_, before), (after, _) in pairwise(ends):
        assert after[0][0] == pytest.approx(before[0][0], abs=1e-12)
    for k, (begin, _) in enumerate(ends):  # the speed of the equation at the beginning of every stretch
        s = 0.1 * k
        assert begin[1][0] == pytest.approx(0.5 * FOLLOW**2 * s * np.exp(-FOLLOW * s), abs=1e-12)
