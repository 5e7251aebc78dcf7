"""How far can each number be trusted? Error bars, and a finer run that lies within them.

Research and teaching
"""

import lissom

arm = lissom.load("spinup-beam").with_value("gravity", (0, -9.81, 0))
run = lissom.simulate(arm, 0.2, rate=100, progress=False)
trust = lissom.trust(run, progress=False)
print(trust)

name = f"peak |deflection.{run.model.links[-1]}|"
bar = trust.get(name)
fine = lissom.simulate(arm, 0.2, rate=2000, rtol=1e-9, progress=False).summary().links[-1].deflection.value
print(f"{name}: {bar.value:.6g} +- {bar.error:.1g} m; finer {fine:.6g} m")
assert abs(fine - bar.value) <= bar.error
figure = run.plot("deflection")
