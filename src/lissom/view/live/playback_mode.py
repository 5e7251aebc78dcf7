"""Play a recorded run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lissom.results.trajectory import Trajectory
from lissom.view.drawing.arm_drawing import FrameMotion
from lissom.view.live.live_charts import ChartPanel
from lissom.view.live.stage import Stage
from lissom.view.pages.packed_numbers import scenes
from lissom.view.pages.page_charts import charts

SPEEDS = {"0.1 ×": 0.1, "0.25 ×": 0.25, "0.5 ×": 0.5, "1 ×": 1.0, "2 ×": 2.0}
POINT_EVERY = 0.1  # s between moves of the line in the charts
TRAIL_EVERY = 0.2
SAMPLES = 2000  # of the motion that are kept at hand, so that playing costs little


class Recorded:
    """A run with its time slider, play button and speed."""

    def __init__(
        self, server: Any, run: Trajectory, stage: Stage, curves: ChartPanel, scale: Callable[[], float]
    ) -> None:
        self.run, self.stage, self.curves, self.scale = run, stage, curves, scale
        self.first, self.last = float(run.time[0]), float(run.time[-1])
        self.time, self.playing = self.first, False
        self._drawn: tuple[float, float] | None = None
        self._pointed = self._trailed = 0.0
        self._scaled = 0.0
        gui = server.gui
        self.play = gui.add_button("Play")
        step = max((self.last - self.first) / 1000, 1e-6)
        self.slider = gui.add_slider("Time [s]", self.first, max(self.last, self.first + step), step, self.first)
        self.speed = gui.add_dropdown("Speed", tuple(SPEEDS), initial_value="1 ×")
        self.play.on_click(lambda _: self.toggle())
        self.slider.on_update(self._seek)
        self._times = np.linspace(self.first, self.last, int(np.clip(len(run.time), 2, SAMPLES)))
        self._motion = stage.arm.motion(np.nan_to_num(run.state(self._times)[0]))
        stage.frame_view(stage.arm.motion(np.nan_to_num(run.state(scenes(run)[::8])[0])))
        wrench = np.nan_to_num(run.dataset["wrench"].values)
        sizes = np.linalg.norm(wrench.reshape(*wrench.shape[:2], 2, 3), axis=3).reshape(-1, 2)
        self.strongest = sizes.max(axis=0)
        self._wrench = wrench
        self._path_times = scenes(run)[:: max(1, len(scenes(run)) // 400)]
        curves.set(charts(run))

    def toggle(self) -> None:
        """Play, from the start where the end is reached, or pause."""
        self.playing = not self.playing
        if self.playing and self.time >= self.last:
            self.time = self.first
        self.play.label = "Pause" if self.playing else "Play"
        self._drawn = None  # so that slider, line and trail stand where the arm stopped

    def step(self, dt: float, now: float) -> None:
        """Go on by dt seconds and draw what has changed."""
        if self.playing:
            self.time = min(self.time + SPEEDS[self.speed.value] * dt, self.last)
            if self.time >= self.last:
                self.toggle()
        scale = self.scale()
        if self._drawn == (self.time, scale):
            return
        ended = not self.playing
        self._drawn = (self.time, scale)
        k = int(np.searchsorted(self.run.time, self.time - 1e-12))
        self.stage.show(self._now(), 0, scale, self._wrench[min(k, len(self._wrench) - 1)], self.strongest, self.time)
        if ended or now - self._pointed > POINT_EVERY:
            self._pointed = now
            self.curves.point(self.time)
            if self.playing or self.slider.value != self.time:
                self.slider.value = self.time
        if ended or now - self._trailed > TRAIL_EVERY:
            self._trailed = now
            self._draw_trail(scale)

    def _now(self) -> FrameMotion:
        """Return how the arm stands at the time: exactly where it rests, between kept samples while it plays."""
        if not self.playing:
            return self.stage.arm.motion(np.nan_to_num(self.run.state(self.time)[0]))
        k = min(max(int(np.searchsorted(self._times, self.time, "right")) - 1, 0), len(self._times) - 2)
        first, last = self._times[k : k + 2]
        return self._motion.between(k, float((self.time - first) / (last - first)) if last > first else 0.0)

    def redraw(self) -> None:
        """Draw again although nothing moved."""
        self._drawn = None

    def _seek(self, event: Any) -> None:
        if event.client is not None:  # moved by hand, not by `step`
            self.time = float(self.slider.value)

    def _draw_trail(self, scale: float) -> None:
        if self._scaled != scale:
            q = np.nan_to_num(self.run.state(self._path_times)[0])
            self._path = self.stage.arm.tips(self.stage.arm.motion(q), scale)
            self._scaled = scale
        self.stage.set_trail(self._path[self._path_times <= self.time + 1e-9])
