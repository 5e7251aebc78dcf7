"""Four-joint arm by dual screws: linear against nonlinear, and both against the kernel.

The manoeuvre of Cibicik and Egeland 2021, section VI, with a complete set of parameters (theirs is not public): two
rigid and two elastic links, two modes per bending plane and two of twist, PD control, set-points that jump at 0.5 and
3 s. Figures 6 to 10 of the paper, with the places enlarged where the two models differ most; the times of both; and
the difference of the tips when gravity and set-points jump less, which falls with the square of the deflection.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import lissom
from lissom import theory

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lissom.scenario.schema import Scenario
    from lissom.simulation.trajectory import Trajectory

LINKS = ("link2", "link3")
JOINTS = ("joint1", "joint2", "joint3", "joint4")
GENTLER = (1.0, 0.5, 0.25, 0.125, 0.0625)  # shares of gravity and of the jumps of the set-points
RATE = 500.0  # outputs per second
MILLI = 1e3


class Motion(NamedTuple):
    """The manoeuvre by one model."""

    name: str
    run: Trajectory
    tip: np.ndarray  # (N, 3) m, by the model's own kinematics


class Result(NamedTuple):
    linear: Motion
    nonlinear: Motion
    kernel: Motion
    deflections: np.ndarray  # (len(GENTLER),) m, peak
    differences: np.ndarray  # (len(GENTLER),) m, largest distance of the linear tip from the kernel's
    power: float  # of the deflection, with which the difference falls between the two smallest


def scenario(share: float = 1.0) -> Scenario:
    """The built-in manoeuvre with the paper's modes, with a share of its gravity and of its set-points' jumps."""
    found = lissom.scenario.load("dual-screw-arm")
    changes: list[tuple[str, Any]] = [(f"links.{link}.beam.modes", {"y": 2, "z": 2, "torsion": 2}) for link in LINKS]
    changes.append(("gravity", [share * g for g in found.load_robot().gravity]))
    assert found.control is not None
    points = found.control["reference"]["points"]
    start = points[0]
    eased = [{joint: start[joint] + share * (value - start[joint]) for joint, value in p.items()} for p in points]
    changes.append(("control.reference.points", eased))
    return found.with_values(changes)


def motion(name: str, manoeuvre: Scenario, rate: float = 100.0, duration: float | None = None) -> Motion:
    """The manoeuvre by a registered formulation, with `rate` outputs per second."""
    prepared = manoeuvre.prepare()
    given, formulation = prepared.arguments, theory.build(name, prepared.model)
    options = {"duration": duration or given["duration"], "controller": given["controller"], "start": given["start"]}
    if name == "kernel":
        run = lissom.simulate(prepared.model, **options, method="radau", audit=False, rate=rate, progress=False)
    else:
        run = theory.simulate(formulation, **options, rtol=1e-6, atol=1e-8, rate=rate)
    return Motion(name, run, np.array([formulation.tip(q)[:3, 3] for q in run.q]))


def distance(one: Motion, other: Motion) -> np.ndarray:
    """Between the tips, (N,) m."""
    return np.linalg.norm(one.tip - other.tip, axis=1)


def measure() -> Result:
    """All runs; those that are timed begin compiled."""
    names = ("dual_screw", "dual_screw_nonlinear", "kernel")
    for name in names:
        motion(name, scenario(), duration=0.01)
    linear, nonlinear, kernel = (motion(name, scenario(), RATE) for name in names)
    deflections, differences = [], []
    for share in GENTLER:
        first, exact = (motion(name, scenario(share)) for name in ("dual_screw", "kernel"))
        bent = [np.linalg.norm(exact.run.deflection(link).values, axis=1).max() for link in LINKS]
        deflections.append(max(bent))
        differences.append(distance(first, exact).max())
    power = np.diff(np.log(differences))[-1] / np.diff(np.log(deflections))[-1]
    return Result(linear, nonlinear, kernel, np.array(deflections), np.array(differences), float(power))


def main(out: Path) -> Result:
    """Print the tables and draw figures 6 to 10; returns what was found."""
    from lissom.cli.shell import screen

    console = screen()
    with console.status("simulating"):
        found = measure()
    console.print(_times(found))
    console.print(_gentler(found))
    with console.status("drawing"):
        _draw(found, out)
    return found


def _table(title: str, *columns: str) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for k, column in enumerate(columns):
        table.add_column(column, justify="left" if k == 0 else "right")
    return table


def _times(found: Result) -> Any:
    table = _table("6 s of motion", "model", "time [s]", "steps", "tip from kernel [mm]", "joint angles [deg]")
    for one in found[:3]:
        angle = max(np.abs(one.run[j].values - found.kernel.run[j].values).max() for j in JOINTS)
        apart = MILLI * distance(one, found.kernel).max()
        info = one.run.info
        table.add_row(one.name, f"{info.wall:.3f}", str(info.steps), f"{apart:.2g}", f"{np.degrees(angle):.2g}")
    return table


def _gentler(found: Result) -> Any:
    title = f"Gentler motions: the difference falls with the deflection to the power {found.power:.2f}"
    table = _table(title, "gravity, jumps", "peak deflection [mm]", "tip, linear from kernel [mm]")
    for factor, bent, apart in zip(GENTLER, MILLI * found.deflections, MILLI * found.differences):
        table.add_row(f"x {factor:g}", f"{bent:.2f}", f"{apart:.3g}")
    return table


class Panel(NamedTuple):
    """Curves of one panel: name, linear and nonlinear values (N,)."""

    title: str
    unit: str
    curves: list[tuple[str, np.ndarray, np.ndarray]]


def _draw(found: Result, out: Path) -> None:
    """Figures 6 to 10 of the paper."""
    linear, nonlinear = found.linear.run, found.nonlinear.run

    def both(name: str, read: Any, factor: float = 1.0) -> tuple[str, np.ndarray, np.ndarray]:
        return name, factor * read(linear, name).values, factor * read(nonlinear, name).values

    def position(run: Trajectory, name: str) -> Any:
        return run[name]

    def rate(run: Trajectory, name: str) -> Any:
        return run.velocity(name)

    def torque(run: Trajectory, name: str) -> Any:
        return run.torque(name)

    degrees = float(np.degrees(1.0))
    angles = [
        Panel("Joint angles", "deg", [both(joint, position, degrees) for joint in JOINTS]),
        Panel("Joint rates", "deg/s", [both(joint, rate, degrees) for joint in JOINTS]),
    ]
    figures = [
        ("figure_6_joints", "Rigid motion", angles, 6.0),
        ("figure_10_torques", "Torques", [Panel("Torques", "N m", [both(j, torque) for j in JOINTS])], 4.0),
    ]
    kinds = (
        ("figure_7_bending_xy", "Bending in the x-y planes", "y", "mm", MILLI, 3.0),
        ("figure_8_torsion", "Torsion", "torsion", "mrad", MILLI, 6.0),
        ("figure_9_bending_xz", "Bending in the x-z planes", "z", "mm", MILLI, 6.0),
    )
    for file, title, kind, unit, factor, until in kinds:
        panels = []
        for read, what, suffix in ((position, "Coordinates", ""), (rate, "Rates", "/s")):
            for link in LINKS:
                curves = [both(f"{link}.{kind}{k}", read, factor) for k in (1, 2)]
                panels.append(Panel(f"{what} of {link}", unit + suffix, curves))
        figures.append((file, title, panels, until))
    for file, title, panels, until in figures:
        _figure(linear.t, panels, title, until, out / f"{file}.png")


def _figure(t: np.ndarray, panels: list[Panel], title: str, until: float, file: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    from lissom.view.style import GREY, grid, headline, style

    with style():
        figure, axes = grid(len(panels), 2 if len(panels) > 2 else 1, height=3.0)
        for one, panel in zip(axes, panels, strict=True):
            _curves(one, t, panel)
            one.plot([], [], color=GREY, label="linear")
            one.plot([], [], color=GREY, linestyle=(0, (4, 2)), label="nonlinear")
            one.set(title=panel.title, ylabel=panel.unit, xlabel="time [s]", xlim=(0, until))
            _inset(one, t, panel, until)
        axes[0].legend(loc="upper left", ncols=3)
        headline(figure, f"dual-screw-arm: {title.lower()}", "linear against nonlinear")
        figure.savefig(file, dpi=120)
        pyplot.close(figure)


def _curves(axes: Axes, t: np.ndarray, panel: Panel) -> None:
    from lissom.view.style import line

    for k, (name, linear, nonlinear) in enumerate(panel.curves):
        axes.plot(t, linear, label=name.partition(".")[2] or name, **line(k))
        axes.plot(t, nonlinear, color="black", linestyle=(0, (4, 2)), linewidth=0.7)


def _inset(axes: Axes, t: np.ndarray, panel: Panel, until: float) -> None:
    """The surroundings of the clearest difference, enlarged above the curves."""
    from scipy.ndimage import maximum_filter1d, minimum_filter1d

    half = int(np.searchsorted(t, 0.02 * until))
    scores = []
    for _, linear, nonlinear in panel.curves:
        local = maximum_filter1d(nonlinear, 2 * half + 1) - minimum_filter1d(nonlinear, 2 * half + 1)
        scores.append((np.abs(linear - nonlinear) / (local + 0.02 * np.ptp(nonlinear) + 1e-9))[t <= until])
    worst = int(np.argmax([score.max() for score in scores]))
    _, linear, nonlinear = panel.curves[worst]
    centre = int(np.clip(np.argmax(scores[worst]), half, np.sum(t <= until) - 1 - half))
    near = slice(centre - half, centre + half + 1)
    ends = np.concatenate([linear[near], nonlinear[near]])
    margin = 0.1 * np.ptp(ends)
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.7 * (high - low))
    zoom = axes.inset_axes((0.68, 0.64, 0.3, 0.34))
    _curves(zoom, t, panel)
    zoom.set(xlim=(t[near][0], t[near][-1]), ylim=(ends.min() - margin, ends.max() + margin))
    zoom.tick_params(labelsize=6)
    zoom.spines[["top", "right"]].set_visible(True)
    axes.indicate_inset_zoom(zoom, edgecolor="black", linewidth=0.7)
