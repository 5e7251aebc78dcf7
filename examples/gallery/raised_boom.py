"""A cylinder raises the boom of a crane while it slews, and a load swings on its rope.

Cranes and machines
"""

from lissom.scenario import load

run = load("luffing-crane").run(duration=8.0, progress=False)
run.units = "kN, mm, deg"
print(run.summary())

push = -run["element_force"].sel(element="lift").max("time") / 1e3
assert 100 < push < 200  # kN in the cylinder, at rest and moving
