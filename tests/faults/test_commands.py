"""Commands that search, fit, sweep and export: data before print, old files or new ones, needs looked at first."""

import json
import os
import signal
import sys
from pathlib import Path

import numpy as np
import pytest
from measured_arms import guess, record
from moving_arms import slewing_beam
from small_study import GIVEN
from typer.testing import CliRunner

from lissom import files
from lissom.cli import main, make_app
from lissom.cli.printing.run_folder import Folder

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
pytest.importorskip("zarr")

FIT = """
robot: arm.yaml
parameters: {links.arm.joint.friction.viscous: }
records: [{data: run.csv, outputs: {position.hinge: link}, torques: {hinge: current}, window: [0, 1]}]
"""
SIZING = {
    "scenario": {"robot": slewing_beam(gravity=(0, -9.81, 0)), "duration": 1.0},
    "sizes": {"links.beam.beam.section.outer": [0.01, 0.05]},
    "limits": {"deflection": {"beam": 0.005}},
}
COMMANDS = {  # and what they write last
    "sweep rods.yaml --cores 1 --out here.zarr": "here.zarr/.zgroup",
    "identify fit.yaml --no-figure --out here": "here/fit.json",
    "optimise light.yaml --no-check --no-figures --out here": "here/robot.yaml",
    "export arm.yaml --to c --functions gravity --out here": "here/README.md",
    "export swing.yaml --to fmu --out here.fmu": "here.fmu",
}
NEEDS = {
    "zarr": ("sweep rods.yaml", "pip install 'lissom[studies]'"),
    "distributed": ("sweep rods.yaml --cluster tcp://localhost:1", "pip install 'lissom[cluster]'"),
    "casadi": ("export arm.yaml --to c --backend straight", "or take the backend 'loops'"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = record("elastic joint", 3).data
    table = np.column_stack([data["time"], data["position.hinge"], data["u.hinge"]])
    np.savetxt("run.csv", table, delimiter=",", header="time,link,current", comments="")
    guess("elastic joint").save("arm.yaml")
    Path("swing.yaml").write_text("robot: arm.yaml\nduration: 1\n")
    Path("fit.yaml").write_text(FIT)
    Path("light.yaml").write_text(json.dumps(SIZING))
    Path("rods.yaml").write_text(json.dumps(GIVEN | {"sampling": {"type": "sobol", "runs": 4}}))
    return tmp_path


def called(line, before=lambda: None):
    """How a command ends in a process of its own whose output goes to a full disk; what it says is in said.txt."""
    process = os.fork()
    if process == 0:
        try:
            with open("/dev/full", "w") as sys.stdout, open("said.txt", "w") as sys.stderr:
                sys.argv = ["lissom", *line.split()]
                before()
                main()
        except SystemExit as end:
            os._exit(end.code or 0)
        finally:
            os._exit(99)
    return os.waitpid(process, 0)[1]


@pytest.mark.parametrize("line", COMMANDS)
def test_data_is_written_where_nothing_can_be_printed(folder, line):
    status = called(line)
    said = Path("said.txt").read_text()
    assert os.waitstatus_to_exitcode(status) == 1
    assert "printed output is lost: no space left on device" in said
    assert (folder / COMMANDS[line]).stat().st_size > 0


@pytest.mark.parametrize("line", [line for line in COMMANDS if line.endswith(" here")])
def test_a_command_killed_while_it_writes_leaves_what_was_there(folder, line):
    old = folder / COMMANDS[line]
    old.parent.mkdir(exist_ok=True)
    old.write_text("the old one")

    def die_in_place_of_the_last_step():
        files.os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)

    assert os.WTERMSIG(called(line, die_in_place_of_the_last_step)) == signal.SIGKILL
    assert old.read_text() == "the old one"
    with Folder.claim(folder / "here", ""):  # nobody holds it
        assert not [file for file in folder.rglob("*.part") if not file.name.startswith(".")]


def refused(line):
    done = CliRunner().invoke(make_app(), line if isinstance(line, list) else line.split(), terminal_width=100)
    assert done.exit_code in (1, 2), done.output
    return done.stderr


@pytest.mark.parametrize("line", COMMANDS)
def test_an_empty_place_is_refused(folder, line):
    before = set(folder.iterdir())
    assert "is empty; give a name" in refused([*line.split()[:-1], ""])
    assert set(folder.iterdir()) == before


@pytest.mark.parametrize("line", COMMANDS)
def test_a_place_below_a_file_is_told_by_its_name(folder, line):
    said = refused(f"{line[: line.index('--out')]} --out run.csv/here")
    assert "cannot write run.csv/here: " in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("package", NEEDS)
def test_what_is_missing_is_told_before_anything_is_made(folder, monkeypatch, package):
    line, remedy = NEEDS[package]
    monkeypatch.setitem(sys.modules, package, None)
    assert remedy in refused(line)
    assert not [path for path in folder.iterdir() if path.is_dir()]
