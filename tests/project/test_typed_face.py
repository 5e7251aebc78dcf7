"""What editors show: arguments with types, settings by name, the fields of data classes.

What mypy knows stands in `as_users_see_it.py`, which `make lint` checks.
"""

import ast
import inspect
import re
from pathlib import Path
from typing import get_args

import pytest

import lissom
from lissom.model import Beam, Encoder
from lissom.model.schema.base_model import Description
from lissom.simulation.integrators.registry import METHODS
from lissom.simulation.settings import RunOptions, RunSettings

SOURCE = Path(lissom.__path__[0])
FUNCTIONS = [name for name in lissom.__all__ if inspect.isfunction(getattr(lissom, name))]
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
ALIASES = dict(re.findall(r"^(\w+): TypeAlias = (.*)$", TEXT, re.MULTILINE))


def annotations(name):
    """The types of a function as its source writes them, with aliases written out once."""
    signature = inspect.signature(getattr(lissom, name))
    texts = {key: str(each.annotation) for key, each in signature.parameters.items()}
    texts["return"] = str(signature.return_annotation)
    return {key: re.sub(r"\w+", lambda word: ALIASES.get(word[0], word[0]), text) for key, text in texts.items()}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_functions_say_what_they_take(name):
    found = annotations(name)
    assert not [key for key, text in found.items() if re.search(r"\bAny\b", text) or "_empty" in text]


def test_the_settings_that_editors_show_are_those_of_a_run():
    assert set(RunOptions.__annotations__) == set(RunSettings.model_fields) - {"duration"}
    assert set(get_args(get_args(RunOptions.__annotations__["method"])[0])) == set(METHODS)


@pytest.mark.parametrize("function", ["simulate", "simulate_batch", "sensitivity", "fit"])
def test_settings_are_arguments_by_name(function):
    shown = inspect.signature(getattr(lissom, function)).parameters
    assert shown["rtol"].default == 1e-6
    assert shown["method"].default == "auto"
    assert not [each for each in shown.values() if each.kind is inspect.Parameter.VAR_KEYWORD]


def parts(kind=Description):
    for inner in kind.__subclasses__():
        yield inner
        yield from parts(inner)


def test_data_classes_show_their_fields_with_plain_types():
    shown = inspect.signature(lissom.Load).parameters
    assert list(shown)[:4] == ["name", "link", "element", "at"]
    assert shown["at"].annotation == float | str | None
    assert shown["frame"].default == "world"
    assert inspect.signature(Encoder).parameters["joint"].default is inspect.Parameter.empty
    assert inspect.signature(Beam).parameters["length"].annotation is float


def test_no_signature_shows_what_checks_a_field():
    kinds = set(parts())
    assert len(kinds) > 80
    for kind in kinds:
        kind.model_rebuild()  # pydantic then puts its own signature
        signature = inspect.signature(kind)
        assert set(signature.parameters) == set(kind.model_fields), kind.__name__
        assert "Annotated" not in str(signature), kind.__name__


KERNEL_MARKS = {"kernel", "inline", "shared", "indirect", "kept_python"}


def marks(function):
    """The last names of a function's decorators: `kernel` of `@compile.kernel` and of `@kernel(...)`."""
    called = (mark.func if isinstance(mark, ast.Call) else mark for mark in function.decorator_list)
    return {ast.unparse(mark).split(".")[-1] for mark in called}


def untyped_functions(path):
    """Functions without a type of an argument or of what they return, but for kernels."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not marks(node) & KERNEL_MARKS:
            given = node.args
            arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
            named = [each for each in arguments if each is not None and each.arg not in ("self", "cls")]
            if any(each.annotation is None for each in named) or (node.returns is None and node.name != "__init__"):
                yield f"{path.relative_to(SOURCE)}:{node.lineno} {node.name}"


def test_every_function_that_is_no_kernel_has_types():
    """All that mypy's `strict` asks, which cannot tell kernels from other functions."""
    files = [path for path in sorted(SOURCE.rglob("*.py")) if path.parent != SOURCE / "kernel" / "maths"]
    assert not [place for path in files for place in untyped_functions(path)]
