"""Tables of how far links that bend are drawn back: forms of second order, terms of fourth order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from lissom.kernel.arrays import Bow, Foreshortening

if TYPE_CHECKING:
    from lissom.beam import FlexibleLink

Starts = Callable[[dict[int, int]], Any]  # from rows by body to where each body's begin
Zeros = Callable[..., Any]


def foreshortening(links: Mapping[int, FlexibleLink], starts_of: Starts, zeros: Zeros) -> Foreshortening:
    """Of the links by their body."""
    parts = {i: part for i, link in links.items() if (part := link.shortening()) is not None}
    starts = starts_of({i: len(part.weight) for i, part in parts.items()})
    out = zeros(Foreshortening, FUNCTION=starts[-1])
    out.start[:] = starts
    for i, part in parts.items():
        rows, k = slice(starts[i], starts[i + 1]), part.form.shape[1]
        out.form[rows, :k, :k], out.phi[rows, :, :k] = part.form, part.phi
        out.weight[rows], out.s0[rows] = part.weight, part.s0
        if links[i].bow is not None:
            shares = links[i].bow_shares()
            out.bow[rows, : shares.shape[1]] = shares
    return out


def bow(links: Mapping[int, FlexibleLink], starts_of: Starts, zeros: Zeros) -> Bow:
    """Of the links by their body that bow between their ends."""
    parts = {i: link.bow for i, link in links.items() if link.bow is not None}
    starts = starts_of({i: len(part.rigidity) for i, part in parts.items()})
    out = zeros(Bow, BOW=starts[-1])
    out.start[:] = starts
    for i, part in parts.items():
        rows, k = slice(starts[i], starts[i + 1]), part.slope.shape[2]
        out.slope[rows, :, :k], out.slope_x[rows, :, :k] = part.slope, part.slope_x
        out.rigidity[rows] = part.rigidity
    return out
