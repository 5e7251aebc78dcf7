"""The live page as a whole: what to show, how to draw it, and the loop that keeps it moving."""

from __future__ import annotations

import contextlib
import io
import threading
import time
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from lissom.errors import LissomError
from lissom.model.description.robot import Robot
from lissom.results.trajectory import Trajectory
from lissom.version import __version__
from lissom.view.drawing.arm_drawing import Drawing
from lissom.view.figures.run_charts import busiest
from lissom.view.live import LOG
from lissom.view.live.closing_controls import ClosingControls
from lissom.view.live.live_charts import ChartPanel
from lissom.view.live.manual_mode import ManualMode
from lissom.view.live.modes_mode import Modal
from lissom.view.live.playback_mode import Recorded
from lissom.view.live.server import set_theme
from lissom.view.live.stage import VIEWS, Stage

RECORDED, MOVED, MODES = "recorded run", "move by hand", "natural modes"
FPS = 33.0  # pictures per second that are tried for


class App:
    """One page; all its visitors see the same.

    Parameters
    ----------
    server : any
        From `open_server`.
    robot : Robot, optional
        What to move by hand and whose modes to show; that of the chosen run unless given.
    runs : mapping, optional
        Recorded runs to choose from, by their labels: trajectories, or paths of files that hold one.
    start : array, optional
        Where a simulation by hand starts, (nq,).
    show : str, optional
        "recorded run", "move by hand" or "natural modes"; the first that there is unless given.
    """

    def __init__(
        self,
        server: Any,
        robot: Robot | None = None,
        runs: Mapping[str, Trajectory | Path] | None = None,
        start: np.ndarray | None = None,
        show: str | None = None,
    ) -> None:
        self.server, self.robot, self.start = server, robot, start
        self.runs: dict[str, Trajectory | Path] = dict(runs or {})
        if robot is None and not self.runs:
            raise LissomError("there is nothing to show: give a robot or a recorded run")
        self.frames = 0  # pictures sent so far
        self._activity: Any = None
        self._wishes: set[str] = set()
        self._stop = threading.Event()
        # what is shown: a run, the arm by hand, or its modes
        gui = server.gui
        gui.set_panel_label("lissom")
        gui.main_panel.dock_right()
        self._title = gui.add_html("")
        choices = ((RECORDED,) if self.runs else ()) + (MOVED, MODES)
        self.show = gui.add_dropdown("Show", choices, initial_value=show if show in choices else choices[0])
        self.run_choice = gui.add_dropdown("Run", tuple(self.runs) or ("-",), visible=bool(self.runs))
        self._folder: Any = None
        self._leaving = ClosingControls()
        # how it is drawn
        with gui.add_folder("Picture", order=100):
            self.scale = gui.add_slider("Deflection ×", 1.0, 50.0, 0.5, 1.0)
            self.trail = gui.add_checkbox("Tip trail", True)
            self.forces = gui.add_checkbox("Joint forces", False)
            self.torques = gui.add_checkbox("Joint torques", False)
            self.axes = gui.add_checkbox("Joint frames", False)
            self.view = gui.add_dropdown("View", tuple(VIEWS), initial_value="free")
            self.reset = gui.add_button("Reset view")
            self.dark = gui.add_checkbox("Dark colours", False)
        self.curves = ChartPanel(server, self._leaving)
        # controls leave wishes, as the picture belongs to the thread of the loop
        for control in (self.show, self.run_choice):
            control.on_update(lambda _: self.choose())
        for box in (self.trail, self.forces, self.torques, self.axes):
            box.on_update(lambda _: self._wishes.add("visible"))
        self.view.on_update(lambda _: self._wishes.add("view"))
        self.reset.on_click(lambda _: self._wishes.add("reset"))
        self.dark.on_update(lambda _: self._wishes.update(("visible", "theme")))
        space = gui.add_command("Play or pause", description="also by the space bar", hotkey="space")
        space.on_trigger(lambda _: self._wishes.add("play"))
        self._try(self._build)

    def choose(self) -> None:
        """Build anew, in the loop's own thread, what the controls ask for."""
        self._wishes.add("build")

    def loop(self) -> None:
        """Keep the page moving until `stop`."""
        before = time.perf_counter()
        while not self._stop.is_set():
            now = time.perf_counter()
            self.step(now - before, now)
            before = now
            self._stop.wait(max(0.002, 1 / FPS - (time.perf_counter() - now)))

    def step(self, dt: float, now: float) -> None:
        """Take one turn of the loop; it goes on whatever a visitor has chosen."""
        self._leaving.sweep()
        answers = {"build": self._build, "visible": self._set_visible, "view": self._look, "reset": self._reset_view}
        for wish, answer in (answers | {"play": self._play, "theme": self._set_theme}).items():
            if wish in self._wishes:
                self._wishes.discard(wish)
                self._try(answer)
        if self._activity is not None:
            self._try(lambda: self._activity.step(dt, now))
            self.frames += 1

    def stop(self) -> None:
        """End the loop and the server."""
        self._stop.set()
        with contextlib.redirect_stdout(io.StringIO()):  # the server's own farewell
            self.server.stop()

    @property
    def activity(self) -> Any:
        """What is shown now: a Recorded, Moved or Modal."""
        return self._activity

    def _try(self, action: Callable[[], None]) -> None:
        """Do something; whatever goes wrong is shown on the page, which then rests until something else is chosen."""
        try:
            action()
        except LissomError as error:
            self._activity = None
            self._say(str(error))
        except Exception as error:
            self._activity = None
            LOG.exception("a fault in the live page")
            self._say(f"This is a bug in lissom; please report it: {type(error).__name__}: {error}")

    def _build(self) -> None:
        """Put up what is asked for."""
        if self._folder is not None:
            self._leaving.add(self._folder)
        self._activity = None
        self._folder = self.server.gui.add_folder("Motion", order=50)
        with self._folder:
            self._activity = self._make_stage()
        self.run_choice.visible = self.show.value == RECORDED and len(self.runs) > 1
        for control in (self.scale, self.trail, self.forces, self.torques):  # which say nothing about modes
            control.visible = self.show.value != MODES
        for text in self._activity.stage.arm.missing:
            self._say(text)
        self._set_visible()

    def _make_stage(self) -> Any:
        kind = self.show.value
        if kind == RECORDED:
            run = self._chosen_run()
            self._name(run.model.robot.name, f"{run.time[-1] - run.time[0]:g} s of motion, {run.info.status.word}")
            stage = Stage(self.server, Drawing(run.model, tip=busiest(run), carried=run.payloads))
            return Recorded(self.server, run, stage, self.curves, self._scale)
        robot = self.robot if self.robot is not None else self._chosen_run().model.robot
        if kind == MOVED:
            self._name(robot.name, "simulated while you move the sliders")
            return ManualMode(self.server, robot, self.start, self._scale, self.curves)
        self._name(robot.name, "natural modes at a pose")
        return Modal(self.server, robot.compile(), self.start, self._scale, self.curves)

    def _chosen_run(self) -> Trajectory:
        """Return the run that the page asks for: one of those it was given, whatever a visitor sends."""
        label = self.run_choice.value
        if label not in self.runs:
            raise LissomError(f"{label!r} is not a run on this page")
        found = self.runs[label]
        if isinstance(found, Path):
            found = self.runs[label] = Trajectory.load(found)
        return found

    def _scale(self) -> float:
        return float(self.scale.value)

    def _set_visible(self) -> None:
        if self._activity is None:
            return
        stage: Stage = self._activity.stage
        stage.set_dark(bool(self.dark.value))
        stage.show_trail(bool(self.trail.value))
        stage.forces.visible = bool(self.forces.value)
        stage.torques.visible = bool(self.torques.value)
        stage.axes.visible = bool(self.axes.value)
        self._activity.redraw()

    def _look(self) -> None:
        if self._activity is not None:
            self._activity.stage.look(self.view.value)

    def _reset_view(self) -> None:
        self.view.value = "free"
        self._look()

    def _set_theme(self) -> None:
        set_theme(self.server, bool(self.dark.value))

    def _play(self) -> None:
        if isinstance(self._activity, Recorded):
            self._activity.toggle()

    def _name(self, name: str, detail: str) -> None:
        self._title.content = (
            f'<div style="padding:4px 10px 6px"><div style="font-size:17px;font-weight:650">{escape(name)}</div>'
            f'<div style="color:#7d8894;font-size:12px">{escape(detail)}</div>'
            f'<div style="color:#8c95a0;font-size:11px">lissom {escape(__version__)}</div></div>'
        )

    def _say(self, text: str) -> None:
        with self._folder:
            self.server.gui.add_html(f'<div style="padding:4px 10px;color:#a44400">{escape(text)}</div>')
