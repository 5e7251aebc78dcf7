"""Pictures of solids without a graphics card: triangles into a depth buffer, lit by a lamp and the sky.

Used for still pictures and for the frames of a film. Points are in world coordinates; colours are linear 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lissom.kernel.compile import kernel
from lissom.view.drawing.viewpoint import HOME, horizontal

FINER = 2  # samples per pixel and direction
LAMP = np.array([-0.42, -0.34, 0.84])  # towards the lamp, in the camera's right, back and up on the ground
SHADOW = 0.34  # how much darker the ground is where the lamp is hidden
WHITE, GROUND = np.array([1.0, 1.0, 1.0]), np.array([0.955, 0.962, 0.970])


class Solid(NamedTuple):
    """A mesh in the world and its colour, or one for each of its points (n, 3)."""

    points: np.ndarray  # (n, 3)
    normals: np.ndarray  # (n, 3)
    triangles: np.ndarray  # (m, 3)
    colour: tuple[float, float, float] | np.ndarray
    opacity: float = 1.0


@dataclass(frozen=True)
class Camera:
    """Where the picture is taken from: `eye` looks at `target`, `up` is up, `angle` is the height of view in rad."""

    eye: np.ndarray
    target: np.ndarray
    up: np.ndarray
    angle: float = 0.5

    @classmethod
    def around(
        cls,
        points: np.ndarray,
        up: np.ndarray,
        aspect: float,
        turn: float = HOME[0],
        lift: float = HOME[1],
        fill: float = 0.88,
        angle: float = 0.5,
    ) -> Camera:
        """Return a camera that has all points (n, 3) in view, seen from `turn` about the vertical and `lift` above."""
        ahead, side = horizontal(up)
        direction = np.cos(lift) * (np.cos(turn) * ahead + np.sin(turn) * side) + np.sin(lift) * up
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        for _ in range(3):  # the middle of what is seen is not the middle of the box
            axes = _axes(direction, up)
            seen = (points - middle) @ axes.T
            tall = np.tan(angle / 2) * fill
            distance = np.max(seen[:, 2] + np.maximum(np.abs(seen[:, 1]) / tall, np.abs(seen[:, 0]) / (tall * aspect)))
            flat = seen[:, :2] / (distance - seen[:, 2:])
            offset = (flat.max(axis=0) + flat.min(axis=0)) / 2 * distance
            middle = middle + offset @ axes[:2]
        return cls(middle + distance * direction, middle, up, angle)

    def view(self, points: np.ndarray) -> np.ndarray:
        """Return points (n, 3) as right, up and towards the viewer, seen from the eye."""
        return (points - self.eye) @ _axes(self.eye - self.target, self.up).T

    def project(self, points: np.ndarray, width: int, height: int) -> np.ndarray:
        """Return column, row and distance (n, 3) of points in a picture."""
        seen = self.view(points)
        scale = height / 2 / np.tan(self.angle / 2)
        depth = np.maximum(-seen[:, 2], 1e-9)
        column, row = width / 2 + scale * seen[:, 0] / depth, height / 2 - scale * seen[:, 1] / depth
        return np.stack([column, row, depth], axis=1)


class Studio:
    """Takes pictures of `width` x `height` pixels with one camera; what does not move is prepared once.

    Parameters
    ----------
    ground : float, optional
        Height of the ground along the camera's `up`, which then carries shadows.
    """

    def __init__(self, camera: Camera, width: int, height: int, ground: float | None = None) -> None:
        self.camera, self.ground = camera, ground
        self.size = np.array([width, height])
        self._empty = _background(camera, FINER * width, FINER * height, ground)
        self._lamp = _lamp(camera)

    def picture(self, solids: list[Solid]) -> np.ndarray:
        """Return an image (height, width, 3) of bytes."""
        w, h = (FINER * self.size).tolist()
        image = self._empty.copy()
        if self.ground is not None:
            self._shade(solids, image)
        depth = np.full((h, w), np.inf)
        for solid in sorted(solids, key=lambda one: -one.opacity):
            light = _light(solid, self.camera, self._lamp)
            corners = self.camera.project(solid.points, w, h)
            _fill(corners, light, solid.triangles.astype(np.int64), image, depth, float(solid.opacity))
        width, height = self.size.tolist()
        out = np.empty((height, width, 3), np.uint8)
        _average_samples(image, out)
        return out

    def _shade(self, solids: list[Solid], image: np.ndarray) -> None:
        """Darken the ground where the lamp is hidden, with a soft edge."""
        from scipy.ndimage import gaussian_filter

        coarse = self.size * FINER // 2
        w, h = coarse.tolist()
        shade, nearest = np.zeros((h, w, 1)), np.full((h, w), np.inf)
        camera = self.camera
        for solid in solids:
            if solid.opacity < 1:
                continue
            height = solid.points @ camera.up - self.ground
            cast = solid.points - np.outer(height / (self._lamp @ camera.up), self._lamp)
            ones = np.ones((len(cast), 1))
            _fill(camera.project(cast, w, h), ones, solid.triangles.astype(np.int64), shade, nearest, 1.0)
        rows, columns = (np.flatnonzero(shade[..., 0].any(axis=axis)) for axis in (1, 0))
        if not len(rows):
            return
        soft = h / 220
        edge = int(4 * soft) + 1
        top, left = max(0, rows[0] - edge), max(0, columns[0] - edge)
        part = gaussian_filter(shade[top : rows[-1] + edge, left : columns[-1] + edge, 0], soft)
        fine = np.repeat(np.repeat(part, 2, axis=0), 2, axis=1)[..., None]
        image[2 * top : 2 * top + fine.shape[0], 2 * left : 2 * left + fine.shape[1]] *= 1 - SHADOW * fine


def stroke(points: np.ndarray, radius: float, colour: tuple[float, float, float], opacity: float = 1.0) -> Solid:
    """Return a line (n, 3) as a thin tube."""
    from lissom.view.drawing import triangle_meshes

    keep = np.concatenate([[True], np.linalg.norm(np.diff(points, axis=0), axis=1) > 0.2 * radius])
    line = points[keep]
    if len(line) < 2:
        line = np.array([points[0], points[0] + radius * np.eye(3)[0]])
    tangent = np.gradient(line, axis=0)
    angle = 2 * np.pi * np.arange(8) / 8
    mesh = triangle_meshes.sweep(radius * np.stack([np.cos(angle), np.sin(angle)], axis=1), np.arange(len(line)))
    R = _without_twist(tangent)[mesh.frame]
    place = line[mesh.frame] + np.einsum("nij,nj->ni", R, mesh.points)
    return Solid(place, np.einsum("nij,nj->ni", R, mesh.normals), mesh.triangles, colour, opacity)


def _without_twist(tangents: np.ndarray) -> np.ndarray:
    """Return frames (n, 3, 3) along a line, x along it, each turned as little as possible from the one before."""
    from lissom.view.drawing import triangle_meshes

    frames = np.empty((len(tangents), 3, 3))
    side = triangle_meshes.rotation_along(tangents[0])[:, 1]
    for k, tangent in enumerate(tangents):
        x = tangent / max(float(np.linalg.norm(tangent)), 1e-300)
        side = side - x * (x @ side)
        size = float(np.linalg.norm(side))
        side = side / size if size > 1e-6 else triangle_meshes.rotation_along(x)[:, 1]
        frames[k] = np.stack([x, side, np.cross(x, side)], axis=1)
    return frames


def _axes(direction: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Return rows right, up and back of a camera."""
    back = direction / np.linalg.norm(direction)
    right = np.cross(up, back)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(back, right), back])


def _lamp(camera: Camera) -> np.ndarray:
    """Return direction to the lamp: from the upper left, behind the viewer."""
    back = camera.eye - camera.target
    back = back - camera.up * (camera.up @ back)
    back /= max(float(np.linalg.norm(back)), 1e-9)
    right = np.cross(camera.up, back)
    lamp = LAMP[0] * right - LAMP[1] * back + LAMP[2] * camera.up
    return lamp / np.linalg.norm(lamp)


def _light(solid: Solid, camera: Camera, lamp: np.ndarray) -> np.ndarray:
    """Colour (n, 3) of each point: lamp, sky and a highlight."""
    normal = solid.normals
    to_eye = camera.eye - solid.points
    to_eye /= np.linalg.norm(to_eye, axis=1, keepdims=True)
    halfway = lamp + to_eye
    halfway /= np.linalg.norm(halfway, axis=1, keepdims=True)
    lit = np.clip(normal @ lamp, 0, 1)
    sky = 0.5 + 0.5 * (normal @ camera.up)
    edge = (1 - np.clip(np.sum(normal * to_eye, axis=1), 0, 1)) ** 3
    shine = np.clip(np.sum(normal * halfway, axis=1), 0, 1) ** 42
    colour = np.asarray(solid.colour)
    tint = colour * (0.34 + 0.30 * sky + 0.55 * lit)[:, None]
    return tint + (0.30 * shine * (lit > 0) + 0.10 * edge)[:, None]


def _background(camera: Camera, w: int, h: int, ground: float | None) -> np.ndarray:
    """Return white, and a ground that fades into it."""
    image = np.broadcast_to(WHITE, (h, w, 3))
    if ground is None:
        return image.copy()
    direction, distance = _to_ground(camera, ground, w, h)
    hit = (distance > 0) & np.isfinite(distance)
    reach = float(np.linalg.norm(camera.eye - camera.target))
    with np.errstate(invalid="ignore", over="ignore"):
        flat = direction * np.where(hit, distance, 0)[..., None] + camera.eye - camera.target
        away = np.linalg.norm(flat - camera.up * (flat @ camera.up)[..., None], axis=-1) / reach
    fade = np.where(hit, np.exp(-((away / 0.62) ** 2)), 0.0)
    grain = np.random.default_rng(0).uniform(-1.0, 1.0, (h, w, 1)) / 255  # hides the steps between shades
    return image + fade[..., None] * (GROUND - WHITE + grain)


def _to_ground(camera: Camera, ground: float, w: int, h: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the direction of each pixel's ray (h, w, 3) and how far along it the ground is (h, w)."""
    axes = _axes(camera.eye - camera.target, camera.up)
    scale = 2 * np.tan(camera.angle / 2) / h
    x = (np.arange(w) + 0.5 - w / 2) * scale
    y = (h / 2 - np.arange(h) - 0.5) * scale
    direction = x[None, :, None] * axes[0] + y[:, None, None] * axes[1] - axes[2]
    fall = direction @ camera.up
    with np.errstate(divide="ignore"):
        return direction, (ground - camera.eye @ camera.up) / fall


@kernel
def _fill(corners, light, triangles, image, depth, opacity):
    """Draw triangles: corners (n, 3) are column, row, distance; light (n, c) is blended between them."""
    height, width, channels = image.shape
    for k in range(triangles.shape[0]):
        i, j, l = triangles[k, 0], triangles[k, 1], triangles[k, 2]
        ax, ay, az = corners[i, 0], corners[i, 1], corners[i, 2]
        bx, by, bz = corners[j, 0], corners[j, 1], corners[j, 2]
        cx, cy, cz = corners[l, 0], corners[l, 1], corners[l, 2]
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if area == 0.0 or min(az, bz, cz) <= 1e-6 or (opacity < 1.0 and area > 0.0):
            continue  # nothing to see, behind the viewer, or the far wall of something pale
        first_row = max(0, int(np.floor(min(ay, by, cy))))
        last_row = min(height - 1, int(np.ceil(max(ay, by, cy))))
        first = max(0, int(np.floor(min(ax, bx, cx))))
        last = min(width - 1, int(np.ceil(max(ax, bx, cx))))
        for row in range(first_row, last_row + 1):
            y = row + 0.5
            for column in range(first, last + 1):
                x = column + 0.5
                u = ((bx - x) * (cy - y) - (by - y) * (cx - x)) / area
                v = ((cx - x) * (ay - y) - (cy - y) * (ax - x)) / area
                w = 1.0 - u - v
                if u < 0.0 or v < 0.0 or w < 0.0:
                    continue
                far = 1.0 / (u / az + v / bz + w / cz)
                if far >= depth[row, column]:
                    continue
                depth[row, column] = far
                for c in range(channels):
                    value = u * light[i, c] + v * light[j, c] + w * light[l, c]
                    image[row, column, c] += opacity * (value - image[row, column, c])


@kernel
def _average_samples(image, out):
    """Return the mean of every block of samples, as bytes."""
    height, width, channels = out.shape
    n = image.shape[0] // height
    for row in range(height):
        for column in range(width):
            for c in range(channels):
                total = 0.0
                for i in range(n):
                    for j in range(n):
                        total += image[n * row + i, n * column + j, c]
                out[row, column, c] = int(255.0 * min(max(total / (n * n), 0.0), 1.0) + 0.5)
