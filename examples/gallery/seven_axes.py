"""Seven axes follow a path by computed torque.

Robots
"""

import numpy as np

from lissom.scenario import load

run = load("rigid-7-axis").run(progress=False)
off = np.abs(run["reference"].values - run["position"].values)  # the law knows half of the payload
print(f"the joints are at most {off.max():.3f} rad off the path, at its end {off[-1].max():.1e}")
assert off[-1].max() < 1e-3 < off.max() < 0.1
figure = run.plot("joints")
