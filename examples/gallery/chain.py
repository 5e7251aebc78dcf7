"""A chain of ten pendulums, let go: an explosion of coordinates costs O(n), and energy stays.

Research and teaching
"""

import lissom

links = [
    {
        "name": f"p{k}",
        "parent": "world" if k == 0 else f"p{k - 1}",
        "origin": {"xyz": [0, 0, 0] if k == 0 else [0.3, 0, 0]},
        "joint": {"name": f"j{k}", "type": "revolute", "axis": [0, 1, 0]},
        "body": {"mass": 0.5, "com": [0.15, 0, 0], "inertia": [1e-4, 4e-3, 4e-3]},
    }
    for k in range(10)
]
chain = lissom.Robot.from_dict({"name": "chain", "gravity": [0, 0, -9.81], "links": links})
run = lissom.simulate(chain, 3.0, rtol=1e-8, progress=False)
relative = run.energy_audit().relative
print(f"energy error {relative:.1e} of what moved")
assert relative < 1e-5
