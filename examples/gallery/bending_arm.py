"""An arm lifts its payload; its links bend, its joints carry what the tables say.

Robots
"""

from lissom.scenario import load

run = load("ella").run(progress=False)
print(run.summary())
assert run.energy_audit().relative < 1e-4
figure = run.plot()
