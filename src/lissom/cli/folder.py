"""The folder that `lissom run` writes: data, summary, figures, and the scenario to run it again."""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lissom.errors import LissomError
from lissom.version import __version__

if TYPE_CHECKING:
    from rich.console import Console

    from lissom.scenario.schema import Scenario
    from lissom.simulation.summary import Summary
    from lissom.simulation.trajectory import Trajectory

FIGURES = ("overview", "joints", "tip", "wrenches", "deflection", "energy")
DPI = 120


@dataclass
class Folder:
    """A folder that can be written to, and what was put into it."""

    path: Path
    made: bool  # by this run
    files: list[str] = field(default_factory=list)

    @classmethod
    def make(cls, asked: str | Path | None, name: str) -> Folder:
        """The folder asked for, or a new one in out/; an error if it cannot be written to."""
        path = _unused(within(Path("out"), name.replace("/", "-"))) if asked is None else Path(asked)
        with _explained(path):
            made = not path.exists()
            path.mkdir(parents=True, exist_ok=True)
            probe = path / ".lissom"
            probe.touch()
            probe.unlink()
        return cls(path, made)

    def discard(self) -> None:
        """Remove the folder if this run made it and nothing is in it."""
        if self.made:
            with contextlib.suppress(OSError):
                self.path.rmdir()

    def write(self, scenario: Scenario, trajectory: Trajectory, summary: Summary, figures: bool) -> None:
        """Everything about a run; the data first."""
        with _explained(self.path):
            trajectory.save(self.path / "trajectory.nc")
            self.files.append("trajectory.nc")
            robot = trajectory.model.robot
            used = scenario.model_copy(update={"robot": "robot.yaml"}).to_dict()
            used.get("output", {}).pop("folder", None)
            self._text("robot.yaml", robot.to_yaml())
            self._text("scenario.yaml", _scenario_text(used))
            self._text("summary.json", json.dumps(self.account(summary), indent=2) + "\n")
            if figures:
                self._figures(trajectory)

    def report(self, trajectory: Trajectory) -> None:
        """A page about the run in one file."""
        from lissom.view import report

        with _explained(self.path):
            report.save(trajectory, self.path / "report.html")
        self.files.append("report.html")

    def film(self, trajectory: Trajectory, name: str, show: bool) -> None:
        """A film of the motion; its name must stay inside the folder."""
        from lissom.cli.progress import Bar
        from lissom.view.film import film

        goal = within(self.path, name)
        duration = float(trajectory.time[-1] - trajectory.time[0])
        with Bar(duration, show, "drawing") as bar:
            film(trajectory, goal, progress=lambda done, count: bar.update(duration * done / count))
        self.files.append(name)

    def account(self, summary: Summary) -> dict[str, Any]:
        """The summary for machines."""
        data = summary.to_dict() | {"folder": str(self.path), "files": list(self.files)}
        return {"lissom": __version__, **data}

    def show(self, console: Console) -> None:
        """Where to find what."""
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
            from lissom.view.report.markup import MISSING, three

            rows.append(("report.html", "open it in a browser; it needs no server" if three() else MISSING))
        rows += [(file, "the motion as a film") for file in self.files if file.endswith((".mp4", ".gif"))]
        for name, text in rows:
            console.print(Text.assemble("  ", (f"{name:<15}", "cyan"), (text, "dim")))

    def _text(self, name: str, text: str) -> None:
        (self.path / name).write_text(text, encoding="utf-8")
        self.files.append(name)

    def _figures(self, trajectory: Trajectory) -> None:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        (self.path / "figures").mkdir(exist_ok=True)
        for kind in FIGURES:
            try:
                figure = trajectory.plot(kind)
            except LissomError:  # nothing to draw, such as the deflection of rigid links
                continue
            name = f"figures/{kind}.png"
            figure.savefig(self.path / name, dpi=DPI)
            pyplot.close(figure)
            self.files.append(name)


def within(folder: Path, name: str) -> Path:
    """The path of a file or folder in a folder; a name that leads out of it is refused."""
    path = Path(name)
    if path.is_absolute() or folder.resolve() not in (folder / path).resolve().parents:
        raise LissomError(f"{name}: leads out of {folder.resolve().name}/, where results go; give a plain name")
    return folder / path


def _scenario_text(data: dict[str, Any]) -> str:
    from lissom.model.writer import write

    call = shlex.join(["lissom", *sys.argv[1:]])
    return f"# Written by lissom {__version__}: {call}\n{write(data)}"


def _unused(path: Path) -> Path:
    """The path, or path-2, path-3, ... where there is a run already."""
    number, free = 1, path
    while free.exists() and any(free.iterdir()):
        number += 1
        free = path.with_name(f"{path.name}-{number}")
    return free


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Trouble with the disk as one message."""
    try:
        yield
    except LissomError as error:
        text = str(error).partition(". The results are still in memory")[0]
        raise LissomError(f"{text}; give another folder with --out") from None
    except OSError as error:
        where = error.filename or path
        reason = (error.strerror or str(error)).lower()
        raise LissomError(f"cannot write {where}: {reason}; give another folder with --out") from None
