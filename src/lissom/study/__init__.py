"""Many runs: batches in one call, and studies that are kept in a store and survive anything.

>>> data = lissom.simulate_batch("ella", {"links.forearm.beam.masses.0.mass": [1, 2, 3]})
>>> results = lissom.study.load("payloads.yaml").run("payloads.zarr")
>>> results.data, results.ranking(), results.trajectory(17)
"""

from lissom.study.execution.batch import simulate_batch
from lissom.study.plan.kept_quantities import Quantity
from lissom.study.plan.sampling import Normal, Range, Sampling, Values, Variations
from lissom.study.plan.study_schema import Study, load
from lissom.study.search.minimisation import Best, minimise
from lissom.study.store.study_results import Results
from lissom.study.store.study_results import open_results as open

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
