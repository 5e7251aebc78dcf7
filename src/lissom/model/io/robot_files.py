"""Robot files: find, read, check."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

from pydantic_core import ValidationError

from lissom import builtin
from lissom.errors import LissomError, RobotError
from lissom.files import check_file
from lissom.messages import listed, near
from lissom.model.description.robot import FORMAT, Robot
from lissom.model.fields.base_model import Description
from lissom.model.fields.number_fields import kind_of
from lissom.model.fields.validation_errors import explain
from lissom.model.io.yaml_reader import read

MAX_BYTES = 5_000_000
URDF = (".urdf", ".xacro")


def builtin_names() -> list[str]:
    """Names of the robots that come with lissom."""
    return builtin.names(builtin.ROBOTS)


def load(name_or_path: str | os.PathLike[str]) -> Robot:
    """Read a robot.

    Parameters
    ----------
    name_or_path : str or path
        The name of a built-in robot (`"ella"`), or the path of a robot file (`"arm.yaml"`, `"arm.urdf"`).

    Returns
    -------
    Robot

    Raises
    ------
    LissomError
        With file, line, field, value and remedy of everything that is wrong.

    Examples
    --------
    >>> robot = lissom.load("ella")
    >>> longer = robot.with_value("links.upper.beam.length", 1.2)
    """
    name = os.fspath(name_or_path)
    if not isinstance(name, str):
        raise RobotError(f"{name!r}: not a name or a path; give text, e.g. load('ella')")
    if name in builtin_names():
        return parse(builtin.text(builtin.ROBOTS, name), f"{name}.yaml")
    return _doubted(parse(text_of(Path(name)), name), name)


def read_text(text: str) -> Robot:
    """A robot from the text of a robot file, doubts told."""
    return _doubted(parse(text, "<text>"), "<text>")


def _doubted(robot: Robot, name: str) -> Robot:
    for doubt in robot.warnings:
        warnings.warn(f"{name}: {doubt}", UserWarning, stacklevel=3)
    return robot


def parse(text: str, source: str) -> Robot:
    """A robot from the text of a robot file; `source` names the file in messages."""
    if source.lower().endswith(URDF):
        from lissom.model.importers.urdf import robot_from_urdf

        return robot_from_urdf(text, source)
    root = read(text, source)
    if root is None:
        raise RobotError(f"the file is empty; start with lissom: {FORMAT}, name and links", source=source)
    if not isinstance(root.value, dict):
        text = f"the file must be a mapping (lissom, name, links), not {kind_of(root.value)}"
        raise RobotError(f"{text}; start with lissom: {FORMAT}", source=source, line=root.line)
    if "lissom" not in root.value:
        raise RobotError(f"missing; write the format version as lissom: {FORMAT}", ("lissom",), source=source)
    kind = _kind(root.value)
    try:
        described = kind.model_validate(root.value, context={"folder": Path(source).parent})
    except ValidationError as error:
        raise explain(error, kind, root.value, source, root.line_of) from None
    return described if isinstance(described, Robot) else _translated(described, source)


def _kind(data: dict[str, Any]) -> type[Description]:
    """How the file describes its robot: by links, by a Denavit-Hartenberg table, or on top of a URDF."""
    if "urdf" in data:
        from lissom.model.importers.urdf import Overlay

        return Overlay
    if "dh" in data:
        from lissom.model.importers.denavit_hartenberg import DhFile

        return DhFile
    return Robot


def _translated(described: Description, source: str) -> Robot:
    """The robot behind a table or an overlay; a URDF is looked for beside the file that names it."""
    from lissom.model.importers.denavit_hartenberg import DhFile
    from lissom.model.importers.urdf import Overlay, robot_from_urdf

    try:
        if isinstance(described, DhFile):
            return described.robot()
        assert isinstance(described, Overlay)
        path = Path(source).parent / described.urdf
        return robot_from_urdf(text_of(path), str(path), described)
    except RobotError as error:
        error.add_source(source)
        raise


def text_of(path: Path) -> str:
    """The text of a file, or an error that says what is in the way."""
    try:
        if not path.exists():
            raise RobotError(_missing(path), source=str(path))
        check_file(path)
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, LissomError):
            raise RobotError.of(error) from None
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise RobotError(f"cannot be read ({reason}); check the path and its permissions", source=str(path)) from None
    if len(content) > MAX_BYTES:
        raise RobotError(f"larger than {MAX_BYTES / 1e6:g} MB; a robot file has a few kilobytes", source=str(path))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        text = f"byte 0x{content[error.start]:02x} is not UTF-8; save the file as UTF-8 text"
        raise RobotError(text, source=str(path), line=line) from None


def _missing(path: Path) -> str:
    neighbours = path.parent.iterdir() if path.parent.is_dir() else ()
    files = sorted(p.name for p in neighbours if p.suffix in (".yaml", ".yml", ".urdf"))
    similar = [str(path.parent / name) for name in near(path.name, files)] + near(path.stem, builtin_names())
    if similar:
        return f"no such file or built-in robot; did you mean {listed(similar[:3])}?"
    return f"no such file or built-in robot; the built-in ones are {listed(builtin_names(), 'and')}"
