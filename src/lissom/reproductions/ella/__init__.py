"""The ELLA arm lifts its payload: every figure of the screw-theoretic PDE synthesis.

The experiment of Yaqubi, Kitzinger, Müller, Gattringer and Mattila 2026, section 7, on lissom's ELLA arm: two slender
steel links, three motors, a payload, PD control. One stacked system gives twists, modal states and wrenches; the
counterparts of figures 4 to 15 go to one folder and one PDF.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import lissom
from lissom.control import ControlLaw
from lissom.model.model import Model
from lissom.progress import Progress
from lissom.theory import simulate
from lissom.theory.screw_pde import ScrewPDE

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

    spectrum = amplitude_spectrum(t, high_pass(t, deflection))
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


def high_pass(t: Array, y: Array) -> Array:
    """Return the oscillating part above 1 Hz, as the experiment isolates the elastic content."""
    from scipy.signal import butter, sosfiltfilt

    return sosfiltfilt(butter(4, 1.0, "highpass", fs=1 / (t[1] - t[0]), output="sos"), y, axis=0)


def main(out: Path) -> Results:
    """Run, draw every figure as PNG and all of them into one PDF, print what was found."""
    from matplotlib.backends.backend_pdf import PdfPages
    from rich.console import Console

    from lissom.reproductions.ella.pictures import FIGURES
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
    table.add_row("frequencies identified from the settling tip", f"{join_values(results.identified_frequencies)} Hz")
    table.add_row("poles of the controlled arm at the final pose", f"{join_values(results.pole_frequencies)} Hz")
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


def join_values(values: Array) -> str:
    """Return values with two decimals, beside each other."""
    return ", ".join(f"{value:.2f}" for value in values)
