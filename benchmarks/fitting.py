"""How long a fit takes: eight parameters of the two-link rig from twenty seconds of its record, on one core."""

from __future__ import annotations

import time
import warnings
from typing import Any

import lissom
from lissom.reproductions import two_link_rig as rig

TARGET = 30.0  # s
WINDOW = (82.2, 102.1)
MORE = ("links.hub2.body.inertia.2.2", "links.link2.beam.masses.0.mass")


def measure() -> dict[str, Any]:
    """Seconds of a whole fit, once kernels are there."""
    data = rig.excerpt()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stiffness = ["materials.steel1.E", "materials.steel2.E"]
        start = lissom.fit(rig.with_friction(), stiffness, frequencies=rig.KNOWN, progress=False).robot

        def fit(most: int) -> Any:
            seen = rig.record(data, "square", WINDOW).model_copy(update={"unknown": {}})
            return lissom.fit(start, [*rig.FOUND, *MORE], seen, most=most, progress=False, **rig.RUNS)

        fit(1)  # compiles
        wall, processor = time.perf_counter(), time.process_time()
        found = fit(40)
        seconds, processor = time.perf_counter() - wall, time.process_time() - processor
    return {
        "seconds": seconds,
        "processor": processor,
        "parameters": len(found.names),
        "samples": sum(len(block.measured) for block in found.blocks),
        "evaluations": found.misfit.evaluations,
        "message": found.message,
    }
