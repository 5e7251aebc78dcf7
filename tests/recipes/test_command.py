"""A command as the recipe says: a function marked by `command` in a module, and a record in `COMMANDS`."""

import pytest
from typer.testing import CliRunner

from lissom import cli
from lissom.cli import COMMANDS, Command, make_app

MODULE = '''
import json
from typing import Annotated

import typer

from lissom.cli.printing.command_wrapper import command
from lissom.cli.printing.shared_options import Json


@command
def mass(robot: Annotated[str, typer.Argument(help="A robot.")], as_json: Json = False) -> None:
    """Print the mass of a robot."""
    import lissom

    total = float(lissom.load(robot).compile().arrays.inertia.mass.sum())
    typer.echo(json.dumps({"mass": total}) if as_json else f"{total:.3g} kg")
'''


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the `lissom` command, which has one more command `mass`."""
    (tmp_path / "lissom_mass.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(COMMANDS, "mass", Command("lissom_mass:mass", [("lissom mass ella", "of a robot of lissom")]))
    app = make_app(["mass", "list"])
    return lambda *words: CliRunner().invoke(app, words)


def test_it_runs_and_prints_json_like_all_others(run):
    assert run("mass", "five-bar").output.endswith(" kg\n")
    assert run("mass", "five-bar", "--json").output.startswith('{"mass": ')


def test_its_examples_stand_at_the_end_of_its_help(run):
    assert "lissom mass ella" in run("mass", "--help").output


def test_what_is_wrong_is_one_message_and_exit_code_1(run):
    found = run("mass", "five-bor")
    assert found.exit_code == 1
    assert "five-bor" in found.output
    assert "Traceback" not in found.output


def test_the_whole_command_knows_it(run):
    assert "mass" in CliRunner().invoke(cli.app, ["--help"]).output
