"""LinearModel: small motions about a state, with names, poles and the discrete-time equivalent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lissom import printing
from lissom.dynamics.state_checks import Vector
from lissom.errors import LissomError
from lissom.printing import Printed

if TYPE_CHECKING:
    from rich.table import Table

    from lissom.analysis.linear_models.frequency_response import FrequencyResponse
    from lissom.analysis.linear_models.root_locus import RootLocus
    from lissom.analysis.linear_models.stability_margins import StabilityMargins
    from lissom.analysis.linear_models.step_response import StepResponse

UNDAMPED = 1e-12  # damping ratio up to which a pole does not decay: rounding leaves 1e-16 of an undamped one


@dataclass(frozen=True, eq=False)
class Poles(Printed):
    """Poles of a linear model, slowest first; in discrete time, those of the continuous equivalent."""

    values: np.ndarray  # (n,) complex, rad/s

    @property
    def frequencies(self) -> np.ndarray:
        """abs(p) / 2 pi: the undamped frequency of an oscillating pair, the corner frequency of a real pole."""
        return np.abs(self.values) / (2 * np.pi)

    @property
    def damping_ratios(self) -> np.ndarray:
        """-Re p / abs(p): 1 for a decaying real pole, negative for a growing one; nan for a pole at zero."""
        size = np.abs(self.values)
        return np.where(size > 0, -self.values.real / np.where(size > 0, size, 1.0), np.nan)

    @property
    def stable(self) -> bool:
        """Whether every motion decays, by a damping ratio that is no rounding."""
        return bool(np.all(-self.values.real > UNDAMPED * np.abs(self.values)))

    @property
    def oscillating(self) -> Poles:
        """One pole of each complex pair, that with the positive frequency."""
        return Poles(self.values[self.values.imag > 1e-9 * np.abs(self.values)])

    def __len__(self) -> int:
        return len(self.values)

    def table(self) -> Table:
        """Return a rich table with one row per real pole or complex pair."""
        table = printing.table("Hz", "damping ratio", "pole (rad/s)", title="poles")
        for p, frequency, ratio in zip(self.values, self.frequencies, self.damping_ratios):
            if p.imag >= 0:
                pole = f"{p.real:.5g} ± {p.imag:.5g}i" if p.imag > 0 else f"{p.real:.5g}"
                table.add_row(f"{frequency:.5g}", "-" if np.isnan(ratio) else f"{ratio:.4g}", pole)
        return table


@dataclass(frozen=True, eq=False)
class LinearModel(Printed):
    """xdot = A x + B u, y = C x + D u for small deviations x, u, y from a nominal state.

    `A, B = linear` unpacks the first two matrices. The state x = (displacement along each velocity
    coordinate, rate), size 2 nv, in the order of `model.coordinates`; a quaternion's displacement is a small
    turn about body axes. With `dt` set the model is in discrete time: x[k+1] = A x[k] + B u[k].
    """

    A: np.ndarray  # (2 nv, 2 nv)
    B: np.ndarray  # (2 nv, inputs)
    C: np.ndarray  # (outputs, 2 nv)
    D: np.ndarray  # (outputs, inputs)
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    q: Vector  # (nq,) nominal configuration
    v: Vector  # (nv,) nominal velocities
    tau: Vector  # (nv,) nominal forces
    a: Vector  # (nv,) accelerations there: zero where the nominal state lasts
    name: str = "linear"
    dt: float | None = None

    @classmethod
    def of(cls, A: ArrayLike, B: ArrayLike, C: ArrayLike, D: ArrayLike | None = None, **more: Any) -> LinearModel:
        """Return a model of matrices alone, `more` are its other fields such as `dt` and `name`.

        Parameters
        ----------
        A, B, C, D : array_like
            Of shapes (n, n), (n, inputs), (outputs, n) and (outputs, inputs); D is zero unless given.
        """
        a, b, c = (np.atleast_2d(np.asarray(each, float)) for each in (A, B, C))
        d = np.zeros((len(c), b.shape[1])) if D is None else np.atleast_2d(np.asarray(D, float))
        n = len(a)
        if a.shape != (n, n) or len(b) != n or c.shape[1] != n or d.shape != (len(c), b.shape[1]):
            shapes = ", ".join(str(each.shape) for each in (a, b, c, d))
            raise LissomError(f"do not fit together: A, B, C, D have the shapes {shapes}", ("A",))
        none = np.zeros(0)
        names = {
            "states": tuple(f"x{k}" for k in range(n)),
            "inputs": tuple(f"u{k}" for k in range(b.shape[1])) if b.shape[1] > 1 else ("u",),
            "outputs": tuple(f"y{k}" for k in range(len(c))) if len(c) > 1 else ("y",),
        }
        return cls(a, b, c, d, **{"q": none, "v": none, "tau": none, "a": none, **names, **more})

    def __iter__(self) -> Iterator[np.ndarray]:
        """Yield A, then B, for unpacking."""
        return iter((self.A, self.B))

    def __repr__(self) -> str:
        time = "" if self.dt is None else f", dt = {self.dt:g} s"
        return (
            f"<LinearModel {self.name}: {len(self.states)} states, {len(self.inputs)} inputs, "
            f"{len(self.outputs)} outputs{time}>"
        )

    def table(self) -> Table:
        """Return a rich table of what the model is made of; `poles().table()` has its poles."""
        table = printing.table("part", "number", "names", title=f"linear model of {self.name}")
        for part in ("states", "inputs", "outputs"):
            names = getattr(self, part)
            table.add_row(part, str(len(names)), ", ".join(names[:6]) + (", ..." if len(names) > 6 else ""))
        table.add_row("time", "", "continuous" if self.dt is None else f"steps of {self.dt:g} s")
        return table

    def poles(self) -> Poles:
        """Return eigenvalues of A with frequency and damping ratio, slowest first."""
        values = np.linalg.eigvals(self.A).astype(complex)
        if self.dt is not None:
            small = np.abs(values) < np.finfo(float).tiny
            values = np.log(np.where(small, np.finfo(float).tiny, values)) / self.dt
        order = np.lexsort((values.imag, np.abs(values).round(12)))
        return Poles(values[order])

    def discretise(self, dt: float) -> LinearModel:
        """Return the equivalent for inputs held constant over steps of `dt` seconds (zero-order hold, exact)."""
        from scipy.linalg import expm

        if self.dt is not None:
            raise LissomError("the model is in discrete time already", ("dt",), self.dt)
        if not (np.isfinite(dt) and dt > 0):
            raise LissomError("must be a positive time in seconds", ("dt",), dt)
        n, m = self.B.shape
        both = np.zeros((n + m, n + m))
        both[:n, :n], both[:n, n:] = self.A * dt, self.B * dt
        with np.errstate(over="ignore", invalid="ignore"):
            both = expm(both)
        if not np.all(np.isfinite(both)):
            raise LissomError("is so long that the state grows beyond all numbers within it", ("dt",), dt)
        return replace(self, A=both[:n, :n], B=both[:n, n:], dt=float(dt))

    def select(self, outputs: Any = None, inputs: Any = None) -> LinearModel:
        """Return the model with these of its signals alone, all unless named; a joint stands for all its numbers."""
        from lissom.analysis.linear_models.frequency_response import select_signals

        return select_signals(self, outputs, inputs)

    def feedback(self, gain: float = 1.0) -> LinearModel:
        """Return the closed loop u = w - gain y, with the new inputs w; as many inputs as outputs."""
        rows, columns = self.D.shape
        if rows != columns:
            raise LissomError(
                f"has {columns} inputs and {rows} outputs, which feedback joins one by one", ("feedback",)
            )
        inside = np.eye(rows) + gain * self.D
        if np.linalg.matrix_rank(inside) < rows:
            raise LissomError("closes a loop without delay whose gain is -1, which has no solution", ("gain",), gain)
        back = gain * np.linalg.solve(inside, np.concatenate([self.C, self.D], axis=1))
        C, D = back[:, : len(self.A)], back[:, len(self.A) :]
        return replace(self, A=self.A - self.B @ C, B=self.B - self.B @ D, C=self.C - self.D @ C, D=self.D - self.D @ D)

    def after(self, first: LinearModel) -> LinearModel:
        """Return this model behind another one, whose outputs are its inputs."""
        if self.dt != first.dt:
            raise LissomError("one of the two is in discrete time, or their steps differ; discretise(dt) both", ("dt",))
        if len(first.outputs) != len(self.inputs):
            text = f"has {len(self.inputs)} inputs, what comes before it {len(first.outputs)} outputs"
            raise LissomError(text, ("after",))
        n, m = len(first.A), len(self.A)
        return replace(
            self,
            A=np.block([[first.A, np.zeros((n, m))], [self.B @ first.C, self.A]]),
            B=np.concatenate([first.B, self.B @ first.D]),
            C=np.concatenate([self.D @ first.C, self.C], axis=1),
            D=self.D @ first.D,
            states=(*first.states, *self.states),
            inputs=first.inputs,
        )

    def bode(self, outputs: Any = None, inputs: Any = None, frequencies: ArrayLike | None = None) -> FrequencyResponse:
        """Return the response over frequencies (Hz) that show all poles unless given; `.plot()` draws Bode diagrams."""
        from lissom.analysis.linear_models.frequency_response import frequency_response

        return frequency_response(self, outputs=outputs, inputs=inputs, frequencies=frequencies)

    def margins(self) -> StabilityMargins:
        """Return gain, phase, delay and distance margins of this loop, closed by u = -y."""
        from lissom.analysis.linear_models.stability_margins import stability_margins

        return stability_margins(self)

    def root_locus(self, gains: ArrayLike | None = None) -> RootLocus:
        """Return the poles of this loop, closed by u = -k y, over gains k."""
        from lissom.analysis.linear_models.root_locus import root_locus

        return root_locus(self, gains)

    def step_response(self, input: str | None = None, duration: float | None = None) -> StepResponse:
        """Return what the outputs do after a unit step of one input."""
        from lissom.analysis.linear_models.step_response import step_response

        return step_response(self, input, duration)

    def response(self, frequencies: np.ndarray) -> np.ndarray:
        """Return the complex response y/u at `frequencies` (N,) in Hz, shape (N, outputs, inputs)."""
        omega = 2 * np.pi * np.asarray(frequencies, float)
        s = 1j * omega if self.dt is None else np.exp(1j * omega * self.dt)
        out = np.empty((len(s), len(self.outputs), len(self.inputs)), complex)
        unit = np.eye(len(self.A))
        for start in range(0, len(s), 64):
            part = slice(start, start + 64)
            try:
                x = np.linalg.solve(s[part, None, None] * unit - self.A, self.B[None])
            except np.linalg.LinAlgError:
                first, last = frequencies[part][[0, -1]]
                raise LissomError(
                    f"no finite response between {first:g} and {last:g} Hz: a free or undamped motion "
                    "has its frequency right there; shift these frequencies a little or add damping"
                ) from None
            out[part] = self.C @ x + self.D
        return out

    def to_control(self) -> Any:
        """Return the model as a `control.StateSpace` of python-control; dots in names become underscores."""
        try:
            import control
        except ImportError:
            raise LissomError('to_control needs python-control: pip install "lissom[control]"') from None
        return control.ss(
            self.A,
            self.B,
            self.C,
            self.D,
            0 if self.dt is None else self.dt,
            states=list(self.states),
            inputs=[name.replace(".", "_") for name in self.inputs],
            outputs=[name.replace(".", "_") for name in self.outputs],
            name=self.name,
        )
