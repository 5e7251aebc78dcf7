"""What the geometrically exact field costs: forward dynamics against the same chains with the second-order field."""

from __future__ import annotations

import numpy as np
from chain import chain, random_states
from forward_dynamics import Kernel
from timing import Race

CHAINS = ((2, 8), (4, 8), (7, 12), (4, 16))  # links, modes of each
TARGET = 6.0  # `exact` over `first`, same coordinates


def compare(links: int, modes: int, turns: int = 60) -> dict[str, object]:
    """Microseconds per call with the fields `first` and `exact`, and their ratio turn by turn."""
    competitors = {}
    for stiffening in ("first", "exact"):
        model = chain(links, modes, stiffening).compile()
        kernel, states = Kernel(model), random_states(model)
        a = np.empty_like(states.v)
        competitors[stiffening] = lambda n, kernel=kernel, states=states, a=a: kernel.repeat(n, states, a)
    race = Race(competitors, turns)
    us = {name: 1e6 * race.timing(name).best / len(states.q) for name in competitors}
    return {"links": links, "modes": modes, "us": us, "ratio": race.ratio("exact", to="first")}


def main() -> None:
    for links, modes in CHAINS:
        result = compare(links, modes)
        us, ratio = result["us"], result["ratio"]
        print(
            f"{links:3} x {modes:2}: first {us['first']:7.2f} us, exact {us['exact']:7.2f} us, "
            f"ratio {ratio.median:.2f} ({ratio.low:.2f} to {ratio.high:.2f}), target {TARGET:g}"
        )


if __name__ == "__main__":
    main()
