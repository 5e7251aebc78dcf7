"""Robot files: find, read, check."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic_core import ValidationError

from lissom import builtin
from lissom.errors import LissomError, RobotError
from lissom.files import check_file
from lissom.messages import brief, listed, near
from lissom.model.description.robot import FORMAT, Robot
from lissom.model.importers import registry
from lissom.model.importers.registry import Importer, RobotForm
from lissom.model.io.yaml_reader import Node, read
from lissom.model.schema.number_fields import kind_of
from lissom.model.schema.validation_errors import explain

MAX_BYTES = 5_000_000


@dataclass(frozen=True)
class FoundFile:
    """A file by its name or path: its text, and what stands in it where that is YAML."""

    text: str
    source: str  # names the file in messages; paths in the file begin beside it
    builtin: bool = False

    @cached_property
    def importer(self) -> Importer | None:
        """The format of the file, if it is not YAML."""
        return registry.by_suffix(self.source)

    @cached_property
    def root(self) -> Node | None:
        """The YAML in it with the line of every value; None where there is nothing, or another format."""
        return None if self.importer else read(self.text, self.source)

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the mapping in it, if there is one."""
        return self.root.value if self.root is not None and isinstance(self.root.value, dict) else {}

    @property
    def holds_robot(self) -> bool:
        """Whether it describes a robot, so far as its format or a field can tell."""
        if self.importer is not None or "robot" in self.fields:
            return self.importer is not None
        return "links" in self.fields or registry.by_key(self.fields) is not None

    def robot(self) -> Robot:
        """Return the robot in it, checked; doubts about a person's own file are told."""
        robot = registry.read_other(self.importer, self.text, self.source) if self.importer else self._read_yaml()
        for doubt in () if self.builtin else robot.warnings:
            warnings.warn(f"{self.source}: {doubt}", UserWarning, stacklevel=3)
        return robot

    def _read_yaml(self) -> Robot:
        """Return the robot of a YAML file: by its links, or in another form."""
        if self.root is None:
            raise RobotError(f"the file is empty; start with lissom: {FORMAT}, name and links", source=self.source)
        if not isinstance(self.root.value, dict):
            text = f"the file must be a mapping (lissom, name, links), not {kind_of(self.root.value)}"
            raise RobotError(f"{text}; start with lissom: {FORMAT}", source=self.source, line=self.root.line)
        if "lissom" not in self.fields:
            text = f"missing; write the format version as lissom: {FORMAT}"
            raise RobotError(text, ("lissom",), source=self.source)
        importer = registry.by_key(self.fields)
        kind: type[Robot | RobotForm] = Robot if importer is None or importer.form is None else importer.form
        try:
            described = kind.model_validate(self.fields, context={"folder": Path(self.source).parent})
        except ValidationError as error:
            raise explain(error, kind, self.fields, self.source, self.root.line_of) from None
        if isinstance(described, Robot):
            return described
        try:
            return described.robot(self.source, text_of)
        except RobotError as error:
            error.add_source(self.source)
            raise


def builtin_names() -> list[str]:
    """Return the names of the robots that come with lissom."""
    return builtin.names(builtin.ROBOTS)


def find(name_or_path: str | os.PathLike[str], *folders: Path) -> FoundFile:
    """Find a file that comes with lissom by its name in `folders`, or any other by its path."""
    name = os.fspath(name_or_path)
    if not isinstance(name, str):
        raise RobotError(f"{name!r}: not a name or a path; give text, e.g. load('ella')")
    for folder in folders:
        if name in builtin.names(folder):
            return FoundFile(builtin.text(folder, name), f"{name}.yaml", builtin=True)
    return FoundFile(text_of(Path(name)), name)


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
    name: Any = os.fspath(name_or_path) if isinstance(name_or_path, os.PathLike) else name_or_path
    if not isinstance(name, str):
        remedy = "Robot.from_dict takes a mapping" if isinstance(name, Mapping) else "give text, e.g. load('ella')"
        raise RobotError(f"{brief(name)}: not a name or a path; {remedy}")
    return find(name, builtin.ROBOTS).robot()


def parse(text: str, source: str) -> Robot:
    """Return the robot of the text of a robot file; `source` names the file in messages. Doubts are not told."""
    return FoundFile(text, source, builtin=True).robot()


def text_of(path: Path) -> str:
    """Return the text of a file, or raise an error that says what is in the way."""
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
    """Return what to say of a path without a file: what it may have meant."""
    neighbours = path.parent.iterdir() if path.parent.is_dir() else ()
    files = sorted(p.name for p in neighbours if p.suffix in (*registry.YAML, *registry.words()))
    similar = [str(path.parent / name) for name in near(path.name, files)] + near(path.stem, builtin_names())
    if similar:
        return f"no such file or built-in robot; did you mean {listed(similar[:3])}?"
    return f"no such file or built-in robot; the built-in ones are {listed(builtin_names(), 'and')}"
