"""YAML text to plain data, with the line of every value. Safe: no tags, no objects, bounded size and depth.

A robot file uses a small part of YAML: mappings, lists, numbers, text, true/false, aliases of whole values.
Numbers follow YAML 1.2, so that 2.1e11 is a number and `y` a name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from lissom.errors import RobotError

MAX_DEPTH = 20
MAX_REPEATED = 50_000  # values that aliases may stand for: a short text must not make a large robot

_INTEGER = re.compile(r"[-+]?[0-9]{1,15}")
_DECIMAL = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **{sign + inf: float(sign + "inf") for sign in ("", "+", "-") for inf in (".inf", ".Inf", ".INF")},
}


@dataclass
class Node:
    """A value, the line it stands on (from 1), and the nodes inside it."""

    value: Any
    line: int
    inside: dict[str | int, Node] = field(default_factory=dict)
    size: int = 1

    def line_of(self, path: tuple[str | int, ...]) -> int:
        """Return line of the value at the path, or of the last thing on the way to it."""
        node = self
        for key in path:
            if key not in node.inside:
                break
            node = node.inside[key]
        return node.line


def read(text: str, source: str) -> Node | None:
    """Return the document as a tree of nodes; None when there is nothing in it."""
    return deepcopy(_document(text, source))


@lru_cache(maxsize=16)
def _document(text: str, source: str) -> Node | None:
    """Read a document; those of the last few files are kept, as most of the time to load a robot is spent here."""
    return _Reader(text, source).document()


class _Reader:
    """Builds the tree from the parser's events; every refusal names the line."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.events = self._events(text)
        self.anchors: dict[str, Node] = {}
        self.open_anchors: set[str | None] = set()
        self.repeated = 0

    def _events(self, text: str) -> Iterator[Event]:
        try:
            yield from YAML(pure=True).parse(text)
        except MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            what = " ".join(str(part) for part in (error.context, error.problem) if part)
            text = f"not valid YAML: {what}; check indentation, colons, quotes and brackets"
            raise self._error(mark.line + 1 if mark else None, text) from None
        except YAMLError as error:
            what = str(error).strip().splitlines()[0]
            raise self._error(None, f"not valid YAML: {what}; remove or escape this character") from None
        except Exception:  # an impossible escape reaches the parser's own conversions
            text = "not valid YAML: an escape such as \\x41 cannot be read; check the text in double quotes"
            raise self._error(None, text) from None

    def document(self) -> Node | None:
        root = None
        documents = 0
        for event in self.events:
            if isinstance(event, DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self._refuse(event, "a second document starts here; write one robot per file")
            elif isinstance(event, AliasEvent | ScalarEvent | MappingStartEvent | SequenceStartEvent):
                root = self._node(event, 0)
        return None if root is None or root.value is None else root

    def _node(self, event: Event, depth: int) -> Node:
        if isinstance(event, AliasEvent):
            return self._alias(event)
        assert isinstance(event, ScalarEvent | MappingStartEvent | SequenceStartEvent)
        if depth > MAX_DEPTH:
            raise self._refuse(event, f"nested more than {MAX_DEPTH} levels deep; a robot file needs fewer")
        if event.tag is not None:
            raise self._refuse(event, f"the YAML tag {event.tag!r} is not allowed; write the plain value")
        node = Node(None, event.start_mark.line + 1)
        self.open_anchors.add(event.anchor)
        if isinstance(event, MappingStartEvent):
            self._mapping(node, depth)
        elif isinstance(event, SequenceStartEvent):
            self._sequence(node, depth)
        else:
            node.value = _scalar(event)
        self.open_anchors.discard(event.anchor)
        node.size += sum(inner.size for inner in node.inside.values())
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def _alias(self, event: AliasEvent) -> Node:
        if event.anchor in self.open_anchors:
            raise self._refuse(event, f"the alias *{event.anchor} contains itself; write the value out")
        if event.anchor not in self.anchors:
            raise self._refuse(
                event,
                f"the alias *{event.anchor} has no anchor &{event.anchor} before it; write the value out",
            )
        node = self.anchors[event.anchor]
        self.repeated += node.size
        if self.repeated > MAX_REPEATED:
            raise self._refuse(event, f"aliases repeat more than {MAX_REPEATED} values; a robot file needs far fewer")
        return node

    def _mapping(self, node: Node, depth: int) -> None:
        node.value = {}
        while not isinstance(event := next(self.events), MappingEndEvent):
            key = self._key(event)
            if key in node.value:
                first = node.inside[key].line
                raise self._refuse(event, f"the field {key!r} is given twice (first on line {first}); keep one of them")
            inner = self._node(next(self.events), depth + 1)
            inner = Node(inner.value, event.start_mark.line + 1, inner.inside, inner.size)
            node.inside[key], node.value[key] = inner, inner.value

    def _key(self, event: Event) -> str:
        if not isinstance(event, ScalarEvent) or event.tag is not None:
            raise self._refuse(event, "the name of a field must be a plain word")
        if event.value == "<<":
            raise self._refuse(event, "merge keys (<<) are not supported; write the fields out")
        return str(event.value)

    def _sequence(self, node: Node, depth: int) -> None:
        node.value = []
        while not isinstance(event := next(self.events), SequenceEndEvent):
            inner = self._node(event, depth + 1)
            node.inside[len(node.value)] = inner
            node.value.append(inner.value)

    def _refuse(self, event: Event, text: str) -> RobotError:
        return self._error(event.start_mark.line + 1, text)

    def _error(self, line: int | None, text: str) -> RobotError:
        return RobotError(text, source=self.source, line=line)


def is_plain_text(text: str) -> bool:
    """Return whether a plain scalar is read back as text."""
    return text not in _SPECIAL and not _INTEGER.fullmatch(text) and not _DECIMAL.fullmatch(text)


def _scalar(event: ScalarEvent) -> Any:
    text = str(event.value)
    if event.style is not None and event.style != "":  # quoted
        return text
    if text in _SPECIAL:
        return _SPECIAL[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else text
