"""What a formulation of the dynamics offers, and the register of those that exist.

A formulation is built from a Model and speaks in the Model's own coordinates, so that states, accelerations and
wrenches of any two of them compare directly. Each is derived on its own: none but `kernel` uses the kernel's
equations of motion.
"""

from __future__ import annotations

import pkgutil
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from lissom.beam import BeamLink, FlexibleLink
from lissom.errors import LissomError
from lissom.messages import did_you_mean, listed
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.model import Model

if TYPE_CHECKING:
    from lissom.dynamics.energy import Energy
    from lissom.simulation.equations.system import Dynamics
    from lissom.simulation.raw_run import RawRun


CLOSING = ("kernel", "screw_pde")  # formulations that keep loops closed


class Unsupported(LissomError):
    """A formulation that does not cover a robot; the message names the link or joint, and why."""


class Offer(StrEnum):
    """What a formulation may offer besides accelerations, wrenches and the pose of the tip."""

    INVERSE_DYNAMICS = "inverse dynamics"
    ENERGY = "energy"
    LINEAR_MODEL = "a linear model"


class Formulation(ABC):
    """Equations of motion of one model, by one theory."""

    model: Model
    offers: frozenset[Offer] = frozenset()

    @abstractmethod
    def accelerations(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Accelerations (nv,) at the state (q, v) under the generalised forces tau (nv,)."""

    @abstractmethod
    def wrenches(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Wrench of the parent on the child at every joint, child axes, shape (joints, 6): torque, force."""

    @abstractmethod
    def tip(self, q: np.ndarray) -> np.ndarray:
        """Pose (4, 4) of the last link's tip in the world."""

    # What a formulation may offer beside it; here, that it does not.

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Generalised forces (nv,) that produce the accelerations a; `Offer.INVERSE_DYNAMICS`."""
        raise self._not_offered(Offer.INVERSE_DYNAMICS)

    def energy(self, q: np.ndarray, v: np.ndarray) -> Energy:
        """Kinetic and potential energies; `Offer.ENERGY`."""
        raise self._not_offered(Offer.ENERGY)

    def linearise(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Any:
        """Return A and B of the motion about a state with given accelerations; `Offer.LINEAR_MODEL`."""
        raise self._not_offered(Offer.LINEAR_MODEL)

    @property
    def dynamics(self) -> Dynamics | None:
        """Compiled equations of motion for lissom's time loop; None: the loop calls the methods above."""
        return None

    def limit(self, raw: RawRun) -> Limit | None:
        """Where a run left what the formulation describes; None: nowhere."""
        return None

    def _not_offered(self, what: Offer) -> Unsupported:
        return Unsupported(f"{type(self).__name__} does not offer {what}")


class Limit(NamedTuple):
    """How much of a run is good, and why no more."""

    outputs: int
    reason: str


@dataclass(frozen=True)
class Entry:
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


_register: dict[str, Entry] = {}
KERNEL = "kernel"  # the formulation that covers everything
Class = TypeVar("Class", bound=Callable[[Model], Formulation])


def _without_elements(name: str, make: Callable[[Model], Formulation]) -> Callable[[Model], Formulation]:
    """Make a formulation refuse what only the kernel knows: elements, contacts, links that bow between ends."""

    def covered(model: Model) -> Formulation:
        for what in ("elements", "contacts"):
            if parts := getattr(model.robot, what):
                raise Unsupported(f"{name} knows no {what}; use {KERNEL}", (what,), parts[0].name)
        no_bow(model, name)
        return make(model)

    return covered


def register(name: str, title: str, paper: str) -> Callable[[Class], Class]:
    """Enter a class, or any function that builds a formulation from a Model, under a name."""

    def enter(make: Class) -> Class:
        _register[name] = Entry(name, title, paper, make if name == KERNEL else _without_elements(name, make))
        return make

    return enter


def entries() -> dict[str, Entry]:
    """Every formulation by name: the kernel and the folders of this package enter themselves when they are imported."""
    import lissom.theory as package

    for module in pkgutil.iter_modules(package.__path__):
        if module.ispkg or module.name == KERNEL:
            import_module(f"{package.__name__}.{module.name}")
    return dict(sorted(_register.items(), key=lambda item: (item[0] != "kernel", item[0])))


def names() -> tuple[str, ...]:
    """Names of all formulations, the kernel first."""
    return tuple(entries())


def only_beams(model: Model, formulation: str) -> dict[str, BeamLink]:
    """Return the beams of a model; `Unsupported` where another link bends, or a beam that is not plain."""
    no_exact_links(model, formulation)
    return {name: plain_beam(name, link, formulation) for name, link in model.flexible.items()}


def plain_beam(name: str, link: FlexibleLink, formulation: str) -> BeamLink:
    """Return the link itself, if it is a beam of one section that does not shear; `Unsupported` else."""
    if not isinstance(link, BeamLink):
        raise Unsupported(f"{formulation} covers beams, not finite elements", ("links", name))
    if not link.plain:
        text = f"{formulation} covers uniform beams without shear; this one has shear, stations, or a section off its"
        raise Unsupported(f"{text} axis: give it one section and shear: none", ("links", name, "beam"))
    no_prestress(name, link, formulation)
    return link


def no_prestress(name: str, link: FlexibleLink, formulation: str) -> None:
    """`Unsupported` where heat or a tendon strains a link."""
    if np.any(link.preload() != 0):
        text = f"{formulation} has no prestress, and heat or a tendon strains this link; remove it"
        raise Unsupported(text, ("links", name, "beam"))


def no_exact_links(model: Model, formulation: str) -> None:
    """`Unsupported` where a link has the geometrically exact field."""
    for name, link in model.flexible.items():
        if link.stiffening == "exact":
            text = f"{formulation} has no geometrically exact field; use stiffening: first"
            raise Unsupported(text, ("links", name, "beam", "stiffening"), link.stiffening)


def no_bow(model: Model, formulation: str) -> None:
    """`Unsupported` where a link that bows between its ends has terms of fourth order."""
    for name, link in model.flexible.items():
        if link.bow is not None:
            text = f"{formulation} has no terms of fourth order, which a link on a loop has with stiffening: first"
            raise Unsupported(f"{text}; use stiffening: none, or {KERNEL}", ("links", name, "beam", "stiffening"))


def no_prescribed_joints(model: Model, formulation: str) -> None:
    """`Unsupported` where the motion of a joint is given."""
    for joint in model.prescribed:
        raise Unsupported(f"{formulation} takes forces; drive this joint with a torque instead", ("prescribed",), joint)


def build(name: str, robot: AnyRobot) -> Formulation:
    """Build the formulation `name` of a robot; `Unsupported` where it does not cover the robot."""
    known = entries()
    if name not in known:
        raise LissomError(
            f"there is no formulation of this name{did_you_mean(name, list(known))}", ("formulation",), name
        )
    model = as_model(robot)
    if model.loops and name not in CLOSING:
        raise Unsupported(f"{name} covers trees without loops; use {listed(CLOSING)}", ("loops",), model.loops[0].name)
    return known[name].make(model)
