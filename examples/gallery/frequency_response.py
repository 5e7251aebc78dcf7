"""From the elbow's motor to the elbow's angle: resonances, and the frequency at which the elbow stands still.

Control
"""

import matplotlib.pyplot as plt
import numpy as np

import lissom

model = lissom.load("ella").compile()
rest = lissom.static_equilibrium(model, {"shoulder": 0.7, "elbow": 0.4})
hz = np.linspace(5, 25, 8001)
linear = lissom.linearise(model, rest, outputs=["elbow"])
response = lissom.frequency_response(linear, outputs="elbow", inputs="elbow", frequencies=hz)
size = response.magnitude
dip = hz[1:-1][(size[1:-1] < size[:-2]) & (size[1:-1] < size[2:])]
locked = lissom.natural_modes(model, rest.q, locked=["elbow"]).frequencies
print("stands still at", dip, "Hz; locked, the arm rings at", locked[:8].round(3))
assert all(np.abs(locked / f - 1).min() < 1e-3 for f in dip) and len(dip)

figure, axes = plt.subplots(figsize=(6, 3.4), layout="constrained")
axes.semilogy(hz, size, color="#0072B2")
axes.set(xlabel="frequency [Hz]", ylabel="elbow angle / torque [rad/(N m)]")
