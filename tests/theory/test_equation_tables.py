"""Tables "in the paper / in lissom": every equation has a function or a reason, every mark and test is there."""

import ast
import importlib
import importlib.util
import inspect
import json
import re

import numpy as np
import pytest
from places import ROOT
from typer.testing import CliRunner

import lissom
from lissom.cli import app
from lissom.theory.equation_tables import equation_table, find_marks, paper_keys, read_paper
from lissom.theory.equation_tables.equation_marks import marked_equations

papers = pytest.mark.parametrize("key", paper_keys())


def named_tests(text: str) -> list[str]:
    """The functions of a test file."""
    return [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]


@papers
def test_every_number_is_listed_once(key: str) -> None:
    numbers = [equation.number for equation in read_paper(key).equations]
    assert numbers == [*range(1, len(numbers) + 1)]


@papers
def test_every_equation_is_computed_and_tested_or_left_out_for_a_reason(key: str) -> None:
    for equation, marks in equation_table(key):
        where = f"{key} ({equation.number})"
        assert bool(marks) != bool(equation.why_not), f"{where}: marks {[mark.place for mark in marks]}"
        assert bool(marks) == bool(equation.test), f"{where}: test {equation.test!r}"


@papers
def test_the_tests_that_a_table_names_exist(key: str) -> None:
    paper = read_paper(key)
    for entry in (*paper.equations, *paper.items):
        for test in entry.test.split():
            file, _, function = test.partition("::")
            path = ROOT / "tests" / file
            assert path.is_file(), test
            assert function in named_tests(path.read_text(encoding="utf-8")), test


PLACES = ("lissom", "lissom.theory", "lissom.theory.erls", "lissom.theory.screw_pde")  # below which names stand


def leads_somewhere(name: str) -> bool:
    """Whether a dotted name is a module, or something in one."""
    for place in PLACES:
        parts = f"{place}.{name}".split(".")
        for k in range(len(parts), 1, -1):
            try:
                found = importlib.import_module(".".join(parts[:k]))
            except ImportError:
                continue
            for part in parts[k:]:
                found = getattr(found, part, None)
            if found is not None:
                return True
            break
    return False


@papers
def test_what_a_table_names_exists(key: str) -> None:
    """Names with a dot are of the code; single words are those of files and of tables beside."""
    for item in read_paper(key).items:
        for name in re.findall(r"`([A-Za-z_]\w*(?:\.\w+)+)`", item.where):
            assert leads_somewhere(name), f"{item.what}: {name}"


def test_every_mark_leads_to_an_equation() -> None:
    marks = [mark for mark in find_marks() if mark.paper in paper_keys()]
    assert marks
    for mark in marks:
        read_paper(mark.paper).index(mark.equation)
    assert {mark.paper for mark in find_marks()} == set(paper_keys())


@papers
def test_equations_drawn_at_random_are_found_from_the_table(key: str) -> None:
    rows = [row for row in equation_table(key) if row.marks]
    for k in np.random.default_rng(int(key)).permutation(len(rows))[:10]:
        for mark in rows[k].marks:
            found = inspect.getdoc(mark.load())
            assert (key, rows[k].equation.number) in set(marked_equations(found)), mark.place


def test_marks_are_ranges_lists_and_several_papers() -> None:
    text = "Something.\n\nEquations: 003 (9), (10)-(12),\n(14); 000 (5).\n"
    assert [*marked_equations(text)] == [("003", n) for n in (9, 10, 11, 12, 14)] + [("000", 5)]
    assert [*marked_equations("An inverse, (9) of the paper.")] == []


def test_the_command_prints_a_table_or_one_equation() -> None:
    run = CliRunner().invoke(app, ["theory", "equations", "003", "--json"])
    assert run.exit_code == 0, run.output
    rows = json.loads(run.stdout)
    assert len(rows) == len(read_paper("003").equations) == 108
    assert rows[3]["computed_by"] == ["lissom.lie.se3:Ad"]
    run = CliRunner().invoke(app, ["theory", "equations", "003", "--number", "13"])
    assert "lissom.theory.screw_pde.load:generalised\n" in run.output.replace(" ", "")
    run = CliRunner().invoke(app, ["theory", "equations", "003", "--number", "109"])
    assert run.exit_code == 1
    assert "take 1 to 108" in run.output
    with pytest.raises(lissom.LissomError, match="has no table; take 000, 001, 002"):
        read_paper("030")


def test_the_pages_of_the_papers_are_current() -> None:
    """If they are not: python docs/papers.py."""
    spec = importlib.util.spec_from_file_location("papers", ROOT / "docs" / "papers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for path, text in module.pages().items():
        assert path.read_text(encoding="utf-8") == text, path.name
