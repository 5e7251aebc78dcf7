"""Figures of a run: one overview and closer looks. Every function takes a Trajectory and returns the figure.

The same colour means the same joint, and the link that it carries, in every panel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.analysis.modes.spectra import amplitude_spectrum
from lissom.errors import LissomError
from lissom.messages import did_you_mean
from lissom.results.quantity_names import AXES
from lissom.view.figures.chart_drawing import AxesDrawing, draw_chart, envelopes, label_bar, path, spectra
from lissom.view.figures.figure_style import DIVERGING, SEQUENTIAL, headline, line, style
from lissom.view.figures.overlays import finished, with_measured
from lissom.view.figures.plot_registry import PLOTS as PLOTS
from lissom.view.figures.plot_registry import Plot, axes_figure, chart_figure, detail
from lissom.view.figures.plot_registry import register_plot as register_plot
from lissom.view.figures.run_charts import (
    busiest,
    components,
    deflection_chart,
    energy_chart,
    external_charts,
    joint_charts,
    reading_charts,
    residual_chart,
    shown_bodies,
    stored_energy_chart,
    tip_chart,
    torque_charts,
    wrench_charts,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lissom.analysis.modes.spectra import Spectrum
    from lissom.model.model import BodyNames
    from lissom.results.trajectory import Frame, Trajectory


HEAD_ROOM = 0.36  # inches


def plot(run: Trajectory, kind: str = "overview", **options: Any) -> Figure:
    """Return the figure of a kind; `options` are what its function below takes."""
    if kind not in PLOTS:
        hint = did_you_mean(kind, PLOTS)
        raise LissomError(f"there is no such plot{hint}; choose from {', '.join(PLOTS)}", ("kind",), kind)
    return PLOTS[kind].figure(run, **options)


def plot_overview(run: Trajectory) -> Figure:
    """Return joint angles with references, torques, tip deflections, joint wrenches and the energy balance."""
    charts = [*joint_charts(run), *torque_charts(run), *deflection_chart(run)]
    if len(charts) % 2 == 0:  # three more follow, and the rows have two
        tip = tip_chart(run)
        moves = any(np.ptp(curve.values) > 0 for curve in tip.series)
        charts.append(tip if moves else stored_energy_chart(run))
    return chart_figure(run, with_measured(run, [*charts, energy_chart(run), *wrench_charts(run)]), columns=2)


def plot_joints(run: Trajectory, joints: Sequence[str] | str | None = None) -> Figure:
    """Return positions, velocities and torques of the moving joints, or of those named."""
    chosen = _choose_coordinates(run, joints)
    charts = [*joint_charts(run, chosen), *joint_charts(run, chosen, rates=True), *torque_charts(run, chosen)]
    return chart_figure(run, charts, columns=1)


def plot_tip(run: Trajectory, link: str | None = None) -> Figure:
    """Draw the path of a link's tip in space, its position, velocity and (if the link bends) deflection over time.

    The link is the end-effector that goes farthest unless named.
    """
    import matplotlib.pyplot as plt

    from lissom.view.figures.margins import Margins

    name = busiest(run) if link is None else link
    run.model.row(name)
    tip = run.numbers.tip(name)
    flexible = name in run.model.flexible
    with style():
        rows = 2 + flexible
        figure = plt.figure(figsize=(9.2, 6.9), layout=Margins())
        cells = figure.add_gridspec(rows, 2, width_ratios=(1.25, 1))
        path(figure.add_subplot(cells[:, 0], projection="3d"), run, tip, name)
        axes = figure.add_subplot(cells[0, 1])
        key = f"tip_position.{name}."
        (chart,) = finished(run, [components(run, "Position in the world", "tip position", "m", tip, key=key)])
        draw_chart(axes, chart)
        below = figure.add_subplot(cells[1, 1], sharex=axes)
        speed = run.numbers.tip(name, "twist")[:, 3:]
        key = f"tip_twist.{name}.v"
        (chart,) = finished(run, [components(run, "Velocity in the world", "tip velocity", "m/s", speed, key=key)])
        draw_chart(below, chart)
        if flexible:
            below = figure.add_subplot(cells[2, 1], sharex=axes)
            bent = 1e3 * run.numbers.deflection(name)
            title, key = f"Deflection in the axes of {name}", f"deflection.{name}."
            (chart,) = finished(run, [components(run, title, "deflection", "mm", bent, key=key)])
            draw_chart(below, chart)
        for above in figure.axes[1:-1]:
            above.tick_params(labelbottom=False)
        below.set_xlabel("time [s]")
        headline(figure, f"{run.model.robot.name}: tip of {name}", detail(run))
        return figure


def plot_wrenches(
    run: Trajectory, joint: str | None = None, frame: Frame = "local", joints: Sequence[str] | None = None
) -> Figure:
    """Return norms of torque and force in the joints; or, for one `joint`, their components in a `frame`."""
    if joint is None:
        names = tuple(joints) if joints is not None else run.model.joints
        return chart_figure(run, wrench_charts(run, [run.numbers.joint(name) for name in names]), columns=1)
    values = run.wrench(joint, frame).values
    where = f"on {run.numbers.joint(joint).link} at {joint}, axes of the {frame}"
    key = f"wrench.{joint}." if frame == "local" else ""
    torque = components(run, f"Torque {where}", "torque", "N m", values[:, :3], key=key and f"{key}t")
    force = components(run, f"Force {where}", "force", "N", values[:, 3:], key=key and f"{key}f")
    return chart_figure(run, [torque, force], columns=1)


def plot_deflection(run: Trajectory, link: str | None = None) -> Figure:
    """Return elastic displacement and rotation of the tip of every flexible link, or of one."""
    charts = []
    for name in _flexible(run, link):
        bent, turned = 1e3 * run.numbers.deflection(name), np.degrees(run.numbers.rotation(name))
        part = np.linalg.norm(bent, axis=1).max() / 10 / float(run.model.flexible[name].length)
        title = f"{name}: displacement, peak {part:.2g} % of length"
        charts.append(components(run, title, "tip displacement", "mm", bent, key=f"deflection.{name}."))
        charts.append(components(run, f"{name}: rotation", "tip rotation", "deg", turned, key=f"rotation.{name}."))
    return chart_figure(run, charts, columns=2)


def plot_sensors(run: Trajectory) -> Figure:
    """Return what every sensor tells, and what an ideal one would."""
    charts = reading_charts(run)
    if not charts:
        raise LissomError("this run has no sensors; give simulate some, sensors=[...], or the robot's file")
    return chart_figure(run, charts, columns=min(2, len(charts)))


def plot_outside(run: Trajectory) -> Figure:
    """Return forces and lengths of elements, forces and gaps of contacts, forces in the joints that close loops."""
    return chart_figure(run, external_charts(run), columns=1)


def plot_energy(run: Trajectory) -> Figure:
    """Return stored energies and their sum; work, losses and what the balance leaves over."""
    return chart_figure(run, [stored_energy_chart(run), energy_chart(run), *residual_chart(run)], columns=1)


def plot_shape(run: Trajectory, link: str | None = None, stations: int = 41, curves: int = 25) -> Figure:
    """Draw the deformation of a flexible link: its bent axis at some times, and its whole history as a map."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    name = _flexible(run, link)[0]
    field = run.shape(name, stations)
    length, factor = run.shown.units.convert("m", "mm")
    x, mm = field["x"].values, factor * field.values
    # directions in which the link hardly bends are left out
    bends = [k for k in (1, 2) if np.abs(mm[..., k]).max() > 1e-3 * np.abs(mm[..., 1:]).max()] or [1]
    with style():
        figure, axes = plt.subplots(
            2, len(bends), figsize=(4.8 * len(bends) + 0.8, 6.2), squeeze=False, layout="constrained"
        )
        colours = mpl.colormaps[SEQUENTIAL]
        times = mpl.colors.Normalize(run.time[0], run.time[-1])
        largest = np.abs(mm[..., bends]).max() or 1.0
        # above the axis at some times, below its whole history, one column per direction
        for column, k in enumerate(bends):
            top, map_ = axes[:, column]
            for i in np.unique(np.linspace(0, len(run.time) - 1, curves).astype(int)):
                top.plot(x, mm[i, :, k], color=colours(0.88 * times(run.time[i])), linewidth=1.0)
            top.set(title=f"Deflection along {AXES[k]}", ylabel=f"u{AXES[k]} [{length}]", xlabel="x along the link [m]")
            image = map_.pcolormesh(
                run.time,
                x,
                mm[:, :, k].T,
                cmap=DIVERGING,
                vmin=-largest,
                vmax=largest,
                shading="gouraud",
                rasterized=True,
            )
            map_.set(xlabel="time [s]", ylabel="x along the link [m]")
            map_.grid(False)
        scale = mpl.cm.ScalarMappable(times, mpl.colors.ListedColormap(colours(np.linspace(0, 0.88, 256))))
        label_bar(figure.colorbar(scale, ax=axes[0, :], pad=0.015), "time [s]")
        label_bar(figure.colorbar(image, ax=axes[1, :], pad=0.015), f"deflection [{length}]")
        free = 1 - HEAD_ROOM / figure.get_size_inches()[1]  # of the headline, which the layout does not know
        figure.get_layout_engine().set(rect=(0, 0, 1, free))  # type: ignore[union-attr, call-arg]
        headline(figure, f"{run.model.robot.name}: shape of {name}", detail(run))
        return figure


def plot_sections(run: Trajectory, link: str | None = None, stations: int = 41) -> Figure:
    """Draw bending, shear, torsion and tension along a beam, and its stresses where its shape is known.

    Each place shows all that it sees during the run, from the least to the most.
    """
    name = _flexible(run, link)[0]
    found = run.section_forces(name, stations)
    units = run.shown.units
    (moment, of_moment), (force, of_force) = units.convert("N m"), units.convert("N")
    pressure, of_pressure = units.convert("Pa", "MPa")
    groups = [
        ("Bending about y and z", f"bending moment [{moment}]", found, ("My", "Mz"), of_moment),
        ("Shear along y and z", f"shear force [{force}]", found, ("Vy", "Vz"), of_force),
        ("Torsion", f"torque [{moment}]", found, ("T",), of_moment),
        ("Tension", f"tension [{force}]", found, ("N",), of_force),
    ]
    beam = run.model.robot.link(name).beam
    if beam is not None and beam.has_shape:
        stress, label = run.stress(name, stations), f"stress [{pressure}]"
        groups.append(("Normal stress at the outer fibres", label, stress, ("highest", "lowest"), of_pressure))
        groups.append(("Largest in the section", label, stress, ("shear", "von_mises"), of_pressure))
    drawings: list[AxesDrawing] = []
    for title, label, values, parts, factor in groups:
        curves = {part.replace("_", " "): factor * values.loc[..., part].values for part in parts}
        drawings.append(partial(envelopes, x=values["x"].values, curves=curves, label=label, title=title))
    return axes_figure(run, drawings, columns=2, abscissa=f"x along {name} [m]")


def plot_spectrum(run: Trajectory, signals: Sequence[str] | str | None = None, limit: float | None = None) -> Figure:
    """Draw amplitude spectra of tip deflections, or of the joints and coordinates that are named.

    The mean is taken out and a Hann window laid over the run; a sine of amplitude A shows as a peak of A.

    Parameters
    ----------
    signals : sequence of str or str, optional
        Names that `run[...]` takes; the transverse deflections of all flexible links unless given.
    limit : float, optional
        Highest frequency shown, in Hz; unless given, that of the last visible amplitude.
    """
    names = [signals] if isinstance(signals, str) else list(signals or ())
    if not names and not run.model.flexible:
        names = [body.joint for body in shown_bodies(run)]
    if names:
        wanted = [(name, run[name], *run.shown.units.convert(str(run[name].attrs["units"]))) for name in names]
    else:
        length = run.shown.units.convert("m", "mm")
        wanted = [(f"Deflection of {link}", run.deflection(link)[:, 1:], *length) for link in run.model.flexible]

    count = len(run.time) - 1 if _last_is_short(run.time) else len(run.time)
    found = {
        title: amplitude_spectrum(run.time[:count], factor * values.values[:count].reshape(count, -1), padding=1)
        for title, values, _, factor in wanted
    }
    drawings: list[AxesDrawing] = []
    for title, values, unit, _ in wanted:
        labels = [str(label) for label in values[values.dims[1]].values] if values.ndim > 1 else [title]
        labels = labels if names else [f"u{label}" for label in labels]
        looks = [line(k + (not names)) for k in range(len(labels))]
        drawings.append(partial(spectra, found=found[title], labels=labels, looks=looks, unit=unit, title=title))
    figure = axes_figure(run, drawings, columns=1, abscissa="frequency [Hz]")
    figure.axes[0].set_xlim(0, limit or _highest(found.values()))
    return figure


def _last_is_short(t: np.ndarray) -> bool:
    """Return whether the last sample is not at the even output rate but at the end of the run."""
    return len(t) > 2 and t[-1] - t[-2] < (1 - 1e-6) * (t[1] - t[0])


def _highest(found: Iterable[Spectrum]) -> float:
    """Return the frequency above which no amplitude reaches a 1e-5th of the largest one."""
    highest = 0.0
    for one in found:
        rows = np.flatnonzero((one.values >= 1e-5 * one.values.max()).any(axis=1))
        highest = max(highest, float(one.frequencies[rows[-1]]))
    return min(1.1 * highest, float(one.frequencies[-1]))


# What is looked at first, then the slow ones: the order in which `lissom run` draws them.
for kind, draw in {
    "overview": plot_overview,
    "tip": plot_tip,
    "joints": plot_joints,
    "deflection": plot_deflection,
    "energy": plot_energy,
    "wrenches": plot_wrenches,
    "outside": plot_outside,
    "sensors": plot_sensors,
}.items():
    register_plot(Plot(kind, draw))
for kind, draw in {"shape": plot_shape, "sections": plot_sections, "spectrum": plot_spectrum}.items():
    register_plot(Plot(kind, draw, in_folder=False))


def _choose_coordinates(run: Trajectory, joints: Sequence[str] | str | None) -> list[BodyNames] | None:
    if joints is None:
        return None
    return [run.numbers.joint(name) for name in ([joints] if isinstance(joints, str) else joints)]


def _flexible(run: Trajectory, link: str | None) -> list[str]:
    if link is not None:
        run.numbers.flexible(link)
        return [link]
    if not run.model.flexible:
        raise LissomError(f"{run.model.robot.name} has no flexible link")
    return list(run.model.flexible)
