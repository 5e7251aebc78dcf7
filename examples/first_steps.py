"""First steps with an arm: what it is, how it falls, what its joints carry, how it vibrates.

The first run compiles the dynamics, which takes a little while; later runs start at once.
"""

from time import perf_counter

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.linalg import eigh

import lissom

console = Console()


def show(title, columns, rows):
    table = Table(*columns)
    for name, *numbers in rows:
        table.add_row(name, *(f"{round(number, 6) + 0.0:.4g}" for number in numbers))
    console.print(f"\n{title}", table, sep="\n")


robot = lissom.load("ella")
model = robot.compile()
print(robot.describe())

# Stretched out level and at rest; `hold` are the forces on joints and modes that keep it so.
q, v, rest = model.neutral(), np.zeros(model.nv), np.zeros(model.nv)
hold = lissom.inverse_dynamics(model, q, v, rest)
console.print("tip at", lissom.tip_pose(model, q)[:3, 3].round(3), "m")

released = lissom.forward_dynamics(model, q, v)
joints = [(name, hold[k], released[k]) for k, name in enumerate(model.coordinates) if name in model.joints]
show("Joints at rest", ("joint", "torque to hold it, N m", "acceleration if let go, rad/s2"), joints)

wrenches = lissom.joint_wrenches(model, q, v, rest, frame="world")
columns = ("joint", "torque x, N m", "y", "z", "force x, N", "y", "z")
show("Wrench of the parent in each joint, world axes", columns, zip(model.joints, *wrenches.T))

# Joints locked: mass and stiffness of the modes; the stiffness is the exact slope of the accelerations.
mass, slopes = lissom.mass_matrix(model, q), lissom.derivatives(model, q, v, hold)
modes = [k for k, name in enumerate(model.coordinates) if name not in model.joints]
M, K = mass[np.ix_(modes, modes)], -(mass @ slopes.q)[np.ix_(modes, modes)]
squares, shapes = eigh(K, M)
frequencies = np.sqrt(squares) / (2 * np.pi)
main = (shapes * (M @ shapes)).argmax(axis=0)  # the coordinate with most of the kinetic energy
names = [model.coordinates[modes[k]] for k in main]
show("Natural frequencies, joints locked", ("mostly", "Hz"), zip(names[:6], frequencies))

start = perf_counter()
for _ in range(20):
    lissom.derivatives(model, q, v, hold)
console.print(f"\n3 x {model.nv}^2 exact derivatives in {(perf_counter() - start) * 50:.2f} ms")

assert abs(frequencies[0] / 2.759 - 1) < 1e-3  # a finite-element model of the arm has 2.759 Hz
