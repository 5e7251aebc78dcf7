"""Controllers as the time loop takes them: laws of joints, their sums, and what is sampled beside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lissom import printing
from lissom.control.laws.control_kernel import control_forces, law_scratch
from lissom.control.laws.law_kinds import PD, LawKind
from lissom.control.laws.law_tables import packed_law
from lissom.control.laws.sampled_control import Hold, Reader, Sampled
from lissom.control.references.reference import Reference
from lissom.errors import LissomError
from lissom.model.description.robot import Robot
from lissom.model.model import Model
from lissom.printing import Printed

if TYPE_CHECKING:
    from rich.table import Table


NO_AIM = Reference.constant(np.zeros(3))


def _none() -> np.ndarray:
    return np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class JointLaw:
    """One law on na coordinates, a part of a `ControlLaw`.

    With y and yd measured, r, rd and rdd the reference, and e = r - y:

    - PD: tau = sat(feedforward + kp e + kd e')
    - PD with gravity: tau = sat(feedforward + kp e + kd e' + gravity of the twin at y)
    - PD with inverse dynamics: tau = sat(feedforward + kp e + kd e' + inverse dynamics of the twin at r, rd, rdd)
    - impedance: tau = sat(feedforward + kp e + kd e' + gravity of the twin at y + J^T F), F the force of a spring and a
      damper between the tip and where it is aimed
    - computed torque: tau = sat(feedforward + inverse dynamics of the twin at y, yd, rdd + kp e + kd e')
    """

    names: tuple[str, ...]  # of the controlled coordinates
    nv: int  # size of the model's forces
    force: np.ndarray  # (na,) index into v where the torque acts
    measured_q: np.ndarray  # (na,) index into q of what is measured
    measured_v: np.ndarray  # (na,) index into v
    kp: np.ndarray  # (na,)
    kd: np.ndarray  # (na,)
    lower: np.ndarray  # (na,) saturation, -inf for none
    upper: np.ndarray  # (na,) saturation, inf for none
    reference: Reference  # na channels
    feedforward: Reference  # na channels: torques
    kind: LawKind = PD
    constants: tuple[float, ...] = ()  # further numbers of a law from outside
    twin: Model | None = None  # the rigid twin, where the law computes with one
    twin_index: np.ndarray = field(default_factory=_none)  # (na,) index into the twin's v of each coordinate
    twin_at: np.ndarray = field(default_factory=_none)  # (na,) index into the twin's q of each coordinate
    twin_q: np.ndarray = field(default_factory=_none)  # (twin.nq,) index into q: where the twin's q is measured
    twin_v: np.ndarray = field(default_factory=_none)  # (twin.nv,) index into v: where the twin's v is measured
    tip: int = 0  # row of the twin's link that an impedance holds
    aim: Reference = NO_AIM  # where its tip is to be, 3 channels


@dataclass(frozen=True, eq=False, repr=False)
class ControlLaw(Printed):
    """A continuous law, run inside the compiled simulation: the sum of one or more laws of joints.

    Built by `pd`, `computed_torque` and `torques`. Laws add up: `pd(...) + torques(...)`; each part keeps its gains and
    its saturation. A sampled controller or a function of (t, q, v) may be added too, which gives `Together`.
    """

    parts: tuple[JointLaw, ...]

    def __repr__(self) -> str:
        kinds = " + ".join(part.kind.name for part in self.parts)
        return f"<ControlLaw {kinds} of {', '.join(dict.fromkeys(self.names))}>"

    def table(self) -> Table:
        """Return a table of gains and limits of every coordinate."""
        table = printing.table("coordinate", "law", "p", "d", "torque from", "to", title="control law")
        for part in self.parts:
            for name, *numbers in zip(part.names, part.kp, part.kd, part.lower, part.upper):
                table.add_row(name, part.kind.name, *(f"{x:.5g}" for x in numbers))
        return table

    @property
    def nv(self) -> int:
        """Size of the model's forces."""
        return self.parts[0].nv

    @property
    def names(self) -> tuple[str, ...]:
        """Controlled coordinates of all parts, one after the other (na in all)."""
        return tuple(name for part in self.parts for name in part.names)

    @property
    def twin(self) -> Model | None:
        """The rigid twin that parts compute with, None where they need none."""
        return next((part.twin for part in self.parts if part.twin is not None), None)

    @cached_property
    def reference(self) -> Reference:
        """What is followed, one channel per name."""
        return Reference.stack([part.reference for part in self.parts])

    @cached_property
    def feedforward(self) -> Reference:
        """Torques that are added, one channel per name."""
        return Reference.stack([part.feedforward for part in self.parts])

    @cached_property
    def aim(self) -> Reference:
        """Where the tips of parts with an impedance are to be, three channels for each part."""
        return Reference.stack([part.aim for part in self.parts])

    force = property(lambda self: self._all("force"), doc="(na,) index into v where torques act")
    measured_q = property(lambda self: self._all("measured_q"), doc="(na,) index into q of what is measured")
    measured_v = property(lambda self: self._all("measured_v"), doc="(na,) index into v of what is measured")
    kp = property(lambda self: self._all("kp"), doc="(na,) gains on the error")
    kd = property(lambda self: self._all("kd"), doc="(na,) gains on its rate")
    lower = property(lambda self: self._all("lower"), doc="(na,) least torques, -inf for no limit")
    upper = property(lambda self: self._all("upper"), doc="(na,) largest torques, inf for no limit")

    def _all(self, name: str) -> np.ndarray:
        return np.concatenate([getattr(part, name) for part in self.parts])

    @cached_property
    def jumps(self) -> np.ndarray:
        """Times where the torque may jump: an integrator restarts there."""
        found = [part.feedforward.discontinuities(0) for part in self.parts]
        found += [part.reference.discontinuities(part.kind.reference_order) for part in self.parts]
        found += [part.aim.discontinuities(1) for part in self.parts]
        return np.unique(np.concatenate(found))

    @property
    def outside(self) -> Any:
        """The kernel of a law from outside, None where there is none."""
        return next((part.kind.torques for part in self.parts if part.kind.torques is not None), None)

    @cached_property
    def _packed(self) -> Any:
        return packed_law(self)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is computed from the parts."""
        return {"parts": self.parts}

    def __call__(self, t: float, q: ArrayLike, v: ArrayLike) -> np.ndarray:
        """Return the generalised forces (nv,) at the state (q, v), which may be complex."""
        number = np.result_type(np.asarray(q), np.asarray(v), float).type
        q, v = (np.ascontiguousarray(x, number) for x in (q, v))
        force, twin = np.zeros(self.nv, number), self.twin or _any_model()
        scratch = twin.cached(
            ("law", number, len(self.names), self.outside),
            lambda: law_scratch(self._packed, self.outside, twin, number),
        )
        control_forces(self._packed, twin.struct, scratch, float(t), q, v, force)
        return force

    def following(self, reference: Reference) -> ControlLaw:
        """Return this law on another reference, one channel per name."""
        parts, begin = [], 0
        for part in self.parts:
            end = begin + len(part.names)
            parts.append(replace(part, reference=reference.select(range(begin, end))))
            begin = end
        return ControlLaw(tuple(parts))

    def __add__(self, other: Addend) -> Any:
        if not isinstance(other, ControlLaw):
            return together(self, other)
        _check_same_robot(self, other)
        return ControlLaw(self.parts + other.parts)

    def __radd__(self, other: Any) -> Any:
        return self if other == 0 else together(other, self)  # sum() begins with 0


@dataclass(frozen=True, eq=False)
class Together:
    """Controllers that act at once: a continuous law, and sampled ones, each at its own rate; their torques add up."""

    law: ControlLaw | None
    sampled: tuple[Sampled, ...]

    def start(self, model: Model, read: Reader | None = None) -> Holds:
        """Return fresh holds of what is sampled, for one simulation of `model`; `read` gives what sensors tell."""
        return Holds([sampled.start(model, read) for sampled in self.sampled])

    def asked(self, duration: float) -> dict[str, list[np.ndarray]]:
        """Return when which sensors are read in a run of that duration."""
        out: dict[str, list[np.ndarray]] = {}
        for sampled in self.sampled:
            for name, times in sampled.asked(duration).items():
                out.setdefault(name, []).extend(times)
        return out

    def __add__(self, other: Addend) -> Together:
        return together(self, other)

    def __radd__(self, other: Any) -> Together:
        return self if other == 0 else together(other, self)


class Holds:
    """The torques of several sampled controllers as one, with the methods of `Hold`."""

    def __init__(self, holds: list[Hold]) -> None:
        self._holds = holds

    @property
    def next_time(self) -> float:
        """When one of them samples next, s."""
        return min(hold.next_time for hold in self._holds)

    def update(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the sum of their forces (nv,) at the time t."""
        return reduce(np.add, [hold.update(t, q, v) for hold in self._holds])


Addend = ControlLaw | Sampled | Together | Callable[..., Any]


def together(*controllers: Any) -> Together:
    """Join controllers of any kind into one; a plain function is sampled as `lissom.simulate` would."""
    law: ControlLaw | None = None
    sampled: list[Sampled] = []
    for one in controllers:
        if isinstance(one, Together):
            sampled += one.sampled
            one = one.law
        if isinstance(one, ControlLaw):
            law = one if law is None else law + one
        elif one is not None:
            sampled.append(one if isinstance(one, Sampled) else Sampled(one))
    return Together(law, tuple(sampled))


@cache
def _any_model() -> Model:
    """Return a model for kernels whose law computes with none: machine code does not depend on the robot."""
    joint, body = {"type": "revolute", "axis": [0, 0, 1]}, {"mass": 1, "com": [1, 0, 0]}
    return Robot.from_dict({"name": "any", "links": [{"name": "any", "joint": joint, "body": body}]}).compile()


def _check_same_robot(a: ControlLaw, b: ControlLaw) -> None:
    twins = [law.twin for law in (a, b) if law.twin is not None]
    if a.nv != b.nv or (len(twins) == 2 and twins[0].robot != twins[1].robot):
        raise LissomError(
            "the two laws were built for different robots, or compute with different rigid models of one (with "
            "friction and without); build both from the same one, or sample one of them: Sampled(law, rate)"
        )
    kernels = {part.kind.name: part.kind.torques for part in (*a.parts, *b.parts) if part.kind.torques is not None}
    if len(set(kernels.values())) > 1:
        names = " and ".join(kernels)
        raise LissomError(f"a controller has one law with a kernel of its own, not {names}; sample one by on_sensors")
