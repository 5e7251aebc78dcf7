"""Every command that takes a robot takes YAML, URDF, an overlay on a URDF and a Denavit-Hartenberg table."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lissom.cli import app

URDF = (Path(__file__).parents[1] / "data" / "urdf" / "elbow.urdf").read_text()
FILES = {
    "arm.yaml": "lissom: 1\nname: arm\nlinks:\n"
    "  - {name: upper, joint: {type: revolute, axis: [0, 1, 0]}, body: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\n",
    "arm.urdf": URDF,
    "overlay.yaml": "lissom: 1\nurdf: arm.urdf\nname: overlaid\ngravity: [0, 0, -9.81]\n",
    "table.yaml": "lissom: 1\nname: table\ndh:\n  - {name: upper, a: 0.5, body: {mass: 2, com: [-0.25, 0, 0]}}\n",
}


def call(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], terminal_width=100)


@pytest.fixture(params=FILES)
def file(request, tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path / request.param


@pytest.mark.parametrize(
    "command",
    [
        ("describe",),
        ("check",),
        ("modes", "--free", "--json"),
        ("compare", "--with", "kernel", "--duration", "0.02", "--json", "--no-figure"),
    ],
    ids=lambda command: command[0],
)
def test_commands_read_every_format(file, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name, *options = command
    result = call(name, file, *options)
    assert result.exit_code == 0, result.output
    if "--json" in options:
        assert json.loads(result.stdout)


def test_a_run_begins_with_every_format(file, tmp_path):
    result = call("run", file, "--duration", "0.02", "--no-figures", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "out" / "summary.json").exists()


@pytest.mark.parametrize("begin", [(), ("--live",), ("--modes",)], ids=" ".join)
def test_a_view_opens_with_every_format(file, begin, monkeypatch):
    pytest.importorskip("viser", reason="needs the package viser: pip install lissom[view]")
    from lissom.view.live.app import App

    shown = []
    monkeypatch.setattr(App, "loop", lambda app: shown.append((app.robot.name, app.show.value, dict(app.runs))))
    result = call("view", file, *begin, "--no-browser", "--port", 0)
    assert result.exit_code == 0 and "lissom view: http://127.0.0.1:" in result.stdout, result.output
    ((name, shows, runs),) = shown
    assert name in ("arm", "elbow-arm", "overlaid", "table")
    assert len(runs) == 1
    assert shows == {"--live": "move by hand", "--modes": "natural modes"}.get("".join(begin), "recorded run")
