"""The L mechanism by the equivalent rigid-link system: convergence with modes, a swing, a torque input.

Tests 1 to 3 of Vidoni et al. (2017): an L of two beams, one link with free component modes, hinged about y at its root.
Their Table 2 is set beside what their 5-node mesh and a fine one give here, and beside geometrically exact beams.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import lissom
from lissom.beam import Material, Section
from lissom.fem import Member, frame
from lissom.progress import Progress
from lissom.theory import erls

HINGE = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
GRAVITY = np.array([0.0, 0.0, -9.81])
POINTS = {"root": (0.0, 0.0, 0.0), "elbow": (0.5, 0.0, 0.0), "tip": (0.5, 0.5, 0.0)}
FINE = 8  # elements per beam
HALF = 0.5  # s, when Table 2 is read

# theta in degrees, elbow and tip (x, y, z) in m at 0.5 s
TABLE_2 = {  # as printed, by number of modes
    6: (125.90, -0.2931, 0.0, -0.4050, -0.2931, 0.0, -0.4050),
    8: (115.30, -0.2139, -0.0357, -0.4520, -0.2607, 0.4643, -0.5509),
    10: (114.30, -0.2061, -0.0491, -0.4555, -0.2596, 0.4509, -0.5735),
    12: (114.25, -0.2044, -0.0500, -0.4563, -0.2615, 0.4500, -0.5741),
    14: (114.20, -0.2027, -0.0509, -0.4571, -0.2635, 0.4491, -0.5766),
    16: (113.50, -0.1970, -0.0637, -0.4596, -0.2626, 0.4491, -0.5955),
    18: (113.50, -0.1970, -0.0637, -0.4596, -0.2626, 0.4362, -0.5955),
}
EXACT = (127.976, -0.307669, -0.00181918, -0.394127, -0.310681, 0.49816, -0.397559)  # 32 exact beams per leg
FREQUENCIES = (8.4351, 12.2656, 23.1583, 30.9351, 117.558, 119.309, 151.105, 171.757)  # Hz, frame finite elements
PAPER_FREQUENCIES = (11, 31, 113, 171)
REMARK = """\
The mesh of 5 nodes is lumped, as the paper's must be: its rigid row agrees. Its flexible rows do not follow from its
Table 1: the elbow moves 64 mm along the hinge there, 35 times more than beams of that section do, 300 times more with
the section turned. The finer, consistent mesh converges to geometrically exact beams (last row)."""


@dataclass(frozen=True, eq=False)
class Ell:
    """The L as one link with free component modes, and the chain it forms with its hinge."""

    modes: erls.ComponentModes
    system: erls.System
    armature: np.ndarray

    @classmethod
    def build(
        cls, section: Section, elements: int, mass: str, internal: int, elbow_mass: float = 0.0, motor: float = 0.0
    ) -> Ell:
        """Interfaces at root and tip, `internal` modes with these held; motor inertia (kg m2) turns with the hinge."""
        members = [Member("root", "elbow", section, elements), Member("elbow", "tip", section, elements)]
        structure = frame(POINTS, members, mass)
        root, tip = (int(structure.groups[name][0]) for name in ("root", "tip"))
        return cls._of(erls.component_modes(structure, [root, tip], internal), elbow_mass, motor)

    @classmethod
    def _of(cls, modes: erls.ComponentModes, elbow_mass: float, motor: float) -> Ell:
        nothing = np.zeros((6, 0))
        nodes = [erls.Node(modes.link(_node(modes, "root")), -1, np.zeros(3), nothing, np.eye(4), HINGE)]
        if elbow_mass:
            bracket = erls.ErlsLink.rigid(elbow_mass, np.zeros(3), np.zeros((3, 3)))
            at = modes.at(_node(modes, "elbow"))
            nodes.append(erls.Node(bracket, 0, np.array(POINTS["elbow"]), at, np.eye(4), None))
        return cls(modes, erls.System(erls.Chain(tuple(nodes), GRAVITY)), np.array([motor]))

    def first(self, count: int) -> Ell:
        """With the lowest so many modes, the six rigid ones included (no bracket, no motor)."""
        return Ell._of(self.modes.first(count), 0.0, 0.0)

    def path(self, run: erls.Run, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Positions and accelerations (T, 3) of the elbow or the tip."""
        return run.points(0, np.array(POINTS[name]), self.modes.at(_node(self.modes, name)))

    def frequencies(self) -> np.ndarray:
        """Natural frequencies in Hz about the straight L, hinge free, without gravity."""
        from scipy.linalg import eigh

        n, m = 1, self.system.chain.modes
        state = self.system.at(np.zeros(n), np.zeros(n), np.zeros(m), np.zeros(m))
        mass = state.mass + state.joint_N.T @ (self.armature[:, None] * state.joint_N)
        stiffness = np.zeros_like(mass)
        stiffness[n:, n:] = self.system.chain.nodes[0].link.stiffness
        return np.sqrt(np.maximum(eigh(stiffness, mass, eigvals_only=True), 0.0))[n:] / (2 * np.pi)


def _node(modes: erls.ComponentModes, name: str) -> int:
    return int(modes.structure.groups[name][0])


def steel(orientation: str = "tall") -> Section:
    """Table 1: 0.03 x 0.01 m; tall: 0.03 m across the plane of the L, flat: in it."""
    sizes = {"tall": (0.01, 0.03), "flat": (0.03, 0.01)}[orientation]
    return Section.rectangle(Material(2e11, 0.33, 7800), *sizes)


def aluminium() -> Section:
    """Table 3: 8 x 8 mm."""
    return Section.rectangle(Material(7e10, 0.33, 2700), 0.008, 0.008)


class Row(NamedTuple):
    """The L at 0.5 s, released level."""

    modes: int
    values: tuple[float, ...]  # theta in degrees, elbow, tip
    elbow: np.ndarray  # (T, 3) its path
    tip: np.ndarray
    time: np.ndarray


def swing(ell: Ell, duration: float = HALF, samples: int = 101, atol: float = 1e-5) -> Row:
    """Release the L from level."""
    t = np.linspace(0, duration, samples)
    run = erls.simulate(ell.system, t, np.zeros(1), rtol=1e-5, atol=atol)
    elbow, tip = ell.path(run, "elbow")[0], ell.path(run, "tip")[0]
    values = (float(np.degrees(run.joints[-1, 0])), *map(float, elbow[-1]), *map(float, tip[-1]))
    return Row(ell.modes.count, values, elbow, tip, t)


def convergence(
    elements: int, mass: str, counts: tuple[int, ...] = tuple(TABLE_2), say: Callable[..., Any] = print
) -> list[Row]:
    """Test 1: the swing with more and more of 18 component modes (12 static shapes, 6 with root and tip held)."""
    whole = Ell.build(steel(), elements, mass, internal=6)
    rows = []
    for count in counts:
        say(f"test 1: {2 * elements} elements, {mass} mass, {count} modes")
        rows.append(swing(whole.first(count)))
    return rows


class Response(NamedTuple):
    """Test 3: what the elbow does under the torque."""

    time: np.ndarray
    torque: np.ndarray
    z: np.ndarray
    acceleration: np.ndarray
    kernel_z: np.ndarray
    frequencies: np.ndarray  # Hz, of the ERLS model


def torque_input(duration: float = 1.0, rate: float = 2000.0) -> Response:
    """Test 3: balanced at 135 degrees, a torque of +1.5 and -1.5 N m for 0.1 s each on top of what holds the L.

    The paper shows its torque in a figure only; this one does the same: a fast start and a fast stop.
    """
    ell = Ell.build(aluminium(), FINE, "consistent", internal=12, elbow_mass=0.017, motor=0.0043 + 0.001269)
    theta = np.array([np.radians(135)])
    rest, hold = erls.balance(ell.system, theta)
    jumps = np.array([0.1, 0.2])

    def torque(t: float) -> np.ndarray:
        return hold + (1.5 if t < jumps[0] else -1.5 if t < jumps[1] else 0.0)

    t = np.linspace(0, duration, round(duration * rate) + 1)
    run = erls.simulate(ell.system, t, theta, rest, torque, ell.armature, rtol=1e-5, atol=1e-6, jumps=jumps)
    at, acceleration = ell.path(run, "elbow")
    kernel = _kernel_response(run.joints[0, 0], duration, rate)
    forces = np.array([torque(x)[0] for x in t])
    return Response(t, forces, at[:, 2], acceleration[:, 2], kernel, ell.frequencies())


def robot(section: dict[str, Any], E: float, rho: float, modes: int, **joint: Any) -> dict[str, Any]:
    """Return the L as a robot file with one finite-element link, for the kernel."""
    members = [
        {"between": pair, "section": section, "elements": FINE} for pair in (["root", "elbow"], ["elbow", "tip"])
    ]
    elements = {
        "frame": {"points": {name: list(at) for name, at in POINTS.items()}, "members": members},
        "material": "metal",
        "interfaces": {name: {} for name in POINTS},
        "modes": modes,
        "augmented": False,  # a linear field, as in the theory
    }
    hinge = {"name": "hinge", "type": "revolute", "axis": [0, 1, 0], **joint}
    return {
        "lissom": 1,
        "name": "l-mechanism",
        "gravity": list(GRAVITY),
        "materials": {"metal": {"E": E, "nu": 0.33, "rho": rho}},
        "links": [{"name": "ell", "joint": hinge, "finite_elements": elements}],
    }


def kernel_swing(duration: float, samples: int) -> np.ndarray:
    """Path (T, 3) of the tip in test 2, by the kernel."""
    section = {"shape": "rectangle", "width": 0.01, "height": 0.03}
    run = lissom.simulate(
        lissom.Robot.from_dict(robot(section, 2e11, 7800, 6)), duration, rate=(samples - 1) / duration, progress=False
    )
    return np.asarray(run.tip("ell"))


def _kernel_response(angle: float, duration: float, rate: float) -> np.ndarray:
    """Height (T,) of the elbow in test 3, by the kernel."""
    section = {"shape": "rectangle", "width": 0.008, "height": 0.008}
    data = robot(section, 7e10, 2700, 12, transmission={"rotor_inertia": 0.0043 + 0.001269})
    data["links"].append({"name": "bracket", "at": "elbow", "joint": "fixed", "body": {"mass": 0.017}})
    model = lissom.Robot.from_dict(data).compile()
    rest = lissom.static_equilibrium(model, {"hinge": angle})

    def torque(t: float, q: np.ndarray, v: np.ndarray) -> dict[str, float]:
        return {"hinge": float(rest.tau[0]) + (1.5 if t < 0.099 else -1.5 if t < 0.199 else 0.0)}

    run = lissom.simulate(
        model, duration, controller=lissom.control.Sampled(torque, rate=10), start=rest.q, rate=rate, progress=False
    )
    return np.array([lissom.point_pose(model, q, "bracket")[2, 3] for q in run.q])


def spectrum(signal: np.ndarray, t: np.ndarray, since: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """Amplitudes over Hz of what a signal does after the torque has ended, Hann window."""
    later = signal[t >= since]
    window = np.hanning(len(later))
    amplitude = np.abs(np.fft.rfft((later - later.mean()) * window)) * 2 / window.sum()
    return np.fft.rfftfreq(len(later), t[1] - t[0]), amplitude


def main(out: Path) -> None:
    """All three tests: table on the screen and in CSV, three figures."""
    from lissom.terminal import screen

    console = screen()
    with Progress("test 1") as progress:
        say = progress.say
        lumped = convergence(2, "lumped", say=say)
        fine = convergence(FINE, "consistent", say=say)
        _print_table(console, lumped, fine)
        _save_table(out / "table_2.csv", lumped, fine)
        _draw_convergence(fine, out / "test_1_convergence.png")
        swings = {}
        for count, internal in ((18, 6), (30, 18)):
            say(f"test 2: swing of 2 s with {count} modes")
            swings[count] = swing(Ell.build(steel(), FINE, "consistent", internal), 2.0, 401)
        kernel = kernel_swing(2.0, 401)
        for count, row in swings.items():
            apart = np.abs(row.tip - kernel).max()
            console.print(f"test 2: tip with {count} modes within {1e3 * apart:.2f} mm of the kernel over 2 s")
        _draw_swing(swings, kernel, out / "test_2_swing.png")
        say("test 3: torque input")
        response = torque_input()
    apart = np.abs(response.z - response.kernel_z).max()
    console.print(f"test 3: elbow within {1e3 * apart:.2f} mm of the kernel")
    found = ", ".join(f"{f:.2f}" for f in response.frequencies[:8])
    console.print(f"test 3: natural frequencies {found} Hz; the paper reads 11, 31, 113 and 171 Hz off its spectrum")
    _draw_response(response, out / "test_3_torque.png")


def _print_table(console: Any, lumped: list[Row], fine: list[Row]) -> None:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, title="Test 1: the L at 0.5 s, released level (angle, elbow y, tip z)")
    table.add_column("modes", justify="right")
    for source in ("paper", "5 nodes", f"{2 * FINE + 1} nodes"):
        for what in ("deg", "y3, mm", "z5, m"):
            table.add_column(f"{source}\n{what}" if what == "deg" else f"\n{what}", justify="right", no_wrap=True)
    for a, b in zip(lumped, fine):
        parts = [TABLE_2.get(a.modes), a.values, b.values]
        cells = [cell for values in parts for cell in _cells(values)]
        table.add_row(str(a.modes), *cells)
    table.add_row("exact", *[""] * 6, *_cells(EXACT))
    console.print(table)
    for line in REMARK.splitlines():
        console.print(line, soft_wrap=True)


def _cells(values: tuple[float, ...] | None) -> list[str]:
    return ["", "", ""] if values is None else [f"{values[0]:.2f}", f"{1e3 * values[2]:.2f}", f"{values[6]:.4f}"]


def _save_table(file: Path, lumped: list[Row], fine: list[Row]) -> None:
    names = "source,modes,theta_deg,x3,y3,z3,x5,y5,z5"
    lines = [f"paper,{n}," + ",".join(map(str, values)) for n, values in TABLE_2.items()]
    for source, rows in (("5 nodes lumped", lumped), (f"{2 * FINE} elements", fine)):
        lines += [f"{source},{row.modes}," + ",".join(f"{x:.6f}" for x in row.values) for row in rows]
    lines.append("geometrically exact,," + ",".join(map(str, EXACT)))
    file.write_text("\n".join([names, *lines]) + "\n", encoding="utf-8")


def _draw_convergence(rows: list[Row], file: Path) -> None:
    """Curves of more modes are darker."""
    import matplotlib as mpl

    from lissom.view.figures.figure_style import INK, SEQUENTIAL, grid, headline, save, style

    with style():
        figure, axes = grid(3, 3, width=4.0, height=3.2)
        shades = mpl.colormaps[SEQUENTIAL](np.linspace(0.85, 0.0, len(rows)))
        for row, shade in zip(rows, shades):
            axes[0].plot(row.time, row.tip[:, 2], color=shade, label=f"{row.modes} modes")
            late = row.time >= 0.46
            axes[1].plot(row.time[late], row.tip[late, 2], color=shade)
            axes[2].plot(row.time, 1e3 * row.elbow[:, 1], color=shade)
        axes[0].plot([], [], "+", color=INK, ms=9, label="exact beams")
        axes[1].plot(HALF, EXACT[6], "+", color=INK, ms=9, clip_on=False)
        axes[2].plot(HALF, 1e3 * EXACT[2], "+", color=INK, ms=9, clip_on=False)
        axes[0].set(title="Tip", xlabel="time [s]", ylabel="height [m]")
        axes[1].set(title="Tip, last 40 ms", xlabel="time [s]", ylabel="height [m]")
        axes[2].set(title="Elbow along the hinge", xlabel="time [s]", ylabel="displacement [mm]")
        axes[0].legend(loc="upper right")
        headline(figure, "L mechanism, test 1: released level", "equivalent rigid-link system")
        save(figure, file)


def _draw_swing(swings: dict[int, Row], kernel: np.ndarray, file: Path) -> None:
    from lissom.view.figures.figure_style import INK, grid, headline, legend, save, style

    with style():
        figure, axes = grid(3, 3, width=4.0, height=3.0)
        _fill_swing(axes, swings, kernel, INK)
        for each in axes[1:]:
            legend(each)
        headline(figure, "L mechanism, test 2: swing of 2 s")
        save(figure, file)


def _fill_swing(axes: Any, swings: dict[int, Row], kernel: np.ndarray, ink: str) -> None:
    for count, row in swings.items():
        near = (row.time > 1.1) & (row.time < 1.3)
        for each, part in ((axes[0], slice(None)), (axes[1], near)):
            named = each is axes[1]  # one legend is enough
            each.plot(row.time[part], 1e3 * (row.tip[part, 1] - 0.5), label=f"{count} modes" if named else None)
            if count == max(swings):
                each.plot(
                    row.time[part], 1e3 * (kernel[part, 1] - 0.5), ":", color=ink, label="kernel" if named else None
                )
        axes[2].plot(row.time, 1e6 * (row.tip - kernel)[:, 1], lw=0.8, label=f"{count} modes")
    axes[0].set(title="Tip along the hinge", xlabel="time [s]", ylabel="displacement [mm]")
    axes[1].set(title="Around 1.2 s", xlabel="time [s]", ylabel="displacement [mm]")
    axes[2].set(title="Difference from the kernel", xlabel="time [s]", ylabel="difference [µm]")


def _draw_response(found: Response, file: Path) -> None:
    from lissom.view.figures.figure_style import INK, grid, headline, legend, save, style

    with style():
        figure, axes = grid(4, 2, height=2.8)
        axes[0].plot(found.time, found.torque)
        axes[0].set(title="Torque at the hinge", xlabel="time [s]", ylabel="torque [N m]")
        axes[1].plot(found.time, found.z, label="ERLS")
        axes[1].plot(found.time, found.kernel_z, ":", color=INK, label="kernel")
        axes[1].set(title="Elbow", xlabel="time [s]", ylabel="height [m]")
        axes[2].plot(found.time, found.acceleration, lw=0.7)
        axes[2].set(title="Elbow, upward", xlabel="time [s]", ylabel="acceleration [m/s²]")
        _fill_spectrum(axes[3], found)
        for each in (axes[1], axes[3]):
            legend(each)
        headline(figure, "L mechanism, test 3: torque input")
        save(figure, file)


def _fill_spectrum(axes: Any, found: Response) -> None:
    from lissom.view.figures.figure_style import COLOURS, GREY

    hz, amplitude = spectrum(found.acceleration, found.time)
    shown = hz < 200
    top, bottom = amplitude[shown].max(), amplitude[shown][1:].min()
    axes.semilogy(hz[shown], amplitude[shown])
    for k, f in enumerate(FREQUENCIES):
        axes.axvline(f, color=GREY, lw=0.7, ls="--", zorder=0, label=None if k else "natural frequencies")
    axes.plot(PAPER_FREQUENCIES, np.full(4, 3 * top), "v", color=COLOURS[1], ms=6, label="the paper's peaks")
    axes.set(
        title="Spectrum of that after 0.2 s",
        xlabel="frequency [Hz]",
        ylabel="amplitude [m/s²]",
        ylim=(bottom / 50, 10 * top),
    )
