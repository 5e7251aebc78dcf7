"""What the geometrically exact field costs: forward dynamics against the second-order field, and shear on top of it."""

from __future__ import annotations

import numpy as np
from chain import chain, random_states
from forward_dynamics import Kernel
from timing import Race

CHAINS = ((2, 8), (4, 8), (7, 12), (4, 16))  # links, modes of each
TARGET = 6.0  # `exact` over `first`, same coordinates
SHEAR_TARGET = 1.3  # `exact` with shear over `exact` without
FIELDS = {"first": ("first", "none"), "exact": ("exact", "none"), "sheared": ("exact", "auto")}  # stiffening, shear


def compare(links: int, modes: int, turns: int = 60) -> dict[str, object]:
    """Microseconds per call with each field, and their ratios turn by turn."""
    competitors = {}
    for name, (stiffening, shear) in FIELDS.items():
        model = chain(links, modes, stiffening, shear).compile()
        kernel, states = Kernel(model), random_states(model)
        a = np.empty_like(states.v)
        competitors[name] = lambda n, kernel=kernel, states=states, a=a: kernel.repeat(n, states, a)
    race = Race(competitors, turns)
    us = {name: 1e6 * race.timing(name).best / len(states.q) for name in competitors}
    ratios = {"ratio": race.ratio("exact", to="first"), "shear": race.ratio("sheared", to="exact")}
    return {"links": links, "modes": modes, "us": us, **ratios}


def main() -> None:
    for links, modes in CHAINS:
        result = compare(links, modes)
        us, ratio, shear = result["us"], result["ratio"], result["shear"]
        print(
            f"{links:3} x {modes:2}: first {us['first']:7.2f} us, exact {us['exact']:7.2f} us, "
            f"with shear {us['sheared']:7.2f} us; "
            f"ratio {ratio.median:.2f} ({ratio.low:.2f} to {ratio.high:.2f}), target {TARGET:g}; "
            f"shear {shear.median:.2f} ({shear.low:.2f} to {shear.high:.2f}), target {SHEAR_TARGET:g}"
        )


if __name__ == "__main__":
    main()
