"""The dual-screw theory as a formulation: the linear model of any tree of rigid and elastic links."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from lissom.errors import LissomError
from lissom.lie import so3
from lissom.lie.dual import Dual
from lissom.model.compiled import Compiled, Model
from lissom.model.probe import tips
from lissom.theory.formulation import Unsupported, register

if TYPE_CHECKING:
    from lissom.simulation.raw import RawRun
    from lissom.simulation.system import Dynamics

EPS = 2.0**-70  # that of `recursion`, which loads a compiler
PAPER = "Cibicik and Egeland, Kinematics and dynamics of flexible robotic manipulators using dual screws, 2021"
Form = Literal["linear", "printed", "nonlinear"]


class DualScrew:
    """Equations of motion of first order in elastic coordinates and speeds, by dual screws.

    Args:
        form: "linear" keeps every term of first order; "printed" is the paper's model, whose elastic screws (71) do
            not turn with the deflection and whose links are not foreshortened; "nonlinear" keeps all orders.
    """

    def __init__(self, model: Model, form: Form = "linear") -> None:
        if form not in ("linear", "printed", "nonlinear"):
            raise LissomError(f"form must be 'linear', 'printed' or 'nonlinear', got {form!r}")
        if model.arrays.prescribed.any():
            joint = next(body.joint for body in model.bodies if model.arrays.prescribed[body.joint_v].any())
            raise Unsupported(f"joint {joint}: its motion is prescribed; dual screws take forces in every joint")
        for link, beam in model.beams.items():
            if beam.stiffening not in ("none", "first"):
                raise Unsupported(
                    f"link {link}: stiffening {beam.stiffening!r} has no constant inertia invariants; take 'first'"
                )
        self.model, self.form = model, form

    def __repr__(self) -> str:
        return f"<DualScrew, {self.form}, of {self.model!r}>"

    @cached_property
    def compiled(self) -> Dynamics:
        """Inverse and forward dynamics as lissom's integrators call them."""
        from lissom.simulation.system import Dynamics
        from lissom.theory.dual_screws import equations

        return Dynamics(
            getattr(equations, f"{self.form}_inverse"),
            getattr(equations, f"{self.form}_forward"),
        )

    def accelerations(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """M^-1 (tau - c), shape (nv,)."""
        a = self._solved(q, v, tau)
        if not np.all(np.isfinite(a)):
            raise LissomError(self._not_definite(q, v))
        return a

    def equations(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """M (nv, nv) and c (nv,) of M dv/dt + c = tau: c holds Coriolis, gravity, elastic and passive joint forces."""
        from lissom.theory.dual_screws import equations

        n = self.model.nv
        M, c = np.empty((n, n)), np.empty(n)
        q, v = np.ascontiguousarray(q, float), np.ascontiguousarray(v, float)
        if self.form == "nonlinear":
            equations.real_mass(self.model.struct, q, v, M, c)
        else:
            equations.dual_mass(self.model.struct, q, v, self._form, M, c)
        return M, c

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Generalised forces (nv,) that produce the accelerations a, by projecting wrenches; without the matrix M."""
        return self._newton_euler(q, v, a)[0]

    def wrenches(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Wrench of the parent on the child at every joint, child axes, shape (joints, 6)."""
        return self._newton_euler(q, v, a)[1][1:]

    def tip(self, q: np.ndarray) -> np.ndarray:
        """Pose (4, 4) of the last link's tip: its rigid pose, displaced and turned to first order, (42)."""
        R, p = self._pose(tips(self.model), -1, q)
        T = np.eye(4)
        T[:3, 3] = p.value()
        T[:3, :3] = so3.exp(so3.vee(R.dual @ R.real.T)) @ R.real
        return T

    def doubts(self, raw: RawRun) -> list[str]:
        """Where a run left the range of a linear model: its mass matrix was not positive definite."""
        if self.form == "nonlinear":
            return []
        free = np.zeros(self.model.nv)
        lost = [t for t, q, v in zip(raw.t, raw.q, raw.v) if not np.all(np.isfinite(self._solved(q, v, free)))]
        if not lost:
            return []
        return [
            f"the {self.form} mass matrix was not positive definite at {len(lost)} of {len(raw.t)} outputs, first at "
            f"t = {lost[0]:.4g} s: deflections were too large for a model of first order, or modes too many"
        ]

    def _solved(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """M^-1 (tau - c); not a number where M is not positive definite."""
        from lissom.theory.dual_screws import equations

        M, c = self.equations(q, v)
        a = np.empty(self.model.nv)
        equations.solve(self.model.struct, M, c, np.ascontiguousarray(tau, float), a)
        return a

    def _pose(self, point: Compiled, row: int, q: np.ndarray) -> tuple[Dual, Dual]:
        """Rotation (3, 3) and position (3,) of a row of `point` in the world."""
        from lissom.theory.dual_screws import equations

        n, nv = len(point.arrays.parent), self.model.nv
        number = np.float64 if self.form == "nonlinear" else np.complex128
        q, v = np.ascontiguousarray(q, float), np.zeros(nv)
        R, p, P = (np.zeros(shape, number) for shape in ((n, 3, 3), (n, 3), (n, 6, nv)))
        state = q, v
        if self.form != "nonlinear":
            state = np.empty(len(q), complex), np.empty(nv, complex)
            equations.dual_state(self.model.struct, q, v, *state)
        equations.frames(point.struct, *state, self._form, R, p, P)
        return _parts(R[row]), _parts(p[row])

    def _newton_euler(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        from lissom.theory.dual_screws import equations

        q, v, a = (np.ascontiguousarray(x, float) for x in (q, v, a))
        W = np.zeros((len(self.model.bodies) + 1, 6))
        tau, none = np.empty(self.model.nv), np.zeros_like(W)
        if self.form == "nonlinear":
            equations.real_inverse(self.model.struct, q, v, a, none, tau, W)
        else:
            equations.dual_inverse(self.model.struct, q, v, a, none, self._form, tau, W)
        return tau, W

    @property
    def _form(self) -> int:
        return ("linear", "printed", "nonlinear").index(self.form)

    def _not_definite(self, q: np.ndarray, v: np.ndarray) -> str:
        lowest = np.linalg.eigvalsh(self.equations(q, v)[0])[0]
        return (
            f"the linear mass matrix of {self.model.robot.name} is not positive definite (lowest eigenvalue "
            f"{lowest:.3g}): the deflection is too large for a model of first order; take form='nonlinear'"
        )


def _parts(x: np.ndarray) -> Dual:
    """Real and dual part of numbers with the dual unit 2^-70 i."""
    return Dual(np.real(x), np.imag(x) / EPS)


@register("dual_screw", "dual screws, first order in the deflection", PAPER)
def _linear(model: Model) -> DualScrew:
    return DualScrew(model)


@register("dual_screw_nonlinear", "the same projections, all orders kept", PAPER)
def _nonlinear(model: Model) -> DualScrew:
    return DualScrew(model, "nonlinear")
