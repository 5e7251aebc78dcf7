"""Many runs: batches in one call, and studies that are kept in a store and survive anything.

>>> data = lissom.simulate_batch("ella", {"links.forearm.beam.masses.0.mass": [1, 2, 3]})
>>> results = lissom.study.load("payloads.yaml").run("payloads.zarr")
>>> results.data, results.ranking(), results.trajectory(17)
"""

from lissom import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
