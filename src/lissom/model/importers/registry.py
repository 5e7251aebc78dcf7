"""The formats of robots, each one record: known by the suffix of a file, or by a key of a robot file in YAML.

A format from outside calls `register` in a module of its own, see `lissom.plugins`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from lissom.errors import RobotError
from lissom.model.description.robot import EARTH, Robot
from lissom.model.schema.base_model import Description
from lissom.model.schema.vector_fields import Vec3, Vector
from lissom.plugins import load_plugins

YAML = (".yaml", ".yml")
# Modules of lissom by the words that lead to them: they register themselves when a file asks for them.
SUPPLIED = {".urdf": "urdf", ".xacro": "urdf", "urdf": "urdf", "dh": "denavit_hartenberg"}


class RobotForm(Description):
    """Base of robot files in YAML that describe the robot in another way than by its links."""

    what: ClassVar[str] = "robot"

    lissom: int = 1
    gravity: Annotated[Vec3, Vector("the acceleration of gravity in the world frame", "m/s2")] = EARTH
    materials: dict[str, Any] = Field(default={})

    def robot(self, source: str, text_of: Callable[[Path], str]) -> Robot:
        """Return the robot that the file describes.

        Parameters
        ----------
        source : str
            Path of the file, beside which other files may lie.
        text_of : callable
            Gives the text of such a file, or an error that says what is in the way.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Importer:
    """A format of robots: how its files are known, and what makes robots of them.

    Parameters
    ----------
    suffixes : tuple of str
        Ends of the names of files that are in the format as a whole, such as ".urdf".
    read : callable
        Makes a `Robot` of the text of such a file and of its path.
    key : str
        Field of a robot file in YAML that shows the format, such as "dh".
    form : type
        Class of such a file, derived from `RobotForm`.
    """

    suffixes: tuple[str, ...] = ()
    read: Callable[[str, str], Robot] | None = None
    key: str = ""
    form: type[RobotForm] | None = None


_known: dict[str, Importer] = {}  # by suffix and by key


def register(importer: Importer) -> Importer:
    """Let `lissom.load` and all commands read files of a format.

    Parameters
    ----------
    importer : Importer
        The format; one that has the same suffix or key takes its place.
    """
    _known.update(dict.fromkeys((*importer.suffixes, *filter(None, [importer.key])), importer))
    return importer


def words() -> set[str]:
    """Return the suffixes and keys of all formats that are known by now."""
    return {*SUPPLIED, *_known}


def by_suffix(source: str) -> Importer | None:
    """Return the format of a file by its name; None for YAML."""
    suffix = Path(source).suffix.lower()
    if not suffix or suffix in YAML:
        return None
    if suffix not in words():
        load_plugins()
    return _importer(suffix)


def by_key(fields: Collection[str]) -> Importer | None:
    """Return the format of a robot file in YAML by its fields; None where it lists links."""
    if "links" not in fields and not words() & set(fields):
        load_plugins()
    return _importer(next((word for word in words() if word in fields), ""))


def read_other(importer: Importer, text: str, source: str) -> Robot:
    """Return the robot of a text in a format of its own; every error is one of lissom and names the file."""
    assert importer.read is not None
    try:
        return importer.read(text, source)
    except RobotError as error:
        error.add_source(source)
        raise


def _importer(word: str) -> Importer | None:
    if word in SUPPLIED and word not in _known:
        import_module(f"{__package__}.{SUPPLIED[word]}")
    return _known.get(word)
