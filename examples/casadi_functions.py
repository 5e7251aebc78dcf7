"""The dynamics as CasADi functions: the kernel's own source on symbols, with exact sparse derivatives and C code."""

from pathlib import Path

import casadi
import numpy as np

import lissom
from lissom.dynamics import symbolic

robot = lissom.load("spinup-beam").with_value("links.blade.beam.modes", {"y": 2, "z": 0})
model = robot.compile()
f = symbolic.forward_dynamics(model)  # (q, v, tau) -> accelerations
print(f)

# The same numbers as the compiled kernel, the same derivatives as its complex step.
rng = np.random.default_rng(1)
q, v, tau = 0.1 * rng.normal(size=(3, model.nv))
a = np.asarray(f(q, v, tau)).ravel()
compiled = lissom.forward_dynamics(model, q, v, tau)
assert np.abs(a - compiled).max() < 1e-10 * np.abs(compiled).max()
slope = casadi.Function("slope", f.sx_in(), [casadi.jacobian(f(*f.sx_in()), f.sx_in()[0])])
exact = lissom.derivatives(model, q, v, tau).q
assert np.abs(np.asarray(slope(q, v, tau)) - exact).max() < 1e-10 * np.abs(exact).max()

symbolic.c_code([f, slope], "beam.c")  # plain C, no library needed
print(f"{len(Path('beam.c').read_text().splitlines())} lines of C")
