"""Four-joint arm by dual screws: linear against nonlinear, and both against the kernel.

The manoeuvre of Cibicik and Egeland 2021, section VI, with a complete set of parameters (theirs is not public): two
rigid and two elastic links, two modes per bending plane and two of twist, PD control, set-points that jump at 0.5 and
3 s. Figures 5 to 10 of the paper, with the places enlarged where the models differ most; the distance of every form's
tip from the kernel's; the times of all, the operations of their expressions; and how that distance falls when the links
are stiffer.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import lissom
from lissom import theory
from lissom.errors import LissomError
from lissom.progress import Progress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lissom.results.trajectory import Trajectory
    from lissom.scenario.scenario_schema import Scenario

LINKS = ("link2", "link3")
JOINTS = ("joint1", "joint2", "joint3", "joint4")
FORMS = ("linear", "truncated", "printed", "nonlinear", "kernel")  # of the dual-screw theory, and the kernel
LEAVES_OUT = {
    "linear": "second order of motion",
    "truncated": "and of elastic speeds",
    "printed": "and stiffening",
    "nonlinear": "nothing",
    "kernel": "",
}
STIFFER = (1.0, 2.0, 4.0, 8.0)  # factors of Young's modulus and of the shear modulus
TOLERANCE = 2e-4  # m, of the tip, with which the manoeuvre is specified
RATE = 500.0  # outputs per second
SECOND_JUMP = 3.0  # s, of the set-points
MILLI = 1e3
SOLID, DASHED, DOTTED = "-", (0, (4, 2)), (0, (1, 1))


class TipMotion(NamedTuple):
    """The manoeuvre by one model."""

    form: str
    run: Trajectory
    tip: np.ndarray  # (N, 3) m, by the model's own kinematics


class Result(NamedTuple):
    """What the manoeuvre shows: the motions of all forms, and how their distances fall with the compliance."""

    motions: dict[str, TipMotion]  # by form
    deflections: np.ndarray  # (len(STIFFER),) m, peak
    linear: np.ndarray  # (len(STIFFER),) m, largest distance of the linear tip from the kernel's
    truncated: np.ndarray  # (len(STIFFER),) m, that of the truncated one

    def gap(self, form: str) -> np.ndarray:
        """Distance of a form's tip from the kernel's over time, (N,) m."""
        return distance(self.motions[form], self.motions["kernel"])

    @property
    def powers(self) -> tuple[float, float]:
        """Powers of the compliance with which the distances of the linear and of the truncated tip fall."""
        linear, truncated = (-np.polyfit(np.log(STIFFER), np.log(x), 1)[0] for x in (self.linear, self.truncated))
        return float(linear), float(truncated)


def scenario(stiffer: float = 1.0) -> Scenario:
    """Return the built-in manoeuvre with the paper's modes, of links so many times stiffer."""
    found = lissom.scenario.load("dual-screw-arm")
    aluminium = found.load_robot().materials["aluminium"]
    changes: list[tuple[str, Any]] = [(f"links.{link}.beam.modes", {"y": 2, "z": 2, "torsion": 2}) for link in LINKS]
    changes += [(f"materials.aluminium.{name}", stiffer * getattr(aluminium, name)) for name in ("E", "G")]
    return found.with_values(changes)


def motion(
    form: str, manoeuvre: Scenario, rate: float = 100.0, duration: float | None = None, rtol: float = 1e-6
) -> TipMotion:
    """Return the manoeuvre by a form of the theory or by the kernel, with `rate` outputs per second."""
    prepared = manoeuvre.prepare()
    model = prepared.model
    options: dict[str, Any] = {
        "controller": prepared.controller,
        "start": prepared.start,
        "rtol": rtol,
        "atol": 0.01 * rtol,
    }
    options |= {"duration": duration or prepared.settings.duration, "rate": rate}
    if form == "kernel":
        run = lissom.simulate(model, **options, method="radau", audit=False, progress=False)
        return TipMotion(form, run, run.tip().values)
    formulation = theory.DualScrew(model, form)  # type: ignore[arg-type]
    run = theory.simulate(formulation, **options)
    return TipMotion(form, run, formulation.tip_path(run.q)[:, :3, 3])


def distance(one: TipMotion, other: TipMotion) -> np.ndarray:
    """Between the tips, (N,) m."""
    return np.linalg.norm(one.tip - other.tip, axis=1)


def measure() -> Result:
    """All runs; those that are timed begin compiled."""
    for form in FORMS:
        motion(form, scenario(), duration=0.01)
    motions = {form: motion(form, scenario(), RATE) for form in FORMS}
    found = []
    for stiffer in STIFFER:
        linear, truncated, kernel = (
            motion(form, scenario(stiffer), RATE, rtol=1e-7) for form in ("linear", "truncated", "kernel")
        )
        bent = max(np.linalg.norm(kernel.run.deflection(link).values, axis=1).max() for link in LINKS)
        found.append((bent, distance(linear, kernel).max(), distance(truncated, kernel).max()))
    return Result(motions, *np.transpose(found))


def main(out: Path) -> Result:
    """Print the tables and draw the figures; returns what was found."""
    from lissom.terminal import screen

    console = screen()
    with Progress("simulating"):
        found = measure()
    console.print(_times(found))
    console.print(_expressions())
    console.print(_stiffer(found))
    with Progress("drawing"):
        _draw(found, out)
    return found


def _table(title: str, *columns: str) -> Any:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for column in columns:
        table.add_column(escape(column), justify="left" if column in ("form", "leaves out", "stiffness") else "right")
    return table


def _times(found: Result) -> Any:
    differences = ("tip from kernel [mm]", "above 0.2 mm [s]", "joint angles [deg]")
    table = _table("6 s of motion", "form", "leaves out", "time [s]", "steps", *differences)
    kernel = found.motions["kernel"].run
    for form, one in found.motions.items():
        angle = max(np.abs(_position(one.run, j) - _position(kernel, j)).max() for j in JOINTS)
        gap, info = found.gap(form), one.run.info
        table.add_row(
            form,
            LEAVES_OUT[form],
            f"{info.wall:.3f}",
            str(info.steps),
            f"{MILLI * gap.max():.2g}",
            f"{np.sum(gap > TOLERANCE) / RATE:.2g}",
            f"{np.degrees(angle):.2g}",
        )
    return table


def _expressions() -> Any:
    """Measure what the linear model saves as expressions."""
    from time import perf_counter

    from lissom.theory.dual_screws import symbolic_model

    model = scenario().load_robot().compile()
    table = _table("M and c as expressions (CasADi)", "form", "operations", "of them products", "built in [s]")
    for form in symbolic_model.FORMS:
        begin = perf_counter()
        try:
            made = symbolic_model.symbolic_model(model, form)
        except LissomError as missing:
            table.add_row(form, str(missing), "", "")
            continue
        seconds = perf_counter() - begin
        count = symbolic_model.operation_count(made)
        table.add_row(form, str(count.total), str(count.multiplications), f"{seconds:.2f}")
    return table


def _stiffer(found: Result) -> Any:
    linear, truncated = found.powers
    title = (
        f"Stiffer links: the linear tip approaches the kernel's with the compliance to the power {linear:.2f}, the "
        f"truncated one to the power {truncated:.2f}"
    )
    table = _table(title, "stiffness", "peak deflection [mm]", "linear [mm]", "truncated [mm]")
    columns = (found.deflections, found.linear, found.truncated)
    for factor, *values in zip(STIFFER, *columns):
        table.add_row(f"x {factor:g}", *(f"{MILLI * value:.3g}" for value in values))
    return table


# Straight from the samples: all quantities of a run would have the wrenches of every sample computed.


def _position(run: Trajectory, coordinate: str) -> np.ndarray:
    return run.q[:, run.model.q_names.index(coordinate)]


def _rate(run: Trajectory, coordinate: str) -> np.ndarray:
    return run.v[:, run.model.coordinates.index(coordinate)]


def _torque(run: Trajectory, coordinate: str) -> np.ndarray:
    return run.tau[:, run.model.coordinates.index(coordinate)]


class Panel(NamedTuple):
    """Curves of one panel: name and values (N,) by the linear, the truncated and the nonlinear model."""

    title: str
    label: str  # of the ordinate
    curves: list[tuple[str, np.ndarray, np.ndarray, np.ndarray]]


def _draw(found: Result, out: Path) -> None:
    """Figures 6 to 10 of the paper, and the distance of the tips."""
    import matplotlib

    matplotlib.use("Agg")
    runs = [found.motions[form].run for form in ("linear", "truncated", "nonlinear")]

    def panel(title: str, label: str, names: list[str], read: Any, factor: float = 1.0) -> Panel:
        return Panel(title, label, [(name, *(factor * read(run, name) for run in runs)) for name in names])

    degrees, joints = float(np.degrees(1.0)), list(JOINTS)
    angles = [
        panel("Joint angles", "angle [deg]", joints, _position, degrees),
        panel("Joint rates", "rate [deg/s]", joints, _rate, degrees),
    ]
    _poses(found.motions["nonlinear"].run, out / "figure_5_manoeuvre.png")
    figures = [
        ("figure_6_joints", "rigid motion", angles, 6.0),
        ("figure_10_torques", "torques", [panel("Torques", "torque [N m]", joints, _torque)], 4.0),
    ]
    kinds = (
        ("figure_7_bending_xy", "bending in the x-y planes", "y", "mm", 3.0),
        ("figure_8_torsion", "torsion", "torsion", "mrad", 6.0),
        ("figure_9_bending_xz", "bending in the x-z planes", "z", "mm", 6.0),
    )
    for file, title, kind, unit, until in kinds:
        panels = [
            panel(
                f"{what}s of {link}",
                f"{what.lower()} [{unit}{suffix}]",
                [f"{link}.{kind}{k}" for k in (1, 2)],
                read,
                MILLI,
            )
            for read, what, suffix in ((_position, "Coordinate", ""), (_rate, "Rate", "/s"))
            for link in LINKS
        ]
        figures.append((file, title, panels, until))
    for file, title, panels, until in figures:
        _figure(runs[0].time, panels, title, until, out / f"{file}.png")
    _gaps(found, out / "tips.png")


def _poses(run: Trajectory, file: Path) -> None:
    """Figure 5: the arm at the start, before the second jump of the set-points and at the end."""
    from lissom.view.figures.figure_style import GREY, grid, headline, save, style

    looks = (
        (0, GREY, DASHED, "start"),
        (SECOND_JUMP, GREY, SOLID, f"{SECOND_JUMP:g} s"),
        (run.time[-1], "black", SOLID, "end"),
    )
    with style():
        figure, axes = grid(2, 2, width=4.0, height=3.6)
        for t, colour, dashes, label in looks:
            x, y, z = axis_points(run.model, run.q[np.searchsorted(run.time, t - 1e-9)]).T
            for one, (across, up) in zip(axes, ((x, z), (x, y)), strict=True):
                one.plot(across, up, color=colour, linestyle=dashes, label=label)
        axes[0].set(title="From the side", xlabel="x [m]", ylabel="z [m]", aspect="equal")
        axes[1].set(title="From above", xlabel="x [m]", ylabel="y [m]", aspect="equal")
        axes[0].legend(loc="upper right")
        headline(figure, "dual-screw-arm: manoeuvre", "links as they bend")
        save(figure, file)


def axis_points(model: lissom.Model, q: np.ndarray) -> np.ndarray:
    """Return points (N, 3) along the arm in the world, elastic links bent."""
    points = [np.zeros(3)]
    for link in model.links:
        along = np.linspace(0, model.flexible[link].length, 15) if link in model.flexible else [None]
        points += [lissom.point_pose(model, q, link, x)[:3, 3] for x in along]
    return np.array([*points, lissom.tip_pose(model, q)[:3, 3]])


def _figure(t: np.ndarray, panels: list[Panel], title: str, until: float, file: Path) -> None:
    from matplotlib import pyplot

    from lissom.view.figures.figure_style import GREY, grid, headline, style

    with style():
        figure, axes = grid(len(panels), 2 if len(panels) > 2 else 1, height=3.0)
        for one, panel in zip(axes, panels, strict=True):
            _curves(one, t, panel)
            one.set(title=panel.title, ylabel=panel.label, xlabel="time [s]", xlim=(0, until))
            _inset(one, t, panel, until)
        for dashes, label in ((SOLID, "linear"), (DASHED, "nonlinear"), (DOTTED, "truncated")):
            axes[0].plot([], [], color="black" if dashes == DASHED else GREY, linestyle=dashes, label=label)
        axes[0].legend(loc="upper left", ncols=2)
        headline(figure, f"dual-screw-arm: {title}", "linear against nonlinear")
        figure.savefig(file, dpi=120)
        pyplot.close(figure)


def _curves(axes: Axes, t: np.ndarray, panel: Panel) -> None:
    from lissom.view.figures.figure_style import line

    for k, (name, linear, truncated, nonlinear) in enumerate(panel.curves):
        look = line(k)
        axes.plot(t, truncated, color=look["color"], linestyle=DOTTED, linewidth=1.0)
        axes.plot(t, linear, label=name.partition(".")[2] or name, **look)
        axes.plot(t, nonlinear, color="black", linestyle=DASHED, linewidth=0.7)


def _inset(axes: Axes, t: np.ndarray, panel: Panel, until: float) -> None:
    """Draw the surroundings of the clearest difference, enlarged above the curves."""
    from scipy.ndimage import maximum_filter1d, minimum_filter1d

    half = int(np.searchsorted(t, 0.02 * until))
    scores = []
    for _, _, truncated, nonlinear in panel.curves:
        local = maximum_filter1d(nonlinear, 2 * half + 1) - minimum_filter1d(nonlinear, 2 * half + 1)
        scores.append((np.abs(truncated - nonlinear) / (local + 0.02 * np.ptp(nonlinear) + 1e-9))[t <= until])
    worst = int(np.argmax([score.max() for score in scores]))
    centre = int(np.clip(np.argmax(scores[worst]), half, np.sum(t <= until) - 1 - half))
    near = slice(centre - half, centre + half + 1)
    ends = np.concatenate([values[near] for values in panel.curves[worst][1:]])
    margin = 0.1 * np.ptp(ends)
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.7 * (high - low))
    zoom = axes.inset_axes((0.68, 0.64, 0.3, 0.34))
    _curves(zoom, t, panel)
    zoom.set(xlim=(t[near][0], t[near][-1]), ylim=(ends.min() - margin, ends.max() + margin))
    zoom.tick_params(labelsize=6)
    zoom.spines[["top", "right"]].set_visible(True)
    axes.indicate_inset_zoom(zoom, edgecolor="black", linewidth=0.7)


def _gaps(found: Result, file: Path) -> None:
    """Distance of the tips from the kernel's over time."""
    from matplotlib import pyplot

    from lissom.view.figures.figure_style import GREY, headline, line, style

    with style():
        figure, axes = pyplot.subplots(figsize=(6.9, 3.4), layout="constrained")
        for k, form in enumerate(("linear", "truncated", "printed")):
            t = found.motions[form].run.time
            axes.semilogy(t[1:], MILLI * found.gap(form)[1:], label=form, **line(k))
        axes.axhline(MILLI * TOLERANCE, color=GREY, linestyle=DASHED, linewidth=1.0)
        axes.annotate(
            "tolerance", (6.0, MILLI * TOLERANCE), (-4, 4), textcoords="offset points", ha="right", color=GREY
        )
        axes.set(xlabel="time [s]", ylabel="distance [mm]", title="Tip from the kernel's", ylim=(1e-5, 20))
        axes.legend(loc="lower right", ncols=3)
        headline(figure, "dual-screw-arm: what is left out", "set-points jump at 0.5 and 3 s")
        figure.savefig(file, dpi=120)
        pyplot.close(figure)
