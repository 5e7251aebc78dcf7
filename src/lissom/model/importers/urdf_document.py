"""A URDF as a tree of elements; what the format does not know, but other programs read, is put right and told."""

from __future__ import annotations

import re
from collections import Counter
from io import StringIO
from xml.etree import ElementTree
from xml.parsers import expat

from lissom.errors import RobotError

XACRO = "http://www.ros.org/wiki/xacro"
EXPAND = "expand them first (xacro arm.xacro > arm.urdf)"
VECTORS = ("xyz", "rpy", "size")
NUMBERS = ("value", "scale", "radius", "length", "damping", "friction", "ixx", "ixy", "ixz", "iyy", "iyz", "izz")
ATTRIBUTES = ("name", "type", "link", "filename", *VECTORS, *NUMBERS)
PARTS = ("link", "joint")
INSIDE = ("inertial", "mass", "inertia", "origin", "parent", "child", "axis", "dynamics", "mimic")
SHOWN = ("visual", "geometry", "box", "cylinder", "sphere", "mesh")
_DECLARATION = re.compile(r"<\?xml\b.*?\?>", re.DOTALL)
_DEFAULT = re.compile(r"\$\(optenv\s+(\S+)\s+([^()]*)\)")
_END = "</robot>"


def document(text: str) -> tuple[ElementTree.Element, list[str]]:
    """Return the root of a URDF, and in words what was put right in it."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise RobotError("declares XML entities (<!DOCTYPE ...>), which are not read; remove the declaration")
    plain, doubts = _DECLARATION.sub("", text.lstrip("\ufeff \t\r\n")), []
    end = plain.rfind(_END) + len(_END)
    try:
        root, spaces = _parse(plain)
    except ElementTree.ParseError as error:
        try:  # what follows the robot is nobody's
            root, spaces = _parse(plain[:end])
        except ElementTree.ParseError:
            reason = expat.ErrorString(error.code)
            raise RobotError(f"not valid XML on line {error.position[0]}: {reason}; correct the file") from None
        doubts.append(f"what follows {_END} is not valid XML, and is left out")
    if root.tag != "robot":
        raise RobotError(f"the file starts with <{root.tag}>, not <robot>; is it a URDF?")
    _without_macros(root, {XACRO, *(address for prefix, address in spaces if prefix == "xacro")}, doubts)
    _lower_case(root, PARTS, doubts)
    for part in (*root.findall("link"), *root.findall("joint")):
        _correct_part(part, doubts)
    return root, doubts


def _parse(text: str) -> tuple[ElementTree.Element, list[tuple[str, str]]]:
    """Return the root, and the namespaces by their prefixes."""
    parsed = ElementTree.iterparse(StringIO(text), ("start-ns",))
    spaces = [space for _, space in parsed]
    return parsed.root, spaces  # type: ignore[attr-defined]


def _without_macros(root: ElementTree.Element, macros: set[str], doubts: list[str]) -> None:
    """Take what xacro has not expanded out of the tree; the rest must still be a robot."""
    found: Counter[str] = Counter()
    for element in list(root.iter()):
        for child in list(element):
            space, _, name = str(child.tag).rpartition("}")
            if space[1:] in macros:
                element.remove(child)
                found[name] += 1
    if found and root.find("link") is None:
        raise RobotError(f"holds xacro macros (<xacro:{next(iter(found))}>) and no <link> beside them; {EXPAND}")
    for name, count in found.items():
        times = f" ({count} times)" if count > 1 else ""
        doubts.append(f"<xacro:{name}>{times} is left out: lissom reads no macros; {EXPAND}")


def _lower_case(parent: ElementTree.Element, known: tuple[str, ...], doubts: list[str]) -> None:
    """Write the tags of its children as the format does."""
    for child in parent:
        name = str(child.tag)
        if name not in known and name.lower() in known:
            doubts.append(f"<{name}> is read as <{name.lower()}>")
            child.tag = name.lower()


def _correct_part(part: ElementTree.Element, doubts: list[str]) -> None:
    """Put right how a link or a joint is written: case, separators of numbers, defaults of the environment."""
    for element in part.iter():
        _lower_case(element, (*INSIDE, *SHOWN), doubts)
        for name in [name for name in element.attrib if name not in ATTRIBUTES and name.lower() in ATTRIBUTES]:
            element.attrib.setdefault(name.lower(), element.attrib.pop(name))
    where = f"{part.tag} {part.get('name')!r}"
    for element in part.iter():
        for name in VECTORS:
            text = element.get(name)
            if text is not None and (better := _vector(text)) != text:
                element.set(name, better)
                doubts.append(f"{where}: {name} = {text!r} of <{element.tag}> is read as {better!r}")
    kind = part.get("type", "")
    if part.tag == "joint" and (better := kind.strip().lower()) != kind:
        part.set("type", better)
        doubts.append(f"{where}: its type {kind!r} is read as {better!r}")


def _vector(text: str) -> str:
    """Three numbers as the format writes them, or the text as it is where it does not tell which three."""
    plain = _DEFAULT.sub(r"\2", text)
    words = plain.split()
    if "," in plain:
        pieces = [piece.strip() for piece in plain.split(",")]
        return " ".join(pieces) if len(pieces) == 3 and all(map(_number, pieces)) else text
    if len(words) > 3 and all(map(_number, words)):
        return " ".join(words[:3])
    return plain


def _number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
