"""The folder that `lissom run` writes: data, summary, figures, and the scenario to run it again."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shlex
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lissom.errors import LissomError
from lissom.files import NotWritten, write_whole
from lissom.operating_system import lock_folder
from lissom.progress import Progress
from lissom.version import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import Console

    from lissom.results.summaries.summary import Summary
    from lissom.results.trajectory import Trajectory
    from lissom.scenario.scenario_schema import Scenario

DATA, SUMMARY = "trajectory.nc", "summary.json"
ELSEWHERE = "give another folder with --out"


@dataclass
class Folder:
    """A folder that is this process's to write to, and what was put into it.

    As a context it lets the folder go at the end, and removes it if it is new and empty.
    """

    path: Path
    made: bool  # by this run
    files: list[str] = field(default_factory=list)
    lock: int | None = None  # descriptor that keeps others out
    around: Path | None = None  # folder of folders, made by this run too

    @classmethod
    def claim(cls, asked: Path | None, name: str) -> Folder:
        """Return the folder asked for, or a new one in out/; refuse one that is read-only or that another run uses."""
        if asked is None:
            path = within(Path("out"), name.replace("/", "-"))
            with _explain_disk_errors(path):
                first = not path.parent.exists()
                return cls(_new(path), True, around=path.parent if first else None)
        with _explain_disk_errors(asked):
            made = not asked.exists()
            asked.mkdir(parents=True, exist_ok=True)
            handle, probe = tempfile.mkstemp(prefix=".lissom-", dir=asked)
            os.close(handle)
            os.unlink(probe)
            return cls(asked, made, lock=_lock(asked))

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        if self.lock is not None:
            os.close(self.lock)
            self.lock = None
        if self.made:
            with contextlib.suppress(OSError):
                self.path.rmdir()  # only where nothing is in it
                if self.around is not None:
                    self.around.rmdir()

    def keep(self, scenario: Scenario, trajectory: Trajectory) -> None:
        """Write the samples of a run, by which nothing of it can be lost any more, and what repeats it.

        What was drawn of an earlier run in this folder goes first.
        """
        from lissom.results.files.netcdf_files import save_samples

        with _explain_disk_errors(self.path):
            self._clear()
        try:
            save_samples(trajectory, self.path / DATA)
        except NotWritten as error:
            raise error.advised(_save_elsewhere(trajectory)) from None
        with _explain_disk_errors(self.path):
            self.files.append(DATA)
            robot = trajectory.model.robot
            used = scenario.model_copy(update={"robot": "robot.yaml"}).to_dict()
            used.get("output", {}).pop("folder", None)
            self.text("robot.yaml", robot.to_yaml())
            self.text("scenario.yaml", _scenario_text(used))

    def write(self, trajectory: Trajectory, summary: Summary) -> None:
        """Write all data of a run in the place of its samples, and the summary."""
        with _explain_disk_errors(self.path):
            trajectory.save(self.path / DATA)
            self.finish(summary)

    def finish(self, summary: Summary) -> None:
        """Write the summary, with the list of all files."""
        with _explain_disk_errors(self.path):
            self.text(SUMMARY, json.dumps(self.account(summary), indent=2) + "\n")

    def figures(self, trajectory: Trajectory) -> None:
        """Draw what there is to draw."""
        from lissom.cli.printing.figure_files import draw

        with _explain_disk_errors(self.path):
            (self.path / "figures").mkdir(exist_ok=True)
            self.files += [f"figures/{kind}.png" for kind in draw(trajectory, self.path / "figures")]

    def picture(self, name: str, figure: Figure) -> None:
        """Write a figure as a file."""
        from lissom.cli.printing.figure_files import png

        with _explain_disk_errors(self.path):
            write_whole(self.path / name, png(figure))
        self.files.append(name)

    def report(self, trajectory: Trajectory) -> None:
        """Write a page about the run in one file."""
        from lissom.view.pages.run_report import save

        with _explain_disk_errors(self.path):
            save(trajectory, self.path / "report.html")
        self.files.append("report.html")

    def film(self, trajectory: Trajectory, name: str, show: bool, stress: bool = False) -> None:
        """Write a film of the motion, coloured by `stress` if wanted; its name must stay inside the folder."""
        from lissom.view.films.film import film

        goal = within(self.path, name)
        with _explain_disk_errors(self.path), Progress("drawing the film", unit="pictures", show=show) as bar:
            film(trajectory, goal, progress=bar.reach, stress=stress)
        self.files.append(name)

    def account(self, summary: Summary) -> dict[str, Any]:
        """Return the summary for machines."""
        data = summary.to_dict() | {"folder": str(self.path), "files": list(self.files)}
        return {"lissom": __version__, **data}

    def show(self, console: Console) -> None:
        """Print where to find what."""
        from rich.text import Text

        if not self.files:
            return
        figures = [file for file in self.files if file.endswith(".png")]
        console.print(Text.assemble("Written to ", (str(self.path), "bold cyan")))
        rows = [("trajectory.nc", f'lissom.Trajectory.load("{self.path / "trajectory.nc"}")')]
        rows += [("scenario.yaml", f"lissom run {self.path / 'scenario.yaml'}"), ("summary.json", "for machines")]
        if figures:
            rows.append(("figures/", ", ".join(Path(file).stem for file in figures)))
        if "report.html" in self.files:
            from lissom.view.pages.markup import MISSING, three

            rows.append(("report.html", "open it in a browser; it needs no server" if three() else MISSING))
        rows += [(file, "the motion as a film") for file in self.files if file.endswith((".mp4", ".gif"))]
        for name, text in rows:
            console.print(Text.assemble("  ", (f"{name:<15}", "cyan"), (text, "dim")))

    def text(self, name: str, text: str) -> None:
        """Write a text as a file."""
        with _explain_disk_errors(self.path):
            write_whole(self.path / name, text)
        if name not in self.files:
            self.files.append(name)

    def _clear(self) -> None:
        """Remove what an earlier run in this folder says it wrote beside its data: it does not show this run."""
        try:
            old = json.loads((self.path / SUMMARY).read_text(encoding="utf-8"))["files"]
            names = [name for name in old if isinstance(name, str) and name.endswith((".png", ".html", ".mp4", ".gif"))]
        except (OSError, ValueError, KeyError, TypeError):
            return
        for name in names:
            with contextlib.suppress(LissomError, FileNotFoundError):
                within(self.path, name).unlink()


def _save_elsewhere(trajectory: Trajectory) -> str:
    """Return where the samples of a run are that its own folder does not take, such as on a full disk."""
    from lissom.results.files.netcdf_files import save_samples

    try:
        place = Path(tempfile.mkdtemp(prefix="lissom-")) / DATA
        save_samples(trajectory, place)
    except (OSError, LissomError):
        return ELSEWHERE
    return f"the whole run is in {place} instead"


def within(folder: Path, name: str) -> Path:
    """Return the path of a file or folder in a folder; a name that leads out of it is refused."""
    path = Path(name)
    if path.is_absolute() or folder.resolve() not in (folder / path).resolve().parents:
        raise LissomError(f"{name}: leads out of {folder.resolve().name}/, where results go; give a plain name")
    return folder / path


def _scenario_text(data: dict[str, Any]) -> str:
    from lissom.model.io.yaml_writer import write

    call = shlex.join(["lissom", *sys.argv[1:]])
    return f"# Written by lissom {__version__}: {call}\n{write(data)}"


def _new(path: Path) -> Path:
    """Make the folder, or path-2, path-3, ... where there is one already; of several processes each gets its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for number in itertools.count(1):
        free = path if number == 1 else path.with_name(f"{path.name}-{number}")
        with contextlib.suppress(FileExistsError):
            free.mkdir()
            return free
    raise AssertionError("unreachable")


def _lock(folder: Path) -> int | None:
    """Keep other runs out of a folder until this process closes the descriptor, or ends."""
    try:
        return lock_folder(folder)
    except BlockingIOError:
        raise NotWritten(folder, "another run is writing to it", ELSEWHERE) from None


@contextlib.contextmanager
def _explain_disk_errors(path: Path) -> Iterator[None]:
    """Tell trouble with the disk as one message."""
    try:
        yield
    except NotWritten as error:
        raise error.advised(ELSEWHERE) from None
    except OSError as error:
        raise NotWritten.because(error, path, ELSEWHERE) from None
