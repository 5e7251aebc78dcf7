"""The solids of a drawing: swept beams, meshes of finite-element links and of URDF files, rods, joints, masses.

A link gives points and triangles; how the points move is up to the frames that they are fixed to and, for a link made
of finite elements, to its modes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom.errors import LissomError
from lissom.view.drawing import triangle_meshes
from lissom.view.drawing.triangle_meshes import Mesh, crease_edges, cut, decimate

if TYPE_CHECKING:
    from lissom.model.description.joint import Joint
    from lissom.model.description.robot import Link
    from lissom.model.description.visual import Visual
    from lissom.view.drawing.arm_drawing import Drawing

JOINT = "#3B4252"
MASS = "#5C6470"
PAYLOAD = "#E69F00"
BASE = "#B4BDC8"  # of what stands still, and of a free-floating base
SLIM, THICK = 0.006, 0.014  # radius of a section without an outline over the arm's reach, at least and at most
FINE = 0.0035  # least half size of any section over the reach, so that it can be seen
ROD = 0.016  # radius of a rigid link without a shape over the reach
STOUT = 0.11  # the same over the length of the link, at most
DRUM = 1.45  # radius of a joint's sign over that of the links it joins
SHORT = 0.13  # half the length of a joint's sign over that of the shorter link it joins, at most
MOST = 6000  # triangles of one mesh; finer ones are thinned out
MESHES = (".stl", ".obj", ".ply", ".off", ".dae", ".glb")


Ends = tuple[tuple[int, np.ndarray], tuple[int, np.ndarray]]  # two frames, and a place (3,) in each


class DrawnSolid(NamedTuple):
    """A solid of the drawing, in one colour."""

    link: str  # that it belongs to; of an element or a contact its name
    role: str  # "link", "joint", "mass" or "payload"
    colour: str
    mesh: Mesh
    modes: np.ndarray | None = None  # (m, n, 3) displacement of each point per modal coordinate of the link
    part: np.ndarray | None = None  # (n,) of what is between two frames: share of the way from the first to the second
    ends: Ends | None = None  # where that way begins and ends
    shown: tuple[float, float] | None = None  # s from when to when it is there; always unless given

    def there(self, time: float) -> bool:
        """Return whether it is there at a time."""
        return self.shown is None or self.shown[0] <= time <= self.shown[1]


def pieces(arm: Drawing) -> list[DrawnSolid]:
    """Return everything there is to draw of an arm."""
    made: list[DrawnSolid] = []
    ground = _visuals(arm, arm.model.robot.visual)
    if ground is not None:
        made.append(DrawnSolid("world", "link", BASE, ground.on(arm.world)))
    for k, body in enumerate(arm.model.bodies):
        spec = arm.specs[body.link]
        colour = BASE if spec.joint.kind.floats else arm.colour(body)
        mesh, modes = _link(arm, k, spec)
        if mesh is not None:
            made.append(DrawnSolid(body.link, "link", colour, mesh, modes))
        sign = _joint(arm, k, spec)
        if sign is not None:
            made.append(DrawnSolid(body.link, "joint", JOINT, sign))
        made += _masses(arm, spec)
    if arm.model.robot.elements or arm.model.robot.contacts or arm.model.robot.loops:
        from lissom.view.drawing.external_solids import outside_pieces

        made += outside_pieces(arm)
    if arm.carried:
        from lissom.view.drawing.external_solids import carried_pieces

        made += carried_pieces(arm)
    return made


# links


def _link(arm: Drawing, k: int, spec: Link) -> tuple[Mesh | None, np.ndarray | None]:
    if spec.name in arm.model.flexible:
        beam: Any = arm.model.flexible[spec.name]
        if hasattr(beam, "section"):
            seen = _visuals(arm, spec.visual)
            if seen is not None:
                return _bending(arm, spec.name, seen), None
            return _sweep(arm, spec.name), None
        return _elements(beam, k, 0.004 * arm.reach)
    seen = _visuals(arm, spec.visual)
    if seen is not None:
        return seen.on(k), None
    return _body(arm, k, spec), None


def _sweep(arm: Drawing, link: str) -> Mesh:
    """Return a beam as its sections: piece by piece, each through the frames within it."""
    beam: Any = arm.model.flexible[link]
    at, length = arm.frames_of[link], float(np.real(beam.length))
    xi, edges = np.clip(arm.rest[at, 0] / length, 0.0, 1.0), beam.profile.edges
    made = []
    for k, (start, end) in enumerate(pairwise(edges)):
        inside = np.flatnonzero((xi > start - 1e-9) & (xi < end + 1e-9))
        if len(inside) < 2:  # a piece between two frames
            inside = np.array([np.searchsorted(xi, start, side="right") - 1, np.searchsorted(xi, end)])
        local = np.clip((xi[inside] - start) / (end - start), 0.0, 1.0)
        piece = beam.profile.pieces[k]
        rings = [_outline(arm, piece.at(0.5 if piece.uniform else round(float(s), 9))) for s in local]
        made.append(triangle_meshes.sweep([outer for outer, _ in rings], at[inside], [holes for _, holes in rings]))
    return triangle_meshes.merged(made)


def _outline(arm: Drawing, section: Any) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """Return the outline and holes that a section is drawn with: its own, or an oval of its stiffnesses."""
    if section.outline is not None:
        outline, holes = np.real(section.outline), section.holes
        middle = outline.mean(axis=0)
        thin = FINE * arm.reach / np.abs(outline - middle).max()
        if thin > 1:
            outline, *holes = (middle + thin * (ring - middle) for ring in (outline, *holes))
        return outline, tuple(holes)
    C = np.real(section.compliance)
    y, z = (2 * np.sqrt(C[0, 0] / C[k, k]) for k in (5, 4))
    fit = np.clip(max(y, z), SLIM * arm.reach, THICK * arm.reach) / max(y, z)
    angle = 2 * np.pi * np.arange(24) / 24
    return np.real(section.centre) + fit * np.stack([y * np.cos(angle), z * np.sin(angle)], axis=1), ()


def _elements(link: Any, k: int, radius: float) -> tuple[Mesh | None, np.ndarray | None]:
    """Return a link made of finite elements: its surface, or its members as thin rods; its modes move the points."""
    modes = np.real(np.moveaxis(link.shapes, -1, 0))
    if len(link.faces):
        at, triangles = decimate(link.nodes, link.faces, MOST)
        mesh, source = crease_edges(link.nodes[at], triangles, k)
        return mesh, modes[:, at[source]]
    if not len(link.lines):
        return None, None
    rods, ends = [], []
    for a, b in link.lines:
        start, end = link.nodes[a], link.nodes[b]
        rod = triangle_meshes.rod(start, end, radius, corners=10).on(k)
        near_end = np.linalg.norm(rod.points - end, axis=1) < np.linalg.norm(rod.points - start, axis=1)
        rods.append(rod)
        ends.append(np.where(near_end, b, a))
    return triangle_meshes.merged(rods), modes[:, np.concatenate(ends)]


def _bending(arm: Drawing, link: str, mesh: Mesh) -> Mesh:
    """Return a mesh in the frame of an undeformed beam, each point fixed to the section nearest along the axis."""
    at = arm.frames_of[link]
    along = arm.rest[at, 0]  # ascending
    mesh = cut(mesh, along[1:-1])
    frame = at[np.searchsorted((along[1:] + along[:-1]) / 2, mesh.points[:, 0])]
    return mesh._replace(points=mesh.points - arm.rest[frame], frame=frame)


def _visuals(arm: Drawing, visuals: Sequence[Visual]) -> Mesh | None:
    """Return what a robot file wants to be seen, as one mesh; None where nothing of it can be."""
    seen = []
    for visual in visuals:
        try:
            seen.append(_visual(visual))
        except LissomError as error:
            arm.missing.append(str(error))
    return triangle_meshes.merged(seen) if seen else None


def _visual(visual: Visual) -> Mesh:
    """Return one shape in the frame of its link."""
    size = np.asarray(visual.size, float)
    if visual.shape == "box":
        mesh = triangle_meshes.box(size)
    elif visual.shape == "sphere":
        mesh = triangle_meshes.ball(float(size[0]) / 2)
    elif visual.shape == "cylinder":
        half = np.array([0.0, 0.0, size[2] / 2])
        mesh = triangle_meshes.rod(-half, half, float(size[0]) / 2, corners=28)
    else:
        points, triangles = _mesh_file(Path(str(visual.file)))
        at, triangles = decimate(points, triangles, MOST)
        mesh, _ = crease_edges(points[at] * size, triangles[:, ::-1] if np.prod(size) < 0 else triangles)
    return mesh.moved(np.real(visual.origin.rotation()), np.real(visual.origin.xyz))


def _mesh_file(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return points and triangles of a mesh file on this machine."""
    if path.suffix.lower() not in MESHES:
        raise LissomError(f"{path.name} is not shown: of meshes, {', '.join(MESHES)} are read")
    if not path.is_file():
        raise LissomError(f"{path} is not shown: there is no such file")
    try:
        import trimesh

        mesh: Any = trimesh.load(path, force="mesh")
        points, triangles = np.asarray(mesh.vertices, float), np.asarray(mesh.faces, int)
    except ImportError as error:
        raise LissomError(f"{path.name} is not shown: needs {error.name}: pip install lissom[urdf]") from None
    except Exception:  # a mesh is an ornament: whatever is wrong with its file, the arm is drawn without it
        points, triangles = np.zeros((0, 3)), np.zeros((0, 3), int)
    if not len(triangles) or not np.all(np.isfinite(points)):
        raise LissomError(f"{path.name} is not shown: it holds no mesh that can be read")
    return points, triangles


def _body(arm: Drawing, k: int, spec: Link) -> Mesh | None:
    """Return a rigid link: its solid, or rods from its joint to its tip and to what it carries."""
    body: Any = spec.body
    com = np.real(np.asarray(body.com))
    shape = getattr(body, "shape", None)
    if shape == "box":
        return triangle_meshes.box(np.real(body.size)).moved(shift=com).on(k)
    if shape == "sphere":
        return triangle_meshes.ball(float(np.real(body.diameter)) / 2).moved(shift=com).on(k)
    if shape == "cylinder":
        half = np.eye(3)["xyz".index(body.along)] * float(np.real(body.length)) / 2
        return triangle_meshes.rod(com - half, com + half, float(np.real(body.diameter)) / 2, corners=28).on(k)
    ends = [np.real(np.asarray(other.origin.xyz)) for other in arm.specs.values() if other.parent == spec.name]
    ends += [np.real(np.asarray(body.tip))] if body.tip is not None else []
    ends = [end for end in ends if np.linalg.norm(end) > 1e-6 * arm.reach]
    if spec.joint.kind.floats:
        return triangle_meshes.box(_cuboid(body, [*ends, com], arm.reach)).on(k)
    radius = _thickness(arm, spec.name)
    rods = [triangle_meshes.rod(np.zeros(3), end, radius, 0.8 * radius).on(k) for end in ends]
    knobs = [triangle_meshes.ball(0.8 * radius).moved(shift=end).on(k) for end in ends]
    return triangle_meshes.merged(rods + knobs) if ends else None


def _cuboid(body: Any, ends: list[np.ndarray], reach: float) -> np.ndarray:
    """Return the edges of a solid cuboid of the body's mass and inertia, not wider than what is attached to it."""
    inertia, mass = np.diag(np.real(np.asarray(body.inertia))), float(np.real(body.mass))
    squares = 6 * (inertia.sum() - 2 * inertia) / mass if mass > 0 else np.zeros(3)
    size = np.sqrt(np.maximum(squares, (0.03 * reach) ** 2))
    attached = 2 * np.abs(ends).max(axis=0)
    return np.where(attached > 0.2 * size, np.minimum(size, np.maximum(attached, 0.05 * reach)), size)


def _thickness(arm: Drawing, link: str) -> float:
    """Return half the size of a link across; zero where it brings its own mesh."""
    if link in arm.model.flexible:
        beam: Any = arm.model.flexible[link]
        if not hasattr(beam, "section"):
            return 0.0
        return float(np.abs(_outline(arm, beam.profile.pieces[0].at(0.0))[0]).max())
    spec = arm.specs[link]
    if spec.visual:
        return 0.0
    radius = min(ROD * arm.reach, STOUT * (_length(arm, link) or arm.reach))
    if spec.parent in arm.model.flexible:
        radius = min(radius, 1.2 * _thickness(arm, spec.parent)) or radius
    return radius


def _length(arm: Drawing, link: str) -> float:
    """Return how far a link goes from its joint to what it carries or to its tip, in m; zero of a point."""
    if link in arm.model.flexible:
        return float(np.real(arm.model.flexible[link].length))
    body: Any = arm.specs[link].body
    ends = [np.real(np.asarray(other.origin.xyz)) for other in arm.specs.values() if other.parent == link]
    ends += [np.real(np.asarray(body.tip))] if getattr(body, "tip", None) is not None else []
    return max((float(np.linalg.norm(end)) for end in ends), default=0.0)


# joints and masses


def _joint(arm: Drawing, k: int, spec: Link) -> Mesh | None:
    """Return a sign for the joint of a link, unless the link shows itself."""
    if spec.joint.kind.floats or spec.visual:
        return None
    sign = joint_sign(arm, spec.joint, [link for link in (spec.name, spec.parent) if link in arm.specs])
    return None if sign is None else sign.on(k)


def joint_sign(arm: Drawing, joint: Joint, joined: list[str]) -> Mesh | None:
    """Return a sign for a joint: drums about its axes, a ball, a block that slides; none where it is fixed."""
    if joint.nv == 0:
        return None
    around = [_thickness(arm, link) for link in joined]
    lengths = [length for link in joined if (length := _length(arm, link)) > 1e-6 * arm.reach]
    r = DRUM * max(*around, 0.008 * min([arm.reach, *(5 * length for length in lengths)]))
    half = min(1.25 * r, max(SHORT * min(lengths, default=arm.reach), 0.5 * r))
    if joint.kind.on_group:
        return triangle_meshes.ball(1.1 * r)
    axes = np.real(np.asarray(joint.axes)).reshape(-1, 3)
    if set(joint.kind.velocity_units) == {"m"}:
        return triangle_meshes.box([2.6 * half, 2.2 * r, 2.2 * r]).moved(triangle_meshes.rotation_along(axes[0]))
    return triangle_meshes.merged([triangle_meshes.rod(-half * axis, half * axis, r, corners=28) for axis in axes[:2]])


def _masses(arm: Drawing, spec: Link) -> list[DrawnSolid]:
    """Return lumped masses, and rigid bodies without a size: balls that grow with the cube root of their mass."""
    balls: list[tuple[float, int, np.ndarray]] = []
    body: Any = spec.body
    leaf = all(other.parent != spec.name for other in arm.specs.values())
    if spec.name in arm.model.flexible:
        for lump in arm.model.flexible[spec.name].masses:
            frame = arm.frame_at(spec.name, float(np.real(lump.x)))
            balls.append((float(np.real(lump.mass)), frame, np.real(lump.com)))
    elif not spec.visual and not hasattr(body, "shape") and not spec.joint.kind.floats:
        fixed_to_arm = spec.joint.nv == 0 and spec.parent in arm.specs
        if fixed_to_arm or (leaf and body.tip is None):
            balls.append((float(np.real(body.mass)), int(arm.frames_of[spec.name][0]), np.real(np.asarray(body.com))))
    end = arm.frame_at(spec.name)
    total = sum(_mass(arm, other) for other in arm.specs.values())
    made = []
    for mass, frame, com in balls:
        if mass > 0:
            size = arm.reach * float(np.clip(0.045 * np.cbrt(mass / total), 0.012, 0.034))
            role, colour = ("payload", PAYLOAD) if leaf and frame == end else ("mass", MASS)
            made.append(DrawnSolid(spec.name, role, colour, triangle_meshes.ball(size).moved(shift=com).on(frame)))
    return made


def _mass(arm: Drawing, spec: Link) -> float:
    source: Any = arm.model.flexible.get(spec.name, spec.body)
    return float(np.real(source.mass))


# meshes
