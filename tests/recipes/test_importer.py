"""A format of robots from outside: one file with one registration.

The format here is rods in a row, each hinged to the one before: as text in files `.rods`, and by the field `rods` of a
robot file. `PLUGIN` is all that such a package holds.
"""

import os
import subprocess
import sys
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom
from lissom import plugins
from lissom.cli import app
from lissom.model.importers import registry

PLUGIN = '''
"""Rods in a row, each hinged to the one before about y."""

from lissom.errors import RobotError
from lissom.model import Robot
from lissom.model.importers.registry import Importer, RobotForm, register


class RodsFile(RobotForm):
    name: str
    rods: dict[str, list[float]]  # length in m and mass in kg, by name

    def robot(self, source, text_of):
        links = []
        for name, (length, mass) in self.rods.items():
            moment = mass * length**2 / 12
            body = {"mass": mass, "com": [length / 2, 0, 0], "inertia": [0, moment, moment], "tip": [length, 0, 0]}
            links.append({"name": name, "joint": {"type": "revolute", "axis": [0, 1, 0]}, "body": body})
        return Robot.from_dict({"lissom": 1, "name": self.name, "gravity": self.gravity, "links": links})


def read(text, source):
    """Lines such as `upper 0.5 2`."""
    rods = {}
    for k, line in enumerate(text.splitlines(), start=1):
        name, *numbers = line.split()
        if len(numbers) != 2:
            raise RobotError("must be a name, a length and a mass, such as: upper 0.5 2", source=source, line=k)
        rods[name] = [float(number) for number in numbers]
    return RodsFile(name="row", rods=rods).robot(source, None)


register(Importer(suffixes=(".rods",), read=read, key="rods", form=RodsFile))
'''
ROWS = "upper 0.5 2\nlower 0.4 1\n"
FILES = {
    "arm.rods": ROWS,
    "arm.yaml": "lissom: 1\nname: row\nrods: {upper: [0.5, 2], lower: [0.4, 1]}\n",
}
SCENARIO = "robot: {robot}\nduration: 0.2\nstart: {{upper: 0.3}}\n"


@pytest.fixture
def rods(tmp_path, monkeypatch):
    """Register the format for one test; its files lie in the folder that is returned."""
    monkeypatch.setattr(registry, "_known", dict(registry._known))
    exec(compile(PLUGIN, "rods", "exec"), {"__name__": "rods"})
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
        (tmp_path / f"{name}-scenario.yaml").write_text(SCENARIO.format(robot=name))
    return tmp_path


@pytest.mark.parametrize("name", FILES)
def test_a_robot_of_the_format_is_loaded_by_its_path(rods, name):
    robot = lissom.load(rods / name)
    # two rods that hang: M of a double pendulum of rods, from a textbook
    a, m1, b, m2 = 0.5, 2.0, 0.4, 1.0
    coupling = m2 * a * b / 2
    M = np.array(
        [[m1 * a**2 / 3 + m2 * (a**2 + b**2 / 3) + 2 * coupling, m2 * b**2 / 3 + coupling], [0, m2 * b**2 / 3]]
    )
    M[1, 0] = M[0, 1]
    np.testing.assert_allclose(lissom.mass_matrix(robot.compile(), np.zeros(2)), M, rtol=1e-12)


@pytest.mark.parametrize("name", FILES)
def test_its_files_serve_commands_and_scenarios(rods, name):
    checked = CliRunner().invoke(app, ["check", str(rods / name), str(rods / f"{name}-scenario.yaml")])
    assert checked.exit_code == 0, checked.output
    assert "robot row: 2 links, 2 degrees of freedom" in checked.output
    run = lissom.scenario.load(rods / f"{name}-scenario.yaml").run()
    energy = run["kinetic_energy"].values + run["gravity_energy"].values
    np.testing.assert_allclose(energy, energy[0], atol=1e-4)


def test_errors_name_the_file_and_what_to_do(rods):
    (rods / "short.rods").write_text("upper 0.5\n")
    with pytest.raises(lissom.LissomError, match=r"short\.rods:1: must be a name, a length and a mass"):
        lissom.load(rods / "short.rods")
    (rods / "wrong.yaml").write_text("lissom: 1\nname: row\nrods: {upper: [0.5, 2]}\nlinks_: []\n")
    with pytest.raises(lissom.LissomError, match=r"wrong\.yaml:4: links_ .*unknown field"):
        lissom.load(rods / "wrong.yaml")
    with pytest.raises(lissom.LissomError, match=r"did you mean .*arm\.rods"):
        lissom.load(rods / "amr.rods")


def test_an_installed_package_is_found_by_its_entry_point(tmp_path):
    about = tmp_path / "rods-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: rods\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[lissom.plugins]\nrods = rods_format\n")
    (tmp_path / "rods_format.py").write_text(PLUGIN)
    (tmp_path / "arm.rods").write_text(ROWS)
    paths = os.pathsep.join([str(tmp_path), *sys.path])
    command = [sys.executable, "-m", "lissom", "check", "arm.rods"]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "robot row: 2 links" in done.stdout


def test_a_package_that_cannot_be_imported_is_named(tmp_path, monkeypatch):
    broken = EntryPoint("broken", "no_such_module_of_rods", plugins.GROUP)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [broken])
    plugins.load_plugins.cache_clear()
    (tmp_path / "arm.strange").write_text("?")
    with pytest.raises(lissom.LissomError, match=r"plug-in 'broken' \(no_such_module_of_rods\) cannot be imported"):
        lissom.load(tmp_path / "arm.strange")
    plugins.load_plugins.cache_clear()
