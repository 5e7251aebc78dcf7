"""What a parameter does to a whole motion: its exact derivative, against the difference of two runs.

Research and teaching
"""

import numpy as np

import lissom

robot, path, start = lissom.load("spinup-beam"), "links.blade.beam.length", {"shaft.rate": 1.0}
found = lissom.sensitivity(robot, [path], 0.3, start=start, rate=50, rtol=1e-9, atol=1e-11)
length, step = robot.value(path), 1e-5
longer, shorter = (robot.with_value(path, length + side * step) for side in (1, -1))
tips = [lissom.simulate(other, 0.3, start=start, rtol=1e-10, progress=False).tip()[-1] for other in (longer, shorter)]
difference = (tips[0] - tips[1]).values / (2 * step)
print("m per m:", found.output[0, -1], difference)
assert np.abs(found.output[0, -1] - difference).max() < 1e-4 * np.abs(difference).max()
run = lissom.simulate(robot, 0.3, start=start, progress=False)
