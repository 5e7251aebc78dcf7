"""The ELLA arm lifts its payload: every figure of the screw-theoretic PDE synthesis.

The experiment of Yaqubi, Kitzinger, Müller, Gattringer and Mattila 2026, section 7, on lissom's ELLA arm: two slender
steel links, three motors, a payload, PD control. One stacked system gives twists, modal states and wrenches; the
counterparts of figures 4 to 15 go to one folder and one PDF.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import lissom
from lissom.control import ControlLaw
from lissom.lie import so3
from lissom.model.model import Model
from lissom.progress import Progress
from lissom.theory import simulate
from lissom.theory.screw_pde import ScrewPDE
from lissom.theory.screw_pde.field import deformation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = np.ndarray
LINKS = ("upper", "forearm")
MOTORS = {"shoulder-yaw": "y1", "shoulder": "z1", "elbow": "z2"}
XYZ = ("x", "y", "z")
START = (0.0065, -0.0083)  # m: the forearm's tip along y and z at the start, as the paper gives it
STIFF = 100.0  # times the gains on angles of the scenario: motors that hardly give way


@dataclass(frozen=True, eq=False)
class Results:
    """The motion and what the figures show of it; N samples."""

    formulation: ScrewPDE
    time: Array  # (N,)
    q: Array  # (N, nq)
    v: Array  # (N, nv)
    tau: Array  # (N, nv)
    desired: Array  # (N, 3) angles
    rigid: Any  # Trajectory of the rigid arm under the same control
    poses: Array  # (N, links, 4, 4)
    twists: Array  # (N, links, 6)
    wrenches: Array  # (N, joints, 6)
    tip: Array  # (N, 3)
    deflection: Array  # (N, 3) of the tip from where the undeformed arm would have it, world axes
    stiff_deflection: Array  # (N, 3) the same with motors that hardly give way
    pole_frequencies: Array  # slowest frequencies of the arm and its controller, linearised at the final pose

    @property
    def model(self) -> Model:
        """The model of the flexible arm."""
        return self.formulation.model

    @property
    def settling(self) -> Array:
        """Samples after the reference has come to rest: a free decay of the controlled arm."""
        return self.time >= 1.5

    @cached_property
    def spectra(self) -> tuple[Array, Array]:
        """Frequencies (F,) and amplitudes (F, 3) of the tip's deflection."""
        return _spectrum(self.time, self.deflection)

    @cached_property
    def stiff_spectra(self) -> tuple[Array, Array]:
        """Frequencies (F,) and amplitudes (F, 3) of the deflection with motors that hardly give way."""
        return _spectrum(self.time, self.stiff_deflection)

    @cached_property
    def identified_frequencies(self) -> Array:
        """The two strongest frequencies of the settling deflection, rising."""
        from lissom.analysis import identify_modes

        found = identify_modes(self.time[self.settling], self.deflection[self.settling], number=3)
        strongest = np.argsort(-found.amplitudes.max(axis=1))[:2]
        return np.sort(found.frequencies[strongest])


def run(duration: float = 4.0) -> Results:
    """Simulate the scenario `ella` by the stacked system, and the rigid arm beside it.

    The forearm starts bent as the paper says, along y and z. Its -20 mm along the link would take 0.94 MN and 9.4 kJ.
    """
    from lissom.control import from_config
    from lissom.control.laws.rigid_model import rigid_twin
    from lissom.scenario import load
    from lissom.scenario.prepare import prepare

    scenario = load("ella")
    prepared = prepare(scenario)
    model, law = prepared.model, prepared.controller
    assert isinstance(law, ControlLaw)
    formulation, start = ScrewPDE(model), (bent_start(model), np.zeros(model.nv))
    motion = simulate(formulation, duration, controller=law, start=start)
    t, q, v = np.asarray(motion.time), motion.q, motion.v
    tau = np.array([law(*sample) for sample in zip(t, q, v)])
    stiff = simulate(formulation, duration, controller=_stiffen(law), start=start)
    twin = rigid_twin(model.robot).compile()
    rigid = lissom.simulate(twin, duration, controller=from_config(twin, scenario.control, twin.neutral()))

    n = len(model.links)
    poses, twists, wrenches = np.zeros((len(t), n, 4, 4)), np.zeros((len(t), n, 6)), np.zeros((len(t), n, 6))
    for k in range(len(t)):
        _, wrenches[k] = formulation.solve(q[k], v[k], tau[k])
        poses[k], twists[k] = formulation.frame_poses(), formulation.work.V
    return Results(
        formulation=formulation,
        time=t,
        q=q,
        v=v,
        tau=tau,
        desired=np.array([law.reference(time)[0] for time in t]),
        rigid=rigid,
        poses=poses,
        twists=twists,
        wrenches=wrenches,
        tip=np.array([formulation.tip(sample)[:3, 3] for sample in q]),
        deflection=_tip_deflection(formulation, q),
        stiff_deflection=_tip_deflection(formulation, stiff.q),
        pole_frequencies=_closed_loop_frequencies(model, law, q[-1]),
    )


def bent_start(model: Model) -> Array:
    """Return the configuration (nq,) at zero angles whose forearm is bent to `START` by a force at its tip."""
    q, beam = model.neutral(), model.flexible["forearm"]
    across = beam.section_map(beam.length).phi[1:]
    by_force = np.linalg.solve(beam.stiffness(), across.T)
    q[model.link("forearm").modes_q] = by_force @ np.linalg.solve(across @ by_force, START)
    return q


def _stiffen(law: ControlLaw) -> ControlLaw:
    """Return the law with `STIFF` times its gains on angles."""
    from dataclasses import replace

    (part,) = law.parts
    return replace(law, parts=(replace(part, kp=STIFF * part.kp),))


def _tip_deflection(formulation: ScrewPDE, q: Array) -> Array:
    """Return how far the tip is from where the undeformed arm would have it, (N, 3) in world axes."""
    straight = q.copy()
    for link in LINKS:
        straight[:, formulation.model.link(link).modes_q] = 0.0
    return np.array([formulation.tip(a)[:3, 3] - formulation.tip(b)[:3, 3] for a, b in zip(q, straight, strict=True)])


def _spectrum(t: Array, deflection: Array) -> tuple[Array, Array]:
    from lissom.analysis.modes.spectra import amplitude_spectrum

    spectrum = amplitude_spectrum(t, _high_pass(t, deflection))
    return spectrum.frequencies, spectrum.values


def _closed_loop_frequencies(model: Model, law: Any, q: Array) -> Array:
    """Frequencies |lambda|/2 pi of the oscillating poles of the arm under its controller at rest, slowest four."""
    from lissom.dynamics import derivatives

    n = model.nv
    exact = derivatives(model, q, np.zeros(n), law(np.inf, q, np.zeros(n)))
    P, D = np.zeros((n, n)), np.zeros((n, n))
    P[law.force, law.measured_q], D[law.force, law.measured_v] = law.kp, law.kd
    A = np.block([[np.zeros((n, n)), np.eye(n)], [exact.q - exact.tau @ P, exact.v - exact.tau @ D]])
    poles = np.linalg.eigvals(A)
    return np.sort(np.abs(poles[poles.imag > 1e-9]))[:4] / (2 * np.pi)


def _high_pass(t: Array, y: Array) -> Array:
    """Return the oscillating part above 1 Hz, as the experiment isolates the elastic content."""
    from scipy.signal import butter, sosfiltfilt

    return sosfiltfilt(butter(4, 1.0, "highpass", fs=1 / (t[1] - t[0]), output="sos"), y, axis=0)


def main(out: Path) -> Results:
    """Run, draw every figure as PNG and all of them into one PDF, print what was found."""
    from matplotlib.backends.backend_pdf import PdfPages
    from rich.console import Console

    from lissom.view.figures.figure_style import headline, style

    console = Console()
    with Progress("simulating the stacked system (compiled once per machine)"):
        results = run()
    out.mkdir(parents=True, exist_ok=True)
    with style(), PdfPages(out / "ella.pdf") as pdf, Progress("drawing figures 4 to 15"):
        for number, (title, draw) in enumerate(FIGURES, start=4):
            figure = draw(results)
            headline(figure, title, f"figure {number} of the paper")
            figure.savefig(out / f"figure-{number:02d}.png")
            pdf.savefig(figure)
    _report(results, console)
    return results


def _report(results: Results, console: Any) -> None:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, title="ELLA by the stacked screw system", title_justify="left")
    table.add_column("quantity")
    table.add_column("value", justify="right")
    table.add_row("frequencies identified from the settling tip", f"{_join(results.identified_frequencies)} Hz")
    table.add_row("poles of the controlled arm at the final pose", f"{_join(results.pole_frequencies)} Hz")
    for what, (hz, values) in (("present gains", results.spectra), ("stiff motors", results.stiff_spectra)):
        near = (hz > 10) & (hz < 17)
        peak = near.nonzero()[0][np.argmax(values[near].max(axis=1))]
        table.add_row(f"strongest from 10 to 17 Hz, {what}", f"{1e3 * values[peak].max():.3f} mm at {hz[peak]:.1f} Hz")
    table.add_row("largest deflection of the tip", f"{1e3 * np.linalg.norm(results.deflection, axis=1).max():.2f} mm")
    for joint, where in (("shoulder-yaw", "base"), ("elbow", "elbow")):
        wrench = results.wrenches[:, results.model.joints.index(joint)]
        torque, force = (np.linalg.norm(part, axis=1).max() for part in (wrench[:, :3], wrench[:, 3:]))
        table.add_row(f"largest force and torque at the {where}", f"{force:.1f} N, {torque:.1f} N m")
    console.print(table)


def _join(values: Array) -> str:
    return ", ".join(f"{value:.2f}" for value in values)


# figures ------------------------------------------------------------------------------------------------------


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
    filtered = 1e3 * _high_pass(results.time, results.deflection)
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
    note = f"identified: {_join(results.identified_frequencies)} Hz\ndotted: poles of the controlled arm"
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
