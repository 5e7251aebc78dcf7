"""The settings of a run, once: `simulate`, the time loop, scenario files and the command line all read these."""

# Annotations are not postponed here: pydantic would have to compile each of them again.
import inspect
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal, Self, TypedDict, TypeVar

from pydantic import model_validator

from lissom.errors import LissomError
from lissom.messages import did_you_mean, listed
from lissom.model.schema.base_model import Description, refusals
from lissom.model.schema.name_fields import Choice
from lissom.model.schema.number_fields import Flag, Number
from lissom.simulation.integrators import registry

Function = TypeVar("Function", bound=Callable[..., Any])

SHORTEST = 1e-9  # s of a run
MOST_STEPS = 1e10  # fixed ones in a run: hours; with many more, time no longer advances in double precision
TYPICAL_SIZE = 1e-2  # m or rad: of coordinates whose relative and absolute error count alike, unless atol is given
FINEST = 1e-14  # smallest relative error that double precision resolves


class Integration(Description):
    """How a motion is computed."""

    what: ClassVar[str] = "run"
    whole: ClassVar[str] = "run"
    error: ClassVar[type[LissomError]] = LissomError

    duration: Annotated[float, Number("the time to simulate", "seconds", above=0, at_most=1e6)]
    method: Annotated[str, Choice("an integrator", registry.METHODS)] = registry.AUTO
    step: Annotated[float | None, Number("a fixed step", "seconds", above=0)] = None
    rtol: Annotated[float, Number("the relative error allowed per step", at_least=FINEST, below=1)] = 1e-6
    atol: Annotated[
        float | None, Number("the absolute error allowed per step in m and rad, rtol / 100 unless given", above=0)
    ] = None
    radius: Annotated[float, Number("the spectral radius of generalised-alpha, 0 to 1", at_least=0, at_most=1)] = 0.8
    follow: Annotated[float | None, Number("the highest frequency whose vibrations are followed", "Hz", above=0)] = None

    @property
    def absolute_error(self) -> float:
        """The absolute error allowed per step: `atol`, or where that is not given what follows from `rtol`."""
        return TYPICAL_SIZE * self.rtol if self.atol is None else self.atol

    @model_validator(mode="after")
    def _steps(self) -> Self:
        chosen = None if self.method == registry.AUTO else registry.integrator(self.method)
        if self.follow is not None and chosen is not None and not chosen.follows:
            able = ", ".join(registry.names(lambda one: one.follows))
            text = f"{self.method} follows all vibrations; take {able}, or {registry.AUTO}"
            raise refusals(("follow", self.follow, text))
        if chosen is not None and chosen.fixed_only and self.step is None:
            raise refusals(("step", None, f"missing; {self.method} takes fixed steps, give their size in seconds"))
        if self.duration < SHORTEST:
            raise refusals(("duration", self.duration, f"too short; give at least {SHORTEST:g} s"))
        if self.step is not None and self.step < self.duration / MOST_STEPS:
            least = self.duration / MOST_STEPS
            text = f"too small: {self.duration:g} s would take {self.duration / self.step:.2g} steps"
            raise refusals(("step", self.step, f"{text}; give at least {least:.2g} s, or leave it out"))
        return self


class OutputSampling(Description):
    """What is kept of a motion."""

    what: ClassVar[str] = "run"
    whole: ClassVar[str] = "run"
    error: ClassVar[type[LissomError]] = LissomError

    rate: Annotated[float, Number("the number of outputs per second", above=0, at_most=1e6)] = 200.0
    audit: Annotated[bool, Flag("whether work and dissipation are integrated along the way")] = True


class RunSettings(Integration, OutputSampling):
    """All settings of a run apart from robot, controller, start and motion; checked when made."""

    @classmethod
    def of(cls, duration: "float | RunSettings", **options: Any) -> "RunSettings":
        """Return settings from a duration or from other settings, and what differs from them."""
        if isinstance(duration, RunSettings) and not options:
            return duration
        unknown = [name for name in options if name not in cls.model_fields]
        if unknown:
            known = [name for name in cls.model_fields if name != "duration"]
            hint = did_you_mean(unknown[0], known)
            raise TypeError(f"a run has no setting {unknown[0]!r}{hint}; its settings are {listed(known, 'and')}")
        given = duration.model_dump() if isinstance(duration, RunSettings) else {"duration": duration}
        return cls(**(given | options))

    @classmethod
    def joined(cls, *parts: Description) -> "RunSettings":
        """Return settings whose values are fields of several parts, such as a scenario and its output."""
        return cls(**{name: getattr(part, name) for part in parts for name in cls.model_fields if hasattr(part, name)})


class RunOptions(TypedDict, total=False):
    """The fields of `RunSettings` besides the duration, for editors and type checkers."""

    # a name in a variable is a str
    method: (
        Literal["auto", "euler", "rk4", "dopri5", "dop853", "radau", "generalised-alpha", "cvode-adams", "cvode-bdf"]
        | str
    )
    step: float | None
    rtol: float
    atol: float | None
    radius: float
    follow: float | None
    rate: float
    audit: bool


def takes_settings(function: Function) -> Function:
    """Show the settings, with their defaults, in the signature of a function that takes them as **options."""
    signature = inspect.signature(function)
    own = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    named = {each.name for each in own}
    settings = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=field.annotation)
        for name, field in RunSettings.model_fields.items()
        if name not in named
    ]
    function.__signature__ = signature.replace(parameters=[*own, *settings])  # type: ignore[attr-defined]
    return function
