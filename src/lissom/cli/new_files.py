"""The text of a robot file and of a scenario file to begin with, commented."""

from __future__ import annotations

import numpy as np

DRIVES = ("pd", "torque", "none")
BANDWIDTH = 1.0  # Hz of the joints under PD control: slow beside the links' own vibrations, which are above 5 Hz
DAMPING = 0.7  # ratio

ROBOT = """\
# yaml-language-server: $schema=schemas/robot.json
# Numbers are in SI units, or have a unit of their own: 800 mm, 90 deg, 210 GPa. `lissom describe {name}.yaml` shows it.
lissom: 1
name: {name}
gravity: [0, 0, -9.81]  # in the world frame; [0, 0, 0] in space
{materials}
# A link follows the one before it unless `parent` names another, and sits at its tip unless `at` or `origin` say where.
links:
"""

MATERIALS = """
materials:
  aluminium: {E: 70 GPa, nu: 0.33, rho: 2700}  # Young's modulus, Poisson's ratio, density in kg/m3
"""

BEAM = """\
    beam:  # along the x axis of the link
      length: {length}
      material: aluminium
      section: {{shape: tube, outer: {outer} mm, thickness: 3 mm}}  # or box, I, ellipse, ...; or numbers: EIy, EIz, GJ
      damping: 0.01  # ratio of every mode
"""

BODY = """\
    body:
      mass: {mass}
      com: [{half}, 0, 0]  # centre of mass in the link's frame
      inertia: [{Jx}, {J}, {J}]  # about the centre of mass: xx, yy, zz
      tip: [{length}, 0, 0]  # where the next link sits
"""

PAYLOAD = """\
    payload: {mass: 1, inertia: [0.001, 0.001, 0.001]}  # at the tip of the last link
"""

SCENARIO = """\
# yaml-language-server: $schema=schemas/scenario.json
# `lissom run {name}-run.yaml` simulates it, `lissom view {name}-run.yaml` shows it; times in s, angles in rad.
lissom: 1
robot: {name}.yaml
duration: 3
start: {{{start}}}  # or `start: equilibrium`: bent by its weight, joints at zero
{control}
# loads: [{{link: {last}, force: [0, 0, -20]}}]  # at its tip, in world axes
# sensors: [{{type: encoder, joint: joint1, rate: 500}}]
output: {{rate: 200}}  # samples per second
"""

PD = """
control:
  type: pd  # or computed-torque, lqr, lqg, torque
  gravity_compensation: true
  gains:  # p in N m/rad, d in N m s/rad
{gains}
  reference:  # from the start to here, at rest at both ends
    type: quintic
    to: {{{to}}}
    duration: 1.5
"""

TORQUE = """
control:
  type: torque
  torques:  # N m; a number, or over time
    joint1: {{type: steps, times: [0, 0.5, 1.0], points: [{torque:.3g}, {minus:.3g}, 0]}}
"""

NONE = """
control: {type: none}  # it falls freely
"""


def robot_text(name: str, links: int, bend: bool) -> str:
    """Return the text of a robot file: an arm whose first joint turns about the vertical, if it has several."""
    text = ROBOT.format(name=name, materials=MATERIALS if bend else "")
    for k in range(1, links + 1):
        vertical = k == 1 and links > 2
        length = 0.3 if vertical else 1.0
        axis, what = ("[0, 0, 1]", "about the vertical") if vertical else ("[0, -1, 0]", "lifts when it turns forward")
        text += f"  - name: link{k}\n"
        text += f"    joint: {{name: joint{k}, type: revolute, axis: {axis}, damping: 0.1}}  # {what}\n"
        if bend and not vertical:
            text += BEAM.format(length=length, outer=max(60 - 8 * k, 30))
        else:
            mass = 3.0
            J = round(mass * length**2 / 12, 4)
            text += BODY.format(mass=mass, half=length / 2, length=length, J=J, Jx=round(0.1 * J, 5))
        if k == links:
            text += PAYLOAD
        text += "\n"
    return text.rstrip() + "\n"


def scenario_text(name: str, robot: str, drive: str) -> str:
    """Return the text of a scenario file of a robot, given by the text of its file."""
    import lissom

    model = lissom.Robot.from_yaml(robot).compile()
    joints = [joint for joint in model.joints if joint in model.coordinates]  # a payload's holds it
    at = [model.coordinates.index(joint) for joint in joints]
    inertia = np.diag(lissom.mass_matrix(model, model.neutral()))[at]
    speed = 2 * np.pi * BANDWIDTH
    control = NONE
    if drive == "pd":
        gains = [
            f"    {joint}: {{p: {M * speed**2:.3g}, d: {2 * DAMPING * M * speed:.3g}}}"
            for joint, M in zip(joints, inertia)
        ]
        control = PD.format(gains="\n".join(gains), to=", ".join(f"{joint}: 0.5" for joint in joints))
    if drive == "torque":
        torque = 0.5 * inertia[0]
        control = TORQUE.format(torque=torque, minus=-torque)
    start = ", ".join(f"{joint}: 0" for joint in joints)
    return SCENARIO.format(name=name, start=start, control=control, last=model.robot.links[-1].name)
