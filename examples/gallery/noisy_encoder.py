"""What an encoder of a thousand steps tells, beside what an ideal one would.

Control
"""

import numpy as np

import lissom

encoder = {"type": "encoder", "joint": "elbow", "name": "encoder", "resolution": 2 * np.pi / 1000, "rate": 200}
run = lissom.simulate("ella", 0.2, sensors=[encoder], progress=False)
off = np.abs(run.reading("encoder").values - run.reading("encoder", ideal=True).values)
rate = float(np.abs(run.velocity("elbow")).max())
print(f"it is at most {off.max():.4f} rad off")
assert off.max() <= np.pi / 1000 + rate / 200 + 1e-9  # half a step, and what the elbow does between two samples
figure = run.plot("sensors")
