"""Simulate while joints and payload are moved by hand."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np

from lissom.control.laws.continuous_laws import pd
from lissom.control.laws.control_law import ControlLaw
from lissom.control.references.reference import Reference
from lissom.dynamics.joint_space_inertia import mass_matrix
from lissom.dynamics.kinematic_loops.cylinder_pose import closed_pose
from lissom.errors import LissomError
from lissom.kernel.forces.element_forces import TENSION
from lissom.model.description.robot import Robot
from lissom.simulation.postprocess import observe_run
from lissom.simulation.status.run_ending import Ending
from lissom.simulation.stepping.time_loop import simulate_raw
from lissom.view.drawing.arm_drawing import Drawing
from lissom.view.figures.chart import Chart, Series
from lissom.view.figures.figure_style import COLOURS, shaded
from lissom.view.live.cylinder_sliders import CylinderMotion, cylinder_handles, pushed_joints
from lissom.view.live.joint_sliders import Handle, handles
from lissom.view.live.live_charts import ChartPanel
from lissom.view.live.payload_controls import Payload
from lissom.view.live.stage import Stage
from lissom.view.live.tip_push import Push

CHUNK, STEP, RATE = 0.1, 0.01, 50.0  # s simulated at a time, s per step, outputs per second
BANDWIDTH = 2 * np.pi * 1.6  # rad/s of the joints under control
FOLLOW = 6.0  # 1/s: how fast the set-point goes where the slider is
WINDOW = 6.0  # s shown in the charts
CHART_EVERY = 0.2  # s


class ManualMode:
    """A simulation that follows the clock; sliders give the set-points of a PD law, cylinders and the payload."""

    def __init__(
        self, server: Any, robot: Robot, start: np.ndarray | None, scale: Callable[[], float], curves: ChartPanel
    ) -> None:
        self.server, self.scale, self.curves = server, scale, curves
        self.payload = Payload(robot)
        self.model = self.payload.robot.compile()
        given = start is not None and len(start) == self.model.nq
        q = closed_pose(self.model, start if given else None).q
        pushed = pushed_joints(self.model)
        self.handles: list[Handle] = [one for one in handles(self.model, q) if one.joint not in pushed]
        self.cylinders = cylinder_handles(self.model, q)
        if not self.handles and not self.cylinders:
            raise LissomError(f"{robot.name} has no joint or cylinder that a slider could move")
        self.stage = Stage(server, Drawing(self.model))
        self.push = Push(server, self.stage, BANDWIDTH)
        gui = server.gui
        self.sliders = [one.slider(gui, float(q[one.q])) for one in self.handles]
        self.strokes = [one.slider(gui, one.value) for one in self.cylinders]
        mass = self.payload.mass
        top = max(4 * mass, self.payload.suggested)
        self.mass = gui.add_slider("Payload [kg]", 0.0, float(f"{top:.2g}"), float(f"{top / 100:.1g}"), mass)
        gui.add_html(_note("Drag the ball at the tip to push the arm."))
        self.status = gui.add_html(_note("starting"))
        self.again = gui.add_button("Start again")
        self.again.on_click(lambda _: self._wish("again"))
        self.mass.on_update(lambda _: self._wish("mass"))
        self._wishes: set[str] = set()
        self._charted, self._failed = 0.0, False
        self._begin(q)
        self.stage.frame_view(self._poses())

    def step(self, dt: float, now: float) -> None:
        """Go on by dt seconds of the clock."""
        for wish in ("mass", "again"):
            if wish in self._wishes:
                self._wishes.discard(wish)
                self._change_mass() if wish == "mass" else self._begin(self.start)
        self.time += min(dt, CHUNK)
        while self.time > self.until:
            if not self._advance():
                return
        self._draw()
        if now - self._charted > CHART_EVERY:
            self._charted = now
            self._draw_charts()

    def redraw(self) -> None:
        """Do nothing: the picture moves all the time."""

    def _wish(self, what: str) -> None:
        self._wishes.add(what)

    def _begin(self, q: np.ndarray) -> None:
        self.start = q.copy()
        self.q, self.v = q.copy(), np.zeros(self.model.nv)
        self.goal = np.array([q[one.q] for one in self.handles])
        self.motions = [CylinderMotion(one) for one in self.cylinders]
        self.law = self._law()
        self.time = self.until = 0.0
        self.samples: deque[tuple[float, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = deque()
        nothing = np.zeros(len(self.model.robot.elements))
        self._keep(0.0, self.q, np.zeros((len(self.model.links), 6)), np.zeros(len(self.model.flexible)), nothing)
        self._charted, self._strongest = 0.0, np.array([1e-9, 1e-9])
        self._failed = False
        self._path: deque[np.ndarray] = deque(maxlen=200)
        self.curves.set(self._charts())

    def _law(self) -> ControlLaw | None:
        """Return PD on every joint with a slider, as stiff as its inertia asks for; weight balanced."""
        if not self.handles:
            return None
        M = mass_matrix(self.model, self.q)
        inertia = np.array([M[one.v, one.v] + (M[one.rotor, one.rotor] if one.rotor is not None else 0.0)
                            for one in self.handles])  # fmt: skip
        gains: dict[str, dict[str, list[float]]] = {}
        for one, weight in zip(self.handles, inertia):
            pair = gains.setdefault(one.joint, {"p": [], "d": []})
            pair["p"].append(float(weight * BANDWIDTH**2))
            pair["d"].append(float(2 * 0.9 * weight * BANDWIDTH))
        # Compensation at the state that is there would feed back the pull of ropes and cylinders, which is unstable.
        alone = not self.model.loops and not self.model.robot.elements
        return pd(self.model, gains, self.goal, gravity_compensation=alone)

    def _change_mass(self) -> None:
        """Go on with the same motion and another payload."""
        self.payload = self.payload.with_mass(float(self.mass.value))
        self.model = self.payload.robot.compile()
        self.law = self._law()

    def _advance(self) -> bool:
        """Simulate the next stretch; return whether that went well."""
        # the set-points follow the sliders with the rate FOLLOW: goal += (1 - exp(-FOLLOW t)) (wanted - goal)
        began = time.perf_counter()
        wanted = np.array([slider.value for slider in self.sliders], float)
        before = self.goal
        self.goal = before + (1 - np.exp(-FOLLOW * CHUNK)) * (wanted - before)
        laws: list[Any] = []
        if self.law is not None:
            reference = Reference.from_samples([0.0, CHUNK], np.stack([before, self.goal]), "linear")
            laws.append(self.law.following(reference))
        if (push := self.push.controller(self.model, self.q)) is not None:
            laws.append(push)
        ways = [one.advance(float(slider.value), CHUNK) for one, slider in zip(self.motions, self.strokes)]
        driven = list(zip(self.motions, ways, strict=True))
        # a fixed step of radau, so that a stretch takes the same time to compute whatever moves
        raw = simulate_raw(
            self.model,
            CHUNK,
            controller=sum(laws[1:], laws[0]) if laws else None,
            start=(self.q, self.v),
            motion={one.handle.name: way for one, way in driven if one.handle.by_length},
            loads=[one.load(way) for one, way in driven if not one.handle.by_length],
            method="radau",
            step=STEP,
            rate=RATE,
            audit=False,
        )
        if raw.status is not Ending.FINISHED or not np.all(np.isfinite(raw.q[-1])):
            if not self._failed:
                self.status.content = _note(f"{raw.status.word}: {raw.message}")
            self._failed = True
            self.time = self.until
            return False
        # what the picture and the charts show of it
        seen = observe_run(raw)
        bent = np.linalg.norm(seen.deflection, axis=2)
        for k in range(1, len(raw.time)):
            self._keep(self.until + float(raw.time[k]), raw.q[k], seen.wrench[k], bent[k], seen.element[k, :, TENSION])
        self.q, self.v = raw.q[-1], raw.v[-1]
        self.until += CHUNK
        # a machine too slow for real time waits for what is simulated
        wall = time.perf_counter() - began
        speed = "in real time" if wall < CHUNK else f"{CHUNK / wall:.2g} × real time"
        self.status.content = _note(f"{self.until:.1f} s, {speed}")
        if wall > CHUNK:
            self.time = min(self.time, self.until)
        return True

    def _keep(self, t: float, q: np.ndarray, wrench: np.ndarray, bent: np.ndarray, pull: np.ndarray) -> None:
        values = np.array([q[one.q] for one in self.handles])
        self.samples.append((t, q, wrench, bent, values, pull))
        while self.samples[0][0] < t - WINDOW:
            self.samples.popleft()

    def _draw(self) -> None:
        times = [sample[0] for sample in self.samples]
        k = min(max(int(np.searchsorted(times, self.time)), 1), len(times) - 1) if len(times) > 1 else 0
        _, q, wrench, *_ = self.samples[k]
        if k > 0:  # between two samples
            t0, q0 = self.samples[k - 1][:2]
            part = np.clip((self.time - t0) / (times[k] - t0), 0.0, 1.0)
            q = q0 + part * (q - q0)
        size = np.linalg.norm(wrench.reshape(-1, 2, 3), axis=2).max(axis=0)
        self._strongest = np.maximum(0.995 * self._strongest, size)
        scale = self.scale()
        frames = self.stage.show(self.stage.arm.motion(q), 0, scale, wrench, self._strongest)
        tip = self.stage.tip(frames)
        self.push.show(tip)
        self._path.append(tip)

    def _draw_charts(self) -> None:
        if len(self.samples) > 2:
            self.curves.update(self._charts())
            self.stage.set_trail(np.array(self._path))

    def _charts(self) -> list[Chart]:
        t = np.array([sample[0] for sample in self.samples])
        if len(t) < 2:
            t = np.array([0.0, 1e-3])
        rows = [self.samples[min(k, len(self.samples) - 1)] for k in range(len(t))]
        values, bent = np.array([row[4] for row in rows]).round(5), np.array([row[3] for row in rows])
        arm = self.stage.arm
        colours = shaded([arm.colour(one.body) for one in self.handles], [one.body.joint for one in self.handles])
        made = []
        for unit, quantity in (("rad", "angle"), ("m", "position")):
            series = tuple(
                Series(one.name, values[:, k], colours[k]) for k, one in enumerate(self.handles) if one.unit == unit
            )
            if series:
                made.append(Chart(f"Joint {quantity}s", quantity, unit, t, series))
        if self.model.flexible:
            links = [body for body in self.model.bodies if body.link in self.model.flexible]
            series = tuple(Series(body.link, 1e3 * bent[:, k], arm.colour(body)) for k, body in enumerate(links))
            made.append(Chart("Tip deflection of links", "deflection", "mm", t, series))
        if self.cylinders:
            names = [part.name for part in self.model.robot.elements]
            pulls = np.array([row[5] for row in rows])
            series = tuple(
                Series(one.name, -pulls[:, names.index(one.name)], COLOURS[k % len(COLOURS)])
                for k, one in enumerate(self.cylinders)
            )
            made.append(Chart("Push of cylinders", "push", "N", t, series))
        for part, columns, unit in (("torque", slice(0, 3), "N m"), ("force", slice(3, 6), "N")):
            sizes = np.array([np.linalg.norm(row[2][:, columns], axis=1) for row in rows])
            series = tuple(
                Series(body.joint, sizes[:, k], arm.colour(body))
                for k, body in enumerate(self.model.bodies)
                if body.joint_v.stop > body.joint_v.start
            )
            made.append(Chart(f"{part.capitalize()} through joints", part, unit, t, series))
        return made

    def _poses(self) -> Any:
        """Return configurations that show how far the arm can go."""
        q = np.repeat(self.start[None], 9, axis=0)
        for k, one in enumerate(self.handles[:4]):
            q[1 + 2 * k, one.q] += 0.8
            q[2 + 2 * k, one.q] -= 0.8
        return self.stage.arm.motion(q)


def _note(text: str) -> str:
    return f'<div style="font-size:12px;color:#7d8894;padding:2px 10px">{escape(text)}</div>'
