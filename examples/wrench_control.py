"""A controller per link on the wrenches at its joints, beside PD and LQR, on the ELLA arm with geared motors.

Virtual decomposition asks of every link the twist that its joints should give it, and of every joint the wrench that
the links beyond it need for that. The table says how far joints are from their reference, and how much the forearm
rings after the move; the figure shows the power that crosses every joint.
"""

import matplotlib.pyplot as plt
import numpy as np

import lissom
from lissom.control import Reference, Sampled
from lissom.theory.virtual_decomposition import VirtualDecomposition, joint_powers

JOINTS = ("shoulder-yaw", "shoulder", "elbow")
END = (-0.4928, 0.6922, 0.4270)  # rad, as in the paper
MOVE, DURATION = 1.5, 2.5  # s
PD = {"shoulder-yaw": {"p": 900, "d": 157}, "shoulder": {"p": 2000, "d": 200}, "elbow": {"p": 600, "d": 40}}
ROTOR = {"rotor_inertia": 1e-4, "gear": 100.0}  # kg m2: 1 kg m2 at every joint

# The paper gives no motors. Without rotors hubs weigh next to nothing, and no sampled feedback of theirs is stable.
geared = [(f"links.{link}.joint.transmission", ROTOR) for link in ("hub", "upper", "forearm")]
robot = lissom.load("ella").with_values(geared)
model = robot.compile()
reference = Reference.quintic([0.0, 0.0, 0.0], END, MOVE)
law = VirtualDecomposition(model, reference, rate=5.0, damping=10.0)
laws = {
    "PD": lissom.control.pd(model, PD, reference=reference),
    "LQR": lissom.control.lqr(model, dict(zip(JOINTS, (-0.2, 0.35, 0.2))), reference=reference),
    "wrenches": Sampled(law, 1000),
}
start = dict.fromkeys(JOINTS, 0.0)
runs = {
    name: lissom.simulate(model, DURATION, controller=each, start=start, rate=200, progress=False)
    for name, each in laws.items()
}

places = [model.joint(name).joint_q.start for name in JOINTS]
errors = {}
for name, run in runs.items():
    wanted = np.array([reference(t)[0] for t in run.time])
    errors[name] = np.sqrt(np.mean((run.q[:, places] - wanted) ** 2))
    bent = run.deflection("forearm").values[run.time > MOVE + 0.1]
    ringing = np.linalg.norm(bent - bent[-1], axis=1).max()
    print(f"{name:10} joints {1e3 * errors[name]:5.1f} mrad   forearm after the move {1e3 * ringing:.2f} mm")

run = runs["wrenches"]
powers = joint_powers(run)
figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.plot(run.time, powers, label=JOINTS)
axes.set(xlabel="time [s]", ylabel="power through the joint [W]", title="What every link is given by the one before it")
axes.legend()
figure.savefig("wrench_control.png")

assert errors["wrenches"] < 0.1 * min(errors["PD"], errors["LQR"])
