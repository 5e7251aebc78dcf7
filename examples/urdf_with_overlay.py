"""An arm from a URDF, with a link that bends: a few lines on top of the file say of what it is made."""

from pathlib import Path

import numpy as np

import lissom

Path("arm.urdf").write_text("""
<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tool"><inertial><mass value="0.8"/>
    <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
  <joint name="flange" type="fixed"><parent link="upper"/><child link="tool"/><origin xyz="1.0 0 0"/></joint>
</robot>""")
Path("bending.yaml").write_text("""
lissom: 1
urdf: arm.urdf
materials: {aluminium: {E: 7.0e10, nu: 0.33, rho: 2700}}
flexible:
  upper:                         # reaches from its joint to that of its child
    material: aluminium
    section: {shape: tube, outer: 0.03, thickness: 0.002}
    modes: {y: 3, z: 3}
    stiffening: first
""")
rigid, robot = lissom.load("arm.urdf"), lissom.load("bending.yaml")
print(robot.describe())
assert rigid.compile().nv == 1

# A cantilever with a mass at its tip, by Rayleigh's formula.
modes = lissom.natural_modes(robot, locked=True, gravity=False)
area, inertia = np.pi / 4 * (0.03**2 - 0.026**2), np.pi / 64 * (0.03**4 - 0.026**4)
expected = np.sqrt(3 * 7e10 * inertia / (0.8 + 33 / 140 * 2700 * area)) / (2 * np.pi)
print(f"{modes.frequencies[0]:.3f} Hz, by Rayleigh {expected:.3f} Hz")
assert abs(modes.frequencies[0] / expected - 1) < 0.01

run = lissom.simulate(robot, 0.5)
assert run.info.status == "finished"
