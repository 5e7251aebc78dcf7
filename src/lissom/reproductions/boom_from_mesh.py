"""A link from a mesh: bracket and tube, reduced, put on a two-joint arm, moved, its peak stress on a picture.

gmsh draws and meshes an aluminium tube on a foot plate with a fork at its end; Craig-Bampton turns its tens of
thousands of unknowns into some twenty coordinates; a robot file names the mesh, and the arm swings a payload with it.
The coordinates over time give the stress everywhere in the mesh.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

import lissom
from lissom import fem
from lissom.control import from_config

DURATION = 1.2
FOOT = 0.03  # m from the base: what a rigid tie holds has no true stress
ROBOT = """\
# A tube with a foot plate and a fork, meshed; it carries a forearm with a payload.
lissom: 1
name: boom-from-mesh
gravity: [0, 0, -9.81]
materials:
  aluminium: {E: 7.0e10, nu: 0.33, rho: 2700}
links:
  - name: boom
    joint: {name: shoulder, type: revolute, axis: [0, 1, 0]}
    finite_elements:
      mesh: boom.msh
      material: aluminium
      interfaces:
        base: {}                        # groups of the mesh
        tip: {tie: averaging}
      modes: {frequency: 3000}
      damping: 0.005
  - name: forearm
    at: tip
    joint: {name: elbow, type: revolute, axis: [0, 1, 0]}
    beam:
      length: 0.6
      material: aluminium
      section: {shape: tube, outer: 0.045, thickness: 0.003}
      shear: none
      modes: {y: 2, z: 2, torsion: 1}
      masses: [{mass: 4.0}]
"""
CONTROL = {
    "type": "pd",
    "gains": {"shoulder": {"p": 6000, "d": 250}, "elbow": {"p": 1500, "d": 50}},
    "gravity_compensation": True,
    "reference": {"type": "quintic", "to": {"shoulder": -0.9, "elbow": 1.2}, "duration": 0.5},
}


class Result(NamedTuple):
    """What the example found."""

    run: lissom.Trajectory
    link: fem.ReducedLink
    stress: np.ndarray  # (N,) largest von Mises stress of each sample, Pa
    peak: float  # Pa
    when: float  # s
    node: int
    nominal: float  # Pa, M c / I at the root of the tube then


def main(out: Path, size: float = 0.025, around: int = 12) -> Result:
    """Mesh, reduce, simulate, draw; writes boom.msh, arm.yaml, stress.png and history.png into `out`."""
    mesh = fem.bracket_and_tube(size=size, around=around)
    mesh.write(out / "boom.msh")
    (out / "arm.yaml").write_text(ROBOT, encoding="utf-8")
    robot = lissom.load(out / "arm.yaml")
    link = robot.flexible_links()["boom"]
    assert isinstance(link, fem.ReducedLink)
    print(link.truncation)

    start = {"shoulder": -0.2, "elbow": 0.3}
    model = robot.compile()
    run = lissom.simulate(model, DURATION, controller=from_config(model, CONTROL, start), start=start)
    result = _result(run, link)
    kilo = len(mesh.nodes) * 3 / 1000
    print(f"{kilo:.0f} thousand unknowns, {link.count} coordinates; simulated {DURATION:g} s in {run.info.wall:.2f} s")
    print(f"largest stress {result.peak / 1e6:.1f} MPa at t = {result.when:.3f} s, "
          f"nominal bending stress at the tube's root {result.nominal / 1e6:.1f} MPa")  # fmt: skip
    _draw(result, out)
    return result


def _result(run: lissom.Trajectory, link: fem.ReducedLink) -> Result:
    """Stress at every node and sample; its peak beyond the foot."""
    eta = run.q[:, run.model.link("boom").modes_q]
    counted = np.flatnonzero((link.nodes[:, 0] > FOOT) & (link.nodes[:, 0] < 0.97 * link.length))
    stress = link.von_mises(eta, counted)
    k, node = np.unravel_index(int(stress.argmax()), stress.shape)
    moment = np.linalg.norm(run.wrench("shoulder").values[k, 1:3])  # about y and z
    outer, inner = 0.06, 0.05
    nominal = moment * (outer / 2) / (np.pi / 64 * (outer**4 - inner**4))
    peak = float(stress.max())
    return Result(run, link, stress.max(axis=1), peak, float(run.time[k]), int(counted[node]), float(nominal))


def _draw(result: Result, out: Path) -> None:
    import matplotlib.pyplot as plt

    from lissom.view.drawing.stress_picture import stress_picture
    from lissom.view.figures.figure_style import style

    run, link = result.run, result.link
    k = int(np.argmin(np.abs(run.time - result.when)))
    eta = run.q[k, run.model.link("boom").modes_q]
    title = f"Boom at t = {result.when:.3f} s, when its stress is largest"
    figure = stress_picture(link, eta, title, peak=result.node)
    figure.savefig(out / "stress.png")
    plt.close(figure)
    with style():
        figure, axes = plt.subplots(3, 1, figsize=(7.5, 6.2), sharex=True, layout="constrained")
        for joint in ("shoulder", "elbow"):
            axes[0].plot(run.time, run[joint], label=joint)
        axes[0].set_ylabel("angle [rad]")
        axes[0].legend()
        axes[1].plot(run.time, 1e3 * run.deflection("boom").values[:, 2])
        axes[1].set_ylabel("displacement [mm]")
        axes[2].plot(run.time, result.stress / 1e6)
        axes[2].plot(result.when, result.peak / 1e6, "o", mfc="none", color="C1")
        axes[2].set_ylabel("stress [MPa]")
        axes[2].set_xlabel("time [s]")
        titles = ("Joint angles", "Tip of the boom along z", "Largest von Mises stress in the boom")
        for each, title in zip(axes, titles, strict=True):
            each.set_title(title)
        figure.align_ylabels(axes)
        figure.savefig(out / "history.png")
        plt.close(figure)
