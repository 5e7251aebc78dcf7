"""The documentation is executed: the Python of every page, and its commands."""

import re
import shlex
import warnings
from pathlib import Path

import pytest
from places import ROOT

PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"])
PYTHON = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
pytestmark = pytest.mark.filterwarnings("ignore")


def code(page):
    return PYTHON.findall(page.read_text(encoding="utf-8"))


def name(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [page for page in PAGES if code(page)], ids=name)
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch):
    import matplotlib

    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    space = {"__name__": "page"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for block in code(page):
            exec(compile(block, str(page), "exec"), space)


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\{doc\}`(?:[^`<]*<)?([^`>]+)>?`", page.read_text(encoding="utf-8")):
            assert (page.parent / f"{target}.md").exists(), f"{name(page)}: {target}"


def test_pictures_are_there_and_written_by_the_page_that_shows_them():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text):
            assert (page.parent / target).is_file(), f"{name(page)}: {target}"
            if page.parent.name == "tutorials":
                assert f'"{Path(target).name}"' in "".join(code(page)), f"{name(page)}: {target}"


def test_formulas_become_mathml_with_indices_beside_their_letters(monkeypatch):
    pytest.importorskip("sphinx", reason="needs the package sphinx: pip install lissom[docs]")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "extensions"))
    from mathml import markup

    plain = re.sub(r"\s+", "", markup(r"\tfrac12 \dot W_j^T \big(\ddot q_1\big)"))
    assert "<mfrac><mn>1</mn><mn>2</mn></mfrac>" in plain
    assert "<msubsup><mover><mi>W</mi>" in plain
    assert "<msub><mover><mi>q</mi>" in plain
    assert "munderover" not in plain


def test_no_list_begins_inside_of_literal_text():
    for page in PAGES:
        prose = re.sub(r"^(`{3,}|:{3,}).*?^\1", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
        for paragraph in prose.split("\n\n"):
            begun = [m for m in re.finditer(r"^[-*+] ", paragraph, re.M) if paragraph[: m.start()].count("`") % 2]
            assert not begun, f"{name(page)}: {paragraph[:80]}"


def test_literal_words_of_help_texts_are_literal_on_the_page(monkeypatch):
    nodes = pytest.importorskip("docutils.nodes", reason="needs the package sphinx: pip install lissom[docs]")
    pytest.importorskip("sphinx", reason="needs the package sphinx: pip install lissom[docs]")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "extensions"))
    from commands import _paragraph

    made = _paragraph("Folder for the\n schemas; `schemas` unless given.")
    assert made.astext() == "Folder for the schemas; schemas unless given."
    assert [part.astext() for part in made.findall(nodes.literal)] == ["schemas"]


def test_commands_in_the_documentation_exist():
    from typer.main import get_command

    from lissom.cli import app

    known = get_command(app).commands
    for page in PAGES:
        for block in re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S):
            for line in block.splitlines():
                words = shlex.split(line, comments=True)
                if words[:1] == ["lissom"] and len(words) > 1 and not words[1].startswith("-"):
                    assert words[1] in known, f"{name(page)}: {line}"
                    command = known[words[1]]
                    for word in words[2:]:
                        command = getattr(command, "commands", {}).get(word, command)
                    options = {option for one in command.params for option in (*one.opts, *one.secondary_opts)}
                    asked = {word.partition("=")[0] for word in words[2:] if word.startswith("--")}
                    assert asked <= {*options, "--help"}, f"{name(page)}: {line}"


def test_an_expected_failure_is_a_known_limit_in_the_verification_book(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    from verification import limits

    line = {"test": "tests/a.py::test_tips_agree[8-first]", "error": 0.02, "tolerance": 0.01, "unit": "m"}
    assert limits([]) == ""
    assert "| tips agree (8-first) | 0.02 m | 0.01 m | a reason |" in limits([line | {"limit": "a reason"}])


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md", "tests/README.md", "examples/README.md"])
def test_files_named_for_the_next_engineer_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`((?:src|tests|docs|examples|benchmarks)/[\w./-]*)`", text)
    assert [path for path in named if not (ROOT / path).exists() and path != "docs/_build/index.html"] == []


def test_source_files_that_a_page_names_exist():
    folders = ("src", "tests", "docs", "examples", "benchmarks")
    there = ["/" + file.relative_to(ROOT).as_posix() for folder in folders for file in (ROOT / folder).rglob("*.py")]
    for page in PAGES:
        for path in re.findall(r"`([\w/-]+\.py)`", page.read_text(encoding="utf-8")):
            assert any(file.endswith(f"/{path}") for file in there), f"{name(page)}: {path}"


def resolved(dotted):
    """The object of a dotted name under lissom, importing what is on the way; AttributeError where there is none."""
    from importlib import import_module

    found, names = import_module("lissom"), dotted.split(".")
    for k, part in enumerate(names):
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = import_module(".".join(["lissom", *names[: k + 1]]))
            except ImportError:
                raise AttributeError(dotted) from None
    return found


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_names_of_the_library_that_a_page_mentions_exist(page):
    text = page.read_text(encoding="utf-8")
    lists = re.findall(r"autosummary::\n(?:   :.*\n)*\n((?:   \S+\n)+)", text)
    for dotted in [*" ".join(lists).split(), *re.findall(r"`lissom\.([a-z_][\w.]*)[`(]", text)]:
        resolved(dotted)


def test_the_reference_of_files_names_every_field():
    from pydantic import BaseModel

    from lissom.model.description import body, joint, robot, visual
    from lissom.model.flexible import beam, finite_elements, section

    pages = ("docs/reference/robot-files.md", "docs/howto/finite-element-links.md")
    words = set(re.findall(r"\w+", "".join((ROOT / page).read_text(encoding="utf-8") for page in pages)))
    for module in (beam, body, finite_elements, joint, robot, section, visual):
        for kind in vars(module).values():
            if isinstance(kind, type) and issubclass(kind, BaseModel) and kind.__module__ == module.__name__:
                assert set(kind.model_fields) <= words, f"{kind.__name__}: {set(kind.model_fields) - words}"
