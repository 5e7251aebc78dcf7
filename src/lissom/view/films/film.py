"""Pictures and films of a run: PNG, and MP4 or GIF of the whole motion. No graphics card is needed.

MP4 is made by ffmpeg where it is installed; GIF needs nothing more.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import LissomError
from lissom.view.drawing.arm_drawing import Drawing, FrameMotion
from lissom.view.drawing.stress_colours import StressColours
from lissom.view.drawing.viewpoint import followed_link, home
from lissom.view.figures.figure_style import COLOURS
from lissom.view.figures.run_charts import busiest
from lissom.view.films.software_renderer import Camera, Solid, Studio, stroke

if TYPE_CHECKING:
    from lissom.results.trajectory import Trajectory
    from lissom.view.drawing.link_solids import DrawnSolid

KINDS = (".mp4", ".gif")
SIZE = (960, 540)
Size = tuple[int, int]


def film(
    run: Trajectory,
    path: str | Path,
    *,
    fps: float = 25.0,
    speed: float = 1.0,
    scale: float = 1.0,
    size: Size = SIZE,
    turn: float | None = None,
    lift: float | None = None,
    stress: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write the motion as a film.

    Parameters
    ----------
    path : str or path
        A file that ends in .mp4 (needs ffmpeg) or .gif.
    speed : float, optional
        Seconds of motion per second of film, 0.25 for slow motion.
    scale : float, optional
        How much the deflection is enlarged.
    turn, lift : float, optional
        Angles of the view about the vertical and above the ground, rad; unless given, where one sees what
        moves.
    stress : bool, optional
        Whether beams are coloured by their von Mises stress.
    progress : callable, optional
        Called with the pictures done and their number.
    """
    goal = Path(path)
    check_film(goal)
    for name, value in (("fps", fps), ("speed", speed), ("scale", scale)):
        if not np.isfinite(value) or value <= 0:
            raise LissomError("must be a number above zero", (name,), value)
    if not goal.parent.is_dir():
        raise LissomError(f"cannot write {goal}: there is no folder {goal.parent}; make it first")
    width, height = (2 * (int(n) // 2) for n in size)  # video wants even sizes
    first, last = float(run.time[0]), float(run.time[-1])
    count = max(2, round((last - first) / speed * fps) + 1)
    times = np.minimum(first + speed / fps * np.arange(count), last)
    stage = _Stage(run, times, scale, (width, height), turn, lift, stress=stress)

    def pictures() -> Iterator[np.ndarray]:
        for k in range(count):
            yield stage.picture(k)
            if progress is not None:
                progress(k + 1, count)

    if goal.suffix.lower() == ".mp4":
        _mp4(goal, pictures(), (width, height), fps)
    else:
        _gif(goal, pictures(), fps)
    return goal


def check_film(path: Path) -> None:
    """Refuse a film that cannot be written here: its kind, or what it needs."""
    if path.suffix.lower() not in KINDS:
        raise LissomError(f"{path}: a film is a file that ends in .mp4 or .gif")
    if path.suffix.lower() == ".mp4" and shutil.which("ffmpeg") is None:
        raise LissomError(f"{path}: MP4 needs ffmpeg, which is not installed; install it, or write a .gif")


def still(
    run: Trajectory,
    times: ArrayLike,
    *,
    scale: float = 1.0,
    size: Size = (1280, 720),
    turn: float | None = None,
    lift: float | None = None,
    trail: bool = True,
    stress: bool = False,
) -> np.ndarray:
    """Return a picture (height, width, 3) of the arm at a time, or at several: the last one solid, the others pale.

    With `stress` beams are coloured by their von Mises stress, from blue for none to red for the largest of the run.
    """
    at = np.atleast_1d(np.asarray(times, float))
    stage = _Stage(run, at, scale, size, turn, lift, every=True, stress=stress)
    solids: list[Solid] = []
    for k in range(len(at) - 1):
        pale = 0.22 + 0.30 * k / max(1, len(at) - 1)
        solids += [one._replace(opacity=pale) for one in stage.solids(k)]
    path = stage.trail(float(at.max())) if trail else []
    return stage.studio.picture([*solids, *stage.solids(len(at) - 1), *path])


def _stress(run: Trajectory, arm: Drawing) -> StressColours:
    found = StressColours(run, arm)
    if not found:
        raise LissomError(f"{run.model.robot.name} has no beam whose stress is known: give sections by their shapes")
    return found


class _Stage:
    """The arm in front of a camera that has all of its motion in view."""

    def __init__(
        self,
        run: Trajectory,
        times: np.ndarray,
        scale: float,
        size: Size,
        turn: float | None,
        lift: float | None,
        every: bool = False,
        stress: bool = False,
    ) -> None:
        self.run, self.times, self.scale = run, times, scale
        self.arm = Drawing(run.model, tip=busiest(run), carried=run.payloads)
        self.stress = _stress(run, self.arm) if stress else None
        self.motion = self._motion(times)
        whole = np.linspace(float(run.time[0]), float(run.time[-1]), 40)
        path = self._motion(whole)
        self.arm.follow = followed_link(self.arm, path)
        seen = range(len(times)) if every else range(0, len(times), max(1, len(times) // 24))
        cloud = np.concatenate([one.points[::7] for k in seen for one in self.solids(k)])
        self._path_times = np.linspace(float(run.time[0]), float(run.time[-1]), min(600, len(run.time)))
        self._path = self.arm.tips(self._motion(self._path_times), scale)
        cloud = np.concatenate([cloud, self.arm.tips(path, scale)])
        up = self.arm.up
        from_where = home(self.arm, path)
        turn, lift = (own if given is None else given for given, own in zip((turn, lift), from_where, strict=True))
        camera = Camera.around(cloud, up, size[0] / size[1], turn, lift)
        ground = float((cloud @ up).min()) - 0.015 * self.arm.reach
        self.studio = Studio(camera, size[0], size[1], ground if self.arm.grounded else None)

    def _motion(self, times: np.ndarray) -> FrameMotion:
        return self.arm.motion(np.nan_to_num(self.run.state(times)[0]))

    def solids(self, k: int) -> list[Solid]:
        """Return the arm at the k-th time."""
        frames = self.arm.frames(self.motion, k, self.scale)
        made = []
        for piece in self.arm.pieces:
            if not piece.there(float(self.times[k])):
                continue
            points = self.arm.points(piece, frames, self.motion.eta[k], self.scale)
            normals = np.einsum("nij,nj->ni", frames.axes[piece.mesh.frame], piece.mesh.normals)
            made.append(Solid(points, normals, piece.mesh.triangles, self._colour(piece, k)))
        return made

    def _colour(self, piece: DrawnSolid, k: int) -> Any:
        """Return the colour of a solid at the k-th time, or of each of its points."""
        if self.stress is None or piece.role != "link" or piece.link not in self.stress.links:
            return rgb(piece.colour)
        return self.stress.colours(self.stress.at(self.times[k : k + 1])[0][piece.mesh.frame])

    def trail(self, time: float) -> list[Solid]:
        """Return where the tip has been up to a time."""
        done = self._path[self._path_times <= time + 1e-12]
        if len(done) < 2 or np.ptp(done, axis=0).max() < 1e-3 * self.arm.reach:
            return []
        return [stroke(done, 0.0022 * self.arm.reach, rgb(COLOURS[0]), 0.75)]

    def picture(self, k: int) -> np.ndarray:
        """Return the k-th picture of a film, with the time in its corner."""
        from PIL import Image, ImageDraw

        image = Image.fromarray(self.studio.picture([*self.solids(k), *self.trail(self.times[k])]))
        height = image.height
        note = f"{self.times[k] - self.run.time[0]:.2f} s"
        note += f"    deflection × {self.scale:g}" if self.scale != 1 else ""
        if self.stress is not None:
            unit, factor = self.run.shown.units.convert("Pa", "MPa")
            note += f"    stress, blue to red: 0 to {factor * self.stress.most:.3g} {unit}"
        ImageDraw.Draw(image).text(
            (height // 28, height - height // 13), note, fill=(80, 90, 100), font=_font(height // 34)
        )
        return np.asarray(image)


def _font(size: int) -> Any:
    """Return the letters of the figures."""
    import matplotlib as mpl
    from PIL import ImageFont

    return ImageFont.truetype(str(Path(mpl.get_data_path()) / "fonts/ttf/DejaVuSans.ttf"), max(10, size))


def rgb(colour: str) -> tuple[float, float, float]:
    """Return red, green and blue from 0 to 1 of a colour such as #0072B2."""
    return tuple(int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))  # type: ignore[return-value]


def _mp4(goal: Path, pictures: Iterator[np.ndarray], size: Size, fps: float) -> None:
    command = ["ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"]
    command += ["-s", f"{size[0]}x{size[1]}", "-r", f"{fps:g}", "-i", "-", "-an", "-c:v", "libx264"]
    command += ["-pix_fmt", "yuv420p", "-crf", "20", "-movflags", "+faststart", "-f", "mp4", f"file:{goal}"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    stdin: Any = process.stdin
    try:
        for picture in pictures:
            stdin.write(picture.tobytes())
    except BrokenPipeError:  # ffmpeg has ended: its message says why
        pass
    except BaseException:
        process.kill()
        raise
    _, message = process.communicate()
    if process.returncode != 0:
        lines = message.decode(errors="replace").strip().splitlines()
        raise LissomError(f"cannot write {goal}: ffmpeg says {lines[-1] if lines else 'nothing'}")


def _gif(goal: Path, pictures: Iterator[np.ndarray], fps: float) -> None:
    from PIL import Image

    first: Any = None
    frames = []
    for picture in pictures:
        image = Image.fromarray(picture)
        if first is None:  # one palette for all pictures, so that still parts stay still
            first = image.quantize(128)
        frames.append(image.quantize(palette=first, dither=Image.Dither.NONE))
    try:
        frames[0].save(goal, save_all=True, append_images=frames[1:], duration=round(1000 / fps), loop=0)
    except OSError as error:
        raise LissomError(f"cannot write {goal}: {(error.strerror or str(error)).lower()}") from None
