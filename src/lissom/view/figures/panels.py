"""Panels of figures: functions that draw one thing of a run on given axes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.results.summary import balance
from lissom.view.figures import curve_data as series
from lissom.view.figures.curve_data import AXES, MEANING
from lissom.view.figures.figure_style import COLOURS, GREY, INK, LIGHT, legend, line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lissom.analysis.modes.spectra import Spectrum
    from lissom.model.model import BodyNames
    from lissom.results.trajectory import Trajectory

PREFIXES = ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p"))
DOTTED: dict[str, Any] = {"linestyle": (0, (2, 1.6)), "linewidth": 1.0}
HIDING = 1.8  # extra width of a line that another one covers

FLAT = 0.3  # least extent of a drawing in space, relative to its largest
ZOOM = 0.8  # of pictures in space: their labels stay beside what is drawn next to them
Panel = Callable[["Axes"], None]


def joint_panels(run: Trajectory, chosen: list[BodyNames] | None, rates: bool = False) -> list[Panel]:
    """Joint coordinates or their rates, one panel per unit."""
    found = series.joints_by_unit(run, chosen, rates)
    return [partial(_joint_lines, run=run, names=names, unit=unit, rates=rates) for unit, names in found.items()]


def _joint_lines(axes: Axes, run: Trajectory, names: series.Coordinates, unit: str, rates: bool) -> None:
    followed = False
    for (name, _), look in zip(names, series.looks(run, names), strict=True):
        goal = None if rates else series.reference(run, name)
        if goal is not None:
            axes.plot(run.time, goal, color=look["color"], alpha=0.8, **DOTTED)
            followed = True
        found = run.numbers.velocity(name) if rates else run.numbers.position(name)
        axes.plot(run.time, found.values, label=name, **look)
    if followed:
        axes.plot([], [], color=GREY, label="reference", **DOTTED)
    meaning = MEANING[unit.removesuffix("/s")]
    title = "" if rates else series.joint_title(unit)
    if rates:
        meaning = {"angle": "angular velocity", "position": "velocity"}[meaning]
        title = {"angular velocity": "Joint angular velocities", "velocity": "Joint velocities"}[meaning]
    axes.set(title=title, ylabel=f"{meaning} [{unit}]")
    legend(axes)


def torque_panels(run: Trajectory, chosen: list[BodyNames] | None) -> list[Panel]:
    """Applied forces, one panel per unit: those that ever act, or those on the chosen joints."""
    found = series.torques_by_unit(run, chosen)
    return [partial(_torque_lines, run=run, names=names, unit=unit) for unit, names in found.items()]


def _torque_lines(axes: Axes, run: Trajectory, names: series.Coordinates, unit: str) -> None:
    for (name, _), look in zip(names, series.looks(run, names), strict=True):
        axes.plot(run.time, run.numbers.torque(name).values, label=name, **look)
    axes.set(title=f"Applied {MEANING[unit]}s", ylabel=f"{MEANING[unit]} [{unit}]")
    legend(axes)


def outside_panels(run: Trajectory) -> list[Panel]:
    """Elements, contacts and the joints that close loops: one panel per quantity."""
    return [partial(_outside_lines, time=run.time, found=found) for found in series.outside(run)]


def _outside_lines(axes: Axes, time: np.ndarray, found: series.Outside) -> None:
    for k, (name, values) in enumerate(found.curves.items()):
        axes.plot(time, values, label=name, **line(k))
    axes.set(title=found.title, ylabel=f"{found.quantity} [{found.unit}]")
    legend(axes)


def deflections(axes: Axes, run: Trajectory) -> None:
    """Size of the tip deflection of every flexible link."""
    for body, size in series.deflections(run):
        axes.plot(run.time, size, label=body.link, **series.look(run, body))
    axes.set(title="Tip deflection of links", ylabel="deflection [mm]")
    axes.set_ylim(bottom=0)
    legend(axes)


def wrench_sizes(axes: Axes, run: Trajectory, bodies: Sequence[BodyNames], part: str) -> None:
    """Norm of the "torque" or "force" that joints transmit."""
    sizes = [series.wrench(run, body.joint, part) for body in bodies]
    for body, size, width in zip(bodies, sizes, _widths(sizes), strict=True):
        axes.plot(run.time, size, label=body.joint, linewidth=width, **series.look(run, body))
    axes.set(title=f"{part.capitalize()} through joints", ylabel=f"{part} [{series.WRENCH[part][1]}]")
    axes.set_ylim(bottom=0)
    legend(axes)


def _widths(curves: Sequence[np.ndarray]) -> list[float]:
    """Line widths: a curve that a later one would hide is drawn wider."""
    import matplotlib as mpl

    thin = float(mpl.rcParams["lines.linewidth"])
    near = 0.01 * max((float(curve.max()) for curve in curves), default=0.0)
    hidden = [any(np.abs(curve - later).max() < near for later in curves[k + 1 :]) for k, curve in enumerate(curves)]
    return [thin + HIDING * covered for covered in hidden]


def components(axes: Axes, time: np.ndarray, values: np.ndarray, label: str, title: str) -> None:
    """Three components over time."""
    for k, name in enumerate(AXES):
        axes.plot(time, values[:, k], label=name, color=COLOURS[k])
    axes.set(title=title, ylabel=label)
    legend(axes)


def reading_panels(run: Trajectory) -> list[Panel]:
    """What each sensor tells, beside what an ideal one would."""
    return [
        partial(_readings, run=run, name=name, told=told, ideal=ideal) for name, told, ideal in series.readings(run)
    ]


def _readings(axes: Axes, run: Trajectory, name: str, told: series.NamedColumns, ideal: series.NamedColumns) -> None:
    labels = run.quantities.labels("sensor")
    columns = zip(told.at, told.values.reshape(len(run.time), -1).T, ideal.values.reshape(len(run.time), -1).T)
    several = len(told.at) > 1
    for k, (at, values, truth) in enumerate(columns):
        axes.plot(run.time, truth, color=COLOURS[k] if several else GREY, **DOTTED)
        label = labels[at].partition(".")[2] if several else "reading"
        axes.step(run.time, values, where="post", color=COLOURS[k], linewidth=1.0, label=label)
    axes.plot([], [], color=GREY, label="ideal", **DOTTED)
    axes.set(title=name, ylabel=f"reading [{told.units[0]}]")
    legend(axes)


def envelopes(axes: Axes, x: np.ndarray, curves: dict[str, np.ndarray], label: str, title: str) -> None:
    """Quantities (N, k) at places x (k,) of a link: from the least to the most of each place over the run."""
    for (name, values), colour in zip(curves.items(), COLOURS):
        low, high = values.min(axis=0), values.max(axis=0)
        axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
        axes.plot(x, high, color=colour, label=name)
        axes.plot(x, low, color=colour)
    axes.set(title=title, ylabel=label)
    legend(axes)


def energy_flows(axes: Axes, run: Trajectory) -> None:
    """Work put in, and what became of it."""
    kept = balance(run)
    flows = series.energy_flows(run)
    if "work in" in flows:
        axes.plot(run.time, flows["work in"], label="work in", color=COLOURS[4], linewidth=3.2)
        axes.plot(run.time, flows["dissipated"], label="dissipated", color=COLOURS[1])
    if "work of loads" in flows:
        axes.plot(run.time, flows["work of loads"], label="work of loads", color=COLOURS[2])
    axes.plot(run.time, flows["stored"], label="stored", color=COLOURS[0])
    error = f" (relative error {kept.relative:.0e})" if kept.relative is not None else ""
    axes.set(title=f"Energy balance{error}", ylabel="energy since start [J]")
    legend(axes)


def energy_forms(axes: Axes, run: Trajectory) -> None:
    """Where the stored energy is."""
    for k, name in enumerate(("kinetic", "gravity", "strain", "joint", "element")):
        values = run.numbers[f"{name}_energy"]
        if np.any(values):
            axes.plot(run.time, values, label=f"{name}s" if name in ("joint", "element") else name, color=COLOURS[k])
    axes.plot(run.time, run.numbers["stored_energy"], label="sum", color=INK, linewidth=0.9)
    axes.set(title="Stored energy", ylabel="energy [J]")
    legend(axes)


def energy_residual(axes: Axes, run: Trajectory) -> None:
    """What the balance leaves over."""
    values = run.numbers["energy_residual"]
    factor, prefix = _prefix(np.abs(values).max(initial=0.0))
    axes.plot(run.time, values / factor, color=COLOURS[6])
    put_in = "work - work of loads" if "load_work" in run.quantities else "work"
    axes.set(title=f"Residual: stored - {put_in} + dissipated", ylabel=f"residual [{prefix}J]")


def _prefix(size: float) -> tuple[float, str]:
    """The unit prefix that makes `size` a number of 1 to 1000."""
    return next((pair for pair in PREFIXES if size >= pair[0]), PREFIXES[0 if size == 0 else -1])


def spectra(axes: Axes, found: Spectrum, labels: Iterable[str], looks: Iterable[dict], unit: str, title: str) -> None:
    """Amplitudes over frequency, the strongest peaks named."""
    from scipy.signal import find_peaks

    floor = 1e-6 * found.values.max()
    for k, (label, look) in enumerate(zip(labels, looks, strict=True)):
        values = np.maximum(found.values[:, k], floor)
        axes.semilogy(found.frequencies, values, label=label, **look)
        for at in find_peaks(np.log10(values), prominence=0.5)[0]:
            if values[at] > 1e-3 * found.values.max():
                axes.annotate(
                    f"{found.frequencies[at]:.3g} Hz",
                    (found.frequencies[at], values[at]),
                    (0, 3),
                    textcoords="offset points",
                    ha="center",
                    size=7,
                    color=look["color"],
                )
    axes.set(title=title, ylabel=f"amplitude [{unit}]")
    axes.set_ylim(floor, 4 * found.values.max())
    legend(axes)


def path(axes: Any, run: Trajectory, tip: np.ndarray, link: str) -> None:
    """The tip's path in space, and the chain of links up to it at the start and at the end."""
    for sample, shade in ((0, LIGHT), (-1, GREY)):
        for line_ in chain(run, link, sample):
            axes.plot(*line_.T, color=shade, linewidth=2.2, solid_capstyle="round")
    axes.plot(*tip.T, color=COLOURS[0])
    axes.plot(*tip[:1].T, marker="o", color="white", markeredgecolor=COLOURS[0], linestyle="", label="start")
    axes.plot(*tip[-1:].T, marker="o", color=COLOURS[0], linestyle="", label="end")
    axes.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
    for one in (axes.xaxis, axes.yaxis, axes.zaxis):
        one.set_pane_color((1, 1, 1, 0))
        one.get_major_locator().set_params(nbins=5)
    up = "xyz"[int(np.argmax(np.abs(run.model.robot.gravity)))] if np.any(run.model.robot.gravity) else "z"
    limits = np.array([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()])
    half = np.ptp(limits, axis=1) / 2
    half = np.maximum(half, FLAT * half.max())
    axes.set(**{f"{name}lim": (c - h, c + h) for name, c, h in zip(AXES, limits.mean(axis=1), half, strict=True)})
    axes.view_init(elev=22, azim=-55, vertical_axis=up)
    axes.set_box_aspect(half, zoom=ZOOM)
    axes.legend(loc="upper left")


def chain(run: Trajectory, link: str, sample: int) -> list[np.ndarray]:
    """Lines (k, 3) in the world that stand for the links from the base to `link`, at one sample."""
    lines: list[np.ndarray] = []
    row = run.model.row(link)
    while row > 0:
        name = run.model.links[row - 1]
        ends = [run.quantities.select(key, "link", name)[sample] for key in ("link_position", "tip_position")]
        flexible = name in run.model.flexible
        lines.insert(0, run.numbers.centre_line(name)[sample] if flexible else np.array(ends))
        if len(lines) > 1:
            lines[0] = np.vstack([lines[0], lines[1][:1]])  # to where the next link begins
        row = int(run.model.arrays.tree.parent[row])
    return lines


def label_bar(bar: Any, label: str) -> None:
    """A colour bar without a frame."""
    bar.set_label(label)
    bar.outline.set_visible(False)
