"""Natural modes of the arm at a pose, slowed down to be seen."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np

from lissom.analysis.modes.natural_modes import NaturalModes, natural_modes
from lissom.dynamics.kinematic_loops.cylinder_pose import closed_pose
from lissom.dynamics.kinematic_loops.loop_closing import closed_configuration
from lissom.dynamics.state_checks import integrate
from lissom.errors import LissomError
from lissom.model.model import Model
from lissom.view.drawing.arm_drawing import Drawing
from lissom.view.live.cylinder_sliders import cylinder_handles
from lissom.view.live.joint_sliders import handles
from lissom.view.live.live_charts import ChartPanel
from lissom.view.live.stage import Stage

LARGEST = 0.12  # way of the part that moves most, over the reach of the arm
NUMBER = 12  # modes to choose from
LOCKS: dict[str, Any] = {"joints locked": True, "motors locked": "motors", "all free": False}


class Modal:
    """Choose a mode; sliders set the pose, the size and the speed of the motion."""

    def __init__(
        self, server: Any, model: Model, start: np.ndarray | None, scale: Callable[[], float], curves: ChartPanel
    ):
        self.server, self.model, self.scale, self.curves = server, model, scale, curves
        self.stage = Stage(server, Drawing(model))
        given = start is not None and len(start) == model.nq
        self.q = closed_pose(model, start if given else None).q
        for body in () if model.loops else model.bodies:
            self.q[body.modes_q] = 0.0
        self.handles, self.cylinders = handles(model, self.q), cylinder_handles(model, self.q)
        self.cylinders = [one for one in self.cylinders if one.by_length]
        gui = server.gui
        elastic = any(body.rotor_v is not None for body in model.bodies)
        choices = [name for name in LOCKS if elastic or name != "motors locked"]
        if not model.flexible and not elastic:
            choices = ["all free"]
        begin = choices[1] if elastic and len(choices) > 1 else choices[0]
        self.lock = gui.add_dropdown("Joints", tuple(choices), initial_value=begin)
        self.mode = gui.add_dropdown("Mode", ("-",))
        self.size = gui.add_slider("Size", 0.1, 3.0, 0.05, 1.0)
        self.speed = gui.add_slider("Swings per second", 0.1, 2.0, 0.05, 0.6)
        self.about = gui.add_html("")
        with gui.add_folder("Pose"):
            self.sliders = [one.slider(gui, float(self.q[one.q])) for one in self.handles]
            self.strokes = [one.slider(gui, one.value) for one in self.cylinders]
        self._stale, self._chosen, self._phase = True, False, 0.0
        for control in (self.lock, *self.sliders, *self.strokes):
            control.on_update(lambda _: self._wish())
        self.mode.on_update(lambda _: self._wish_mode())
        self._solve()
        self._choose()
        swing = self._poses(np.linspace(0, 2 * np.pi, 9))
        self.stage.frame_view(self.stage.arm.motion(swing))

    def step(self, dt: float, now: float) -> None:
        """Go on swinging."""
        if self._stale:
            self._stale = False
            self._solve()
            self._choose()
        elif self._chosen:
            self._choose()
        self._phase += 2 * np.pi * self.speed.value * dt
        motion = self.stage.arm.motion(self._poses(np.array([self._phase])))
        # The size has its own slider here, so the deflection is drawn as it is.
        self.stage.show(motion, 0, 1.0, None, (0.0, 0.0))

    def redraw(self) -> None:
        """Do nothing: the picture moves all the time."""

    def _wish(self) -> None:
        self._stale = True

    def _wish_mode(self) -> None:
        self._chosen = True

    def _solve(self) -> None:
        """Find the modes at the pose of the sliders; the number of the mode is kept."""
        for one, slider in zip(self.handles, self.sliders):
            self.q[one.q] = slider.value
            body = one.body
            if body.rotor_q is not None:
                self.q[body.rotor_q] = slider.value
        lengths = {one.name: float(slider.value) for one, slider in zip(self.cylinders, self.strokes)}
        try:
            if self.model.loops:
                kept = {one.v for one in self.handles}
                self.q = closed_configuration(self.model, self.q, kept, lengths)
            self.found: NaturalModes | None = natural_modes(
                self.model, self.q, LOCKS[self.lock.value], number=NUMBER, lengths=lengths
            )
        except LissomError as error:
            self.found = None
            self.about.content = f'<div style="padding:4px 10px;font-size:12px">{escape(str(error))}</div>'
            return
        before = self._index()
        names = tuple(
            f"{k + 1}: {hz:.4g} Hz, {label}"
            for k, (hz, label) in enumerate(zip(self.found.frequencies, self.found.labels))
        )
        self.mode.options = names
        self.curves.say(_all(self.found))
        self.mode.value = names[min(before, len(names) - 1)]

    def _index(self) -> int:
        number = str(self.mode.value).partition(":")[0]
        return int(number) - 1 if number.isdecimal() else self._first_that_swings()

    def _first_that_swings(self) -> int:
        assert self.found is not None
        swings = np.flatnonzero(self.found.frequencies > 0)
        return int(swings[0]) if len(swings) else 0

    def _choose(self) -> None:
        self._chosen = False
        if self.found is None:
            self._shape = np.zeros(self.model.nv)
            return
        k = min(self._index(), len(self.found) - 1)
        shape = self.found.shapes[:, k]
        arm = self.stage.arm
        small = 1e-4 * arm.reach / max(float(np.abs(shape).max()), 1e-300)
        rest, moved = (arm.frames(arm.motion(self._configuration_after(a * shape))).origin for a in (0.0, small))
        way = float(np.linalg.norm(moved - rest, axis=1).max()) / small
        self._shape = shape * (LARGEST * arm.reach / way if way > 0 else 0.0)
        self.about.content = _about(self.found, k)

    def _configuration_after(self, step: np.ndarray) -> np.ndarray:
        return np.asarray(integrate(self.model, self.q, step), float)[None]

    def _poses(self, phases: np.ndarray) -> np.ndarray:
        size = float(self.size.value)
        return np.concatenate([self._configuration_after(size * np.sin(phase) * self._shape) for phase in phases])


def _all(found: NaturalModes) -> str:
    """Return all modes as a table."""
    rows = []
    for k, label in enumerate(found.labels):
        ratio = found.damping_ratios[k]
        damping = "-" if np.isnan(ratio) else f"{100 * ratio:.3g} %"
        cells = (str(k + 1), f"{found.frequencies[k]:.5g}", damping, label)
        rows.append("".join(f'<td style="padding:2px 12px 2px 0">{escape(cell)}</td>' for cell in cells))
    names = "".join(
        f'<th style="text-align:left;padding-right:12px;color:#7d8894">{name}</th>'
        for name in ("", "Hz", "damping", "mode")
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    title = '<div style="font-weight:600;font-size:13px;padding:10px 12px 4px">Natural modes at this pose</div>'
    return f'{title}<table style="font-size:12.5px;margin:0 12px;border-spacing:0">{names}{body}</table>'


def _about(found: NaturalModes, k: int) -> str:
    """Return frequency, damping and what takes part, as a small table."""
    ratio = found.damping_ratios[k]
    rows = [
        ("frequency", f"{found.frequencies[k]:.5g} Hz"),
        ("damping", "-" if np.isnan(ratio) else f"{100 * ratio:.3g} %"),
        ("gives way", found.labels[k]),
    ]
    rows += [(f"moves {share:.0%}", name) for name, share in found.participation.strongest(k)]
    cells = "".join(
        f'<tr><td style="color:#7d8894;padding-right:12px">{escape(a)}</td><td>{escape(b)}</td></tr>' for a, b in rows
    )
    return f'<table style="font-size:12px;margin:4px 10px">{cells}</table>'
