"""From pydantic's findings to sentences: file and line, field, value, and what would be right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args, get_origin

from pydantic_core import ErrorDetails, ValidationError

from lissom.messages import did_you_mean, listed, near
from lissom.model.part import FORM, Part
from lissom.model.values import kind_of

Path = tuple[str | int, ...]
NOT_SHOWN = object()
SHOWN = 50  # problems that a message lists


def explain(
    error: ValidationError,
    part: type[Part],
    data: Any,
    source: str = "",
    line_of: Callable[[Path], int | None] = lambda path: None,
) -> str:
    """One line per problem: `arm.yaml:7: links.upper.beam.length = -0.95: must be positive; ...`.

    Args:
        part: the class that was to be built from `data`.
        source: name of the file, and `line_of` the line of a path in it, where there is one.
    """
    lines = []
    found = error.errors(include_url=False, include_context=False)
    misspelt = {_meant(details, part) for details in found if details["type"] == "extra_forbidden"}
    for details in found:
        path, value, text = _sentence(details, part)
        if details["type"] == "missing" and path in misspelt:
            continue
        place = readable_path(path, data) if part.what == part.whole else ".".join([part.what, *map(str, path)])
        shown = "" if value is NOT_SHOWN else f" = {brief(value)}"
        lines.append(f"{_where(source, line_of(path))}{place or part.what}{shown}: {text}")
    return together(lines, source)


def together(lines: list[str], source: str) -> str:
    """The message of one error or of several."""
    if len(lines) == 1:
        return lines[0]
    heading = f"{source or 'the description'} has {len(lines)} problems:"
    rest = [f"  and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    return "\n".join([heading, *(f"  {line}" for line in lines[:SHOWN]), *rest])


def _where(source: str, line: int | None) -> str:
    if not source:
        return ""
    return f"{source}:{line}: " if line is not None else f"{source}: "


def readable_path(path: Path, data: Any) -> str:
    """`links.upper.beam.length`: links by their names, other lists by index."""
    words: list[str] = []
    here = data
    for i, key in enumerate(path):
        name = _link_name(here, key) if i and path[i - 1] == "links" and isinstance(key, int) else None
        words.append(name if name is not None else str(key))
        here = here.get(key) if isinstance(here, dict) else None
    return ".".join(words)


def _link_name(links: Any, index: int) -> str | None:
    """The name of a link, unless it has none or shares it with another."""
    if not isinstance(links, list | tuple):
        return None
    names = [link.get("name") if isinstance(link, dict) else getattr(link, "name", None) for link in links]
    name = names[index] if index < len(names) else None
    return name if isinstance(name, str) and name and names.count(name) == 1 else None


def _resolve(loc: Path, part: type[Part]) -> tuple[Path, list[type[Part]], list[type[Part]]]:
    """The path as the user wrote it, the classes that may own its last field, and those that may fill it."""
    path: list[str | int] = []
    owners, candidates, inside_mapping = [part], [part], False
    for key in loc:
        if isinstance(key, str) and key.startswith(FORM):  # which kind of section, body, ... was chosen
            candidates = [c for c in candidates if getattr(c, "form", None) == key]
            continue
        if key == "[key]":
            continue
        path.append(key)
        if isinstance(key, int) or inside_mapping:
            inside_mapping = False
            owners = []
            continue
        owners = candidates
        annotations = [c.model_fields[key].annotation for c in candidates if key in c.model_fields]
        candidates = [c for annotation in annotations for c in _parts_in(annotation)]
        inside_mapping = any(get_origin(annotation) is dict for annotation in annotations)
    return tuple(path), owners, candidates


def _parts_in(annotation: Any) -> list[type[Part]]:
    if isinstance(annotation, type) and issubclass(annotation, Part):
        return [annotation]
    return [part for inner in get_args(annotation) for part in _parts_in(inner)]


def _sentence(details: ErrorDetails, part: type[Part]) -> tuple[Path, Any, str]:
    """Path, value and text of one problem."""
    kind, value = details["type"], details["input"]
    path, owners, inner = _resolve(details["loc"], part)
    remedy = _remedy(owners, inner, path)
    if kind == "robot":
        text = details["msg"]
        return path, NOT_SHOWN if text.startswith("missing") else value, text
    if kind == "missing":
        return path, NOT_SHOWN, f"missing; {remedy}"
    if kind == "extra_forbidden":
        known = _fields(owners)
        return (
            path,
            value,
            f"unknown field{did_you_mean(path[-1], known)}; the fields here are {listed(known, 'and')}",
        )
    if kind.startswith("union_tag"):
        return _unknown_form(value, path, inner, remedy)
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        return path, value, f"must be a mapping, not {kind_of(value)}; {remedy}"
    if kind in ("tuple_type", "list_type"):
        return path, value, f"must be a list, not {kind_of(value)}; {remedy}"
    return path, value, f"cannot be used ({details['msg'].lower()}); {remedy}"


def _meant(details: ErrorDetails, part: type[Part]) -> Path | None:
    """Path of the field that an unknown one is likely to be; that field is then not reported as missing."""
    path, owners, _ = _resolve(details["loc"], part)
    matches = near(path[-1], _fields(owners))
    return (*path[:-1], matches[0]) if matches else None


def _unknown_form(value: Any, path: Path, parts: list[type[Part]], remedy: str) -> tuple[Path, Any, str]:
    """A section or body of an unknown shape."""
    if not isinstance(value, dict):
        return path, value, f"must be a mapping, not {kind_of(value)}; {remedy}"
    shapes = [part.form.removeprefix(FORM) for part in parts if "shape" in part.model_fields]
    shape = value.get("shape")
    return (*path, "shape"), shape, f"is unknown{did_you_mean(shape, shapes)}; choose {listed(shapes)}"


def _fields(owners: list[type[Part]]) -> list[str]:
    return list(dict.fromkeys(name for owner in owners for name in owner.model_fields)) or ["none"]


def _remedy(owners: list[type[Part]], inner: list[type[Part]], path: Path) -> str:
    """What the schema says about the field at the end of the path."""
    for owner in owners:
        field = owner.model_fields.get(str(path[-1])) if path else None
        if field is None:
            continue
        for metadata in field.metadata:
            if hasattr(metadata, "remedy"):
                return str(metadata.remedy)
        if field.description:
            return f"give {field.description}"
    return f"its fields are {listed(_fields(inner), 'and')}"


def brief(value: Any) -> str:
    """A value as a person would write it, cut when long."""
    if isinstance(value, Part):
        text = "{" + ", ".join(name for name in type(value).model_fields if name in value.model_fields_set) + "}"
    elif isinstance(value, dict):
        text = "{" + ", ".join(map(str, value)) + "}"
    elif isinstance(value, list | tuple):
        text = "[" + ", ".join(brief(v) for v in value[:10]) + (", ..." if len(value) > 10 else "") + "]"
    elif value is None:
        text = "(empty)"
    elif isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, float):
        text = f"{value:.6g}"
    else:
        text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:56] + " ..."
