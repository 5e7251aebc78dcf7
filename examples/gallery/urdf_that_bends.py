"""A URDF moves rigid; three lines on top of it say of what its link is made, and it bends.

Robots
"""

from pathlib import Path

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
materials: {aluminium: {E: 70 GPa, nu: 0.33, rho: 2700}}
flexible: {upper: {material: aluminium, section: {shape: tube, outer: 30 mm, thickness: 2 mm}}}
""")
run = lissom.simulate("bending.yaml", 0.6, progress=False)
peak = abs(run.deflection("upper")).max()
print(f"its tip gives way by {1e3 * float(peak):.1f} mm")
assert 1e-5 < peak < 0.1
