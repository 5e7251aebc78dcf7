"""A crane boom with a load at its tip: how far it sags, how it swings, what its foot carries."""

import numpy as np

import lissom

LENGTH, LOAD, E, RHO = 12.0, 400.0, 2.1e11, 7850.0  # m, kg, Pa, kg/m3: a steel box, 0.4 x 0.25 x 0.008 m
boom = {
    "length": LENGTH,
    "material": "steel",
    "section": {"shape": "box", "height": 0.4, "width": 0.25, "thickness": 0.008},  # height along z
    "shear": "none",  # as the textbook
    "modes": {"y": 3, "z": 3, "torsion": 1},
    "masses": [{"mass": LOAD}],  # at the tip
}
robot = lissom.Robot.from_dict(
    {
        "lissom": 1,
        "name": "crane",
        "gravity": [0, 0, -9.81],
        "materials": {"steel": {"E": E, "nu": 0.3, "rho": RHO}},
        "links": [{"name": "boom", "joint": {"name": "luff", "type": "revolute", "axis": [0, -1, 0]}, "beam": boom}],
    }
)
model = robot.compile()
print(robot.describe())

# Level, held by its luffing drive: sag by the textbook, own weight and load.
rest = lissom.static_equilibrium(model)
sag = -rest.deflections["boom"].displacement[2]
area = 0.4 * 0.25 - 0.384 * 0.234
inertia = (0.25 * 0.4**3 - 0.234 * 0.384**3) / 12
q, F = 9.81 * RHO * area, 9.81 * LOAD
textbook = q * LENGTH**4 / (8 * E * inertia) + F * LENGTH**3 / (3 * E * inertia)
print(f"sags by {1000 * sag:.1f} mm, by the textbook {1000 * textbook:.1f} mm")
assert abs(sag / textbook - 1) < 2e-3

# The drive holds the moment of both weights.
moment = q * LENGTH**2 / 2 + F * LENGTH
assert abs(rest.torques["luff"] / moment - 1) < 1e-3

# Frequencies in every pose: raised, the boom is loaded along its axis, and a little softer.
for angle in (0, 30, 60):
    modes = lissom.natural_modes(model, {"luff": np.radians(angle)}, locked=True)
    print(f"raised by {angle:2d} degrees: {modes.frequencies[:3].round(3)} Hz")
rayleigh = np.sqrt(3 * E * inertia / (LENGTH**3 * (LOAD + 33 / 140 * RHO * area * LENGTH))) / (2 * np.pi)
assert np.min(np.abs(modes.frequencies / rayleigh - 1)) < 0.02
