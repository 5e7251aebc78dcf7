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
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from lissom.errors import LissomError
from lissom.messages import did_you_mean
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.description.frame import Frame
from lissom.model.model import Model
from lissom.theory.coverage import JOINED, Feature, Unsupported, check_coverage, parts

if TYPE_CHECKING:
    from lissom.dynamics.energies import Energy
    from lissom.simulation.equations.system import Dynamics
    from lissom.simulation.raw_run import RawRun
    from lissom.theory.connections.frame_kernel import FrameKernel


class Offer(StrEnum):
    """What a formulation may offer besides accelerations, wrenches and the pose of the tip."""

    INVERSE_DYNAMICS = "inverse dynamics"
    ENERGY = "energy"
    LINEAR_MODEL = "a linear model"


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

    def frame_kernel(self, frames: Sequence[Frame]) -> FrameKernel:
        """Compiled kinematics of frames on links, in the order of the rows that they get."""
        raise Unsupported(f"{self.name} does not place frames on its links, which loads and loops ask for")

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
    def loaded(self) -> Model:
        """The model as a run knows it, with the frames on which loads in time act."""
        return self.model

    @property
    def dynamics(self) -> Dynamics | None:
        """Compiled equations of motion for lissom's time loop; None: the loop calls the methods above."""
        return None

    def of_tree(self) -> Formulation:
        """Return the same of the tree alone, without what joins it."""
        if not any(part.feature in JOINED for part in parts(self.model)):
            return self
        from lissom.theory.connections.tree_models import tree_of

        tree = copy(self)
        tree.model = tree_of(self.model)
        return tree

    @property
    def tree_dynamics(self) -> Dynamics:
        """The equations of motion as compiled code reaches them: compiled, or called back within `called`."""
        from lissom.theory.callback import CALLED_BACK

        return self.dynamics or CALLED_BACK

    def called(self) -> AbstractContextManager[Any]:
        """Return a context in which compiled code may call this formulation back."""
        from lissom.theory.callback import called_back

        return nullcontext() if self.dynamics is not None else called_back(self)

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
    """Build the formulation `name` of a robot; `Unsupported` where it does not cover the robot.

    Loops, elements, contacts and prescribed joints that the theory has no equations for are joined to its equations of
    the tree, through its own kinematics (`connections`).
    """
    known = entries()
    if name not in known:
        raise LissomError(
            f"there is no formulation of this name{did_you_mean(name, list(known))}", ("formulation",), name
        )
    model = as_model(robot)
    try:
        return known[name].make(model)
    except Unsupported:
        features = {part.feature for part in parts(model)}
        if Feature.COUPLED_JOINTS in features or not features & JOINED:
            raise
    from lissom.theory.connections.connected import ConnectedFormulation
    from lissom.theory.connections.tree_models import tree_of

    return ConnectedFormulation(known[name].make(tree_of(model)), model)
