"""A place on a link that bends: metres along a beam, or the name of an interface of finite elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Discriminator, Tag

from lissom.messages import did_you_mean, listed
from lissom.model.schema.base_model import FORM
from lissom.model.schema.name_fields import Name
from lissom.model.schema.number_fields import Number
from lissom.model.schema.units import quantity

if TYPE_CHECKING:
    from lissom.model.description.robot import Link

AnyPlace = Annotated[
    Annotated[float, Number("the place along the parent beam", "metres", at_least=0), Tag(FORM + "number")]
    | Annotated[str, Name("the interface of the parent"), Tag(FORM + "name")],
    Discriminator(lambda data: FORM + ("name" if isinstance(data, str) and quantity(data) is None else "number")),
]


ROUNDING = 1e-12  # of the length, as in the fields of beams: 182.2 cm is 1.8220000000000003 m in floating-point numbers


def on_beam(x: Any, length: Any) -> Any:
    """Return whether places x lie between the ends of a beam, as far as rounding lets them."""
    share = np.real(x) / np.real(length)
    return (share >= -ROUNDING) & (share <= 1 + ROUNDING)


def place_problem(link: Link | None, place: float | str | None, role: str) -> str:
    """Return what is wrong with a `place` on `link` (None: the world), the `role` of something; "" if nothing is."""
    if place is None:
        return ""
    if link is not None and link.finite_elements is not None:
        names = link.finite_elements.interface_names
        if isinstance(place, str) and (not names or place in names):
            return ""
        known = f"choose {listed(names)}" if names else "give its name"
        return f"is not an interface of {link.name!r}{did_you_mean(str(place), names)}; {known}"
    if isinstance(place, str):
        return f"names an interface, which only a {role} of finite elements has; give a place in metres, or leave it"
    if link is None or link.beam is None:
        what = "the world" if link is None else f"the rigid link {link.name!r}"
        return f"is a place along a beam, but the {role} is {what}; use origin: {{xyz: [x, y, z]}} instead"
    if not on_beam(place, link.beam.length):
        return f"lies beyond the end of {link.name!r} (length {link.beam.length:g}); give a place along it in metres"
    return ""
