"""How far each order of a link's field is from the truth, against axial load and deflection: the spin-up beam.

Writes howto/choosing-the-order.png. The exact field with six functions stands for the truth: it agrees with a fully
nonlinear cable model to 1e-4 m at all speeds.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

import lissom
from lissom.control import Reference
from lissom.results.validity.axial_force_check import AXIAL, buckling_load

SPEEDS = (0.6, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0)  # rad/s after the ramp
RAMP, DURATION, LENGTH = 15.0, 8.0, 8.0


def lag(speed: float, stiffening: str, functions: int = 3) -> tuple[float, float]:
    """Largest lag of the tip (m), and the axial force then over the buckling load; inf where the motion diverges."""
    shaft = Reference.spin_up(speed, RAMP, RAMP + 1)
    robot = lissom.load("spinup-beam").with_value("links.blade.beam.stiffening", stiffening)
    robot = robot.with_value("links.blade.beam.modes", {"y": functions})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = lissom.simulate(robot, DURATION, motion={"shaft": shaft})
    if run.info.status != "finished":
        return np.inf, np.inf
    tip = run.deflection("blade").values[:, 1]
    pull = np.abs(run.wrench("shaft", frame="local").values[np.argmin(tip), 3])
    return -tip.min(), pull / buckling_load(run.model.flexible["blade"])


def errors() -> dict[str, np.ndarray]:
    """Per speed: axial force over buckling load, deflection over length, relative error of the lag by each order."""
    truth = np.array([lag(speed, "exact", 6) for speed in SPEEDS])
    out = {"axial": truth[:, 1], "deflection": truth[:, 0] / LENGTH}
    for order in ("none", "first", "exact"):
        out[order] = np.array([abs(lag(speed, order)[0] / best - 1) for speed, best in zip(SPEEDS, truth[:, 0])])
    return out


def draw(found: dict[str, np.ndarray], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, constrained_layout=True)
    style = {"none": ("o-", "tab:red"), "first": ("s-", "tab:blue"), "exact": ("^-", "tab:green")}
    columns = (("axial", "axial force / buckling load", AXIAL), ("deflection", "tip deflection / length", 0.1))
    for axis, (key, label, limit) in zip(axes, columns):
        for order, (marks, colour) in style.items():
            shown = found[order] < 1
            axis.loglog(found[key][shown], found[order][shown], marks, color=colour, label=f"stiffening: {order}")
        if np.any(found["none"] >= 1):
            first_lost = found[key][np.argmax(found["none"] >= 1)]
            axis.axvspan(first_lost, found[key].max() * 1.1, color="tab:red", alpha=0.08)
            axis.text(1.05 * first_lost, 0.6, "none\ndiverges", color="tab:red", va="top", fontsize=8)
        axis.axvline(limit, color="0.4", ls="--", lw=1)
        axis.set_xlabel(label)
        axis.grid(True, which="major", alpha=0.3)
    axes[0].set_ylabel("relative error of the tip's lag")
    axes[0].set_ylim(5e-6, 1.0)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def main(out: Path) -> None:
    found = errors()
    for k, speed in enumerate(SPEEDS):
        parts = "  ".join(f"{order} {100 * found[order][k]:9.4f} %" for order in ("none", "first", "exact"))
        print(f"{speed:4g} rad/s: N/P {found['axial'][k]:6.3f}, deflection {found['deflection'][k]:6.3f}   {parts}")
    assert found["first"].max() < 0.03 and found["exact"].max() < 0.003
    assert np.all(found["first"] < 1.5 * found["deflection"] ** 2 + 1e-4)
    draw(found, out / "choosing-the-order.png")


if __name__ == "__main__":
    main(Path(__file__).parent / "howto")
