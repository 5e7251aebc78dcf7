"""From a result to its pictures: results are below the layer that draws them.

A result asks by name, `show("run.plot", self)`, and the package `lissom`, which knows every layer, has said which
function that is. Nothing is loaded before it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

_makers: dict[str, str] = {}


def provide(makers: Mapping[str, str]) -> None:
    """Say who makes what: {"run.plot": "package.module:function"}."""
    _makers.update(makers)


def draw(what: str, result: object, *args: Any, **options: Any) -> Any:
    """Return what the function provided under the name `what` makes of a result."""
    module, _, function = _makers[what].partition(":")
    return getattr(import_module(module), function)(result, *args, **options)
