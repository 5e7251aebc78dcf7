"""Elements of a URDF as data: names, numbers, origins, inertias and joints; what is wrong is refused by its name."""

from __future__ import annotations

import math
import re
from typing import Any
from xml.etree import ElementTree

import numpy as np

from lissom.errors import RobotError
from lissom.messages import did_you_mean, listed
from lissom.model.importers.frame_based_links import Inertial, pose
from lissom.model.importers.urdf_document import EXPAND

TYPES = ("fixed", "revolute", "continuous", "prismatic", "floating", "planar")
BALLS = ("spherical", "ball")  # which the format does not know


def read_name(element: ElementTree.Element) -> str:
    """Return the name of an element, which must have one."""
    name = element.get("name")
    if not name:
        raise RobotError(f"a <{element.tag}> has no name; give it one")
    return name


def plain_name(name: str) -> str:
    """Return a name as lissom writes names: letters, digits, '-' and '_'."""
    return re.sub(r"[^\w-]", "_", name)[:64]


def read_end(joint: ElementTree.Element, name: str, tag: str, links: dict[str, Any]) -> str:
    """Return the link that the `parent` or `child` of a joint names."""
    element = joint.find(tag)
    link = element.get("link") if element is not None else None
    if link is None:
        raise RobotError(f'joint {name!r} has no {tag}; write <{tag} link="..."/>')
    if link not in links:
        raise RobotError(f"joint {name!r}: its {tag} {link!r} is not a link of the file{did_you_mean(link, links)}")
    return link


def read_origin(element: ElementTree.Element, where: str) -> np.ndarray:
    """Return the pose (4, 4) that the origin of an element gives; the identity where it has none."""
    found = element.find("origin")
    if found is None:
        return np.eye(4)
    xyz, rpy = (read_numbers(found.get(key, "0 0 0"), 3, f"{key} of the origin of {where}") for key in ("xyz", "rpy"))
    return pose(xyz, rpy)


def read_numbers(text: str | None, count: int, where: str) -> list[float]:
    """Return so many finite numbers; `where` says in a refusal what they are of."""
    try:
        values = [float(word) for word in (text or "").split()]
    except ValueError:
        values = []
    if len(values) != count or not all(map(math.isfinite, values)):
        remedy = f"; it holds xacro expressions, {EXPAND}" if "$" in (text or "") else ""
        raise RobotError(f"must be {count} finite number{'s' if count > 1 else ''}{remedy}", (where,), text)
    return values


def read_inertial(link: ElementTree.Element, name: str) -> Inertial:
    """Return mass, centre and inertia in the axes of the link's frame; nothing where the URDF says nothing."""
    inertial = link.find("inertial")
    if inertial is None:
        return Inertial()
    mass, tensor = inertial.find("mass"), inertial.find("inertia")
    if mass is None:
        raise RobotError(f'link {name!r}: its <inertial> has no mass; write <mass value="..."/>')
    value = read_numbers(mass.get("value"), 1, f"mass of link {name!r}")[0]
    if value < 0:
        raise RobotError("must not be negative; give the mass in kg", (f"mass of link {name!r}",), value)
    keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    given = {} if tensor is None else tensor.attrib
    xx, xy, xz, yy, yz, zz = (read_numbers(given.get(k, "0"), 1, f"{k} of link {name!r}")[0] for k in keys)
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Inertial(value, np.zeros(3), inertia).seen_from(read_origin(inertial, f"the inertial of link {name!r}"))


def read_joint(joint: ElementTree.Element, name: str, more: dict[str, Any]) -> dict[str, Any]:
    """Return the joint as a robot file has it, with what the overlay adds; one that it makes fixed is nothing else."""
    if more.get("type") == "fixed":
        return {"name": plain_name(name)} | more
    return _own_joint(joint, name) | more


def _own_joint(joint: ElementTree.Element, name: str) -> dict[str, Any]:
    kind = joint.get("type", "")
    if kind in BALLS:
        return {"name": plain_name(name), "type": "spherical"}
    if kind not in TYPES:
        raise RobotError(f"joint {name!r}: its type {kind!r} is unknown; choose {listed(TYPES)}")
    element = joint.find("axis")
    axis = read_numbers(element.get("xyz") if element is not None else "1 0 0", 3, f"axis of joint {name!r}")
    out: dict[str, Any] = {"name": plain_name(name)}
    if kind in ("fixed", "floating"):
        return out | {"type": "fixed" if kind == "fixed" else "free"}
    if np.linalg.norm(axis) < 1e-9:
        raise RobotError("has no length; give a direction such as 0 0 1", (f"axis of joint {name!r}",), axis)
    if kind == "planar":
        first = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
        out |= {"type": "planar", "axes": [first.tolist(), np.cross(axis, first).tolist()]}
    else:
        out |= {"type": "prismatic" if kind == "prismatic" else "revolute", "axis": axis}
    dynamics = joint.find("dynamics")
    if dynamics is not None:
        damping, friction = (
            read_numbers(dynamics.get(k, "0"), 1, f"{k} of joint {name!r}")[0] for k in ("damping", "friction")
        )
        out |= {"damping": damping} if damping else {}
        out |= {"friction": {"coulomb": friction}} if friction else {}
    limit = joint.find("limit")
    if limit is not None and kind in ("revolute", "prismatic"):
        lower, upper = (
            read_numbers(limit.get(k, "0"), 1, f"{k} limit of joint {name!r}")[0] for k in ("lower", "upper")
        )
        out |= {"limits": {"lower": lower, "upper": upper}} if lower < upper else {}
    return out
