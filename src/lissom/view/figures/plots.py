"""Figures of a run: one overview and closer looks. Every function takes a Trajectory and returns the figure.

The same colour means the same joint, and the link that it carries, in every panel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.analysis.modes.spectra import amplitude_spectrum
from lissom.errors import LissomError
from lissom.messages import did_you_mean
from lissom.simulation.status.run_ending import Ending
from lissom.view.figures.curve_data import AXES, busiest, shown
from lissom.view.figures.figure_style import DIVERGING, SEQUENTIAL, grid, headline, line, style
from lissom.view.figures.panels import (
    Panel,
    components,
    deflections,
    energy_flows,
    energy_forms,
    energy_residual,
    envelopes,
    joint_panels,
    label_bar,
    outside_panels,
    path,
    reading_panels,
    spectra,
    torque_panels,
    wrench_sizes,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lissom.analysis.modes.spectra import Spectrum
    from lissom.model.model import BodyNames
    from lissom.results.trajectory import Frame, Trajectory


def plot(run: Trajectory, kind: str = "overview", **options: Any) -> Figure:
    """The plot of a kind; `options` are what its function below takes."""
    if kind not in KINDS:
        hint = did_you_mean(kind, KINDS)
        raise LissomError(f"there is no such plot{hint}; choose from {', '.join(KINDS)}", ("kind",), kind)
    return KINDS[kind](run, **options)


def plot_overview(run: Trajectory) -> Figure:
    """Joint angles with their references, torques, tip deflections, joint wrenches and the energy balance."""
    panels = [*joint_panels(run, None), *torque_panels(run, None)]
    if run.model.flexible:
        panels.append(partial(deflections, run=run))
    if len(panels) % 2 == 0:  # three more follow, and the rows have two
        end = busiest(run)
        tip = run.numbers.tip(end)
        moves = np.ptp(tip, axis=0).max() > 0
        where = _components(run, tip, "position [m]", f"Tip of {end} in the world")
        panels.append(where if moves else partial(energy_forms, run=run))
    panels.append(partial(energy_flows, run=run))
    return _figure(run, [*panels, *_wrenches(run, shown(run))], columns=2)


def plot_joints(run: Trajectory, joints: Sequence[str] | str | None = None) -> Figure:
    """Positions, velocities and torques of the moving joints, or of those named."""
    chosen = _chosen(run, joints)
    panels = [
        *joint_panels(run, chosen),
        *joint_panels(run, chosen, rates=True),
        *torque_panels(run, chosen),
    ]
    return _figure(run, panels, columns=1)


def plot_tip(run: Trajectory, link: str | None = None) -> Figure:
    """Path of a link's tip in space, its position, velocity and (if the link bends) deflection over time.

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
        components(axes, run.time, tip, "tip position [m]", "Position in the world")
        below = figure.add_subplot(cells[1, 1], sharex=axes)
        speed = run.numbers.tip(name, "twist")[:, 3:]
        components(below, run.time, speed, "tip velocity [m/s]", "Velocity in the world")
        if flexible:
            below = figure.add_subplot(cells[2, 1], sharex=axes)
            bent = 1e3 * run.numbers.deflection(name)
            components(below, run.time, bent, "deflection [mm]", f"Deflection in the axes of {name}")
        for above in figure.axes[1:-1]:
            above.tick_params(labelbottom=False)
        below.set_xlabel("time [s]")
        headline(figure, f"{run.model.robot.name}: tip of {name}", _detail(run))
        return figure


def plot_wrenches(
    run: Trajectory, joint: str | None = None, frame: Frame = "local", joints: Sequence[str] | None = None
) -> Figure:
    """Norms of torque and force in the joints; or, for one `joint`, their components in a `frame`."""
    if joint is None:
        names = tuple(joints) if joints is not None else run.model.joints
        return _figure(run, _wrenches(run, [run.lookup.joint(name) for name in names]), columns=1)
    values = run.wrench(joint, frame).values
    where = f"on {run.lookup.joint(joint).link} at {joint}, axes of the {frame}"
    torque = _components(run, values[:, :3], "torque [N m]", f"Torque {where}")
    return _figure(run, [torque, _components(run, values[:, 3:], "force [N]", f"Force {where}")], columns=1)


def plot_deflection(run: Trajectory, link: str | None = None) -> Figure:
    """Elastic displacement and rotation of the tip of every flexible link, or of one."""
    panels: list[Panel] = []
    for name in _flexible(run, link):
        bent, turned = 1e3 * run.numbers.deflection(name), np.degrees(run.numbers.rotation(name))
        part = np.linalg.norm(bent, axis=1).max() / 10 / float(run.model.flexible[name].length)
        title = f"{name}: displacement, peak {part:.2g} % of length"
        panels.append(_components(run, bent, "tip displacement [mm]", title))
        panels.append(_components(run, turned, "tip rotation [deg]", f"{name}: rotation"))
    return _figure(run, panels, columns=2)


def plot_sensors(run: Trajectory) -> Figure:
    """What every sensor tells, and what an ideal one would."""
    panels = reading_panels(run)
    if not panels:
        raise LissomError("this run has no sensors; give simulate some, sensors=[...], or the robot's file")
    return _figure(run, panels, columns=min(2, len(panels)))


def plot_outside(run: Trajectory) -> Figure:
    """Forces and lengths of elements, forces and gaps of contacts, forces in the joints that close loops."""
    return _figure(run, outside_panels(run), columns=1)


def plot_energy(run: Trajectory) -> Figure:
    """Stored energies and their sum; work, losses and what the balance leaves over."""
    panels: list[Panel] = [partial(energy_forms, run=run), partial(energy_flows, run=run)]
    if "energy_residual" in run.quantities:
        panels.append(partial(energy_residual, run=run))
    return _figure(run, panels, columns=1)


def plot_shape(run: Trajectory, link: str | None = None, stations: int = 41, curves: int = 25) -> Figure:
    """Deformation of a flexible link: its bent axis at some times, and its whole history as a map."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    name = _flexible(run, link)[0]
    field = run.shape(name, stations)
    x, mm = field["x"].values, 1e3 * field.values
    bends = [k for k in (1, 2) if np.abs(mm[..., k]).max() > 1e-3 * np.abs(mm[..., 1:]).max()] or [1]
    with style():
        figure, axes = plt.subplots(
            2, len(bends), figsize=(4.8 * len(bends) + 0.8, 6.2), squeeze=False, layout="constrained"
        )
        colours = mpl.colormaps[SEQUENTIAL]
        times = mpl.colors.Normalize(run.time[0], run.time[-1])
        largest = np.abs(mm[..., bends]).max() or 1.0
        for column, k in enumerate(bends):
            top, map_ = axes[:, column]
            for i in np.unique(np.linspace(0, len(run.time) - 1, curves).astype(int)):
                top.plot(x, mm[i, :, k], color=colours(0.88 * times(run.time[i])), linewidth=1.0)
            top.set(title=f"Deflection along {AXES[k]}", ylabel=f"u{AXES[k]} [mm]", xlabel="x along the link [m]")
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
        label_bar(figure.colorbar(image, ax=axes[1, :], pad=0.015), "deflection [mm]")
        headline(figure, f"{run.model.robot.name}: shape of {name}", _detail(run))
        return figure


def plot_sections(run: Trajectory, link: str | None = None, stations: int = 41) -> Figure:
    """Bending, shear, torsion and tension along a beam, and its stresses where its shape is known.

    Each place shows all that it sees during the run, from the least to the most.
    """
    name = _flexible(run, link)[0]
    found = run.section_forces(name, stations)
    groups = [
        ("Bending about y and z", "bending moment [N m]", found, ("My", "Mz"), 1.0),
        ("Shear along y and z", "shear force [N]", found, ("Vy", "Vz"), 1.0),
        ("Torsion", "torque [N m]", found, ("T",), 1.0),
        ("Tension", "tension [N]", found, ("N",), 1.0),
    ]
    beam = run.model.robot.link(name).beam
    if beam is not None and beam.has_shape:
        stress = run.stress(name, stations)
        groups.append(("Normal stress at the outer fibres", "stress [MPa]", stress, ("highest", "lowest"), 1e-6))
        groups.append(("Largest in the section", "stress [MPa]", stress, ("shear", "von_mises"), 1e-6))
    panels: list[Panel] = []
    for title, label, values, parts, factor in groups:
        curves = {part.replace("_", " "): factor * values.loc[..., part].values for part in parts}
        panels.append(partial(envelopes, x=values["x"].values, curves=curves, label=label, title=title))
    return _figure(run, panels, columns=2, abscissa=f"x along {name} [m]")


def plot_spectrum(run: Trajectory, signals: Sequence[str] | str | None = None, limit: float | None = None) -> Figure:
    """Amplitude spectra of tip deflections, or of the joints and coordinates that are named.

    The mean is taken out and a Hann window laid over the run; a sine of amplitude A shows as a peak of A.

    Args:
        signals: names that `run[...]` takes; the transverse deflections of all flexible links unless given.
        limit: highest frequency shown, in Hz; unless given, that of the last visible amplitude.
    """
    names = [signals] if isinstance(signals, str) else list(signals or ())
    if not names and not run.model.flexible:
        names = [body.joint for body in shown(run)]
    if names:
        wanted = [(name, run[name], str(run[name].attrs["units"]), 1.0) for name in names]
    else:
        wanted = [(f"Deflection of {link}", run.deflection(link)[:, 1:], "mm", 1e3) for link in run.model.flexible]

    count = len(run.time) - 1 if _last_is_short(run.time) else len(run.time)
    found = {
        title: amplitude_spectrum(run.time[:count], factor * values.values[:count].reshape(count, -1), padding=1)
        for title, values, _, factor in wanted
    }
    panels: list[Panel] = []
    for title, values, unit, _ in wanted:
        labels = [str(label) for label in values[values.dims[1]].values] if values.ndim > 1 else [title]
        labels = labels if names else [f"u{label}" for label in labels]
        looks = [line(k + (not names)) for k in range(len(labels))]
        panels.append(partial(spectra, found=found[title], labels=labels, looks=looks, unit=unit, title=title))
    figure = _figure(run, panels, columns=1, abscissa="frequency [Hz]")
    figure.axes[0].set_xlim(0, limit or _highest(found.values()))
    return figure


def _last_is_short(t: np.ndarray) -> bool:
    """Whether the last sample is not at the even output rate but at the end of the run."""
    return len(t) > 2 and t[-1] - t[-2] < (1 - 1e-6) * (t[1] - t[0])


def _highest(found: Iterable[Spectrum]) -> float:
    """The frequency above which no amplitude reaches a 1e-5th of the largest one."""
    highest = 0.0
    for one in found:
        rows = np.flatnonzero((one.values >= 1e-5 * one.values.max()).any(axis=1))
        highest = max(highest, float(one.frequencies[rows[-1]]))
    return min(1.1 * highest, float(one.frequencies[-1]))


KINDS: dict[str, Callable[..., Figure]] = {
    "overview": plot_overview,
    "joints": plot_joints,
    "tip": plot_tip,
    "wrenches": plot_wrenches,
    "deflection": plot_deflection,
    "energy": plot_energy,
    "outside": plot_outside,
    "shape": plot_shape,
    "sections": plot_sections,
    "spectrum": plot_spectrum,
    "sensors": plot_sensors,
}


# figures of panels


def _figure(run: Trajectory, panels: Sequence[Panel], columns: int, abscissa: str = "time [s]") -> Figure:
    if not panels:
        raise LissomError(f"{run.model.robot.name} has nothing to show in this plot")
    with style():
        figure, axes = grid(len(panels), columns, sharex=True)
        for one, draw in zip(axes, panels, strict=True):
            draw(one)
        columns = min(columns, len(panels))
        for k, one in enumerate(axes):
            if k + columns >= len(axes):
                one.set_xlabel(abscissa)
                one.tick_params(labelbottom=True)
        headline(figure, run.model.robot.name, _detail(run))
        return figure


def _components(run: Trajectory, values: np.ndarray, label: str, title: str) -> Panel:
    return partial(components, time=run.time, values=values, label=label, title=title)


def _wrenches(run: Trajectory, bodies: Sequence[BodyNames]) -> list[Panel]:
    return [partial(wrench_sizes, run=run, bodies=bodies, part=part) for part in ("torque", "force")]


def _detail(run: Trajectory) -> str:
    parts = [f"{run.time[-1] - run.time[0]:g} s of motion"]
    parts += [f"{run.info.method}, {run.info.steps} steps"] if run.info.method else []
    parts += [run.info.status.word] if run.info.status is not Ending.FINISHED else []
    return ", ".join(parts)


def _chosen(run: Trajectory, joints: Sequence[str] | str | None) -> list[BodyNames] | None:
    if joints is None:
        return None
    return [run.lookup.joint(name) for name in ([joints] if isinstance(joints, str) else joints)]


def _flexible(run: Trajectory, link: str | None) -> list[str]:
    if link is not None:
        run.lookup.flexible(link)
        return [link]
    if not run.model.flexible:
        raise LissomError(f"{run.model.robot.name} has no flexible link")
    return list(run.model.flexible)
