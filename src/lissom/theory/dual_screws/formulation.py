"""The dual-screw theory as a formulation: the linear model of any tree of rigid and elastic links."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from lissom.errors import LissomError
from lissom.kernel.compile import Struct
from lissom.lie import se3, so3
from lissom.model.any_robot import AnyRobot
from lissom.model.compilation.tip_frames import tips
from lissom.model.description.frame import Frame
from lissom.model.model import Model
from lissom.theory.coverage import LINEAR_LINKS, Feature
from lissom.theory.formulation import Formulation, Limit, Offer, register

if TYPE_CHECKING:
    from lissom.simulation.equations.system import Dynamics
    from lissom.simulation.raw_run import RawRun
    from lissom.theory.connections.frame_kernel import FrameKernel

PAPER = "Cibicik and Egeland 2021, Kinematics and dynamics of flexible robotic manipulators using dual screws"
Form = Literal["linear", "first-order", "truncated", "printed", "nonlinear"]
FORMS: tuple[Form, ...] = get_args(Form)


class DualScrew(Formulation):
    """Equations of motion of arms that bend little, by dual screws.

    Args:
        form: "linear" takes the motion of the links to first order in the deflection and multiplies it out, so that
            the mass matrix is a sum of squares; "first-order" cuts the forces after first order, too: M_0 + M_1(eta);
            "truncated" also cuts products of elastic speeds, as the paper does; "printed" is the paper's model, whose
            elastic screws (71) do not turn with the deflection and whose links are not foreshortened; "nonlinear"
            keeps all orders.
    """

    name = "dual_screw"
    covers = LINEAR_LINKS | {Feature.GROUP_JOINTS, Feature.ELASTIC_GEARS}
    offers = frozenset({Offer.INVERSE_DYNAMICS})

    def __init__(self, robot: AnyRobot, form: Form = "linear") -> None:
        if form not in FORMS:
            raise LissomError(f"is unknown; choose from {', '.join(FORMS)}", ("form",), form)
        super().__init__(robot)
        self.form = form

    def __repr__(self) -> str:
        return f"<DualScrew, {self.form}, of {self.model!r}>"

    @cached_property
    def dynamics(self) -> Dynamics:
        """Inverse and forward dynamics as lissom's integrators call them."""
        from lissom.simulation.equations.system import Dynamics
        from lissom.theory.dual_screws import compiled

        return Dynamics(*compiled.FORMS[self.form], self._printed)

    @cached_property
    def _printed(self) -> Struct | None:
        """Tables of the form as printed, whose sections do not turn their inertia."""
        from lissom.theory.dual_screws.printed_inertia import printed_tables

        return printed_tables(self.model) if self.form == "printed" else None

    @cached_property
    def _tables(self) -> tuple[Any, np.ndarray]:
        """Tables of the model, and the couplings that do not turn, for this form."""
        if self._printed is not None:
            return self._printed.fields.model, self._printed.fields.turning
        return self.model.struct, np.zeros_like(self.model.arrays.inertia.coupling)

    def accelerations(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """M^-1 (tau - c), shape (nv,)."""
        from lissom.theory.linear import solve_positive

        M, c = self.equations(q, v)
        a = np.empty(self.model.nv)
        if not solve_positive(M, np.asarray(tau, float) - c, a):
            raise LissomError(self._not_definite(q, v))
        return a

    def equations(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """M (nv, nv) and c (nv,) of M dv/dt + c = tau: c holds Coriolis, gravity, elastic and passive joint forces."""
        from lissom.theory.dual_screws.equations import mass
        from lissom.theory.dual_screws.joints import add_joint_forces, add_joint_inertia

        (model, turning), (q, v) = self._tables, _floats(q, v)
        state, moving = self._moving(model, q, v)
        M, c = np.empty((len(v), len(v)), state[0].dtype), np.empty(len(v), state[0].dtype)
        mass(model, *state, moving, self.form == "printed", turning, M, c)
        M, c = _real_and_dual(M), _real_and_dual(c)
        add_joint_forces(model, q, v, c)
        add_joint_inertia(model, M)
        return M, c

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Generalised forces (nv,) that produce the accelerations a, by projecting wrenches; without the matrix M."""
        return self._newton_euler(q, v, a)[0]

    def wrenches(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Wrench of the parent on the child at every joint, child axes, shape (joints, 6)."""
        return self._newton_euler(q, v, a)[1][1:]

    def tip(self, q: np.ndarray) -> np.ndarray:
        """Pose (4, 4) of the last link's tip: where the coordinates put it.

        In the paper's forms, "truncated" and "printed", its rigid pose, displaced and turned to first order, (42).
        """
        return self.tip_path(np.asarray(q)[None])[0]

    def tip_path(self, q: np.ndarray) -> np.ndarray:
        """Return the poses of the tip at many configurations (N, nq), shape (N, 4, 4)."""
        from lissom.theory.dual_screws.motion import last_pose
        from lissom.theory.dual_screws.orders import dual_state

        number = complex if self.cuts_speeds else float
        still, model = np.zeros(self.model.nv), tips(self.model).struct
        R, p, T = np.empty((len(q), 3, 3), number), np.empty((len(q), 3), number), np.zeros((len(q), 4, 4))
        for each, turn, place in zip(np.ascontiguousarray(q, float), R, p):
            dual = dual_state.py_func(self.model.struct, each, still, self._form) if self.cuts_speeds else (each, still)
            last_pose(model, *dual, self.form == "printed", turn, place)
        T[:, :3, :3], T[:, :3, 3], T[:, 3, 3] = R.real, _real_and_dual(p), 1.0
        if self.cuts_speeds:
            T[:, :3, :3] = so3.exp(so3.vee(_dual_part(R) @ R.real.swapaxes(1, 2))) @ R.real
        return T

    def link_pose(self, q: np.ndarray, link: str) -> np.ndarray:
        """Pose (4, 4) of a link's frame, where the coordinates put it."""
        from lissom.theory.dual_screws.motion import motion

        moving = motion.py_func(self.model.struct, *_floats(q, np.zeros(self.model.nv)), False)
        T, rows = np.eye(4), []
        while link != "world":
            rows.append(self.model.row(link))
            link = self.model.robot.link(link).parent
        for row in reversed(rows):
            T = T @ se3.from_parts(moving.R[row], moving.p[row])
        return T

    def frame_kernel(self, frames: Sequence[Frame]) -> FrameKernel:
        """Compiled kinematics of frames, by the projection matrices of their sections."""
        from lissom.theory.dual_screws.frames import frame_kernel

        return frame_kernel(self.model, frames, self._form)

    @property
    def cuts_speeds(self) -> bool:
        """Whether products of elastic speeds are left out, as in the paper."""
        return self.form in ("truncated", "printed")

    def limit(self, raw: RawRun) -> Limit | None:
        """Return why a run ends: a mass matrix of first order carries it as long as it stays positive."""
        if self.form in ("linear", "nonlinear"):
            return None
        model, forward = self.model.struct, self.dynamics.forward
        work = self.dynamics.own or self.model.workspace()
        a, wrench = np.empty(self.model.nv), np.zeros((self.model.rows, 6))
        for k, (t, q, v, tau) in enumerate(zip(raw.time, raw.q, raw.v, raw.tau)):
            forward(model, work, q, v, tau, wrench, a)  # not a number unless the matrix is positive definite
            if np.isnan(a).any() and np.linalg.eigvalsh(self.equations(q, v)[0])[0] <= 0.0:
                return Limit(k, f"at t = {t:.4g} s {self._not_definite(q, v)}")
        return None

    def _newton_euler(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        from lissom.theory.dual_screws.equations import forces
        from lissom.theory.dual_screws.joints import add_joint_forces, add_joint_momenta

        (model, turning), (q, v, a) = self._tables, _floats(q, v, a)
        state, moving = self._moving(model, q, v)
        none = np.zeros((self.model.rows, 6))
        tau, W = np.empty(len(v), state[0].dtype), np.zeros(none.shape, state[0].dtype)
        forces(model, *state, a, none, moving, self.form == "printed", turning, tau, W)
        tau = _real_and_dual(tau)
        add_joint_forces(model, q, v, tau)
        add_joint_momenta(model, a, tau)
        return tau, _real_and_dual(W)

    def _moving(self, model: Any, q: np.ndarray, v: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray], Struct]:
        """State and motion in the numbers in which this form takes its forces.

        Kernels that return arrays are called as the Python they are written in: a library holds what they call.
        """
        from lissom.theory.dual_screws.motion import TreeMotion, motion
        from lissom.theory.dual_screws.orders import dual_state

        if self.form == "nonlinear":
            return (q, v), Struct(motion.py_func(model, q, v, False))
        state = dual_state.py_func(model, q, v, self._form)
        moving = motion.py_func(model, *state, self.form == "printed")
        return (
            ((q, v), Struct(TreeMotion(*map(_real_and_dual, moving))))
            if self.form == "linear"
            else (state, Struct(moving))
        )

    @property
    def _form(self) -> int:
        return FORMS.index(self.form)

    def _not_definite(self, q: np.ndarray, v: np.ndarray) -> str:
        M, names = self.equations(q, v)[0], self.model.coordinates
        exact = DualScrew(self.model, "nonlinear").equations(q, v)[0]
        size = np.sqrt(np.diag(exact))
        lowest, shapes = np.linalg.eigh(M / np.outer(size, size))
        worst = [names[k] for k in np.argsort(-np.abs(shapes[:, 0]))[:2]]
        return (
            f"the {self.form} mass matrix of {self.model.robot.name} is not positive definite (eigenvalue "
            f"{lowest[0]:.2g} in {' and '.join(worst)}): they move so little mass that the deflection is too large for "
            "a matrix of first order; take form='linear' or 'nonlinear', or fewer modes"
        )


def _floats(*vectors: np.ndarray) -> list[np.ndarray]:
    return [np.ascontiguousarray(x, float) for x in vectors]


def _dual_part(x: np.ndarray) -> np.ndarray:
    from lissom.theory.dual_screws.orders import EPS

    return np.imag(x) / EPS


def _real_and_dual(x: np.ndarray) -> np.ndarray:
    """Real plus dual part."""
    return np.real(x) + _dual_part(x)


@register("dual_screw", "dual screws, links' motion of first order in the deflection", PAPER)
def _linear(model: Model) -> DualScrew:
    return DualScrew(model)


@register("dual_screw_nonlinear", "the same projections, all orders kept", PAPER)
def _nonlinear(model: Model) -> DualScrew:
    return DualScrew(model, "nonlinear")
