"""PID control of a motor behind an elastic gear: margins first, then the run, then C code that equals Python."""

import tempfile

import lissom
from lissom import control

gear = {"rotor_inertia": 0.4, "stiffness": 4000, "damping": 1.5}
joint = {"name": "elbow", "type": "revolute", "axis": [0, 1, 0], "transmission": gear}
body = {"mass": 5, "com": [0.15, 0, 0], "inertia": [0.01, 0.05, 0.05], "tip": [0.35, 0, 0]}
robot = lissom.Robot.from_dict({"lissom": 1, "name": "arm", "links": [{"name": "arm", "joint": joint, "body": body}]})

motion = control.Reference.quintic(0.0, 1.0, 0.4)
gains = {"elbow": {"p": 1200, "i": 4000, "d": 75}}
resonance = float(lissom.natural_modes(robot, locked=False).frequencies[-1])
law = control.pid(
    robot, gains, motion, side="motor", notches={"elbow": control.Notch(resonance, 0.3)}, inverse_dynamics=True
)

margins = control.open_loop(robot, law, {"elbow": 1.0}).margins()
print(margins)
assert margins.stable
assert margins.phase > 45

run = lissom.simulate(robot, 1.0, controller=law, progress=False)
sag = float(run["elbow"][-1] - run["elbow.rotor"][-1])  # the weight winds up the gear, behind the encoder
print(f"motor {1e3 * float(run['elbow.rotor'][-1] - 1):.3f} mrad off, gear wound up by {1e3 * sag:.2f} mrad")
assert abs(run["elbow.rotor"][-1] - 1) < 2e-3

print(sorted(path.name for path in lissom.export.controller_to_c(robot, law, tempfile.mkdtemp()).iterdir()))
