"""What a command needs is looked at before it works: files, folders, names, extras, programs."""

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import lissom
from lissom.cli import app

SCENARIO = "robot: spinup-beam\nduration: 1\n"


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Runs a command in an empty folder where any work is an error."""
    monkeypatch.chdir(tmp_path)

    def worked(*_: object, **__: object) -> None:
        raise AssertionError("it has begun to work")

    monkeypatch.setattr("lissom.simulation.stepping.run_memory.RunMemory.__init__", worked)
    monkeypatch.setattr("lissom.theory.formulation_run", worked)
    monkeypatch.setattr("lissom.results.files.netcdf_files.load", worked)
    monkeypatch.setattr(import_module("lissom.cli.commands.theory"), "_system", worked)

    def run(*arguments: object) -> Any:
        return CliRunner().invoke(app, [str(argument) for argument in arguments], terminal_width=100)

    return run


def without(package: str, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a package were not installed, for the module that looks for it."""
    monkeypatch.setattr(import_module(where), "find_spec", lambda name: None if name == package else find_spec(name))


def refused(result: Any, *said: str) -> None:
    assert result.exit_code in (1, 2), (result.exception, result.output)
    for part in said:
        assert part in " ".join(result.stderr.replace("│", " ").split()), result.stderr


def test_the_work_that_must_not_begin_is_noticed(call) -> None:
    assert isinstance(call("run", "spinup-beam").exception, AssertionError)


def test_view_without_its_extra_says_so_at_once(call, monkeypatch: pytest.MonkeyPatch) -> None:
    without("viser", "lissom.view.live.server", monkeypatch)
    refused(call("view", "spinup-beam"), "needs the package viser: pip install lissom[view]")


def test_view_for_others_is_refused_at_once(call) -> None:
    refused(call("view", "spinup-beam", "--host", "0.0.0.0"), "add --remote")


def test_view_of_a_folder_without_runs_is_refused(call) -> None:
    Path("empty").mkdir()
    refused(call("view", "empty"), "no recorded run")


@pytest.mark.parametrize("command", ["run", "compare", "view", "modes", "describe", "check"])
def test_an_unknown_name_is_refused(command: str, call) -> None:
    refused(call(command, "spinup-bean"), "spinup-bean", "did you mean spinup-beam")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "spinup-beam", "--out", ""], "is empty"),
        (["compare", "spinup-beam", "--out", "  "], "is empty"),
        (["example", "ella", "--out", ""], "is empty"),
        (["theory", "structure", "spinup-beam", "--out", ""], "is empty"),
        (["export", "", "--out", "motion.csv"], "is empty"),
        (["export", "out/ella", "--out", ""], "is empty"),
        (["run", "spinup-beam", "--out", "file/below"], "cannot write file/below: not a directory"),
        (["compare", "spinup-beam", "--out", "file/below"], "cannot write file/below: not a directory"),
        (["example", "ella", "--out", "file/below"], "cannot write file/below: not a directory"),
        (["theory", "structure", "spinup-beam", "--out", "file/x.png"], "cannot write file"),
        (["run", "spinup-beam", "--animation", "../film.mp4"], "leads out of"),
        (["run", "spinup-beam", "--animation", "film.avi"], "ends in .mp4 or .gif"),
        (["run", "spinup-beam", "--method", "radua"], "did you mean 'radau'"),
        (["run", "spinup-beam", "--duration", "-1"], "duration = -1: must be positive"),
        (["compare", "spinup-beam", "--with", "dual_scre"], "did you mean 'dual_screw'"),
        (["compare", "spinup-beam", "--baseline", "kernels"], "did you mean 'kernel'"),
        (["example", "elle"], "did you mean 'ella'"),
        (["example", "nothing"], "there are boom-from-mesh, "),
        (["export", "nowhere", "--out", "motion.csv"], "no such file"),
        (["export", "file", "--out", "nowhere/motion.csv"], "there is no folder nowhere; make it first"),
        (["export", "file", "--out", "motion.txt"], "motion.txt names no format"),
        (["export", "file"], "the format is missing; write --to"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_work_is_refused_before_it_begins(arguments: list[str], said: str, call) -> None:
    Path("file").write_text("")
    refused(call(*arguments), said)
    assert not Path("out").exists() or not any(Path("out").iterdir())


def test_a_film_without_ffmpeg_is_refused_at_once(call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lissom.view.films.film.shutil.which", lambda name: None)
    refused(call("run", "spinup-beam", "--animation", "film.mp4"), "MP4 needs ffmpeg")


def test_a_parquet_without_its_extra_is_refused_at_once(call, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("run.nc").write_text("")
    without("pyarrow", "lissom.cli.commands.export", monkeypatch)
    refused(call("export", "run.nc", "--out", "motion.parquet"), "needs the package pyarrow")


def test_outputs_that_fit_into_no_memory_are_refused_with_their_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--rate", "1e6", "--duration", "1e5"]
    result = CliRunner().invoke(app, ["run", "spinup-beam", *options], terminal_width=100)
    refused(result, "rate = 1e+06: 1e+11 outputs of", "TB of memory", "lower the rate or the duration")
    assert not Path("out").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_in_place_of_a_file_is_refused(call) -> None:
    os.mkfifo("arm.yaml")
    os.mkfifo("turn.csv")
    os.mkfifo("boom.msh")
    for command in ("run", "check", "describe"):
        refused(call(command, "arm.yaml"), "is a pipe or a device; give a file")
    Path("lift.yaml").write_text(f"{SCENARIO}motion: {{shaft: {{type: csv, path: turn.csv}}}}\n")
    refused(call("check", "lift.yaml"), "lift.yaml:3: motion.shaft.path: turn.csv: is a pipe or a device")
    Path("boom.yaml").write_text("lissom: 1\nname: boom\nlinks:\n- {name: boom, finite_elements: {mesh: boom.msh}}\n")
    refused(call("check", "boom.yaml"), "boom.yaml:4: links.boom.finite_elements.mesh", "is a pipe or a device")


@pytest.mark.parametrize("command", ["run", "view"])
def test_a_method_without_its_extra_is_refused_before_the_robot_is_compiled(
    command: str, call, monkeypatch: pytest.MonkeyPatch
) -> None:
    without("sksundae", "lissom.simulation.integrators.registry", monkeypatch)
    monkeypatch.setattr(
        "lissom.model.description.robot.Robot.compile", lambda *_, **__: pytest.fail("it has begun to compile")
    )
    said = "method = 'cvode-bdf': needs SUNDIALS: pip install"
    refused(call(command, "spinup-beam", "--set", "method=cvode-bdf"), said)


def test_a_run_by_a_method_without_its_extra_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    without("sksundae", "lissom.simulation.integrators.registry", monkeypatch)
    with pytest.raises(lissom.LissomError, match="needs SUNDIALS"):
        lissom.simulate("spinup-beam", 1.0, method="cvode-adams")
