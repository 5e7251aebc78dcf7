"""What acts in a joint by itself: friction, springs, soft stops, transmissions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field, field_validator, model_validator

from lissom.model.description.force_curve import Curve
from lissom.model.schema.base_model import Description, refusals
from lissom.model.schema.name_fields import Choice
from lissom.model.schema.number_fields import Number, PerCoordinate, refusal, wrong_kind
from lissom.model.schema.units import DAMPING, FORCE, INERTIA, POSITION, RATE, STIFFNESS, JointUnit


class Friction(Description):
    """Friction torque or force: viscous, plus Coulomb friction smoothed over `velocity`, plus what sticks near rest.

    Against the speed v acts viscous v + (coulomb + stick / (1 + (v / stribeck)^2)) tanh(v / velocity): with `stick` the
    friction falls from its peak near rest to Coulomb's (Stribeck's curve in the form of Hess and Soom 1990).

    With `law: lugre` bristles of `bristle_stiffness` and `bristle_damping` bend before they slip, so that what rests
    stays (Canudas de Wit et al. 1995); `law: dahl` has the stiffness alone (Dahl 1976).
    """

    what: ClassVar[str] = "friction"

    coulomb: Annotated[PerCoordinate, Number("the Coulomb friction", FORCE, at_least=0, each=True)] = 0.0
    velocity: Annotated[
        PerCoordinate,
        Number(
            "the speed over which Coulomb friction is smoothed",
            RATE,
            above=0,
            each=True,
        ),
    ] = 0.01
    stick: Annotated[PerCoordinate, Number("the friction at rest beyond Coulomb's", FORCE, at_least=0, each=True)] = 0.0
    stribeck: Annotated[
        PerCoordinate,
        Number("the speed at which half of `stick` is left", RATE, above=0, each=True),
    ] = 0.1
    viscous: Annotated[PerCoordinate, Number("the viscous friction", DAMPING, at_least=0, each=True)] = 0.0
    law: Annotated[str, Choice("the law of friction", ("smooth", "lugre", "dahl"))] = "smooth"
    bristle_stiffness: Annotated[
        PerCoordinate, Number("the stiffness of the bristles", STIFFNESS, at_least=0, each=True)
    ] = 0.0
    bristle_damping: Annotated[PerCoordinate, Number("the damping of the bristles", DAMPING, at_least=0, each=True)] = (
        0.0
    )

    @model_validator(mode="after")
    def _of_its_law(self) -> Friction:
        bristles = np.any(np.real(self.bristle_stiffness)) or np.any(np.real(self.bristle_damping))
        if self.law == "smooth" and bristles:
            text = "belongs to friction with bristles; write law: lugre or law: dahl, or remove it"
            raise refusals(("bristle_stiffness", self.bristle_stiffness, text))
        if self.law == "smooth":
            return self
        for field in ("bristle_stiffness", "coulomb"):
            if not np.all(np.real(getattr(self, field)) > 0):
                text = f"must be positive in the law {self.law}; give it, or take law: smooth"
                raise refusals((field, getattr(self, field), text))
        if self.law == "dahl":
            for field in ("stick", "viscous", "bristle_damping"):
                if np.any(np.real(getattr(self, field))):
                    raise refusals((field, getattr(self, field), "is no part of Dahl's law; write law: lugre"))
        return self


class Spring(Description):
    """A spring in the joint, relaxed at `rest`: linear, or along a curve of the stretch."""

    what: ClassVar[str] = "spring"

    stiffness: Annotated[PerCoordinate, Number("the stiffness", STIFFNESS, at_least=0, each=True)] = 0.0
    curve: Curve | None = None
    rest: Annotated[PerCoordinate, Number("the coordinate at which the spring is relaxed", POSITION, each=True)] = 0.0


SET_IN = 1e-5  # of the range of a joint: where a stop sets in; a hit that presses it less deep is softened


class Limits(Description):
    """The range of a joint, `lower` to `upper`; with a `stiffness` soft stops hold it there.

    A stop is a stiff spring and a damper, blended in over `width`. Without one nothing pushes: sliders and inverse
    kinematics keep to the range, and a run that leaves it is told.
    """

    what: ClassVar[str] = "limits block"

    lower: Annotated[PerCoordinate, Number("the lower limit", POSITION, each=True)]
    upper: Annotated[PerCoordinate, Number("the upper limit", POSITION, each=True)]
    stiffness: Annotated[PerCoordinate | None, Number("the stiffness of the stop", STIFFNESS, above=0, each=True)] = (
        None
    )
    damping: Annotated[
        PerCoordinate,
        Number("the damping of the stop", DAMPING, at_least=0, each=True),
    ] = 0.0
    width: Annotated[
        PerCoordinate | None,
        Number("the width over which the stop sets in", POSITION, above=0, each=True),
    ] = Field(default=None, validate_default=True)

    @field_validator("upper")
    @classmethod
    def _above_lower(cls, upper: PerCoordinate, info: Any) -> PerCoordinate:
        lower = info.data.get("lower")
        if lower is not None and _same_size(lower, upper) and np.any(np.subtract(upper, lower) <= 0):
            raise refusal(f"must be greater than lower = {_brief(lower)}; swap or correct the two limits")
        return upper

    @field_validator("damping")
    @classmethod
    def _of_a_stop(cls, damping: PerCoordinate, info: Any) -> PerCoordinate:
        if np.any(damping) and info.data.get("stiffness", 0.0) is None:
            raise refusal("belongs to a stop, which has a stiffness; give that too, or remove this field")
        return damping

    @field_validator("width")
    @classmethod
    def _default_width(cls, width: PerCoordinate | None, info: Any) -> PerCoordinate | None:
        """Return a width far below the depth to which stops are pressed, unless one is given."""
        lower, upper = info.data.get("lower"), info.data.get("upper")
        if width is not None or lower is None or upper is None or not _same_size(lower, upper):
            return width
        if isinstance(lower, tuple) or isinstance(upper, tuple):
            return tuple(float(w) for w in SET_IN * np.subtract(upper, lower))
        return SET_IN * (upper - lower)


class Transmission(Description):
    """A motor's rotor behind a gear.

    With `stiffness` the gear is elastic and the rotor has a coordinate of its own (its angle referred to the
    joint); without it the gear is rigid and the reflected inertia gear^2 rotor_inertia joins the joint.
    """

    what: ClassVar[str] = "transmission"

    stiffness: Annotated[float | None, Number("the stiffness of the gear", STIFFNESS, above=0)] = None
    curve: Curve | None = None
    rotor_inertia: Annotated[float, Number("the rotor's inertia", INERTIA, at_least=0)]
    gear: Annotated[float, Number("the gear ratio (motor turns per joint turn)", above=0)] = 1.0
    damping: Annotated[float, Number("the damping of the gear", DAMPING, at_least=0)] = 0.0
    hysteresis: Annotated[
        float, Number("the friction inside the gear, half the height of its loop", FORCE, at_least=0)
    ] = 0.0
    hysteresis_velocity: Annotated[float, Number("the speed of winding over which that is smoothed", RATE, above=0)] = (
        0.01
    )

    @property
    def elastic(self) -> bool:
        """Whether the gear gives way, so that the rotor has a coordinate of its own."""
        return self.stiffness is not None or self.curve is not None

    def rigid(self) -> Transmission:
        """Return the same rotor behind a rigid gear."""
        return self.model_copy(update={"stiffness": None, "curve": None, "damping": 0.0, "hysteresis": 0.0})

    @model_validator(mode="after")
    def _rotor_can_move(self) -> Transmission:
        if self.elastic and self.rotor_inertia == 0:
            text = "must be positive behind an elastic gear; give the rotor's inertia in kg m2"
            raise refusals(("rotor_inertia", 0.0, text))
        for field, other in (("damping", "damping"), ("hysteresis", "friction")):
            if not self.elastic and np.real(getattr(self, field)) > 0:
                text = f"acts across a stiffness, which is missing; give the stiffness, or use the joint's {other}"
                raise refusals((field, getattr(self, field), text))
        return self


def unit_problems(block: Description, moved: Sequence[str]) -> list[tuple[tuple[str | int, ...], Any, str]]:
    """Return numbers of a block about a joint that were written in units of the wrong kind: (path, value, what to do).

    Parameters
    ----------
    moved : sequence of str
        What the coordinates of the joint are in, each "rad" or "m".
    """
    found: list[tuple[tuple[str | int, ...], Any, str]] = []
    for name, field in type(block).model_fields.items():
        value = getattr(block, name)
        unit = next((mark.unit for mark in field.metadata if isinstance(getattr(mark, "unit", ""), JointUnit)), None)
        if unit is not None and (text := wrong_kind(value, unit, moved)):
            found.append(((name,), value, text))
        elif name == "curve" and value is not None:
            found += [((name, *path), wrong, text) for path, wrong, text in unit_problems(value, moved)]
    for k, row in enumerate(getattr(block, "table", ())):
        text = wrong_kind(row[0], POSITION, moved) or wrong_kind(row[1], FORCE, moved)
        found += [(("table", k), row, text)] if text else []
    return found


def _same_size(a: PerCoordinate, b: PerCoordinate) -> bool:
    return not (isinstance(a, tuple) and isinstance(b, tuple)) or len(a) == len(b)


def _brief(value: PerCoordinate) -> str:
    return f"{value:g}" if isinstance(value, float) else "[" + ", ".join(f"{v:g}" for v in value) + "]"
