"""URDF files: rigid robots, and by a small overlay in YAML the links that bend.

Read: links with their inertial frames, joints (fixed, revolute, continuous, prismatic, floating, planar), their
damping, friction and limits, joints that mimic others, visuals. Rigid links on fixed joints join the body that carries
them. Limits are a range: a URDF does not say how stiff a stop is; give `joints: {elbow: {limits: ...}}` in the overlay.
What other programs read is read with a warning: inertias that no body has, links that move without an inertial, ball
joints, and what `urdf_document` puts right.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any
from xml.etree import ElementTree

import numpy as np
from pydantic import BeforeValidator, Field

from lissom.errors import Keys, LissomError, RobotError
from lissom.messages import did_you_mean, listed
from lissom.model.description.robot import Robot
from lissom.model.importers.frame_based_links import (
    WORLD,
    Framed,
    Inertial,
    merge_fixed_links,
    robot_links,
    visuals,
)
from lissom.model.importers.registry import Importer, RobotForm, register
from lissom.model.importers.residual_mass import REST, describe_residual_mass, lump_residual_mass
from lissom.model.importers.urdf_document import document
from lissom.model.importers.urdf_elements import (
    BALLS,
    plain_name,
    read_end,
    read_inertial,
    read_joint,
    read_name,
    read_numbers,
    read_origin,
)
from lissom.model.schema.name_fields import LONGEST_PATH, Title
from lissom.model.schema.vector_fields import unreal
from lissom.model.schema.written_forms import TEXT, AlsoWritten

ROUNDING = 1e-9  # of the largest principal moment
SMALLEST = 1e-12  # kg m2 that URDFs mean
TRACE = 1e-6  # of the robot's mass, for a body that moves without any
RADIUS = 0.1  # m, of gyration of such a body
WITHOUT = (("body", "mass"), ("body", "inertia"))  # what is wrong with a body that moves so


def _by_type(joint: Any) -> Any:
    """Return a joint by its type alone, as `fixed`."""
    return {"type": joint} if isinstance(joint, str) else joint


class Overlay(RobotForm):
    """What a robot file adds to a URDF.

    In a file: `urdf: arm.urdf`, then `flexible: {forearm: {section: {...}, modes: {...}}}` with the fields of a beam
    (and `start`, `end` in the link's frame, where the beam does not reach from the link's joint to its only child's;
    `rest: lumped` keeps what the link weighs beyond the beam as a mass on it),
    and `joints: {elbow: {transmission: {...}}, finger: fixed}` with the fields of a joint, or its type.
    """

    urdf: Annotated[str, Title("the path of the URDF file", LONGEST_PATH)]
    name: Annotated[str | None, Title("the name of the robot")] = None
    floating: bool = Field(default=False, description="true where the first link floats freely")
    flexible: dict[str, dict[str, Any]] = Field(default={})
    joints: dict[str, Annotated[dict[str, Any], BeforeValidator(_by_type), AlsoWritten(TEXT)]] = Field(default={})

    def robot(self, source: str, text_of: Callable[[Path], str]) -> Robot:
        """Return the robot that the file describes."""
        path = Path(source).parent / self.urdf
        return robot_from_urdf(text_of(path), str(path), self)


def robot_from_urdf(text: str, source: str, overlay: Overlay | None = None) -> Robot:
    """Return the robot of a URDF's text; `source` names the file in messages and is where its meshes are looked for."""
    try:
        return _Reader(text, source, overlay or Overlay(urdf=source)).robot()
    except RobotError as error:
        if overlay is None or not error.path:  # a path leads into the overlay, where there is one
            error.add_source(source)
        raise


class _Reader:
    def __init__(self, text: str, source: str, overlay: Overlay) -> None:
        self.overlay, self.source, self.folder = overlay, source, Path(source).parent
        self.rests: dict[str, str] = {}  # what becomes of mass beyond that of the beam, by link
        self.root, self.doubts = document(text)  # what was read although it cannot be right
        self.links = {read_name(e): e for e in self._unique("link")}
        self.joints = {read_name(e): e for e in self._unique("joint")}
        for name in overlay.flexible:
            _check_known(name, self.links, "flexible", "link")
        for name in overlay.joints:
            _check_known(name, self.joints, "joints", "joint")

    def _ratios(self, moving: list[Framed]) -> list[dict[str, Any]]:
        """Return loops that couple the joints which mimic others: q = multiplier q_other + offset."""
        links, found = {link.joint["name"]: link for link in moving}, []
        for name, element in self.joints.items():
            mimic = element.find("mimic")
            if mimic is None or plain_name(name) not in links:
                continue
            where = f"the mimic of joint {name!r}"
            leader = mimic.get("joint", "")
            if plain_name(leader) not in links or leader == name:
                what = "which does not move" if leader in self.joints else "which the file does not have"
                self.doubts.append(f"joint {name!r} mimics {leader!r}, {what}: read as a joint of its own")
                continue
            ratio, offset = (
                read_numbers(mimic.get(key, default), 1, f"{key} of {where}")[0]
                for key, default in (("multiplier", "1"), ("offset", "0"))
            )
            between = [{"link": links[plain_name(joint)].name} for joint in (leader, name)]
            found.append({"name": f"{plain_name(name)}-mimic", "ratio": ratio, "offset": offset, "between": between})
        return found

    def _unique(self, tag: str) -> list[ElementTree.Element]:
        found = self.root.findall(tag)
        counts = Counter(map(read_name, found))
        twice = [name for name, count in counts.items() if count > 1]
        if twice:
            raise RobotError(f"{tag} {min(twice)!r} is given twice; give each {tag} a name of its own")
        return found

    def robot(self) -> Robot:
        links = [self._link(name, joint) for name, joint in self._sort_links()]
        moving, ground = merge_fixed_links(links)
        self._doubt_masses(moving)
        data: dict[str, Any] = {
            "lissom": 1,
            "name": self.overlay.name or self.root.get("name") or "urdf",
            "gravity": self.overlay.gravity,
            "materials": self.overlay.materials,
            **visuals(ground),
            "links": robot_links(moving),
            "loops": self._ratios(moving),
        }
        if not moving:
            raise RobotError("nothing in it moves: every joint is fixed; give a joint that moves, or floating: true")
        bending = {link.name: link for link in moving if link.beam is not None}
        robot = self._build_robot(data)
        for entry in data["links"] if self.rests else ():
            if self.rests.get(entry["name"]) == "lumped":
                mechanics = robot.link(entry["name"]).build(robot.materials)
                assert mechanics is not None
                rest = lump_residual_mass(bending[entry["name"]].along_beam(), mechanics, entry["name"])
                entry["beam"]["masses"] = [*entry["beam"].get("masses", ()), rest]
        robot = self._build_robot(data) if self.rests else robot
        self._tell(robot, bending)
        return robot

    def _build_robot(self, data: dict[str, Any]) -> Robot:
        try:
            return Robot.from_dict(data)
        except RobotError as error:
            if self._gave_inertia(data, error.problems or (error,)):
                return self._build_robot(data)
            for problem in error.problems or (error,):
                problem.path = _as_written(problem.path)
            raise

    def _gave_inertia(self, data: dict[str, Any], problems: Sequence[LissomError]) -> bool:
        """Give the bodies that a joint moves without mass or inertia a trace of it; whether that was all that is wrong.

        Other programs read such files, and their mass matrix is singular.
        """
        bodies = {entry["name"]: entry["body"] for entry in data["links"] if "body" in entry}
        mass = TRACE * max(1.0, sum(body["mass"] for body in bodies.values()))
        names = {str(problem.path[1]) for problem in problems if tuple(problem.path[2:]) in WITHOUT}
        empty = [name for name in names if name in bodies and not np.any(bodies[name]["inertia"])]
        if len(empty) < len(problems):
            return False
        for name in empty:
            own = max(bodies[name]["mass"], mass)
            bodies[name] |= {"mass": own, "inertia": [RADIUS**2 * own] * 3}
            self.doubts.append(
                f"link {name!r} moves without mass or inertia: read with {own:.3g} kg and {RADIUS**2 * own:.3g} kg m2, "
                "as its acceleration would be infinite; give its <inertial>"
            )
        return True

    def _tell(self, robot: Robot, bending: dict[str, Framed]) -> None:
        for doubt in self.doubts:
            warnings.warn(f"{self.source}: {doubt}", UserWarning, stacklevel=2)
        for name, link in bending.items():
            mechanics = robot.link(name).build(robot.materials)
            text = (
                describe_residual_mass(link.along_beam(), mechanics, name, self.rests[name])
                if mechanics is not None
                else None
            )
            if text is not None:
                warnings.warn(f"{self.source}: {text}", UserWarning, stacklevel=2)

    def _sort_links(self) -> list[tuple[str, str | None]]:
        """Return links with the joint that carries each, parents first, the root (without a joint) at the front."""
        carried: dict[str, str] = {}
        children: dict[str, list[str]] = {name: [] for name in self.links}
        for name, joint in self.joints.items():
            parent, child = (read_end(joint, name, tag, self.links) for tag in ("parent", "child"))
            if child in carried:
                raise RobotError(
                    f"link {child!r} is the child of two joints, {carried[child]!r} and {name!r}: a closed loop, "
                    "which a URDF does not describe; cut it at one joint, and close it under loops of a robot file"
                )
            carried[child] = name
            children[parent].append(child)
        if not self.links:
            raise RobotError("there is no <link> in it; give the links and the joints between them")
        roots = [name for name in self.links if name not in carried]
        if not roots:
            raise RobotError("no link is left as the base: the joints form a loop; cut it at one joint")
        if len(roots) > 1:
            raise RobotError(f"links {listed(roots, 'and')} lack a joint; join all links to one base")
        order: list[tuple[str, str | None]] = []
        stack = [roots[0]]
        while stack:
            name = stack.pop()
            order.append((name, carried.get(name)))
            stack.extend(reversed(children[name]))
        if len(order) < len(self.links):
            lost = sorted(set(self.links) - {name for name, _ in order})
            raise RobotError(f"{listed(lost, 'and')} are part of a loop of joints; cut it at one joint")
        return order

    def _link(self, name: str, joint_name: str | None) -> Framed:
        element = self.links[name]
        link = Framed(
            name=plain_name(name),
            parent=WORLD,
            pose=np.eye(4),
            joint={"type": "free" if self.overlay.floating else "fixed", "name": f"{plain_name(name)}-base"},
            inertial=self._inertial(element, name),
            visual=[shape for e in element.findall("visual") if (shape := self._shape(e, name)) is not None],
        )
        if joint_name is not None:
            joint = self.joints[joint_name]
            link.parent = plain_name(read_end(joint, joint_name, "parent", self.links))
            link.pose = read_origin(joint, f"joint {joint_name!r}")
            link.joint = read_joint(joint, joint_name, self.overlay.joints.get(joint_name, {}))
            if joint.get("type") in BALLS:
                self.doubts.append(
                    f"joint {joint_name!r}: type {joint.get('type')!r}, which URDF does not have, is a ball"
                )
        if name in self.overlay.flexible:
            self._bend(link, name, dict(self.overlay.flexible[name]))
        return link

    def _bend(self, link: Framed, name: str, beam: dict[str, Any]) -> None:
        """Make the link a beam between two points of its frame."""
        children = [joint for joint in self.joints.values() if joint.find("parent").get("link") == name]  # type: ignore[union-attr]
        start, end = (beam.pop(field, None) for field in ("start", "end"))
        self.rests[link.name] = rest = beam.pop("rest", REST[0])
        if rest not in REST:
            text = "the mass that the URDF gives beyond the beam's own is dropped or lumped"
            raise RobotError(f"{text}; write one of these words", ("flexible", name, "rest"), rest)
        if end is None and len(children) != 1:
            text = f"missing, and {name} has {len(children)} children; give its end, [x, y, z] in the link's frame"
            raise RobotError(text, ("flexible", name, "end"))
        points = [
            _point(start if start is not None else [0, 0, 0], ("flexible", name, "start")),
            _point(
                end if end is not None else read_origin(children[0], name)[:3, 3].tolist(), ("flexible", name, "end")
            ),
        ]
        length = float(np.linalg.norm(points[1] - points[0]))
        if length < 1e-6:
            raise RobotError("the beam has no length; give start and end, [x, y, z] each", ("flexible", name))
        link.beam, link.ends = {"length": length, **beam}, (points[0], points[1])

    def _doubt_masses(self, moving: list[Framed]) -> None:
        """Note links that move without an inertial of their own or of a link fixed to them; zero has to be said."""
        told = {plain_name(name) for name, element in self.links.items() if element.find("inertial") is not None}
        for link in moving:
            if link.beam is None and link.inertial.mass == 0 and link.name not in told:
                self.doubts.append(
                    f"link {link.name!r} moves but has no <inertial>: read without mass; give its mass and inertia "
                    "(a mass of 0, if it is a frame only)"
                )

    def _inertial(self, link: ElementTree.Element, name: str) -> Inertial:
        """Return mass, centre and inertia in the axes of the link's frame; nothing where the URDF says nothing."""
        found = read_inertial(link, name)
        moments, axes = np.linalg.eigh(found.inertia)
        if moments[0] < 0:
            if moments[0] < -ROUNDING * max(moments[-1], SMALLEST):
                text = (
                    f"its inertia has a negative principal moment ({moments[0]:.3g} kg m2), read as 0; check the signs"
                )
                self.doubts.append(f"link {name!r}: {text}")
            found.inertia = axes @ np.diag(np.maximum(moments, 0.0)) @ axes.T
        if text := unreal(found.inertia):
            self.doubts.append(f"link {name!r}: its inertia {text}; no body has such an inertia, check the numbers")
        return found

    def _shape(self, element: ElementTree.Element, link: str) -> dict[str, Any] | None:
        """Return a visual as a robot file has it, with its pose; None for what cannot be shown."""
        place = {"pose": read_origin(element, f"a visual of link {link!r}")}
        geometry = element.find("geometry")
        shape = geometry[0] if geometry is not None and len(geometry) else None
        if shape is None:
            return None
        where = f"a {shape.tag} of link {link!r}"
        if shape.tag == "box":
            return {"shape": "box", "size": read_numbers(shape.get("size"), 3, where), **place}
        if shape.tag in ("cylinder", "sphere"):
            across = 2 * read_numbers(shape.get("radius"), 1, where)[0]
            along = read_numbers(shape.get("length"), 1, where)[0] if shape.tag == "cylinder" else across
            return {"shape": shape.tag, "size": [across, across, along], **place}
        name = shape.get("filename")
        if shape.tag != "mesh" or not name:
            return None
        size = self._scale(shape.get("scale", "1 1 1"), where)
        return {"shape": "mesh", "file": self._mesh(name), "size": size, **place}

    def _scale(self, text: str, where: str) -> list[float]:
        """Return the scale of a mesh along its axes, from three numbers or one; 1 where it is neither."""
        for count in (3, 1):
            with suppress(RobotError):
                return read_numbers(text, count, where) * (3 // count)
        self.doubts.append(f"{where}: its scale = {text!r} must be three numbers; read as 1 1 1")
        return [1.0, 1.0, 1.0]

    def _mesh(self, name: str) -> str:
        """Find a mesh beside the URDF; package://name/path is sought with and without its name in all folders above."""
        whole = Path(re.sub(r"^\w+://", "", name))
        for folder in (self.folder, *self.folder.absolute().parents):
            for path in (whole, Path(*whole.parts[1:])) if name.startswith("package://") else (whole,):
                if (folder / path).is_file():
                    return str(folder / path)
        return name


def _as_written(path: Keys) -> Keys:
    """Return where the overlay holds what a robot's file has at a path: a beam is given under `flexible`."""
    if len(path) > 2 and path[0] == "links" and path[2] == "beam":
        return ("flexible", path[1], *path[3:])
    return path


def _check_known(name: str, known: dict[str, Any], field: str, what: str) -> None:
    if name not in known:
        raise RobotError(f"the URDF has no {what} of that name{did_you_mean(name, known)}", (field, name))


def _point(value: Any, path: Keys) -> np.ndarray:
    if not (isinstance(value, list | tuple) and len(value) == 3 and all(isinstance(v, int | float) for v in value)):
        raise RobotError("must be a point [x, y, z] in the link's frame, in metres", path, value)
    return np.array(value, float)


register(Importer(suffixes=(".urdf", ".xacro"), read=robot_from_urdf, key="urdf", form=Overlay))
