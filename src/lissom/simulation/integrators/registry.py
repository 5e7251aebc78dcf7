"""The integrators: one record for each, which says what it is and what it can do.

Settings, the time loop, sensitivities, batches and exports ask the record; none of them knows a method by its name.
`register` adds one from outside. A package that is installed registers its own by an entry point of the group
`lissom_integrators`, whose function is called when a name is asked for that is not here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from lissom.errors import LissomError
from lissom.messages import did_you_mean, listed
from lissom.plugins import load_plugins

if TYPE_CHECKING:
    from lissom.model.model import Model
    from lissom.simulation.equations.newton import Newton
    from lissom.simulation.integrators.integrator_state import State, Status
    from lissom.simulation.settings import RunSettings

AUTO = "auto"  # the name by which settings leave the choice to lissom


class Package(NamedTuple):
    """A package that an integrator needs."""

    module: str
    title: str
    extra: str  # of lissom, which installs it


SUNDIALS = Package("sksundae", "SUNDIALS", "sundials")


class Setup(NamedTuple):
    """What an integrator is made ready with; the last four as kernels take them, but for the state."""

    integrator: Integrator
    settings: RunSettings
    model: Model
    system: Any
    scratch: Any
    state: State

    @property
    def fixed(self) -> bool:
        """Whether all steps have the size that is asked for."""
        return self.settings.step is not None and not self.integrator.own_steps


class Buffers(NamedTuple):
    """What steps work on, as kernels take it."""

    system: Any
    scratch: Any
    scratch_c: Any  # of complex numbers, for the exact Newton matrix of implicit methods
    record: Any
    state: Any


class MethodLimits(NamedTuple):
    """How far to march."""

    end: float  # s
    longest: float  # s, of a step
    fixed: bool  # whether steps have that size instead
    steps: int


@dataclass(frozen=True)
class Method:
    """An integrator made ready for one run.

    Parameters
    ----------
    setup : Setup
        What it was made ready with.
    take_steps : callable
        A kernel, or a function, called as `take_steps(*buffers, work, *limits)`; returns a `Status`.
    work : object
        The memory of the method, as `take_steps` takes it.
    newton : Newton, optional
        The memory of its Newton iteration, which results report.
    projector : Closure, optional
        By which it brings states to closed loops, where its Newton matrix serves better than the mass matrix.
    release : callable
        Leaves the memory to the next run of the model.
    """

    setup: Setup
    take_steps: Callable[..., int]
    work: Any
    newton: Newton | None = None
    projector: Any = None
    release: Callable[[], None] = lambda: None

    @property
    def integrator(self) -> Integrator:
        """Return the record of the integrator."""
        return self.setup.integrator

    @property
    def name(self) -> str:
        """Return the name of the integrator."""
        return self.setup.integrator.name

    @property
    def fixed(self) -> bool:
        """Return whether all steps have the size that is asked for."""
        return self.setup.fixed

    def march(self, buffers: Buffers, limits: MethodLimits) -> Status:
        """Take steps until a limit is reached, or no step converges."""
        from lissom.simulation.integrators.integrator_state import Status

        return Status(self.take_steps(*buffers, self.work, *limits))


class StepDerivatives(Protocol):
    """The derivatives of an implicit method's steps by parameters, such as `radau.radau_derivatives`.

    The memory of the method has the fields `variation`, a `Hidden`, and `derive`, a `Pointer` that the method calls
    before it accepts a step; see `integrators.step_derivatives`.
    """

    STAGES: int
    derive: Any

    def make_own(self, n: int) -> Any:
        """Return the complex accelerations within a step."""


@dataclass(frozen=True)
class Integrator:
    """What an integrator is and can do.

    Parameters
    ----------
    name : str
        By which settings and the command line ask for it.
    purpose : str
        What it is good for, for the table of methods.
    order : str
        The order of its steps; of several the span.
    prepare : callable or str
        A function `Setup -> Method`, or where it is ("package.module:function"), so that it loads when it is used.
    implicit : bool
        Whether its steps solve equations. Stability does not limit them then.
    fixed_only : bool
        Whether it has no estimate of its error, so that `step` must be given.
    own_steps : bool
        Whether it chooses the sizes of steps by means of its own, whatever step is asked for.
    compiled : bool
        Whether its steps are a kernel, which exports hold and which closes loops itself.
    follows : bool
        Whether it can leave out vibrations above the frequency `follow`.
    stability : float
        The largest stable step of an explicit method times the fastest rate of decay.
    derivatives : str, optional
        The module of its `StepDerivatives`, if runs by it can be derived by parameters.
    vector_kernels : str, optional
        The module of its kernels over packs, if batches can run by it in vector lanes.
    package : Package, optional
        What must be installed for it.
    """

    name: str
    purpose: str
    order: str
    prepare: str | Callable[[Setup], Method]
    implicit: bool = False
    fixed_only: bool = False
    own_steps: bool = False
    compiled: bool = True
    follows: bool = False
    stability: float = 3.0
    derivatives: str | None = None
    vector_kernels: str | None = None
    package: Package | None = None

    def make(self, settings: RunSettings, model: Model, system: Any, scratch: Any, state: State) -> Method:
        """Return the integrator ready for a run; `system` and `scratch` as kernels take them."""
        prepare = resolve_name(self.prepare) if isinstance(self.prepare, str) else self.prepare
        method: Method = prepare(Setup(self, settings, model, system, scratch, state))
        return method

    def step_derivatives(self) -> StepDerivatives:
        """Return the derivatives of its steps, or refuse a method that has none."""
        if self.derivatives is None:
            have = listed(names(lambda one: one.derivatives is not None))
            text = f"sensitivities follow implicit steps whose derivatives are known; choose {have}, or leave it out"
            raise LissomError(text, ("method",), self.name)
        found: StepDerivatives = resolve_name(self.derivatives)
        return found


_TABLEAUS = "lissom.simulation.integrators.tableaus:prepare"
_CVODE = "lissom.simulation.integrators.cvode:prepare"
_COMPARED = "comparison with published results"
_records = {
    record.name: record
    for record in (
        Integrator("euler", _COMPARED, "1", _TABLEAUS, fixed_only=True, stability=2.0),
        Integrator("rk4", _COMPARED, "4", _TABLEAUS, fixed_only=True, stability=2.78),
        Integrator("dopri5", "rigid arms, slow links", "5", _TABLEAUS, stability=3.3),
        Integrator("dop853", "rigid arms, slow links, high accuracy", "8", _TABLEAUS, stability=6.0),
        Integrator(
            "generalised-alpha",
            "stiff arms at low accuracy; `radius` sets the damping of high frequencies",
            "2",
            "lissom.simulation.integrators.generalised_alpha:prepare",
            implicit=True,
            derivatives="lissom.simulation.integrators.alpha_derivatives",
        ),
        Integrator(
            "radau",
            "stiff, lightly damped arms: the default where links bend",
            "5",
            "lissom.simulation.integrators.radau.radau_steps:prepare",
            implicit=True,
            follows=True,
            derivatives="lissom.simulation.integrators.radau.radau_derivatives",
            vector_kernels="lissom.simulation.integrators.radau.vector_kernels",
        ),
        *(
            Integrator(name, "comparison", order, _CVODE, own_steps=True, compiled=False, package=SUNDIALS)
            for name, order in (("cvode-adams", "1 to 12"), ("cvode-bdf", "1 to 5"))
        ),
    )
}


def register(record: Integrator) -> None:
    """Add an integrator, so that `simulate`, scenario files, studies and the command line take its name.

    Parameters
    ----------
    record : Integrator
        What it is and can do. A name that is taken is refused.
    """
    if record.name == AUTO or _records.get(record.name, record) != record:
        raise LissomError("is the name of another integrator; choose one of its own", ("method",), record.name)
    _records[record.name] = record


def unregister(name: str) -> None:
    """Take an integrator out again, such as one of a test."""
    del _records[name]


def integrator(name: str) -> Integrator:
    """Return the record of the integrator called `name`."""
    if name not in METHODS:
        known = names()
        raise LissomError(f"is unknown{did_you_mean(name, known)}; there are {listed(known, 'and')}", ("method",), name)
    return _records[name]


def integrators() -> tuple[Integrator, ...]:
    """Return the records of all integrators."""
    return tuple(_records.values())


def names(that: Callable[[Integrator], bool] = lambda record: True) -> tuple[str, ...]:
    """Return the names of the integrators for which `that` holds."""
    return tuple(record.name for record in _records.values() if that(record))


class Methods(Collection[str]):
    """The names that settings take, as they are at the time: "auto", and those of all integrators."""

    def __contains__(self, name: object) -> bool:
        if name == AUTO or name in _records:
            return True
        load_plugins()
        return name in _records

    def __iter__(self) -> Iterator[str]:
        return iter((AUTO, *_records))

    def __len__(self) -> int:
        return 1 + len(_records)


METHODS = Methods()


def check_installed(name: str) -> None:
    """Refuse a method whose package is missing, before any work."""
    if name != AUTO and (package := integrator(name).package) is not None:
        check_package(package, name)


def check_package(package: Package, method: str) -> None:
    """Refuse a method whose package is missing."""
    if find_spec(package.module) is None:
        raise LissomError(f'needs {package.title}: pip install "lissom[{package.extra}]"', ("method",), method)
