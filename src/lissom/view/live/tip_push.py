"""Push the tip of a simulated arm with the mouse: a spring from the tip to where the pointer is held."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from lissom.control.laws.sampled_control import Sampled
from lissom.dynamics.joint_space_inertia import mass_matrix
from lissom.dynamics.kinematics import jacobian, point_force, tip_pose
from lissom.model.model import Model
from lissom.view.live import GRIP
from lissom.view.live.stage import Stage

COLOUR = (213, 94, 0)
RATE = 100.0  # renewals of the force per second
FARTHEST = 2.0  # times the arm's reach: how far the pointer pulls at most


class Push:
    """A ball at the tip that can be dragged; the force lasts while it is held.

    The spring is as stiff as makes the tip's own mass swing at `bandwidth` (rad/s).
    """

    def __init__(self, server: Any, stage: Stage, bandwidth: float) -> None:
        self.stage, self.bandwidth = stage, bandwidth
        self._lock = threading.Lock()
        self._target: np.ndarray | None = None
        reach = stage.arm.reach
        self.grip = server.scene.add_icosphere(GRIP, radius=0.032 * reach, color=COLOUR, opacity=0.35)
        self.line = server.scene.add_arrows(
            "/push", np.zeros((1, 2, 3)), COLOUR, shaft_radius=0.006 * reach, head_radius=0.015 * reach,
            head_length=0.04 * reach, visible=False,
        )  # fmt: skip
        self.grip.on_drag("left")(self._drag)

    @property
    def target(self) -> np.ndarray | None:
        """Where the pointer is held, (3,) in the world; None where nobody pulls."""
        with self._lock:
            return self._target

    def pull(self, target: np.ndarray | None) -> None:
        """Hold the tip by a point of the world, or let it go."""
        with self._lock:
            self._target = None if target is None else np.asarray(target, float)

    def controller(self, model: Model, q: np.ndarray) -> Sampled | None:
        """Return the force on the tip as a controller to add to that of the joints; None where nobody pulls."""
        target = self.target
        if target is None:
            return None
        link, longest = self.stage.arm.end, FARTHEST * self.stage.arm.reach
        stiffness = self.bandwidth**2 * _tip_mass(model, q, link)

        def forces(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
            way = target - tip_pose(model, q, link)[:3, 3]
            force = stiffness * way * min(1.0, longest / max(float(np.linalg.norm(way)), 1e-12))
            return point_force(model, q, np.concatenate([np.zeros(3), force]), link)

        return Sampled(forces, rate=RATE)

    def show(self, tip: np.ndarray) -> None:
        """Place the ball where the tip is, and the arrow to the pointer."""
        self.grip.position = tip
        target = self.target
        if target is not None:
            self.line.points = np.array([[tip, target]], np.float32)
        if self.line.visible != (target is not None):
            self.line.visible = target is not None

    def _drag(self, event: Any) -> None:
        self.pull(None if event.phase == "end" else event.end_position)


def _tip_mass(model: Model, q: np.ndarray, link: str) -> float:
    """Return the mass, in kg, that a slow push at the tip feels: that of the joints' motion, links stiff."""
    joints = [k for body in model.bodies for k in range(model.nv)[body.joint_v]]
    J = jacobian(model, q, link)[3:, joints]
    mobility = np.linalg.eigvalsh(J @ np.linalg.solve(mass_matrix(model, q)[np.ix_(joints, joints)], J.T))
    return 1.0 / float(mobility[-1])
