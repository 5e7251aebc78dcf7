"""The examples in the docstrings of what `lissom` offers by name run as they stand there."""

import doctest
import inspect

import numpy as np
import pytest

import lissom

PARSER = doctest.DocTestParser()
FUNCTIONS = [name for name in lissom.__all__ if inspect.isfunction(getattr(lissom, name))]


def sections(name):
    return inspect.getdoc(getattr(lissom, name))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_functions_have_sections_and_an_example(name):
    text = sections(name)
    assert "Parameters\n----------\n" in text
    assert "Returns\n-------\n" in text
    assert ">>> " in text


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if ">>> " in sections(name)])
@pytest.mark.filterwarnings("ignore::lissom.simulation.SimulationWarning")
def test_the_example_of_a_function_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    space = {"lissom": lissom, "np": np}
    for example in PARSER.get_examples(sections(name)):
        try:
            found = eval(example.source, space)
        except SyntaxError:
            exec(example.source, space)
            continue
        assert not example.want or repr(found) == example.want.strip()
