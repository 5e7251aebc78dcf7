"""Plain data to the YAML text of a robot or scenario file: short blocks on one line, long ones spread out."""

from __future__ import annotations

import json
import re
from typing import Any

from lissom.model.io.yaml_reader import is_plain_text

WIDTH = 100


def write(data: dict[str, Any]) -> str:
    """Return YAML text of a mapping; whatever fits goes on one line, except the top level and the list of links."""
    lines: list[str] = []
    for key, value in data.items():
        if key == "links":
            lines.append("links:")
            for link in value:
                lines += _item(link, 2)
        else:
            lines += _field(key, value, 0, spread=key == "materials")
    return "\n".join(lines) + "\n"


def _item(value: dict[str, Any], indent: int) -> list[str]:
    """Return a mapping as an item of a list, its fields one below the other."""
    lines = [line for key, inner in value.items() for line in _field(key, inner, indent + 2)]
    lines[0] = " " * indent + "- " + lines[0].lstrip()
    return lines


def _field(key: str, value: Any, indent: int, spread: bool = False) -> list[str]:
    start = " " * indent + f"{_text(key)}:"
    line = f"{start} {_flow(value)}"
    if (
        not isinstance(value, dict | list)
        or not value
        or (len(line) <= WIDTH and not spread and key not in ("beam", "finite_elements"))
    ):
        return [line]
    if isinstance(value, dict):
        return [start, *(inner for k, v in value.items() for inner in _field(k, v, indent + 2))]
    if all(isinstance(v, dict) for v in value):
        return [start, *(inner for v in value for inner in _item(v, indent + 2))]
    return [start, *(" " * (indent + 2) + f"- {_flow(v)}" for v in value)]


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(v) for v in value) + "]"
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return number(value) if isinstance(value, int | float) else _text(value)


def number(value: float) -> str:
    """Return the shortest decimal that reads back as the same number: 0.95, 2.1e11, 3."""
    if value == int(value) and abs(value) < 1e6:
        return str(int(value)) if not (value == 0 and str(value)[0] == "-") else "-0.0"
    digits, _, exponent = f"{value!r}".partition("e")
    if exponent:
        return f"{digits.removesuffix('.0')}e{int(exponent)}"
    if abs(value) >= 1e6 or abs(value) < 1e-3:
        mantissa, _, exponent = f"{value:.17e}".partition("e")
        for places in range(17):
            short = f"{value:.{places}e}"
            if float(short) == value:
                mantissa, _, exponent = short.partition("e")
                break
        compact = f"{mantissa}e{int(exponent)}"
        return compact if len(compact) <= len(digits) else digits
    return digits


def _text(text: str) -> str:
    plain = re.fullmatch(r"\w[\w .()/+-]*", text) and is_plain_text(text) and not text.endswith(" ")
    return text if plain else json.dumps(text, ensure_ascii=False)
