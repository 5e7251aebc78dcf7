"""What a formulation of the dynamics offers, and the register of those that exist.

A formulation is built from a Model and speaks in the Model's own coordinates, so that states, accelerations and
wrenches of any two of them compare directly. Each is derived on its own: none but `kernel` uses the kernel's
equations of motion.
"""

from __future__ import annotations

import pkgutil
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from lissom.dynamics.state_checks import integrate
from lissom.errors import LissomError
from lissom.lie import se3
from lissom.messages import did_you_mean
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.description.frame import Frame, placed
from lissom.model.model import Model
from lissom.theory.coverage import Feature, Unsupported, check_coverage

if TYPE_CHECKING:
    from lissom.dynamics.energies import Energy
    from lissom.simulation.equations.system import Dynamics
    from lissom.simulation.raw_run import RawRun


STEP = 1e-4  # rad, m: of differences of fourth order, which leave out and round 1e-12 of a slope


class Offer(StrEnum):
    """What a formulation may offer besides accelerations, wrenches and the pose of the tip."""

    INVERSE_DYNAMICS = "inverse dynamics"
    ENERGY = "energy"
    LINEAR_MODEL = "a linear model"


class PlacedWrench(NamedTuple):
    """A torque and a force at a frame on a link."""

    frame: Frame
    wrench: np.ndarray  # (6,)
    in_world: bool  # whether in world axes, or in those of the frame


def in_frame(pose: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """Return a wrench (6,) given in world axes in those of a pose (4, 4)."""
    turned: np.ndarray = (wrench.reshape(2, 3) @ pose[:3, :3]).ravel()
    return turned


class Formulation(ABC):
    """Equations of motion of one model, by one theory.

    A subclass says in `covers` which features of robots its theory knows, and calls `super().__init__` before it reads
    the model: whatever else a robot has is refused there, by name.

    Parameters
    ----------
    robot : Robot, Model, or name or path of a robot file
        What moves.
    covers : set of Feature, optional
        What is covered by this object, if that differs from its class.
    """

    name: ClassVar[str]  # in messages
    covers: ClassVar[frozenset[Feature]] = frozenset()
    offers: frozenset[Offer] = frozenset()

    def __init__(self, robot: AnyRobot, covers: frozenset[Feature] | None = None) -> None:
        self.model: Model = as_model(robot)
        check_coverage(self.model, self.name, self.covers if covers is None else covers)

    @abstractmethod
    def accelerations(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Accelerations (nv,) at the state (q, v) under the generalised forces tau (nv,)."""

    @abstractmethod
    def wrenches(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Wrench of the parent on the child at every joint, child axes, shape (joints, 6): torque, force."""

    def wrenches_under(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Return the wrenches where the motors' forces tau (nv,) are known as well; loops need them."""
        return self.wrenches(q, v, a)

    @abstractmethod
    def tip(self, q: np.ndarray) -> np.ndarray:
        """Pose (4, 4) of the last link's tip in the world."""

    def link_pose(self, q: np.ndarray, link: str) -> np.ndarray:
        """Pose (4, 4) in the world of the frame of a link, which rides on its base."""
        raise Unsupported(f"{self.name} does not place its links, which loads ask for")

    def frame_pose(self, q: np.ndarray, frame: Frame) -> np.ndarray:
        """Pose (4, 4) in the world of a frame on a link."""
        T, link = self.link_pose(q, frame.link), self.model.robot.link(frame.link)
        origin = placed(link, frame.origin) if frame.link not in self.model.flexible else frame.origin
        if frame.link in self.model.flexible:
            bends = self.model.flexible[frame.link]
            T = T @ bends.pose(bends.length if frame.at is None else frame.at, q[self.model.link(frame.link).modes_q])
        return T @ se3.from_parts(np.real(origin.rotation()), np.real(origin.xyz))

    def load_forces(self, q: np.ndarray, loads: Sequence[PlacedWrench]) -> np.ndarray:
        """Generalised forces (nv,) of wrenches: J^T W with the twists J of their frames by this theory's kinematics.

        J is taken by central differences of fourth order, as not every theory computes with complex numbers.

        Equations: 001 (64)-(67).
        """
        total = np.zeros(self.model.nv)
        for load in loads:
            if not load.wrench.any():
                continue
            here = self.frame_pose(q, load.frame)
            wrench = in_frame(here, load.wrench) if load.in_world else load.wrench
            back = se3.inverse(here)
            for k, unit in enumerate(np.eye(self.model.nv)):
                total[k] += wrench @ se3.vee(back @ self._slope(q, unit, load.frame))
        return total

    def _slope(self, q: np.ndarray, unit: np.ndarray, frame: Frame) -> np.ndarray:
        """Return the derivative (4, 4) of a frame's pose along a unit velocity."""
        steps = ((8, 1), (-8, -1), (-1, 2), (1, -2))
        poses = [w * self.frame_pose(integrate(self.model, q, k * STEP * unit), frame) for w, k in steps]
        return np.sum(poses, axis=0) / (12 * STEP)

    # What a formulation may offer beside it; here, that it does not.

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Generalised forces (nv,) that produce the accelerations a; `Offer.INVERSE_DYNAMICS`."""
        raise self._refusal(Offer.INVERSE_DYNAMICS)

    def driven_accelerations(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Accelerations (nv,) where those of prescribed joints are as in a; for what covers prescribed joints."""
        raise Unsupported(f"{type(self).__name__} takes forces, not prescribed joints")

    def energy(self, q: np.ndarray, v: np.ndarray) -> Energy:
        """Kinetic and potential energies; `Offer.ENERGY`."""
        raise self._refusal(Offer.ENERGY)

    def linearise(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Any:
        """Return A and B of the motion about a state with given accelerations; `Offer.LINEAR_MODEL`."""
        raise self._refusal(Offer.LINEAR_MODEL)

    @property
    def dynamics(self) -> Dynamics | None:
        """Compiled equations of motion for lissom's time loop; None: the loop calls the methods above."""
        return None

    def limit(self, raw: RawRun) -> Limit | None:
        """Where a run left what the formulation describes; None: nowhere."""
        return None

    def _refusal(self, what: Offer) -> Unsupported:
        return Unsupported(f"{type(self).__name__} does not offer {what}")


class Limit(NamedTuple):
    """How much of a run is good, and why no more."""

    outputs: int
    reason: str


@dataclass(frozen=True)
class RegisteredFormulation:
    """A registered formulation."""

    name: str
    title: str  # one line
    paper: str  # what to cite: authors, year, title
    make: Callable[[Model], Formulation]

    @property
    def authors(self) -> str:
        """Authors and year, as the paper is cited."""
        year = re.search(r"\b(1[89]|20)\d\d\b", self.paper)
        return self.paper if year is None else self.paper[: year.end()]


_register: dict[str, RegisteredFormulation] = {}
KERNEL = "kernel"  # the formulation that covers everything
Class = TypeVar("Class", bound=Callable[[Model], Formulation])


def register(name: str, title: str, paper: str) -> Callable[[Class], Class]:
    """Enter a class, or any function that builds a formulation from a Model, under a name."""

    def enter(make: Class) -> Class:
        _register[name] = RegisteredFormulation(name, title, paper, make)
        return make

    return enter


def entries() -> dict[str, RegisteredFormulation]:
    """Every formulation by name: the kernel and the folders of this package enter themselves when they are imported."""
    import lissom.theory as package

    for module in pkgutil.iter_modules(package.__path__):
        if module.ispkg or module.name == f"{KERNEL}_formulation":
            import_module(f"{package.__name__}.{module.name}")
    return dict(sorted(_register.items(), key=lambda item: (item[0] != "kernel", item[0])))


def names() -> tuple[str, ...]:
    """Names of all formulations, the kernel first."""
    return tuple(entries())


def build(name: str, robot: AnyRobot) -> Formulation:
    """Build the formulation `name` of a robot; `Unsupported` where it does not cover the robot."""
    known = entries()
    if name not in known:
        raise LissomError(
            f"there is no formulation of this name{did_you_mean(name, list(known))}", ("formulation",), name
        )
    return known[name].make(as_model(robot))
