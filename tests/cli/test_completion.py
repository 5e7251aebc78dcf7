"""What the command says beside its results: words for the shell, a log, each warning once."""

import logging
import os
import subprocess
import sys
import warnings

import pytest
from typer.testing import CliRunner

from lissom.cli import make_app
from lissom.cli.printing.command_wrapper import command
from lissom.cli.printing.log_output import log_to


def completed(line, word):
    """Words that the shell is offered behind a line."""
    asked = {"_LISSOM_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(word)}
    done = subprocess.run([sys.executable, "-m", "lissom"], env=os.environ | asked, capture_output=True, text=True)
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "word", "expected"),
    [
        ("lissom ru", 1, {"run"}),
        ("lissom run ella --rep", 3, {"--report"}),
        ("lissom run luff", 2, {"luffing-crane"}),
        ("lissom report out --be", 3, {"--beside"}),
    ],
)
def test_the_shell_completes_commands_options_and_names(line, word, expected):
    assert set(completed(line, word)) >= expected


def test_a_command_tells_each_warning_once(capsys):
    @command
    def doubtful() -> None:
        for _ in range(3):
            warnings.warn("the beam is short", stacklevel=1)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        doubtful()
    assert capsys.readouterr().err.count("the beam is short") == 1


def test_the_log_tells_what_is_computed_and_written(tmp_path, monkeypatch):
    log = logging.getLogger("lissom")
    before = list(log.handlers)
    try:
        log_to(str(tmp_path / "lissom.log"))
        line = ["run", "spinup-beam", "--duration", "0.01", "--no-figures", "--quiet", "--out", str(tmp_path / "out")]
        assert CliRunner().invoke(make_app(["run", "list"]), line).exit_code == 0
    finally:
        for handler in set(log.handlers) - set(before):
            log.removeHandler(handler)
            handler.close()
        log.setLevel(logging.NOTSET)
    text = (tmp_path / "lissom.log").read_text()
    assert "INFO lissom.simulation.run_simulation" in text and "steps to t = 0.01 s" in text
    assert "DEBUG lissom.files: wrote" in text and "summary.json" in text
