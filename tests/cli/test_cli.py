"""The command line without simulations: help, list, describe, check, modes, cite, and what wrong usage gets."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from broken_scenarios import BROKEN, GOOD
from typer.testing import CliRunner

import lissom
from lissom.cli import app
from lissom.model import builtin_names
from lissom.scenario import builtin_names as scenario_names

BAD_ROBOT = "lissom: 1\nname: a\nlinks:\n  - {name: up, joint: fixed, beam: {length: -1}}\n"


def call(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], terminal_width=100)


def plain(text: str) -> str:
    """Words alone, without the boxes and line breaks of a help page."""
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", text).split())


def test_list_has_one_line_for_every_built_in_name() -> None:
    result = call("list")
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    names = sorted({*builtin_names(), *scenario_names()})
    assert [line.split()[0] for line in lines[2:]] == names
    assert all(len(line) <= 100 for line in lines)


def test_list_tells_machines_the_same() -> None:
    entries = json.loads(call("list", "--json").stdout)
    ella = next(entry for entry in entries if entry["name"] == "ella")
    assert (ella["links"], ella["flexible"], ella["run"]) == (3, 2, "PD control, 4 s")


def test_describe_prints_the_robot() -> None:
    assert call("describe", "ella").stdout == lissom.load("ella").describe()


def test_describe_takes_other_values() -> None:
    assert "0.456" in call("describe", "ella", "--set", "links.upper.beam.length=0.456").stdout


def test_cite_prints_the_references() -> None:
    assert call("cite").stdout == f"{lissom.cite()}\n"
    assert call("cite", "--bibtex").stdout == f"{lissom.cite('bibtex')}\n"


def test_version_is_printed() -> None:
    assert call("--version").stdout == f"lissom {lissom.__version__}\n"


@pytest.mark.parametrize(
    ("command", "example"),
    [
        ("run", "lissom run ella"),
        ("run", "--set links.upper.beam.length=1.2"),
        ("modes", "lissom modes ella --pose shoulder=0.5"),
        ("check", "lissom check my_arm.yaml"),
        ("list", "lissom list"),
        ("describe", "lissom describe ella"),
        ("export", "lissom export out/ella --out motion.csv"),
        ("export", "lissom export ella --to c --out ella-c"),
        ("cite", "lissom cite --bibtex"),
    ],
)
def test_help_teaches_by_example(command: str, example: str) -> None:
    result = call(command, "--help")
    assert result.exit_code == 0
    assert example in plain(result.stdout)


# check


def test_check_names_what_is_in_good_files(tmp_path: Path) -> None:
    scenario, robot = tmp_path / "lift.yaml", tmp_path / "arm.yaml"
    scenario.write_text(GOOD)
    lissom.load("spinup-beam").save(robot)
    result = call("check", scenario, robot, "canadarm2")
    assert result.exit_code == 0
    assert result.stderr == ""
    first, second, third = result.stdout.splitlines()
    assert first == f"{scenario}: ok (scenario of ella: 0.5 s, control: pd, 23 degrees of freedom)"
    assert second == f"{robot}: ok (robot spinup-beam: 1 link, 4 degrees of freedom)"
    assert third.startswith("canadarm2: ok (scenario of canadarm2: 2 s, control: none")


def test_check_goes_on_after_a_bad_file_and_still_fails(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text(BAD_ROBOT)
    result = call("check", bad, "ella")
    assert result.exit_code == 1
    assert "links.up.beam.length = -1: must be positive" in result.stderr
    assert result.stdout.startswith("ella: ok")


@pytest.mark.parametrize(("old", "new", "said"), BROKEN.values(), ids=BROKEN)
def test_check_refuses_broken_scenarios(old: str, new: str, said: list[str], tmp_path: Path) -> None:
    path = tmp_path / "lift.yaml"
    path.write_text(GOOD.replace(old, new, 1))
    result = call("check", path)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert all(part in result.stderr for part in said)


@pytest.mark.parametrize("content", [b"", b"hello", b"- 1\n", b"\xff\xfe\x00", b"a: [1, 2", b"{}"], ids=repr)
def test_check_refuses_what_is_no_scenario_at_all(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(content)
    result = call("check", path)
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert "x.yaml" in result.stderr


# modes


def test_modes_shows_the_frequencies_of_the_reference_arm() -> None:
    result = call("modes", "ella", "--number", 4)
    rows = re.findall(r"^ +(\d+) +([\d.]+) +([\d.]+) % +(\S.*?) {2,}", result.stdout, re.MULTILINE)
    assert result.exit_code == 0
    assert [row[3] for row in rows][:2] == ["upper bending z 1", "upper bending y 1"]
    for (_, hz, *_), expected in zip(rows, (2.7589, 3.62994, 15.489, 20.3787), strict=True):
        assert float(hz) == pytest.approx(expected, rel=1e-3)


def test_modes_depend_on_the_pose_and_on_what_is_locked() -> None:
    def slowest(*options: str) -> float:
        return json.loads(call("modes", "ella", "--json", *options).stdout)["modes"][0]["frequency"]

    assert slowest() == pytest.approx(2.7589, rel=1e-3)
    assert slowest("--pose", "elbow=1.5707963") > slowest() * 1.1
    assert slowest("--pose", "elbow=90 deg") == pytest.approx(slowest("--pose", "elbow=1.5707963"))
    assert slowest("--free") == 0
    joints = ("--lock", "shoulder-yaw", "--lock", "shoulder", "--lock", "elbow")
    assert slowest(*joints) == pytest.approx(slowest())
    told = json.loads(call("modes", "ella", "--json", "--lock", "elbow").stdout)
    assert told["locked"] == ["elbow"]
    assert told["modes"][0]["frequency"] < 0.5 * slowest()
    assert "elbow locked" in call("modes", "ella", "--lock", "elbow").stdout
    assert slowest("--set", "links.upper.beam.length=1.2") < slowest()


def test_modes_of_a_scenario_are_those_at_its_start(tmp_path: Path) -> None:
    path = tmp_path / "bent.yaml"
    path.write_text("robot: ella\nduration: 1\nstart: {elbow: 1.5707963}\n")
    at_start = json.loads(call("modes", path, "--json").stdout)
    posed = json.loads(call("modes", "ella", "--pose", "elbow=1.5707963", "--json").stdout)
    assert at_start["modes"][0]["frequency"] == pytest.approx(posed["modes"][0]["frequency"])


def test_a_pose_that_looks_like_degrees_is_doubted() -> None:
    told = call("modes", "ella", "--pose", "elbow=45", "-n", 1).stderr
    assert told.startswith("warning: pose.elbow = 45")
    assert "write 45 deg" in told


def test_check_names_every_controller_of_a_list(tmp_path: Path) -> None:
    path = tmp_path / "two.yaml"
    torque = "{type: torque, torques: {elbow: 1}}"
    path.write_text(f"robot: ella\nduration: 1\ncontrol:\n  - {torque}\n  - {torque}\n  - {{type: none}}\n")
    assert "control: torque + torque + none" in call("check", path).stdout


# formulations and examples


def test_formulations_are_listed_with_their_authors() -> None:
    assert "the robot or scenario is missing" in plain(call("compare").stderr)
    covering = call("compare", "spinup-beam", "--list").stdout
    assert "covers spinup-beam" in covering
    words = " ".join(call("compare", "--list").stdout.split())
    for name in ("kernel", "erls", "dual_screw", "lie_group", "recursive_lagrange", "screw_pde"):
        assert name in words
    for author in ("Park", "Vidoni", "Cibicik", "Qian", "Yaqubi", "1995", "2017", "2021", "2013", "2026"):
        assert author in words


def test_an_example_and_a_run_write_to_different_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import lissom.reproductions.spinup_beam as module

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "main", lambda out: (out / "figure.png").write_bytes(b""))
    result = call("example", "spinup-beam")
    assert result.exit_code == 0
    assert (tmp_path / "out" / "example-spinup-beam" / "figure.png").exists()
    assert "Qian, Zhang and Liu 2013" in result.stdout
    assert "agrees" in result.stdout
    assert not (tmp_path / "out" / "spinup-beam").exists()


# wrong usage


@pytest.mark.parametrize(
    "arguments",
    [
        ["fly"],
        ["run"],
        ["run", "ella", "--set", "duration"],
        ["run", "ella", "--duration", "long"],
        ["modes", "ella", "--pose", "elbow"],
        ["modes", "ella", "--free", "--motors"],
        ["modes", "ella", "--free", "--lock", "elbow"],
        ["modes", "ella", "--number", "0"],
        ["export", "out/x", "--out", "table.xls"],
        ["export", "out/x", "--to", "xls"],
        ["export", "ella", "--to", "c", "--units"],
    ],
    ids=" ".join,
)
def test_wrong_usage_has_exit_code_2(arguments: list[str]) -> None:
    result = call(*arguments)
    assert result.exit_code == 2
    assert "Usage" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "elle"], "did you mean ella"),
        (["run", "no/such/file.yaml"], "no/such/file.yaml: no such file"),
        (["run", "ella", "--set", "links.uper.beam.length=1"], "did you mean 'upper'"),
        (["run", "ella", "--set", "speed=3"], "unknown path at 'speed'"),
        (["run", "ella", "--set", "control.gains.elbow.p=-3"], "must not be negative"),
        (["run", "ella", "--set", "duration=[1"], "not valid YAML"),
        (["run", "ella", "--duration", "-1"], "duration = -1: must be positive"),
        (["run", "ella", "--method", "runge"], "method = 'runge'"),
        (["run", "ella", "--method", "euler"], "step: missing"),
        (["modes", "ella", "--pose", "elbo=1"], "elbo"),
        (["modes", "ella", "--pose", "elbow=3 kg"], "pose.elbow = '3 kg': has a unit of the wrong kind"),
        (["modes", "ella", "--pose", "elbow=up"], "pose.elbow = 'up': must be a number, not text"),
        (["modes", "rigid-7-axis"], "nothing left to move"),
        (["modes", "ella", "--lock", "elbo"], "did you mean 'elbow'"),
        (["describe", "ella", "--set", "links.upper.beam.length=long"], "must be a number, not text"),
        (["export", "no/run", "--out", "a.csv"], "no/run: no such file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_error_is_one_message_with_exit_code_1(arguments: list[str], said: str) -> None:
    result = call(*arguments)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_python_m_lissom_answers() -> None:
    result = subprocess.run([sys.executable, "-m", "lissom", "--help"], capture_output=True, text=True, check=True)
    assert "Usage: lissom" in result.stdout


def test_help_loads_nothing_heavy() -> None:
    code = "import sys; from lissom.cli import app; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"scipy", "pydantic", "matplotlib", "xarray", "pandas", "numpy"} & set(loaded)


def test_brackets_and_dollars_in_a_robots_name_are_shown_as_they_are(tmp_path):
    name = "arm [bold] [/] $x$ \\frac{1"
    path = tmp_path / "odd.yaml"
    path.write_text(
        f"""lissom: 1
name: '{name}'
materials: {{steel: {{E: 2.1e11, nu: 0.3, rho: 7850}}}}
links:
  - name: upper
    joint: {{name: hinge, type: revolute, axis: [0, 0, 1]}}
    beam:
      {{length: 1, material: steel, section: {{shape: circle, diameter: 0.02}}, shear: none, modes: {{y: 1}}}}
"""
    )
    for command in ("check", "describe", "modes"):
        shown = call(command, path)
        assert shown.exit_code == 0 and name in " ".join(shown.stdout.split()), command
    done = call("run", path, "--duration", 0.02, "--out", tmp_path / "run")
    assert done.exit_code == 0
    assert name in done.stdout
    assert len(list((tmp_path / "run" / "figures").glob("*.png"))) > 1


@pytest.mark.parametrize("duration", [0, -1, "nan"])
def test_a_comparison_takes_time(duration):
    refused = call("compare", "ella", "--duration", duration)
    assert refused.exit_code == 1
    assert "duration" in refused.output
    assert "must be" in refused.output


def test_modes_tells_load_factors_at_which_an_arm_buckles(tmp_path: Path) -> None:
    figure = tmp_path / "shapes" / "buckling.png"
    result = call("modes", "spinup-beam", "--buckling", "--load", "blade=-1,0,0", "-n", 1, "--out", figure)
    assert result.exit_code == 0
    assert "load factor" in result.stdout
    assert "buckles" in result.stdout
    assert figure.stat().st_size > 5000


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--load", "blade=-1,0,0"), "--load, --follower and --out go with --buckling"),
        (("--buckling", "--load", "blade"), "must be a link and three numbers in N, such as rod=0,0,-100"),
        (("--buckling", "--follower", "blade=1,2"), "must be a link and three numbers in N, such as rod=0,0,-100"),
    ],
)
def test_modes_says_how_loads_of_buckling_are_given(options: tuple[str, ...], text: str) -> None:
    result = call("modes", "spinup-beam", *options)
    assert result.exit_code in (1, 2)
    assert text in plain(result.output)
