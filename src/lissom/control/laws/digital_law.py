"""Digital controllers as data: linear designs with states, saturation, blending between poses, torques of a model.

PID control with notch filters, state feedback and output feedback all take this form, which machine code, C and FMUs
share.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import printing
from lissom.analysis.linear_models.linear_model import LinearModel
from lissom.control.laws.control_law import ControlLaw
from lissom.control.laws.digital_kernel import DigitalArrays, digital_step, follow_reference, pose_weights
from lissom.control.laws.law_kinds import FEEDFORWARD, GRAVITY, PD
from lissom.control.references.reference import Reference
from lissom.errors import LissomError
from lissom.kernel.compile import Struct
from lissom.model.model import Model
from lissom.printing import Printed

if TYPE_CHECKING:
    from rich.table import Table

    from lissom.model.description.sensor import Sensor


@dataclass(frozen=True, eq=False)
class DigitalDesign:
    """u = h + C x + D w and x[k+1] = A x + B w + E (u - h), with w = (y - y0, r - r0, r', r'').

    y are m measured numbers and r the reference of na coordinates; u in E is what saturation leaves.
    """

    A: np.ndarray  # (n, n)
    B: np.ndarray  # (n, m + 3 na)
    E: np.ndarray  # (n, na)
    C: np.ndarray  # (na, n)
    D: np.ndarray  # (na, m + 3 na)
    first: np.ndarray  # (n, m + 3 na) the state at the first sample, by w
    hold: np.ndarray  # (na,) torques h
    y0: np.ndarray  # (m,)
    r0: np.ndarray  # (na,)


@dataclass(frozen=True)
class StateLook:
    """What a digital controller measures of a state: entries of q, then of v, as encoders and tachometers do."""

    on_q: tuple[int, ...]
    on_v: tuple[int, ...] = ()

    def __call__(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the measured numbers (m,)."""
        return np.concatenate([q[list(self.on_q)], v[list(self.on_v)]])


@dataclass(eq=False, repr=False)
class DigitalLaw(Printed):
    """A digital controller: a function of (t, q, v), or of (t, readings), with memory, for `Sampled`."""

    name: str
    model: Model
    names: tuple[str, ...]  # of the controlled coordinates (na)
    force: np.ndarray  # (na,) index into v
    designs: tuple[DigitalDesign, ...]
    poses: np.ndarray  # (designs, na) of the controlled coordinates, in order along a path
    reference: Reference
    lower: np.ndarray
    upper: np.ndarray
    look: Any  # of (q, v), or names of sensors
    measured: tuple[str, ...]  # names of the measured numbers
    designed_at: np.ndarray  # (nq,) a configuration at which other joints stand as they do in the design
    positions: tuple[tuple[int, ...], ...]  # entries of q that follow each coordinate: the joint, and its rotor
    noise: np.ndarray  # (m,) standard deviations of what is measured
    eyes: tuple[Sensor, ...] = ()  # the sensors that it reads
    added: ControlLaw | None = None  # torques of a model, behind all filters
    arrays: DigitalArrays = field(init=False)

    def __post_init__(self) -> None:
        self.arrays = _arrays(self)
        self.struct: Any = Struct(self.arrays)
        self.reset()

    def __repr__(self) -> str:
        return f"<DigitalLaw {self.name} of {', '.join(self.names)}>"

    def reset(self) -> None:
        """Forget the past."""
        self.arrays.fresh[0] = 1
        self.arrays.x[...] = 0.0

    @property
    def sensors(self) -> tuple[str, ...]:
        """Names of sensors that it reads; none where it looks at the state."""
        return self.look if isinstance(self.look, tuple) else ()

    def __call__(self, t: float, *seen: Any) -> np.ndarray:
        """Return generalised forces (nv,) of the sample at t."""
        arrays, tau = self.arrays, np.zeros(self.model.nv)
        arrays.y[:] = self._measure(*seen)
        follow_reference(self.struct, float(t))
        if self.added is not None:
            arrays.model[:] = self._model_torques(t, *seen)
        digital_step(self.struct)
        np.add.at(tau, self.force, arrays.u)
        return tau

    def _measure(self, *seen: Any) -> np.ndarray:
        if len(seen) == 1:
            return np.concatenate([np.atleast_1d(seen[0][name]) for name in self.sensors])
        return np.asarray(self.look(*seen))

    def _model_torques(self, t: float, *seen: Any) -> np.ndarray:
        """Return torques (na,) of the added law, where the state or the encoders say that the arm is."""
        assert self.added is not None, "called where there is one"
        if len(seen) == 2:
            q, v = seen
        else:  # what is measured stands at the controlled coordinates, in their order
            q, v = self.model.neutral(), np.zeros(self.model.nv)
            q[self.added.measured_q] = self.arrays.y[: len(self.names)]
        return np.asarray(self.added(t, q, v)[self.force])

    def following(self, reference: Reference) -> DigitalLaw:
        """Return this law on another reference, one channel per coordinate."""
        added = None if self.added is None else self.added.following(reference)
        return replace(self, reference=reference, added=added)

    def feedback(self, rate: float, q: np.ndarray) -> LinearModel:
        """Return the linear model from what is measured to the torques with the designs blended as at q (nq,)."""
        from scipy.linalg import block_diag

        self.arrays.r[0] = [q[index[0]] for index in self.positions]
        pose_weights(self.struct)
        weights, m = self.arrays.weight.copy(), len(self.arrays.y)
        C = np.concatenate([w * design.C for w, design in zip(weights, self.designs, strict=True)], axis=1)
        D = sum(w * design.D[:, :m] for w, design in zip(weights, self.designs, strict=True))
        E = np.concatenate([design.E for design in self.designs])
        A = block_diag(*(design.A for design in self.designs)) if len(C[0]) else np.zeros((0, 0))
        B = np.concatenate([design.B[:, :m] for design in self.designs])
        return LinearModel.of(A + E @ C, B + E @ D, C, D, dt=1.0 / rate, name="controller")

    def table(self) -> Table:
        """Return a table of sizes and limits."""
        table = printing.table("part", "value", title=self.name)
        table.add_row("coordinates", ", ".join(self.names))
        table.add_row("measured", ", ".join(self.measured))
        table.add_row("designs", str(len(self.designs)))
        table.add_row("states", str(max(len(design.A) for design in self.designs)))
        if self.added is not None:
            table.add_row("torques of a model", self.added.parts[0].kind.name)
        return table


def _arrays(law: DigitalLaw) -> DigitalArrays:
    """Return the tables of a law, its designs filled up to one size by zeros."""
    designs, na = law.designs, len(law.names)
    n, m = max(len(design.A) for design in designs), len(designs[0].y0)
    inputs = m + 3 * na

    def stacked(name: str, *shape: int) -> np.ndarray:
        out = np.zeros((len(designs), *shape))
        for k, design in enumerate(designs):
            part = getattr(design, name)
            place: Any = (k, *map(slice, part.shape))
            out[place] = part
        return out

    return DigitalArrays(
        A=stacked("A", n, n), B=stacked("B", n, inputs), E=stacked("E", n, na), C=stacked("C", na, n),
        D=stacked("D", na, inputs), first=stacked("first", n, inputs), hold=stacked("hold", na), y0=stacked("y0", m),
        r0=stacked("r0", na), poses=np.ascontiguousarray(law.poses, float), lower=law.lower.astype(float),
        upper=law.upper.astype(float), breaks=np.array(law.reference.breaks),
        coefficients=np.array(law.reference.coefficients), fresh=np.ones(1, np.int64), x=np.zeros((len(designs), n)),
        following=np.zeros(n), w=np.zeros(inputs), y=np.zeros(m), r=np.zeros((3, na)), model=np.zeros(na),
        weight=np.zeros(len(designs)), u=np.zeros(na),
    )  # fmt: skip


def observer_design(
    A: np.ndarray,
    B: np.ndarray,
    C: np.ndarray,
    L: np.ndarray,
    K: np.ndarray,
    to_state: np.ndarray,
    inertia: np.ndarray,
    hold: np.ndarray,
    y0: np.ndarray,
    r0: np.ndarray,
) -> DigitalDesign:
    """Return u = h + inertia r'' - K (x - x_r) with the estimate x = z + L (y - C z), z[k+1] = A x + B (u - h).

    `to_state` (2, n, na) gives x_r by r - r0 and by r'. The first estimate is zero: the caller says what it is.
    """
    n, m, na = len(A), len(y0), len(r0)
    corrected = np.eye(n) - L @ C
    none = np.zeros((n, 3 * na))
    return DigitalDesign(
        A=A @ corrected,
        B=np.concatenate([A @ L, none], axis=1),
        E=B,
        C=-K @ corrected,
        D=np.concatenate([-K @ L, K @ to_state[0], K @ to_state[1], inertia], axis=1),
        first=np.zeros((n, m + 3 * na)),
        hold=hold,
        y0=y0,
        r0=r0,
    )


def of_joint_law(model: Model, law: ControlLaw) -> DigitalLaw:
    """Return a law of `pd`, sampled, as a digital one: its gains are the design, torques of a model are added."""
    part = law.parts[0]
    if len(law.parts) > 1 or part.kind not in (PD, GRAVITY, FEEDFORWARD):
        kinds = " + ".join(each.kind.name for each in law.parts)
        text = f"is {kinds}, which has no form as data; take one law of pd, pid, lqr or lqg"
        raise LissomError(text, ("controller",), kinds)
    na = len(part.names)
    zero, none = np.zeros(na), np.zeros((na, na))
    p, d = np.diag(part.kp), np.diag(part.kd)
    design = DigitalDesign(
        A=np.zeros((0, 0)), B=np.zeros((0, 5 * na)), E=np.zeros((0, na)), C=np.zeros((na, 0)),
        D=np.concatenate([-p, -d, p, d, none], axis=1), first=np.zeros((0, 5 * na)), hold=zero,
        y0=np.zeros(2 * na), r0=zero,
    )  # fmt: skip
    free = replace(part, kp=zero, kd=zero, lower=np.full(na, -np.inf), upper=np.full(na, np.inf))
    modelled = part.kind is not PD or np.any(part.feedforward.coefficients)
    look = StateLook(tuple(part.measured_q.tolist()), tuple(part.measured_v.tolist()))
    index = [model.coordinates.index(name) for name in part.names]
    owner = {k: body for body in model.bodies for k in range(model.nv)[body.joint_v]}
    joints = [owner[k].joint_q.start + k - owner[k].joint_v.start for k in index]
    return DigitalLaw(
        name=part.kind.name,
        model=model,
        names=part.names,
        force=part.force,
        designs=(design,),
        poses=np.zeros((1, na)),
        reference=part.reference,
        lower=part.lower,
        upper=part.upper,
        look=look,
        measured=(*(model.q_names[k] for k in look.on_q), *(f"{model.coordinates[k]}.rate" for k in look.on_v)),
        designed_at=model.neutral(),
        positions=tuple(
            (at,) if (rotor := owner[v].rotor_q) is None else (at, rotor) for at, v in zip(joints, index, strict=True)
        ),
        noise=np.zeros(2 * na),
        added=ControlLaw((free,)) if modelled else None,
    )


def as_digital(function: Any, model: Model | None = None) -> DigitalLaw | None:
    """Return the function of a sampled controller as a DigitalLaw; None where it is none, such as Python code.

    A law of joints needs the `model` that it controls.
    """
    if isinstance(function, DigitalLaw):
        return function
    if isinstance(function, ControlLaw):
        return None if model is None else of_joint_law(model, function)
    digital = getattr(function, "digital", None)
    return digital() if callable(digital) else None


def check_path(poses: np.ndarray) -> None:
    """Refuse poses of which two in a row are the same."""
    for k in range(1, len(poses)):
        if np.array_equal(poses[k], poses[k - 1]):
            raise LissomError("is the same as the one before; leave it out", ("poses", k), poses[k].tolist())
