"""`lissom run` from start to files: what it prints, writes and returns, also when things go wrong."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from lissom import files
from lissom.cli import app
from lissom.cli.printing.run_folder import Folder
from lissom.scenario import load
from lissom.simulation import Trajectory

NO = "--no-figures"


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Runs a command in an empty folder; what it says does not depend on how long it takes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("lissom.progress.PATIENCE", 3600.0)

    def run(*arguments: object) -> Any:
        return CliRunner().invoke(app, [str(argument) for argument in arguments], terminal_width=100)

    return run


def test_errors_are_measured_by_default_where_that_is_quick(call) -> None:
    told = call("run", "ella", "--duration", 0.1, NO).stdout
    assert "error mostly from" in told and "±" in told and "To be better" in told
    assert json.loads(Path("out/ella/summary.json").read_text())["trust"]["repeats"] >= 6
    curves = call("run", "ella", "--duration", 0.1, "--no-trust", NO).stdout  # in the room of errors
    assert "over time" in curves and "▁" in curves and "±" not in curves
    long = call("run", "ella", "--duration", 0.1, "--set", "output.rate=100000", NO).stdout
    assert "±" not in long


def test_a_run_prints_a_summary_and_writes_a_folder(call) -> None:
    result = call("run", "ella", "--duration", 0.1, NO)
    assert result.exit_code == 0, result.stderr
    for part in ("finished", "0.1 s of motion", "times real time", "Peak wrench in every joint", "Peak deflection"):
        assert part in result.stdout
    for part in ("Settling", "Energy balance", "shoulder-yaw", "forearm", "Written to out/ella"):
        assert part in result.stdout
    assert all(len(line) <= 100 for line in result.stdout.splitlines())
    assert sorted(p.name for p in Path("out/ella").iterdir()) == [
        "robot.yaml",
        "scenario.yaml",
        "summary.json",
        "trajectory.nc",
    ]
    trajectory = Trajectory.load("out/ella/trajectory.nc")
    assert trajectory.time[-1] == pytest.approx(0.1)
    assert len(trajectory.time) == 21
    assert json.loads(Path("out/ella/summary.json").read_text())["robot"] == "ella"


def test_figures_are_drawn(call) -> None:
    assert call("run", "ella", "--duration", 0.05, "--quiet").exit_code == 0
    drawn = sorted(path.name for path in Path("out/ella/figures").iterdir())
    assert {"overview.png", "wrenches.png", "deflection.png"} <= set(drawn)
    assert all((Path("out/ella/figures") / name).read_bytes().startswith(b"\x89PNG") for name in drawn)


def test_a_second_run_leaves_the_first_alone(call) -> None:
    for _ in range(2):
        call("run", "ella", "--duration", 0.01, NO, "--quiet")
    assert sorted(path.name for path in Path("out").iterdir()) == ["ella", "ella-2"]


def test_the_written_scenario_repeats_the_run(call) -> None:
    change = ["--set", "links.upper.beam.length=1.1", "--set", "start.elbow=0.2", "--set", "control.gains.elbow.p=500"]
    call("run", "ella", "--duration", 0.05, "--rate", 400, "--out", "first", NO, *change)
    again = call("run", "first/scenario.yaml", "--out", "second", NO)
    assert again.exit_code == 0, again.stderr
    first, second = (Trajectory.load(f"{name}/trajectory.nc") for name in ("first", "second"))
    assert first["elbow"].values[0] == 0.2
    assert len(first.time) == 21
    assert first.model.robot.value("links.upper.beam.length") == 1.1
    np.testing.assert_array_equal(first.q, second.q)


def test_json_is_all_that_is_printed_for_machines(call) -> None:
    result = call("run", "ella", "--duration", 0.1, "--json", NO, "--out", "here")
    told = json.loads(result.stdout)
    assert told["status"] == "finished"
    assert told["duration"] == pytest.approx(0.1)
    assert told["energy"]["relative"] < 1e-4
    assert {joint["joint"] for joint in told["joints"]} == {"shoulder-yaw", "shoulder", "elbow"}
    assert told["folder"] == "here"
    assert "trajectory.nc" in told["files"]
    assert result.stderr == ""


def test_quiet_prints_nothing(call) -> None:
    result = call("run", "ella", "--duration", 0.02, "--quiet", NO)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")


def test_values_on_the_command_line_change_the_result(call) -> None:
    def deflection(*options: str) -> float:
        result = call("run", "ella", "--duration", 0.1, "--json", NO, *options)
        return json.loads(result.stdout)["links"][0]["deflection"]["value"]

    plain = deflection()
    assert deflection("--set", "links.upper.beam.section.EIz=7340") < 0.8 * plain
    assert deflection("--set", "gravity=[0, 0, 0]") < 0.2 * plain
    assert deflection("--set", "control={type: none}") != plain


def test_a_robot_file_alone_falls(call) -> None:
    load("ella").load_robot().save("mine.yaml")
    told = json.loads(call("run", "mine.yaml", "--duration", 0.05, "--json", NO).stdout)
    assert told["folder"] == "out/mine"
    assert told["energy"]["work"] == 0


def test_a_method_takes_its_own_step(call) -> None:
    told = json.loads(
        call("run", "spinup-beam", "--duration", 0.1, "--method", "rk4", "--step", 0.01, "--json", NO).stdout
    )
    assert (told["method"], told["steps"]) == ("rk4", 10)
    told = json.loads(call("run", "l-mechanism", "--duration", 1e-3, "--method", "dop853", "--json", NO).stdout)
    assert told["method"] == "dop853"
    assert told["steps"] > 10


def test_the_folder_of_the_scenario_is_used(call) -> None:
    Path("lift.yaml").write_text("robot: spinup-beam\nduration: 0.1\noutput: {folder: results/lift}\n")
    assert call("run", "lift.yaml", NO, "--quiet").exit_code == 0
    assert Path("results/lift/trajectory.nc").exists()


def test_a_run_that_diverges_is_written_and_has_exit_code_1(call) -> None:
    options = ["--set", "links.blade.beam.stiffening=none", "--set", "motion.shaft.speed=8", "--rate", 20]
    result = call("run", "spinup-beam", *options, NO)
    assert result.exit_code == 1
    assert "diverged" in result.stdout
    assert "diverged" in result.stderr
    assert "stiffening: first" in result.stderr
    assert "out/spinup-beam" in result.stderr
    trajectory = Trajectory.load("out/spinup-beam/trajectory.nc")
    assert trajectory.info.status == "diverged"
    assert 0 < trajectory.time[-1] < 15


def test_the_spin_up_scenario_is_the_reference_case(call) -> None:
    call("run", "spinup-beam", "--quiet", NO)
    tip = Trajectory.load("out/spinup-beam/trajectory.nc").deflection("blade").values[:, 1]
    assert tip.min() == pytest.approx(-0.280121, rel=1.5e-3)


def test_a_force_along_a_link_without_stiffening_is_warned_of_and_written(call) -> None:
    """A blade that spins is pulled by its own mass; a linear field has no term for that."""
    options = ["--set", "links.blade.beam.stiffening=none", "--set", "motion.shaft.speed=3", "--duration", 8]
    result = call("run", "spinup-beam", *options, "--rate", 20, NO)
    assert result.exit_code == 0, result.stderr
    text = "blade: the force along it exceeds 5% of its buckling load from t = "
    assert result.stderr.startswith(f"warning: {text}")
    assert "use stiffening: first" in result.stderr
    assert "the force along it exceeds 5% of its" in " ".join(result.stdout.split())
    told = json.loads(Path("out/spinup-beam/summary.json").read_text())
    assert [event["kind"] for event in told["events"]] == ["axial force"]
    assert told["events"][0]["text"].startswith(text)
    assert [event.kind for event in Trajectory.load("out/spinup-beam/trajectory.nc").warnings] == ["axial force"]


def test_a_second_run_into_a_folder_leaves_no_figure_of_the_first(call) -> None:
    assert call("run", "spinup-beam", "--duration", 0.02, "--quiet", "--out", "here").exit_code == 0
    assert Path("here/figures/overview.png").exists()
    told = json.loads(Path("here/summary.json").read_text())
    assert "figures/overview.png" in told["files"]
    assert call("run", "spinup-beam", "--duration", 0.04, "--quiet", NO, "--out", "here").exit_code == 0
    assert not list(Path("here/figures").iterdir())
    assert len(Trajectory.load("here/trajectory.nc").time) == 5


# folders that cannot be written


def test_a_folder_below_a_file_is_refused_before_computing(call) -> None:
    Path("file").write_text("")
    result = call("run", "ella", "--out", "file/results")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("error: cannot write file/results: not a directory")
    assert result.stderr.rstrip().endswith("give another folder with --out")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that nobody can write to")
def test_an_unwritable_folder_is_one_message(call) -> None:
    result = call("run", "ella", "--out", "/proc/lissom")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert "cannot write /proc/lissom" in result.stderr


def test_a_full_disk_is_one_message_after_the_summary(call, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "replace", full)
    result = call("run", "ella", "--duration", 0.02)
    assert result.exit_code == 1
    assert "Peak wrench in every joint" in result.stdout
    assert result.stderr == (
        "error: cannot write out/ella/trajectory.nc: no space left on device; give another folder with --out\n"
    )


# Ctrl-C

TOLD = """
import signal, sys
from lissom.cli import main
from lissom.progress import Progress

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may ignore it in the background
update, say = Progress.update, Progress.say

def updated(bar, t):
    print(f"at {t}", flush=True)
    update(bar, t)

def said(bar, text):
    print(text, flush=True)
    say(bar, text)

Progress.update, Progress.say = updated, said
main()
"""


def interrupted(
    folder: Path, arguments: str, due: Callable[[str], bool], by: signal.Signals = signal.SIGINT
) -> tuple[int, str]:
    """Exit code and standard error of a command that gets Ctrl-C at the line of its output that is `due`."""
    command = [sys.executable, "-c", TOLD, *arguments.split()]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None
        assert any(due(line) for line in process.stdout)
        os.kill(process.pid, by)
        _, said = process.communicate(timeout=60)
    return process.returncode, said


def half_a_second(line: str) -> bool:
    """Has that much motion been computed?"""
    return line.startswith("at ") and float(line.split()[1]) > 0.5


def test_ctrl_c_keeps_what_was_computed_and_says_where(tmp_path: Path) -> None:
    code, said = interrupted(
        tmp_path, "run l-mechanism --duration 2000 --rate 20 --no-figures --quiet", due=half_a_second
    )
    assert code == 130
    assert said.startswith("interrupted: stopped by hand at t = ")
    assert "out/l-mechanism" in said
    kept = Trajectory.load(tmp_path / "out/l-mechanism/trajectory.nc")
    assert kept.info.status == "interrupted"
    assert 0.5 <= kept.time[-1] < 500


@pytest.mark.parametrize(
    ("what", "by", "duration"), [("l-mechanism", "kernel", 2000), ("ella", "dual_screw", 60)], ids=["kernel", "another"]
)
def test_ctrl_c_ends_a_comparison(what: str, by: str, duration: float, tmp_path: Path) -> None:
    arguments = f"compare {what} --with {by} --duration {duration}"
    code, said = interrupted(tmp_path, arguments, due=lambda line: line.strip() == f"simulating by {by}")
    assert code == 130
    assert said.endswith("interrupted\n")
    assert not (tmp_path / f"out/compare-{what}").exists()


def test_ctrl_c_ends_a_simulation_that_was_to_be_shown(tmp_path: Path) -> None:
    pytest.importorskip("viser")
    code, said = interrupted(
        tmp_path, "view l-mechanism --no-browser --set duration=2000 --set output.rate=20", due=half_a_second
    )
    assert code == 130
    assert said.endswith("interrupted\n")


def test_ctrl_c_is_how_a_page_ends(tmp_path: Path) -> None:
    pytest.importorskip("viser")
    code, said = interrupted(
        tmp_path, "view spinup-beam --no-browser --set duration=0.1", due=lambda line: "Ctrl-C ends it" in line
    )
    assert code == 0
    assert "interrupted" not in said


def test_ctrl_c_before_the_first_step_leaves_no_folder(call, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lissom.simulation.stepping.run_memory.RunMemory.__init__", stopped)
    result = call("run", "ella")
    assert (result.exit_code, result.stderr) == (130, "interrupted\n")
    assert not Path("out/ella").exists()


@pytest.mark.parametrize("at", ["axial_doubts", "summary", "save", "figures"])
def test_ctrl_c_while_results_are_prepared_keeps_the_whole_run(at, call, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    places = {
        "axial_doubts": "lissom.simulation.run_simulation.check_run",
        "summary": "lissom.results.trajectory.Trajectory.summary",
        "save": "lissom.results.trajectory.Trajectory.save",
        "figures": "lissom.cli.printing.run_folder.Folder.figures",
    }
    monkeypatch.setattr(places[at], stopped)
    result = call("run", "ella", "--duration", 0.02)
    assert result.exit_code == 130
    assert result.stderr.startswith("interrupted: ")
    assert "whole motion is" in result.stderr
    assert "out/ella" in result.stderr
    kept = Trajectory.load("out/ella/trajectory.nc")
    assert kept.time[-1] == 0.02
    assert kept.wrench("elbow").shape == (len(kept.time), 6)


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_while_samples_are_written_waits_for_them(by, call, monkeypatch: pytest.MonkeyPatch) -> None:
    keep = Folder.keep

    def stopped(*arguments: object) -> None:
        signal.raise_signal(by)
        keep(*arguments)

    monkeypatch.setattr(Folder, "keep", stopped)
    result = call("run", "ella", "--duration", 0.02)
    assert result.exit_code == 130
    assert result.stderr == "interrupted: the whole motion is in out/ella\n"
    assert Trajectory.load("out/ella/trajectory.nc").time[-1] == 0.02


def test_too_little_memory_for_the_results_keeps_the_run(call, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("lissom.results.trajectory.Trajectory.summary", full)
    result = call("run", "ella", "--duration", 0.02, NO)
    assert result.exit_code == 1
    assert "not enough memory" in result.stderr
    assert "out/ella" in result.stderr
    assert Trajectory.load("out/ella/trajectory.nc").time[-1] == 0.02


def test_a_disk_that_takes_the_samples_alone_keeps_the_run(call, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise files.NotWritten("out/ella/trajectory.nc", "no space left on device")

    monkeypatch.setattr(Trajectory, "save", full)
    result = call("run", "ella", "--duration", 0.02, NO)
    assert result.exit_code == 1
    assert "the samples of the run are in out/ella" in result.stderr
    assert Trajectory.load("out/ella/trajectory.nc").time[-1] == 0.02


def test_a_folder_that_takes_nothing_does_not_cost_the_run(call, monkeypatch, tmp_path) -> None:
    from lissom.results.files import netcdf_files

    save = netcdf_files.save_samples

    def full(run: Trajectory, path: Path) -> None:
        if "out" in Path(path).parts:
            raise files.NotWritten(path, "no space left on device")
        save(run, path)

    monkeypatch.setattr(netcdf_files, "save_samples", full)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    result = call("run", "ella", "--duration", 0.02, NO)
    assert result.exit_code == 1
    assert "no space left on device; the whole run is in" in result.stderr
    (kept,) = tmp_path.glob("lissom-*/trajectory.nc")
    assert Trajectory.load(kept).time[-1] == 0.02


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_request_to_end_keeps_what_was_computed(tmp_path: Path) -> None:
    arguments = "run l-mechanism --duration 2000 --rate 20 --no-figures --quiet"
    code, said = interrupted(tmp_path, arguments, due=half_a_second, by=signal.SIGTERM)
    assert code == 130
    assert said.startswith("interrupted: stopped by hand at t = ")
    assert Trajectory.load(tmp_path / "out/l-mechanism/trajectory.nc").info.status == "interrupted"


@pytest.mark.skipif(sys.platform == "win32", reason="limits of memory are a POSIX feature")
def test_a_limit_of_memory_is_looked_at_before_the_run(call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda kind: (100_000_000, -1))
    result = call("run", "ella", "--duration", 1000, "--rate", 1000)
    assert result.exit_code == 1
    assert "of memory, and there are 100 MB; lower the rate" in result.stderr


# export


def test_a_saved_run_becomes_a_table(call) -> None:
    call("run", "ella", "--duration", 0.05, NO, "--quiet")
    result = call("export", "out/ella", "--out", "motion.csv", "--units")
    assert result.exit_code == 0
    assert result.stdout == "motion.csv: 11 rows\n"
    lines = Path("motion.csv").read_text().splitlines()
    assert len(lines) == 12
    assert lines[0].startswith("time [s],")
    assert "position.elbow [rad]" in lines[0]
