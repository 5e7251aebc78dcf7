"""From pydantic's findings to errors: file and line, field, value, and what would be right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, ValidationError

from lissom.errors import ABSENT, Keys, LissomError
from lissom.messages import did_you_mean, listed, near
from lissom.model.schema.base_model import FORM, Description
from lissom.model.schema.lazy_fields import LazyType
from lissom.model.schema.number_fields import kind_of

NAMED = (
    "links",
    "elements",
    "actuators",
    "contacts",
    "loops",
    "sensors",
)  # lists whose items a path calls by their names

Names = dict[int, Counter[str]]  # how often each name occurs in a list, by the list's identity


def explain(
    error: ValidationError,
    part: type[Description],
    data: Any,
    source: str = "",
    line_of: Callable[[Keys], int | None] = lambda path: None,
) -> LissomError:
    """Return the error to raise, `arm.yaml:7: links.upper.beam.length = -0.95: must be ...`, or several together.

    Parameters
    ----------
    part : type
        The class that was to be built from `data`.
    source : str
        Name of the file, and `line_of` the line of a path in it, where there is one.
    """
    problems = []
    names: Names = {}
    found = error.errors(include_url=False, include_context=False)
    misspelt = {_guess_field(details, part) for details in found if details["type"] == "extra_forbidden"}
    for details in found:
        path, value, text = _sentence(details, part)
        if details["type"] == "missing" and path in misspelt:
            continue
        place = path_text(path, data, names) if part.what == part.whole else (part.what, *path)
        problems.append(LissomError(text, place or (part.what,), value, source, line_of(path) if source else None))
    return part.error.together(problems, source)


def path_text(path: Keys, data: Any, names: Names | None = None) -> Keys:
    """Return `links.upper.beam.length`: a path with links and loops by their names, other lists by index.

    Parameters
    ----------
    names : Names, optional
        What earlier calls with the same data found, for many paths.
    """
    keys: list[str | int] = []
    here, names = data, {} if names is None else names
    for i, key in enumerate(path):
        name = _item_name(here, key, names) if i and path[i - 1] in NAMED and isinstance(key, int) else None
        keys.append(name if name is not None else key)
        here = here.get(key) if isinstance(here, dict) else None
    return tuple(keys)


def _item_name(items: Any, index: int, names: Names) -> str | None:
    """Return the name of an item of a list, unless it has none or shares it with another."""
    if not isinstance(items, list | tuple):
        return None
    if id(items) not in names:
        names[id(items)] = Counter(name for item in items if isinstance(name := _name(item), str))
    name = _name(items[index]) if index < len(items) else None
    return name if isinstance(name, str) and name and names[id(items)][name] == 1 else None


def _name(item: Any) -> Any:
    return item.get("name") if isinstance(item, dict) else getattr(item, "name", None)


def _resolve(loc: Keys, part: type[Description]) -> tuple[Keys, list[type[Description]], list[type[Description]]]:
    """Return the path as the user wrote it, the classes that may own its last field, and those that may fill it."""
    path: list[str | int] = []
    owners, candidates, inside_mapping = [part], [part], False
    for key in loc:
        if isinstance(key, str) and key.startswith(FORM):  # which kind of section, body, ... was chosen
            candidates = [c for c in candidates if getattr(c, "form", None) == key] or candidates
            continue
        if key == "[key]":
            continue
        path.append(key)
        if isinstance(key, int) or inside_mapping:
            inside_mapping = False
            owners = []
            continue
        owners = candidates
        annotations = [
            a for c in candidates if (f := file_fields(c).get(str(key))) for a in (f.annotation, *f.metadata)
        ]
        candidates = [c for annotation in annotations for c in _parts_in(annotation)]
        inside_mapping = any(get_origin(annotation) is dict for annotation in annotations)
    return tuple(path), owners, candidates


def _parts_in(annotation: Any) -> list[type[Description]]:
    if isinstance(annotation, type) and issubclass(annotation, Description):
        return [annotation]
    if isinstance(annotation, LazyType):
        return _parts_in(annotation.type)
    inside = get_args(annotation)
    registered = [inner for inner in inside if isinstance(inner, LazyType)]  # says more than the type beside it
    return [part for inner in registered or inside for part in _parts_in(inner)]


def _sentence(details: ErrorDetails, part: type[Description]) -> tuple[Keys, Any, str]:
    """Return keys, value and text of one problem."""
    kind, value = details["type"], details["input"]
    path, owners, inner = _resolve(details["loc"], part)
    remedy = _remedy(owners, inner, path)
    if kind == "robot":
        return path, value, details["msg"]
    if kind == "missing":
        return path, ABSENT, f"missing; {remedy}"
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


def _guess_field(details: ErrorDetails, part: type[Description]) -> Keys | None:
    """Return keys of the field that an unknown one is likely to be; that field is then not reported as missing."""
    path, owners, _ = _resolve(details["loc"], part)
    matches = near(path[-1], _fields(owners))
    return (*path[:-1], matches[0]) if matches else None


def _unknown_form(value: Any, path: Keys, parts: list[type[Description]], remedy: str) -> tuple[Keys, Any, str]:
    """Return a section or body of an unknown shape, a controller of an unknown type."""
    field = parts[0].chosen_by
    forms = list(dict.fromkeys(part.form.removeprefix(FORM) for part in parts if field in part.model_fields))
    if not isinstance(value, dict):
        if isinstance(path[-1], int):  # one of a list, of which the field says nothing
            remedy = f"give {{{field}: {listed(forms)}, ...}}"
        return path, value, f"must be a mapping, not {kind_of(value)}; {remedy}"
    form = value.get(field, ABSENT)
    if form is ABSENT or form is None:
        return (*path, field), ABSENT, f"missing; choose {listed(forms)}"
    return (*path, field), form, f"is unknown{did_you_mean(form, forms)}; choose {listed(forms)}"


def _fields(owners: list[type[Description]]) -> list[str]:
    names = dict.fromkeys(name for owner in owners for name in file_fields(owner))
    return sorted(names, key=lambda name: name != owners[0].chosen_by) if names else ["none"]


def file_fields(part: type[Description]) -> dict[str, FieldInfo]:
    """Return the fields of a part by the names that a file has for them."""
    return {field.alias or name: field for name, field in part.model_fields.items()}


def _remedy(owners: list[type[Description]], inner: list[type[Description]], path: Keys) -> str:
    """Return what the schema says about the field at the end of the path."""
    for owner in owners:
        field = file_fields(owner).get(str(path[-1])) if path else None
        if field is None:
            continue
        for metadata in field.metadata:
            if hasattr(metadata, "remedy"):
                return str(metadata.remedy)
        if field.description:
            return f"give {field.description}"
    return f"its fields are {listed(_fields(inner), 'and')}"
