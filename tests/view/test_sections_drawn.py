"""Sections are drawn as they are: the solid that is seen encloses the material that the link is made of."""

import numpy as np
import pytest
from solid_meshes import volume

import lissom
from lissom.view.drawing.arm_drawing import Drawing

BODIES = {
    "I": "section: {shape: I, width: 0.16, height: 0.2, flange: 0.02, web: 0.015}",
    "H": "section: {shape: H, width: 0.2, height: 0.16, flange: 0.02, web: 0.015}",
    "L": "section: {shape: L, width: 0.15, height: 0.2, thickness: 0.02}",
    "C": "section: {shape: C, width: 0.1, height: 0.2, flange: 0.02, web: 0.015}",
    "rounded box": "section: {shape: rounded-box, width: 0.14, height: 0.2, thickness: 0.02, radius: 0.05}",
    "ellipse": "section: {shape: ellipse, width: 0.1, height: 0.2, thickness: 0.015}",
    "polygon with two holes": """section: {shape: polygon,
        outline: [[0, 0], [0.2, 0], [0.2, 0.1], [0.1, 0.2], [0, 0.2]],
        holes: [[[0.03, 0.03], [0.09, 0.03], [0.09, 0.15], [0.03, 0.15]],
                [[0.12, 0.03], [0.17, 0.03], [0.17, 0.08]]]}""",
    "box": "section: {shape: box, width: 0.1, height: 0.2, thickness: 0.01, offset: [0.02, 0.01], turn: 0.3}",
    "a box that tapers, then a rectangle": """stations:
        - {x: 0, section: {shape: box, width: 0.12, height: 0.24, thickness: 0.01}}
        - {x: 0.5, section: {shape: box, width: 0.1, height: 0.12, thickness: 0.01}}
        - {x: 0.5, section: {shape: rectangle, width: 0.1, height: 0.1}}
        - {x: 1.0, section: {shape: rectangle, width: 0.05, height: 0.1}}""",
}  # fmt: skip
ROBOT = """\
lissom: 1
name: arm
materials: {steel: {E: 2.1e11, nu: 0.3, rho: 7850}}
links:
  - name: boom
    joint: {type: revolute, axis: [0, 0, 1]}
    beam:
      length: 1.0
      material: steel
      BODY
"""


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_what_is_seen_has_the_volume_and_the_centre_of_the_link(body):
    model = lissom.Robot.from_yaml(ROBOT.replace("BODY", body)).compile()
    arm = Drawing(model)
    mesh = next(piece.mesh for piece in arm.pieces if piece.role == "link")
    placed = mesh._replace(points=arm.rest[mesh.frame] + mesh.points)
    link = model.flexible["boom"]
    assert volume(placed) == pytest.approx(link.mass / 7850, rel=2e-3)
    corners = placed.points[mesh.triangles]
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert np.all(np.sum(flat * mesh.normals[mesh.triangles].mean(axis=1), axis=1) > 0)
    parts = np.einsum("ni,ni->n", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
    centre = (parts[:, None] * corners.sum(axis=1) / 4).sum(axis=0) / parts.sum()
    np.testing.assert_allclose(centre, link.invariants().mc0 / link.mass, atol=2e-3)
