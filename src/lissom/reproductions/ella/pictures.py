"""Figures 4 to 15 of the ELLA arm: coordinates, twists, tip, spectra, deformation fields, torques, wrenches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import lissom
from lissom.lie import so3
from lissom.reproductions.ella import LINKS, MOTORS, XYZ, Array, Results, high_pass, join_values
from lissom.theory.screw_pde.field import deformation

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _sheet(rows: int, columns: int, height: float = 2.1) -> tuple[Figure, Any]:
    from lissom.view.figures.figure_style import grid

    figure, axes = grid(rows * columns, columns, width=3.6, height=height, sharex=True)
    return figure, np.array(axes).reshape(rows, columns)


def _lines(axes: Any, t: Array, values: Array, labels: Sequence[str], title: str, label: str) -> None:
    from lissom.view.figures.figure_style import COLOURS, DASHES

    for k, name in enumerate(labels):
        axes.plot(t, values[:, k], color=COLOURS[k], ls=DASHES[k % 3], label=name)
    axes.set(title=title, ylabel=label)
    axes.legend(ncols=len(labels), loc="best")


def _by_link(
    results: Results, parts: Callable[[int], tuple[Array, Array]], names: tuple[str, str], axis_labels: tuple[str, str]
) -> Figure:
    """Return a linear and an angular part for both links, two by two."""
    figure, axes = _sheet(2, 2)
    for row, link in enumerate(LINKS):
        linear, angular = parts(results.formulation.row(link))
        _lines(axes[row, 0], results.time, linear, XYZ, f"{link}: {names[0]}", axis_labels[0])
        _lines(axes[row, 1], results.time, angular, XYZ, f"{link}: {names[1]}", axis_labels[1])
    for axis in axes[-1]:
        axis.set_xlabel("time [s]")
    return figure


def coordinates(results: Results) -> Figure:
    """Draw position and rotation of both links' frames."""

    def parts(i: int) -> tuple[Array, Array]:
        R, p = results.poses[:, i, :3, :3], results.poses[:, i, :3, 3]
        return np.einsum("tji,tj->ti", R, p), so3.log(R)

    return _by_link(results, parts, ("position r in body axes", "rotation vector"), ("position [m]", "rotation [rad]"))


def twists(results: Results) -> Figure:
    """Draw velocity and angular velocity of both links."""

    def parts(i: int) -> tuple[Array, Array]:
        return results.twists[:, i, 3:], results.twists[:, i, :3]

    return _by_link(results, parts, ("velocity v", "angular velocity"), ("velocity [m/s]", "rate [rad/s]"))


def _plot_comparison(results: Results, curves: Sequence[tuple[str, Array, str, Array, str]], quantity: str) -> Figure:
    """Three panels, two curves each: title, values, label, values, label."""
    from lissom.view.figures.figure_style import COLOURS, DASHES

    figure, axes = _sheet(1, 3, 2.6)
    for axis, (title, values, label, other, other_label) in zip(axes[0], curves):
        axis.plot(results.time, other, color=COLOURS[1], ls=DASHES[1], label=other_label)
        axis.plot(results.time, values, color=COLOURS[0], label=label)
        axis.set(title=title, xlabel="time [s]", ylabel=quantity)
    axes[0, 0].legend()
    return figure


def joint_angles(results: Results) -> Figure:
    """Draw the joint angles beside their references."""
    at = [results.model.joint(joint).joint_q.start for joint in MOTORS]
    curves = [
        (f"{joint} ({name})", results.q[:, at[k]], "flexible arm", results.desired[:, k], "reference")
        for k, (joint, name) in enumerate(MOTORS.items())
    ]
    return _plot_comparison(results, curves, "angle [rad]")


def tip_position(results: Results) -> Figure:
    """Draw the tip's path beside that of the rigid arm."""
    rigid = np.array([lissom.tip_pose(results.rigid.model, q)[:3, 3] for q in results.rigid.q])
    return _plot_comparison(
        results,
        [(axis, results.tip[:, k], "flexible arm", rigid[:, k], "rigid arm") for k, axis in enumerate(XYZ)],
        "position [m]",
    )


def tip_deflection(results: Results) -> Figure:
    """Draw the deflection of the tip, and its part above 1 Hz."""
    filtered = 1e3 * high_pass(results.time, results.deflection)
    curves = [
        (axis, 1e3 * results.deflection[:, k], "deflection", filtered[:, k], "above 1 Hz") for k, axis in enumerate(XYZ)
    ]
    return _plot_comparison(results, curves, "deflection [mm]")


def spectra(results: Results) -> Figure:
    """Draw the spectra of the free decay, with the poles of the linearised arm."""
    from lissom.view.figures.figure_style import COLOURS, GREY

    figure, axes = _sheet(1, 3, 2.6)
    hz, values = results.spectra
    for k, axis in enumerate(axes[0]):
        for pole in results.pole_frequencies:
            axis.axvline(pole, color=GREY, lw=0.8, ls=":")
        axis.semilogy(hz, 1e3 * results.stiff_spectra[1][:, k], color=COLOURS[1], label="stiff motors")
        axis.semilogy(hz, 1e3 * values[:, k], color=COLOURS[0], label="as in the scenario")
        axis.set(title=XYZ[k], xlabel="frequency [Hz]", ylabel="amplitude [mm]")
        axis.set(xlim=(0, 30), ylim=(1e-6 * 1e3 * values.max(), 2e3 * values.max()))
    axes[0, 0].legend(loc="lower left")
    note = f"identified: {join_values(results.identified_frequencies)} Hz\ndotted: poles of the controlled arm"
    corner = axes[0, 2].transAxes
    axes[0, 2].text(0.98, 0.95, note, ha="right", va="top", fontsize=7, transform=corner, color=GREY)
    return figure


def field_of(link: str) -> Callable[[Results], Figure]:
    """Surfaces of the deformation field over the link and time."""

    def draw(results: Results) -> Figure:
        from matplotlib.figure import Figure

        from lissom.view.figures.figure_style import SEQUENTIAL

        length = results.model.flexible[link].length
        x, every = np.linspace(0, length, 31), slice(None, None, 4)
        field = 1e3 * deformation(results.formulation, results.q[every], link, x)
        figure = Figure(figsize=(11.5, 4.1), layout="constrained")
        X, T = np.meshgrid(x, results.time[every])
        for k, axis in enumerate(XYZ):
            axes: Any = figure.add_subplot(1, 3, k + 1, projection="3d")
            axes.plot_surface(X, T, field[..., k], cmap=SEQUENTIAL, rcount=200, ccount=31, lw=0)
            axes.set(xlabel="x [m]", ylabel="time [s]", zlabel=f"u{axis} [mm]", title=f"Displacement along {axis}")
            axes.view_init(28, -58)
            axes.set_box_aspect(None, zoom=0.8)
            axes.tick_params(labelsize=7)
            for one in (axes.xaxis, axes.yaxis, axes.zaxis):
                one.set_pane_color((1, 1, 1, 0))
        return figure

    return draw


def modal_coordinates(results: Results) -> Figure:
    """Draw the first functions of both links over time."""
    curves = []
    for title, label in (("axial", "axial1"), ("bending along y", "y1"), ("bending along z", "z1")):
        one, two = (1e3 * results.q[:, results.model.q_names.index(f"{link}.{label}")] for link in LINKS)
        curves.append((f"{title}, first function", one, "upper", two, "forearm"))
    return _plot_comparison(results, curves, "amplitude [mm]")


def torques(results: Results) -> Figure:
    """Draw the torques of the motors."""
    curves = []
    for joint, name in MOTORS.items():
        own = results.tau[:, results.model.joint(joint).joint_v.start]
        rigid = results.rigid.dataset["torque"].sel(coordinate=joint).values
        curves.append((f"{joint} ({name})", own, "flexible arm", rigid, "rigid arm"))
    return _plot_comparison(results, curves, "torque [N m]")


def wrench_of(joint: str) -> Callable[[Results], Figure]:
    """Six components of an interaction wrench, child axes."""

    def draw(results: Results) -> Figure:
        from lissom.view.figures.figure_style import COLOURS

        figure, axes = _sheet(2, 3)
        wrench = results.wrenches[:, results.model.joints.index(joint)]
        for k in range(3):
            axes[0, k].plot(results.time, wrench[:, 3 + k], color=COLOURS[0])
            axes[1, k].plot(results.time, wrench[:, k], color=COLOURS[1])
            axes[0, k].set(title=f"Force along {XYZ[k]}", ylabel="force [N]")
            axes[1, k].set(title=f"Torque about {XYZ[k]}", ylabel="torque [N m]", xlabel="time [s]")
        return figure

    return draw


FIGURES: tuple[tuple[str, Callable[[Results], Figure]], ...] = (
    ("Coordinates of the body frames", coordinates),
    ("Twists of the body frames", twists),
    ("Joint angles under PD control", joint_angles),
    ("Position of the tip", tip_position),
    ("Deflection of the tip", tip_deflection),
    ("Spectra of the tip's deflection", spectra),
    ("Deformation field of the upper link", field_of("upper")),
    ("Deformation field of the forearm", field_of("forearm")),
    ("Modal coordinates of both links", modal_coordinates),
    ("Motor torques, with the rigid arm's", torques),
    ("Interaction wrench at the base", wrench_of("shoulder-yaw")),
    ("Interaction wrench at the elbow", wrench_of("elbow")),
)
