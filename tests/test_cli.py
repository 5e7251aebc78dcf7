"""Claims about the command line alone; a stand-in takes the place of robot files."""

import sys
from types import ModuleType, SimpleNamespace

import pytest
from typer.testing import CliRunner

import lissom
from lissom.cli import app
from lissom.errors import RobotError

PROBLEM = "bad.yaml: links[0].beam.length is -1 m\n  remedy: give a positive length in metres"


@pytest.fixture
def run(monkeypatch):
    """Runs the command against a model layer that knows one good robot and one bad file."""

    def load(source):
        if str(source) == "bad.yaml":
            raise RobotError(PROBLEM)
        model = SimpleNamespace(nv=14)
        return SimpleNamespace(
            name="ella", links=[1, 2, 3], describe=lambda: "a table [m]", compile=lambda: model
        )

    stand_in = ModuleType("lissom.model")
    stand_in.load = load
    stand_in.builtin_names = lambda: ("ella", "canadarm2")
    monkeypatch.setitem(sys.modules, "lissom.model", stand_in)
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


def test_list_prints_one_name_per_line(run):
    result = run("list")
    assert result.exit_code == 0
    assert result.stdout == "ella\ncanadarm2\n"


def test_describe_prints_the_text_unchanged(run):
    assert run("describe", "ella").stdout == "a table [m]\n"


@pytest.mark.parametrize("command", ["describe", "check"])
def test_a_bad_file_gives_one_block_on_stderr_and_exit_code_1(run, command):
    result = run(command, "bad.yaml")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == f"error: {PROBLEM}\n"


def test_check_goes_on_after_a_bad_file_and_still_fails(run):
    result = run("check", "bad.yaml", "good.yaml")
    assert result.exit_code == 1
    assert result.stdout == "good.yaml: ok (ella, links: 3, degrees of freedom: 14)\n"


def test_a_good_file_passes_the_check(run):
    assert run("check", "good.yaml").exit_code == 0


def test_cite_prints_the_references(run):
    assert run("cite").stdout == f"{lissom.cite()}\n"
    assert run("cite", "--bibtex").stdout == f"{lissom.cite('bibtex')}\n"


def test_version_is_printed(run):
    assert run("--version").stdout == f"lissom {lissom.__version__}\n"


@pytest.mark.parametrize(
    ("command", "example"),
    [
        ("list", "lissom describe ella"),
        ("describe", "lissom describe ella"),
        ("check", "lissom check my_arm.yaml"),
        ("cite", "lissom cite --bibtex"),
    ],
)
def test_help_teaches_by_example(run, command, example):
    assert f"lissom {command}" in run("--help").stdout
    assert example in run(command, "--help").stdout
