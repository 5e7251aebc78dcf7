"""Links given by frames, as URDF and Denavit-Hartenberg tables have them, become the links of a robot file.

There a frame may sit anywhere on its link and fixed links abound; in lissom a beam's frame sits at its proximal end
with x along it, and what is rigidly joined is one body.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lissom.lie import se3, so3
from lissom.model.description.origin import Origin
from lissom.model.schema.vector_fields import unreal

WORLD = "world"


@dataclass
class Inertial:
    """Mass, centre and inertia about the centre, all in the frame of the link."""

    mass: float = 0.0
    com: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))

    def seen_from(self, T: np.ndarray) -> Inertial:
        """Return the same body in another frame; T (4, 4) maps from this frame to it."""
        R = T[:3, :3]
        return Inertial(self.mass, R @ self.com + T[:3, 3], R @ self.inertia @ R.T)

    def __add__(self, other: Inertial) -> Inertial:
        mass = self.mass + other.mass
        if mass == 0:
            return Inertial(0.0, self.com, self.inertia + other.inertia)
        com = (self.mass * self.com + other.mass * other.com) / mass
        inertia = sum(part.inertia + part.mass * _steiner(part.com - com) for part in (self, other))
        return Inertial(mass, com, np.asarray(inertia))


def _steiner(d: np.ndarray) -> np.ndarray:
    return d @ d * np.eye(3) - np.outer(d, d)


@dataclass
class Framed:
    """A link with its frame at its joint; `pose` (4, 4) is the joint's frame in the frame of the parent link."""

    name: str
    parent: str
    pose: np.ndarray
    joint: dict[str, Any]  # as in a robot file; `axis` in the joint's frame
    inertial: Inertial = field(default_factory=Inertial)
    tip: np.ndarray | None = None  # (3,) tool point
    beam: dict[str, Any] | None = None  # as in a robot file: a flexible link
    ends: tuple[np.ndarray, np.ndarray] | None = None  # of the beam, in the frame of the link
    visual: list[dict[str, Any]] = field(default_factory=list)

    @property
    def fixed(self) -> bool:
        """Whether it does not move on its parent."""
        return self.joint["type"] == "fixed"

    def beam_frame(self) -> np.ndarray:
        """Return frame of the beam in the frame of the link: x along it, turned there the shortest way."""
        assert self.ends is not None
        T = np.eye(4)
        T[:3, 3] = self.ends[0]
        T[:3, :3] = _turn_x_to(self.ends[1] - self.ends[0])
        return T

    def along_beam(self) -> Inertial:
        """Return mass, centre and inertia in the frame of the beam."""
        return self.inertial.seen_from(se3.inverse(self.beam_frame()))


def merge_fixed_links(links: list[Framed]) -> tuple[list[Framed], Framed]:
    """Join rigid links on fixed joints to the body that carries them; parents come first, then what stands still."""
    kept: dict[str, Framed] = {}
    ground = Framed(WORLD, WORLD, np.eye(4), {"type": "fixed"})
    moved: dict[str, tuple[str, np.ndarray]] = {WORLD: (WORLD, np.eye(4))}  # link: who carries it, and its frame there
    for link in links:
        carrier, frame = moved[link.parent]
        link.parent, link.pose = carrier, frame @ link.pose
        on_beam = carrier != WORLD and kept[carrier].beam is not None
        if link.fixed and link.beam is None and not (on_beam and link.inertial.mass > 0):
            moved[link.name] = carrier, link.pose
            _absorb(kept[carrier] if carrier != WORLD else ground, link)
        else:
            kept[link.name] = link
            moved[link.name] = link.name, np.eye(4)
    return list(kept.values()), ground


def _absorb(body: Framed, link: Framed) -> None:
    body.inertial = body.inertial + link.inertial.seen_from(link.pose)
    body.tip = (link.pose @ np.append(np.zeros(3) if link.tip is None else link.tip, 1.0))[:3]
    for shape in link.visual:
        body.visual.append(shape | {"pose": link.pose @ shape["pose"]})


def robot_links(links: list[Framed]) -> list[dict[str, Any]]:
    """Return the links as a robot file lists them."""
    by_name = {link.name: link for link in links}
    out: list[dict[str, Any]] = []
    for link in links:
        place = _place(link, by_name.get(link.parent))
        if link.beam is None:
            out.append({"name": link.name, **place, "joint": link.joint, **_body(link)})
        else:
            out.extend(_beam(link, place))
    return out


def _place(link: Framed, parent: Framed | None) -> dict[str, Any]:
    """Return parent, point on it, and origin."""
    if parent is None or parent.beam is None:
        return {"parent": link.parent, "origin": origin(link.pose)}
    T = se3.inverse(parent.beam_frame()) @ link.pose
    at = float(np.clip(T[0, 3], 0.0, parent.beam["length"]))
    T[0, 3] -= at
    return {"parent": link.parent, "at": at, "origin": origin(T)}


def _body(link: Framed) -> dict[str, Any]:
    body: dict[str, Any] = {
        "mass": float(link.inertial.mass),
        "com": link.inertial.com.tolist(),
        "inertia": link.inertial.inertia.tolist(),
    }
    if link.tip is not None:
        body["tip"] = link.tip.tolist()
    if unreal(link.inertial.inertia):  # told where it was read
        body["unreal"] = True
    return {"body": body, **visuals(link)}


def visuals(link: Framed, T: np.ndarray | None = None) -> dict[str, Any]:
    """Return the field `visual` of what is seen of a link; T (4, 4) maps to its frame in the file."""
    T = np.eye(4) if T is None else T
    seen = [
        {key: value for key, value in shape.items() if key != "pose"} | {"origin": origin(T @ shape["pose"])}
        for shape in link.visual
    ]
    return {"visual": seen} if seen else {}


def _beam(link: Framed, place: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a beam: turned with its joint where it starts there, else on a massless body that carries it."""
    T = link.beam_frame()
    beam = {"beam": link.beam, **visuals(link, se3.inverse(T))}
    if np.abs(T[:3, 3]).max() > 1e-12 and not link.fixed:
        root = {"name": f"{link.name}-root", **place, "joint": link.joint, "body": {"mass": 0.0}}
        return [root, {"name": link.name, "parent": root["name"], "origin": origin(T), "joint": "fixed", **beam}]
    joint = dict(link.joint)
    if "axis" in joint:
        joint["axis"] = (T[:3, :3].T @ np.asarray(joint["axis"], float)).tolist()
    if "axes" in joint:
        joint["axes"] = (np.asarray(joint["axes"], float) @ T[:3, :3]).tolist()
    turned = origin(pose(**place["origin"]) @ T)
    return [{"name": link.name, **place, "origin": turned, "joint": joint, **beam}]


def pose(xyz: Any = (0, 0, 0), rpy: Any = (0, 0, 0)) -> np.ndarray:
    """Return pose (4, 4) of a shift and roll, pitch, yaw."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = _rotation(rpy), xyz
    return T


def origin(T: np.ndarray) -> dict[str, list[float]]:
    """Return shift and roll, pitch, yaw of a pose (4, 4)."""
    rpy = so3.to_rpy(T[:3, :3])
    return {"xyz": (T[:3, 3] + 0.0).tolist(), "rpy": (rpy + 0.0).tolist()}  # + 0: no -0


def _rotation(rpy: Any) -> np.ndarray:
    roll, pitch, yaw = map(float, rpy)
    return Origin(rpy=(roll, pitch, yaw)).rotation()


def _turn_x_to(direction: np.ndarray) -> np.ndarray:
    """Return the smallest rotation (3, 3) that turns x to `direction`."""
    x = direction / np.linalg.norm(direction)
    if x[0] < -1 + 1e-12:
        return np.diag([-1.0, -1.0, 1.0])
    axis = np.array([0.0, -x[2], x[1]])  # e_x cross x
    hat = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + hat + hat @ hat / (1 + x[0])
