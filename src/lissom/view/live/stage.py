"""The arm on the live page: its solids, frames, wrenches and trail as things of the scene."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.lie import quaternion
from lissom.view.drawing.arm_drawing import Drawing, FrameMotion, WorldFrames
from lissom.view.drawing.viewpoint import Viewpoint, followed_link, home
from lissom.view.films.software_renderer import Camera

FORCE, TORQUE = (213, 94, 0), (122, 79, 181)
TRAIL = (0, 114, 178)
SHADE = {False: (226, 229, 233), True: (7, 8, 10)}  # of the shadow, on light and on dark paper
LINES = {False: ((222, 226, 231), (203, 209, 216)), True: ((46, 51, 58), (66, 73, 82))}  # thin and thick ones
LAMP = np.array([0.25, -0.35, 1.0])  # towards the lamp: two horizontal directions and up
LONGEST = 0.3  # the strongest wrench is drawn as long as this part of the arm's reach
VIEWS: dict[str, Viewpoint | None] = {
    "free": None,  # where one sees what moves
    "front": (-np.pi / 2, 0.0),
    "side": (0.0, 0.0),
    "top": (-np.pi / 2, np.pi / 2 - 1e-3),
}
ASPECT = 0.6  # width over height of the picture between the two panels of a small window


class Stage:
    """Draws one arm; `show` moves all of it at once."""

    def __init__(self, server: Any, arm: Drawing) -> None:
        self.server, self.arm = server, arm
        scene = server.scene
        scene.reset()
        scene.set_up_direction(arm.up)
        scene.configure_default_lights(cast_shadow=False)  # maps of shadows halve the frame rate of software graphics
        scene.configure_environment_map(None)
        scene.add_light_hemisphere("/sky", ground_color=(196, 202, 210), intensity=1.9)
        reach = arm.reach
        rest = arm.motion(arm.model.neutral())
        frames = arm.frames(rest)
        self.meshes = [
            scene.add_mesh_simple(
                f"/arm/{k}-{piece.role}",
                vertices=arm.points(piece, frames, rest.eta[0]),
                faces=piece.mesh.triangles,
                color=_bytes(piece.colour),
                side="double",
            )
            for k, piece in enumerate(arm.pieces)
        ]
        self.ground: float | None = None  # height that the shadow lies at, once there is a ground
        self.shadow: Any = None
        self.dark = False
        count = len(arm.links)
        self.axes = scene.add_batched_axes(
            "/frames",
            batched_wxyzs=quaternion.from_matrix(frames.axes[:count]),
            batched_positions=frames.origin[:count],
            axes_length=0.1 * reach,
            axes_radius=0.003 * reach,
            visible=False,
        )
        still = np.repeat(frames.origin[:count, None], 2, axis=1)
        sizes = {"shaft_radius": 0.0045 * reach, "head_radius": 0.012 * reach, "head_length": 0.035 * reach}
        self.forces = scene.add_arrows("/forces", still, FORCE, visible=False, **sizes)
        self.torques = scene.add_arrows("/torques", still, TORQUE, visible=False, **sizes)
        self._trail_name = "/trail"
        self.trail: Any = None
        self.trail_visible = True

    def show(
        self,
        motion: FrameMotion,
        sample: int,
        scale: float,
        wrench: np.ndarray | None,
        strongest: Any,
        time: float | None = None,
    ) -> WorldFrames:
        """Show the arm at a sample, what is carried only at its `time`.

        A wrench (n, 6) in child axes is drawn relative to the strongest (torque, force).
        """
        frames = self.arm.frames(motion, sample, scale)
        count = len(self.arm.links)
        points = [self.arm.points(piece, frames, motion.eta[sample], scale) for piece in self.arm.pieces]
        with self.server.atomic():
            for mesh, piece, own in zip(self.meshes, self.arm.pieces, points):
                mesh.vertices = own.astype(np.float32)
                if piece.shown is not None:
                    mesh.visible = time is not None and piece.there(time)
            self._lay_shadow(points)
            if self.axes.visible:
                self.axes.batched_positions = frames.origin[:count].astype(np.float32)
                self.axes.batched_wxyzs = quaternion.from_matrix(frames.axes[:count]).astype(np.float32)
            for arrows, part, most in zip((self.torques, self.forces), (slice(0, 3), slice(3, 6)), strongest):
                if arrows.visible:
                    size = np.zeros((count, 3)) if wrench is None or most <= 0 else wrench[:, part] / most
                    world = np.einsum("nij,nj->ni", frames.axes[:count], LONGEST * self.arm.reach * size)
                    ends = np.stack([frames.origin[:count], frames.origin[:count] + world], axis=1)
                    arrows.points = ends.astype(np.float32)
        return frames

    def _lay_shadow(self, points: list[np.ndarray]) -> None:
        """Lay all solids flat on the ground along the light, as one mesh."""
        if self.ground is None:
            return
        every, up = np.concatenate(points), self.arm.up
        across = np.roll(np.abs(up).round(), 1)
        lamp = LAMP[2] * up + LAMP[0] * across + LAMP[1] * np.cross(up, across)
        flat = (every - np.outer((every @ up - self.ground) / (lamp @ up), lamp)).astype(np.float32)
        if self.shadow is None:
            start = np.cumsum([0, *(len(piece.mesh.points) for piece in self.arm.pieces)])
            faces = np.concatenate([a + piece.mesh.triangles for a, piece in zip(start, self.arm.pieces)])
            self.shadow = self.server.scene.add_mesh_simple(
                "/shadow", flat, faces, color=SHADE[self.dark], flat_shading=True, side="double"
            )
        else:
            self.shadow.vertices = flat

    def tip(self, frames: WorldFrames) -> np.ndarray:
        """Return where the arm's tip is, (3,)."""
        return frames.origin[self.arm.tip] + frames.axes[self.arm.tip] @ self.arm.tip_offset

    def set_trail(self, path: np.ndarray) -> None:
        """Draw where the tip has been, (k, 3); nothing of fewer than two places."""
        if len(path) < 2:
            if self.trail is not None:
                self.trail.remove()
                self.trail = None
            return
        pieces = np.stack([path[:-1], path[1:]], axis=1).astype(np.float32)
        if self.trail is None:
            self.trail = self.server.scene.add_line_segments(
                self._trail_name, pieces, TRAIL, thickness=2.0, thickness_units="screen", visible=self.trail_visible
            )
        else:
            self.trail.points = pieces

    def show_trail(self, visible: bool) -> None:
        """Show or hide the trail of the tip."""
        self.trail_visible = visible
        if self.trail is not None:
            self.trail.visible = visible

    def frame_view(self, motion: FrameMotion, scale: float = 1.0) -> None:
        """Put ground and camera so that the whole motion is in view."""
        arm = self.arm
        arm.follow = followed_link(arm, motion)
        every = range(0, len(motion.eta), max(1, len(motion.eta) // 24))
        cloud = np.concatenate([self._cloud(motion, k, scale) for k in every])
        if arm.grounded:
            self.ground = float((cloud @ arm.up).min()) - 0.017 * arm.reach
        self._seen, self._home = cloud, home(arm, motion)
        self._lay_grid()
        self.look("free")

    def set_dark(self, dark: bool) -> None:
        """Colour lines and shadow for dark paper, or for light."""
        if dark != self.dark:
            self.dark = dark
            self._lay_grid()
            if self.shadow is not None:
                self.shadow.color = SHADE[dark]

    def _lay_grid(self) -> None:
        if self.ground is not None:
            _add_grid(self.server.scene, self.arm, self._seen, self.ground + 0.002 * self.arm.reach, *LINES[self.dark])

    def look(self, view: str) -> None:
        """Show the whole motion from one of VIEWS to all visitors."""
        arm = self.arm
        camera = Camera.around(self._seen, arm.up, ASPECT, *(VIEWS[view] or self._home), fill=0.86, angle=0.6)
        start = self.server.initial_camera
        start.position, start.look_at, start.up, start.fov = camera.eye, camera.target, camera.up, camera.angle
        start.near, start.far = 0.01 * arm.reach, float(np.linalg.norm(camera.eye - camera.target)) + 100 * arm.reach
        for client in self.server.get_clients().values():
            with client.atomic():
                client.camera.position, client.camera.look_at = camera.eye, camera.target
                client.camera.up_direction, client.camera.fov = camera.up, camera.angle

    def _cloud(self, motion: FrameMotion, sample: int, scale: float) -> np.ndarray:
        frames = self.arm.frames(motion, sample, scale)
        each = [self.arm.points(piece, frames, motion.eta[sample], scale)[::7] for piece in self.arm.pieces]
        return np.concatenate([*each, self.tip(frames)[None]])


def _add_grid(scene: Any, arm: Drawing, cloud: np.ndarray, ground: float, thin: Any, thick: Any) -> None:
    """Draw lines on the ground, thin and thick ones in their colours."""
    rough = arm.reach / 5
    power = 10.0 ** np.floor(np.log10(rough))
    cell = float(power * next(m for m in (1, 2, 5, 10) if m * power >= rough))
    middle = (cloud.min(axis=0) + cloud.max(axis=0)) / 2
    middle = middle + arm.up * (ground - middle @ arm.up)
    along = np.abs(arm.up).argmax()
    scene.add_grid(
        "/ground",
        width=6 * arm.reach,
        height=6 * arm.reach,
        plane={0: "yz", 1: "xz", 2: "xy"}[int(along)],
        cell_size=cell,
        section_size=5 * cell,
        cell_color=thin,
        section_color=thick,
        fade_distance=8 * arm.reach,
        fade_from="origin",
        shadow_opacity=0.0,
        position=middle,
    )


def _bytes(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
