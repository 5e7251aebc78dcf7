"""A small arm as a URDF with meshes of its own: files as a drawing program would write them, made by trimesh.

The base is a pedestal (STL), the upper arm a casting with two hubs (OBJ, in millimetres), the forearm a tapered boom
(Collada), the tool a plate with two fingers (STL, under package://).
"""

from pathlib import Path

URDF = """
<robot name="meshed">
  <link name="base">
    <visual><geometry><mesh filename="meshes/base.stl"/></geometry></visual>
  </link>
  <link name="upper">
    <inertial><origin xyz="0.2 0 0"/><mass value="4"/>
      <inertia ixx="0.01" iyy="0.08" izz="0.08" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="meshes/upper.obj" scale="0.001 0.001 0.001"/></geometry></visual>
  </link>
  <link name="forearm">
    <inertial><origin xyz="0 0 0.2"/><mass value="2"/>
      <inertia ixx="0.03" iyy="0.03" izz="0.003" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 0.2"/><geometry><mesh filename="meshes/forearm.dae"/></geometry></visual>
  </link>
  <link name="tool">
    <inertial><origin xyz="0 0 0.04"/><mass value="0.6"/>
      <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="package://meshed/meshes/tool.stl"/></geometry></visual>
  </link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.3"/><axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="forearm"/>
    <origin xyz="0.4 0 0" rpy="0 1.5708 0"/><axis xyz="0 1 0"/></joint>
  <joint name="wrist" type="revolute"><parent link="forearm"/><child link="tool"/>
    <origin xyz="0 0 0.4"/><axis xyz="0 0 1"/></joint>
</robot>
"""


def solids():
    """The meshes as trimesh has them, by the name of their link, each in its own file's units."""
    import trimesh
    from trimesh.creation import box, cylinder, revolve
    from trimesh.transformations import rotation_matrix, translation_matrix

    lying = rotation_matrix(1.5708, [1, 0, 0])
    base = trimesh.util.concatenate(
        [
            cylinder(0.12, 0.03, transform=translation_matrix([0, 0, 0.015]), sections=40),
            cylinder(0.06, 0.22, transform=translation_matrix([0, 0, 0.13]), sections=40),
        ]
    )
    hubs = [cylinder(r, 120, transform=translation_matrix([x, 0, 0]) @ lying) for r, x in ((65, 0), (50, 400))]
    upper = trimesh.util.concatenate([*hubs, box((400, 60, 70), translation_matrix([200, 0, 0]))])
    forearm = revolve([[0, -0.2], [0.045, -0.2], [0.025, 0.2], [0, 0.2]], sections=32)
    fingers = [box((0.015, 0.02, 0.08), translation_matrix([x, 0, 0.06])) for x in (-0.03, 0.03)]
    tool = trimesh.util.concatenate([box((0.1, 0.06, 0.02), translation_matrix([0, 0, 0.01])), *fingers])
    return {"base": base, "upper": upper, "forearm": forearm, "tool": tool}


OVERLAY = """
lissom: 1
urdf: meshed.urdf
name: meshed-flexible
materials: {plastic: {E: 3.0e9, nu: 0.35, rho: 1200}}
flexible:
  forearm:
    material: plastic
    section: {shape: tube, outer: 0.03, thickness: 0.002}
    shear: none
    modes: {y: 2, z: 2, torsion: 1}
"""


def write(folder: Path) -> Path:
    """Meshes, URDF and an overlay that lets the forearm bend, in a folder; the path of the URDF."""
    (folder / "meshes").mkdir()
    for (name, mesh), suffix in zip(solids().items(), ("stl", "obj", "dae", "stl")):
        mesh.export(folder / "meshes" / f"{name}.{suffix}")
    path = folder / "meshed.urdf"
    path.write_text(URDF)
    path.with_suffix(".yaml").write_text(OVERLAY)
    return path
