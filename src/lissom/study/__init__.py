"""Many runs: batches in one call, and studies that are kept in a store and survive anything.

>>> data = lissom.simulate_batch("ella", {"links.forearm.beam.masses.0.mass": [1, 2, 3]})
>>> results = lissom.study.load("payloads.yaml").run("payloads.zarr")
>>> results.data, results.ranking(), results.trajectory(17)
"""

from lissom.study.batch import simulate_batch
from lissom.study.minimise import Best, minimise
from lissom.study.outputs import Quantity
from lissom.study.results import Results
from lissom.study.results import open_results as open
from lissom.study.samples import Normal, Range, Sampling, Values, Variations
from lissom.study.schema import Study, load

__all__ = [
    "simulate_batch",
    "Study",
    "load",
    "open",
    "Results",
    "minimise",
    "Best",
    "Sampling",
    "Values",
    "Range",
    "Normal",
    "Variations",
    "Quantity",
]
