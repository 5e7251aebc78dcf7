"""A little of everything that is compiled, as numbers: run on other versions of what lissom stands on."""

import json

import numpy as np

import lissom

numbers = {}
for name in ("ella", "satellite-two-arm"):
    model = lissom.load(name).compile()
    rng = np.random.default_rng(1)
    q = model.neutral()
    v, a = 0.1 * rng.normal(size=(2, model.nv))
    tau = lissom.inverse_dynamics(model, q, v, a)
    numbers[f"{name}: inverse dynamics"] = tau.tolist()
    numbers[f"{name}: forward dynamics"] = lissom.forward_dynamics(model, q, v, tau).tolist()
    numbers[f"{name}: mass matrix"] = lissom.mass_matrix(model, q).tolist()
    numbers[f"{name}: derivatives"] = lissom.derivatives(model, q, v, tau)[0].tolist()
for method in ("radau", "dop853"):
    run = lissom.simulate("ella", 0.05, method=method, progress=False)
    numbers[f"ella: {method}"] = run.q[-1].tolist()
print(json.dumps(numbers))
