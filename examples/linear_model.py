"""The linear model at a pose: poles, and the frequency response from the elbow's motor to the elbow's angle."""

import numpy as np

import lissom

model = lissom.load("ella").compile()
pose = {"shoulder": 0.7, "elbow": 0.4}
rest = lissom.static_equilibrium(model, pose)
linear = lissom.linearise(model, rest, outputs=["elbow", "forearm.tip"])  # x' = A x + B u, y = C x + D u
print(f"{len(linear.A)} states, inputs {linear.inputs}, outputs {linear.outputs}")
ringing = [pole for pole in linear.poles().values if pole.imag > 0][:6]
for pole in ringing:
    print(f"{abs(pole) / (2 * np.pi):8.3f} Hz, damping ratio {-pole.real / abs(pole):.4f}")

# Driven at the elbow, the elbow stands still where the arm with a locked elbow would ring: a zero of the response.
hz = np.linspace(5, 25, 20001)
response = lissom.frequency_response(linear, outputs="elbow", inputs="elbow", frequencies=hz)
inner = response.magnitude[1:-1]
dips = hz[1:-1][(inner < response.magnitude[:-2]) & (inner < response.magnitude[2:])]
locked = lissom.natural_modes(model, rest.q, locked=["elbow"]).frequencies
print("the elbow stands still at", dips.round(3), "Hz; with the elbow locked the arm rings at", locked[:8].round(3))
for dip in dips:
    assert np.abs(locked / dip - 1).min() < 1e-3
assert len(dips)
