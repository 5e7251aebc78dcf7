"""A study: eight lengths of a link, and what they do to its largest deflection.

Measurement
"""

import numpy as np

from lissom.scenario import Scenario
from lissom.study import Study

study = Study(
    name="loads",
    scenario=Scenario(robot="ella", duration=0.1),
    vary={"links.upper.beam.length": {"from": 0.8, "to": 1.4}},
    outputs=["peak |deflection.upper|"],
    sampling={"type": "sobol", "runs": 8},
)
results = study.run("loads.zarr", cores=1, progress=False)
peak = results.values("peak |deflection.upper|")
assert len(peak) == 8 and np.isfinite(peak).all() and np.ptp(peak) > 0
figure = results.plot()
