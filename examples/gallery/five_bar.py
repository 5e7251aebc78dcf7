"""A parallel arm: two motors move one pin through four links that bend.

Robots
"""

from lissom.scenario import load

run = load("five-bar").run(progress=False)
gap = abs(run["loop_gap"]).max()
print(f"the loop stays closed to {float(gap):.1e} m")
assert gap < 1e-6
