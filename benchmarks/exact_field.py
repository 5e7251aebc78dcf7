"""What the geometrically exact field costs: forward dynamics against the second-order field, and shear on top of it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from chain import chain, random_states
from forward_dynamics import Kernel
from sheet import Sheet, spread, verdict
from timing import Race

CHAINS = ((2, 8), (4, 8), (7, 12), (4, 16))  # links, modes of each
TARGET = 6.0  # `exact` over `first`, same coordinates
SHEAR_TARGET = 1.3  # `exact` with shear over `exact` without
FIELDS = {"first": ("first", "none"), "exact": ("exact", "none"), "sheared": ("exact", "auto")}  # stiffening, shear


def compare(links: int, modes: int, turns: int = 60) -> dict[str, Any]:
    """Microseconds per call with each field, and their ratios turn by turn."""
    competitors = {}
    for name, (stiffening, shear) in FIELDS.items():
        model = chain(links, modes, stiffening, shear).compile()
        kernel, states = Kernel(model), random_states(model)
        a = np.empty_like(states.v)
        competitors[name] = lambda n, kernel=kernel, states=states, a=a: kernel.repeat(n, states, a)
    race = Race(competitors, turns)
    us = {name: 1e6 * race.timing(name).best / len(states.q) for name in competitors}
    ratios = {name: asdict(race.ratio(name, to=other)) for name, other in (("exact", "first"), ("sheared", "exact"))}
    return {"links": links, "modes": modes, "us": us, "ratio": ratios}


def measure() -> dict[str, Any]:
    """All chains."""
    return {"chains": [compare(links, modes) for links, modes in CHAINS]}


def sheets(results: dict[str, Any]) -> list[Sheet]:
    rows = []
    for row in results["chains"]:
        us = [f"{row['us'][name]:.2f}" for name in FIELDS]
        cells = [
            cell
            for name, target in (("exact", TARGET), ("sheared", SHEAR_TARGET))
            for cell in (spread(row["ratio"][name]), verdict(row["ratio"][name]["median"], target))
        ]
        rows.append([f"{row['links']} x {row['modes']}", *us, *cells])
    text = (
        "Chains as in the first table with the second-order field, the geometrically exact one, and the exact one with "
        "shear (a Cosserat rod): one forward dynamics inside a compiled loop, in microseconds."
    )
    columns = ("chain", "`first`", "`exact`", "with shear", "`exact` / `first`", "target", "shear / none", "target")
    return [Sheet("The exact field", text, columns, rows)]
