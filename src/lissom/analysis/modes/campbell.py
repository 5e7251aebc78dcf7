"""Modes about steady motion: frequencies of links over the speed at which a joint turns, seen in the turning frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from lissom import printing
from lissom.analysis.equilibrium.steady_motion import elastic_velocities, steady_motion
from lissom.analysis.modes import participation
from lissom.analysis.modes.resolved_frequencies import resolved_modes
from lissom.dynamics import inverse_derivatives
from lissom.dynamics.coordinates import Named
from lissom.errors import LissomError
from lissom.messages import listed
from lissom.model.any_robot import AnyRobot, as_model
from lissom.printing import Printed

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table
    from xarray import Dataset


@dataclass(frozen=True, eq=False)
class Campbell(Printed):
    """Frequencies and damping of small motions about steady motions, over the speed of a joint.

    The frame is that of the turning links: what is measured there, and what a force that turns with them excites. Each
    column is one mode, followed from speed to speed by its shape.
    """

    speeds: np.ndarray  # (n,) rad/s
    frequencies: np.ndarray  # (n, modes) Hz, slowest first at the first speed; zero where it does not swing
    damping_ratios: np.ndarray  # (n, modes); below zero where it grows
    growth: np.ndarray  # (n, modes) 1/s, zero where it does not grow
    labels: tuple[str, ...]  # what bends at the first speed, such as "blade bending y 1"
    joint: str
    resolved: np.ndarray  # (modes,) whether the functions of the links follow a mode at the first speed
    name: str = "robot"
    coarse: tuple[str, ...] = ()  # the links whose functions do not

    def table(self) -> Table:
        """Return a rich table: one row for each speed, one column of Hz for each mode."""
        title = f"frequencies of {self.name} in Hz, {self.joint} turning"
        names = (name + ("" if fine else " *") for name, fine in zip(self.labels, self.resolved))
        table = printing.table("rad/s", *names, title=title)
        if not self.resolved.all():
            table.caption = (
                f"* may be too high: beyond what the functions of {listed(self.coarse, 'and')} follow; "
                "write modes: {to: the frequency you need} in the beam"
            )
        for speed, row, growth in zip(self.speeds, self.frequencies, self.growth):
            cells = (f"{hz:.5g}" + (f" unstable ({g:.3g}/s)" if g else "") for hz, g in zip(row, growth))
            table.add_row(f"{speed:.5g}", *cells)
        return table

    def plot(self) -> Figure:
        """Draw the Campbell diagram, with the multiples of the speed that excite what turns."""
        from lissom.view.figures.models.campbell_figure import plot_campbell

        return plot_campbell(self)

    def to_dataset(self) -> Dataset:
        """Return the diagram as a labelled xarray.Dataset with dimensions speed and mode."""
        from xarray import Dataset

        both = ("speed", "mode")
        values = {
            "frequency": (both, self.frequencies, {"units": "Hz"}),
            "damping_ratio": (both, self.damping_ratios),
            "growth": (both, self.growth, {"units": "1/s"}),
        }
        return Dataset(values, coords={"speed": self.speeds, "mode": list(self.labels)})


def campbell(
    robot: AnyRobot,
    joint: str,
    speeds: ArrayLike,
    q: ArrayLike | Named | None = None,
    *,
    number: int = 6,
) -> Campbell:
    """Return frequencies of links over the constant speed of a joint, linearised about each steady motion.

    At every speed links are first deformed as weight and rotation have them. The other joints stand still, all keep
    their motion. Weight that is not along the axis turns in the frame of the links: it counts at the pose q.

    Parameters
    ----------
    robot : Robot, Model or str
        A robot without loops.
    joint : str
        The joint that turns.
    speeds : array_like
        Its speeds in rad/s (n,), rising or falling.
    q : array_like or mapping, optional
        Configuration (nq,) or {joint: value}; neutral unless given.
    number : int, optional
        How many modes, slowest first.

    Returns
    -------
    Campbell
        Frequencies, damping ratios and growth, (n, modes), with a table and a plot.

    Examples
    --------
    >>> found = lissom.campbell("spinup-beam", "shaft", [0.0, 2.0, 4.0], number=2)
    >>> found.frequencies.shape
    (3, 2)
    """
    model = as_model(robot)
    at = np.atleast_1d(np.asarray(speeds, float))
    if at.ndim != 1 or not len(at) or not np.all(np.isfinite(at)):
        raise LissomError("must be a list of finite numbers in rad/s, such as [0, 10, 20]", ("speeds",), speeds)
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 1:
        raise LissomError("must be a whole number of modes from 1 on", ("number",), number)
    elastic = elastic_velocities(model)
    if not len(elastic):
        raise LissomError(f"{model.robot.name} has no link that bends, so no frequencies")
    inner = np.ix_(elastic, elastic)
    parts = [participation.parts(model)[k] for k in elastic]
    rows, shapes = [], None
    labels: tuple[str, ...] = ()
    coarse: tuple[str, ...] = ()
    resolved = np.ones(0, bool)
    for speed in at:
        q_here, v, _ = steady_motion(model, q, {joint: float(speed)})
        # Joints keep their motion, so that rows and columns of the links alone are left.
        exact = inverse_derivatives(model, q_here, v, np.zeros(model.nv))
        M, C, K = (part[inner] for part in (exact.a, exact.v, exact.q))
        values, X = _swinging(M, C, K)
        if shapes is None:
            order = np.argsort(np.abs(values), kind="stable")[:number]
            largest = X[np.abs(X).argmax(axis=0), np.arange(len(M))]
            chosen = np.real(X * np.exp(-1j * np.angle(largest)))[:, order]
            stored, moving = chosen * (K @ chosen), chosen * (M @ chosen)
            whole = np.zeros((2, model.nv, len(order)))
            whole[:, elastic] = chosen, stored
            every = participation.parts(model)
            resolved, coarse = resolved_modes(model, q_here, every, np.imag(values[order]) ** 2, *whole)
            labels = participation.labels(parts, stored, moving, np.zeros(len(order), bool))
        else:
            order = _follow(shapes, X, M)
        values, shapes = values[order], X[:, order]
        rows.append(values)
    found = np.array(rows)
    size = np.where(np.abs(found) > 0, np.abs(found), 1.0)
    noise = 1e-9 * size.max()
    return Campbell(
        speeds=at,
        frequencies=np.abs(found.imag) / (2 * np.pi),
        damping_ratios=-found.real / size,
        growth=np.where(found.real > noise, found.real, 0.0),
        labels=labels,
        resolved=resolved,
        coarse=coarse,
        joint=joint,
        name=model.robot.name,
    )


def _swinging(M: np.ndarray, C: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return n eigenvalues (1/s) of M a + C v + K u = 0, one of each pair, and shapes (n, n) of unit modal mass."""
    n = len(M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    values, X = np.linalg.eig(A)
    # Of each pair the one that turns forward; of what does not swing, the faster growing half.
    order = np.lexsort((-values.real, -np.sign(np.round(values.imag, 9))))[:n]
    values, X = values[order], X[:n, order]
    return values, X / np.sqrt(np.einsum("ik,ij,jk->k", X.conj(), M, X).real)


def _follow(before: np.ndarray, X: np.ndarray, M: np.ndarray) -> np.ndarray:
    """Return which columns of X continue those before, by their overlap in the kinetic energy."""
    from scipy.optimize import linear_sum_assignment

    return np.asarray(linear_sum_assignment(-np.abs(before.conj().T @ M @ X))[1])
