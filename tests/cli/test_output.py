"""Output that is cut, closed or full: the work is done and the data is whole."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lissom import progress
from lissom.progress import Progress
from lissom.scenario import load
from lissom.simulation import Trajectory

LISSOM = f"{shlex.quote(sys.executable)} -m lissom"
shell = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a shell and /dev/full")
ENDS = {"closed": ">&-", "full": ">/dev/full", "cut": "| head -1 >/dev/null", "both closed": ">&- 2>&-"}
WORST = ("full", "both closed")  # of commands that take long; what they print goes the same way
PRINTED = [("cite", end) for end in ENDS]
PRINTED += [(command, "cut") for command in ("list --json", "describe spinup-beam", "check spinup-beam", "example")]


def run(command: str, folder: Path, program: str = LISSOM) -> subprocess.CompletedProcess[str]:
    """A command line, its code that of the first command of a pipe."""
    script = f"set -o pipefail; {program} {command}"
    return subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=False)


def in_order(result: subprocess.CompletedProcess[str], end: str) -> None:
    """Only output that is lost without anybody's will is an error, in one line."""
    assert result.returncode == (1 if end == "full" else 0), result.stderr
    assert "Traceback" not in result.stderr
    assert "Exception ignored" not in result.stderr
    assert ("printed output is lost: no space left on device" in result.stderr) == (end == "full")


@shell
@pytest.mark.parametrize("end", ENDS)
def test_a_run_writes_all_its_data_whatever_becomes_of_its_output(end: str, tmp_path: Path) -> None:
    in_order(run(f"run spinup-beam --duration 0.02 --no-figures {ENDS[end]}", tmp_path), end)
    folder = tmp_path / "out/spinup-beam"
    assert len(Trajectory.load(folder / "trajectory.nc").time) == 3
    told = json.loads((folder / "summary.json").read_text())
    assert set(told["files"]) == {"trajectory.nc", "robot.yaml", "scenario.yaml", "summary.json"}


@shell
@pytest.mark.parametrize("end", WORST)
def test_a_comparison_writes_all_its_data_whatever_becomes_of_its_output(end: str, tmp_path: Path) -> None:
    result = run(f"compare ella --with dual_screw --duration 0.02 {ENDS[end]}", tmp_path)
    in_order(result, end)
    folder = tmp_path / "out/compare-ella"
    told = json.loads((folder / "comparison.json").read_text())
    assert [row["formulation"] for row in told["formulations"]] == ["kernel", "dual_screw"]
    assert (folder / "comparison.png").read_bytes().endswith(b"IEND\xaeB`\x82")  # a whole picture


@shell
@pytest.mark.parametrize("end", WORST)
def test_a_structure_is_drawn_whatever_becomes_of_its_output(end: str, tmp_path: Path) -> None:
    in_order(run(f"theory structure spinup-beam --out rows.png {ENDS[end]}", tmp_path), end)
    assert (tmp_path / "rows.png").read_bytes().endswith(b"IEND\xaeB`\x82")


TINY = '''"""A small example."""
from lissom.files import write_whole
from lissom.terminal import screen

def main(folder):
    for row in range(2000):  # more than a pipe holds
        screen().print("row", row)
    write_whole(folder / "last.txt", "all of it")
'''


@shell
@pytest.mark.parametrize("end", ENDS)
def test_an_example_goes_to_its_end_whatever_becomes_of_its_output(end: str, tmp_path: Path) -> None:
    (tmp_path / "tiny.py").write_text(TINY)
    code = "import lissom.reproductions as r; r.__path__.append('.'); from lissom.cli import main; main()"
    in_order(run(f"example tiny {ENDS[end]}", tmp_path, f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"), end)
    assert (tmp_path / "out/example-tiny/last.txt").read_text() == "all of it"


@shell
@pytest.mark.parametrize(("command", "end"), PRINTED)
def test_a_command_that_only_prints_ends_in_order(command: str, end: str, tmp_path: Path) -> None:
    in_order(run(f"{command} {ENDS[end]}", tmp_path), end)


@shell
def test_a_table_is_exported_with_its_output_full(tmp_path: Path) -> None:
    load("spinup-beam").run(duration=0.02, progress=False).save(tmp_path / "trajectory.nc")
    result = run("export trajectory.nc --out motion.csv >/dev/full", tmp_path)
    assert result.returncode == 1
    assert len((tmp_path / "motion.csv").read_text().splitlines()) == 4


@shell
def test_a_closed_output_is_not_taken_by_a_file_of_ours(tmp_path: Path) -> None:
    keep = "from lissom.cli.printing.guarded_output import keep_standard_streams; keep_standard_streams()"
    code = f"import sys; {keep}; sys.exit(open('x', 'w').fileno())"
    result = subprocess.run(f"{shlex.quote(sys.executable)} -c {shlex.quote(code)} >&- 2>&-", cwd=tmp_path, shell=True)
    assert result.returncode > 2


# signs of life


def waited(text: str) -> str:
    """What a process without a terminal says that works for a while."""
    code = f"import time; from lissom import progress; progress.PATIENCE = 0.05\n{text}"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr


def test_a_pipe_gets_one_line_about_what_takes_long() -> None:
    loop = "with progress.Progress('simulating', 10, 's') as p:\n  for k in range(30): time.sleep(0.02); p.update(k)"
    assert waited(loop) == "simulating, 10 s ...\n"


def test_nothing_is_said_about_what_is_quick_or_shall_be_silent() -> None:
    assert waited("progress.PATIENCE = 60\nwith progress.Progress('simulating'): pass") == ""
    assert waited("with progress.Progress('simulating', show=False): time.sleep(0.3)") == ""


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_a_terminal_gets_a_bar_that_goes_away() -> None:
    code = (
        "import time; from lissom import progress; progress.PATIENCE = 0.05\n"
        "with progress.Progress('simulating', 10, 's') as p:\n"
        "  for k in range(40): time.sleep(0.05); p.update(k / 4)\n"
    )
    ours, theirs = os.openpty()
    with subprocess.Popen([sys.executable, "-c", code], stderr=theirs, env=os.environ | {"TERM": "xterm"}) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            shown += part
            if not part:
                break
    assert process.returncode == 0
    assert b"simulating" in shown
    assert b"of 10 s" in shown
    assert b"\x1b[2K" in shown


def test_two_seconds_pass_before_anything_is_shown() -> None:
    assert progress.PATIENCE == 2.0
    assert Progress("x")._bar is None


# Ctrl-C


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs signals")
def test_ctrl_c_is_heeded_where_python_drops_its_exception() -> None:
    code = """
import signal, warnings
signal.signal(signal.SIGINT, signal.default_int_handler)
from lissom.simulation.stepping.interrupts import watch_interrupts

class Closing:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)  # an exception in here is printed and dropped

with watch_interrupts() as asked:
    Closing()
    print(asked())
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["True", "True"]
    assert signal.getsignal(signal.SIGINT) is not None
