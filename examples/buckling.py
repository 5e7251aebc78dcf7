"""How much a mast bears before it gives way: a weight on its top, its own weight, a thrust along its axis."""

import numpy as np

import lissom

tube = {"shape": "tube", "outer": 0.04, "thickness": 0.002}
robot = lissom.Robot.from_dict(
    {
        "lissom": 1,
        "name": "mast",
        "materials": {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7850}},
        "links": [
            {
                "name": "mast",
                "origin": {"rpy": [0, -np.pi / 2, 0]},  # upright
                "joint": "fixed",
                "beam": {"length": 3.0, "material": "steel", "section": tube},
            },
            {"name": "nozzle", "joint": "fixed", "body": {"mass": 1e-6}},
        ],
    }
)
EI, weight_per_metre = 2.1e11 * np.pi / 64 * (0.04**4 - 0.036**4), 9.81 * 7850 * np.pi / 4 * (0.04**2 - 0.036**2)

# A weight on the top that grows, without and with the mast's own weight.
top = {"mast": [0, 0, 0, 0, 0, -1]}  # 1 N
alone = lissom.buckling(robot, top, weight="none", number=2)
print(alone)
euler = np.pi**2 * EI / (4 * 3.0**2)
assert np.allclose(alone.factors, euler, rtol=1e-3)
heavy = lissom.buckling(robot, top, number=1).factors[0]
print(f"{alone.factors[0]:.1f} N, of which its own weight takes {alone.factors[0] - heavy:.1f} N")

# Its own weight: how many times as heavy it could be.
times = lissom.buckling(robot, number=1).factors[0]
print(f"it stands up to {times:.1f} times its own weight")
assert np.isclose(times * weight_per_metre, 7.8373 * EI / 3.0**3, rtol=1e-3)

# A thrust that turns with the top does not buckle it: eight times as strong, it makes it flutter.
thrust = lissom.buckling(robot, wrenches={"nozzle": [0, 0, 0, -1, 0, 0]}, weight="none", number=1)
print(thrust)
assert thrust.kinds == ("flutter",)
assert np.isclose(thrust.factors[0], 20.05 * EI / 3.0**2, rtol=5e-3)
