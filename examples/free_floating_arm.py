"""An arm on a free satellite: nothing holds it, so the satellite turns against the arm, and momentum stays zero."""

import numpy as np
from scipy.integrate import simpson

import lissom
from lissom.control import Reference, pd

HUB, PAYLOAD, LENGTH = 600.0, 40.0, 4.0  # kg, kg, m
boom = {
    "length": LENGTH,
    "material": "carbon",
    "section": {"shape": "tube", "outer": 0.12, "thickness": 0.003},
    "modes": {"y": 2, "z": 2, "torsion": 1},
    "masses": [{"mass": PAYLOAD}],
}
shoulder = {"name": "shoulder", "type": "revolute", "axis": [0, 0, 1]}
robot = lissom.Robot.from_dict(
    {
        "lissom": 1,
        "name": "servicer",
        "gravity": [0, 0, 0],
        "materials": {"carbon": {"E": 9e10, "nu": 0.3, "rho": 1600}},
        "links": [
            {"name": "satellite", "joint": "free", "body": {"mass": HUB, "inertia": [250, 250, 250]}},
            {"name": "boom", "origin": {"xyz": [0.8, 0, 0]}, "joint": shoulder, "beam": boom},
        ],
    }
)
model = robot.compile()
law = pd(model, {"shoulder": {"p": 800, "d": 600}}, Reference.quintic([0.0], [1.2], duration=8.0))
run = lissom.simulate(model, 10.0, controller=law, rtol=1e-8, atol=1e-10)

satellite = run.pose(run.time)["satellite"]  # (time, 4, 4) in the world
turned = np.arctan2(satellite[:, 1, 0], satellite[:, 0, 0])
print(f"the arm turns by {float(run['shoulder'][-1]):.3f} rad, the satellite by {turned[-1]:.3f} rad")
assert turned[-1] < -0.7

# No force from outside: the centre of mass stays where it was, although the boom bends.
tube = 1600 * np.pi / 4 * (0.12**2 - 0.114**2) * LENGTH
axis = simpson(run.centre_line("boom", 41), dx=1 / 40, axis=1)  # mean position of the bent tube
centre = HUB * satellite[:, :3, 3] + PAYLOAD * run.tip("boom").values + tube * axis
drift = np.abs(centre - centre[0]).max() / (HUB + PAYLOAD + tube)
print(f"the centre of mass moves by {drift:.1e} m, the satellite by {np.ptp(satellite[:, 1, 3]):.3f} m")
assert drift < 1e-6
