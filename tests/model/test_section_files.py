"""Files of section programs are read into matrices in lissom's order; what they lack is said in one message."""

import numpy as np
import pytest
from general_arms import mass_matrix, stiffness_matrix
from places import DATA

from lissom.errors import RobotError
from lissom.model import load

FILES = {"vabs": "tube.K", "becas": "tube.out", "anba": "tube.anba", "beamdyn": "tube.dat"}
ROBOT = """\
lissom: 1
name: arm
links:
  - name: boom
    joint: {type: revolute, axis: [0, 0, 1]}
    beam:
      length: 2.0
      BODY
"""


def loaded(folder, body):
    path = folder / "arm.yaml"
    path.write_text(ROBOT.replace("BODY", body), encoding="utf-8")
    return load(path)


@pytest.fixture
def folder(tmp_path):
    for name in FILES.values():
        (tmp_path / name).write_text((DATA / "sections" / name).read_text())
    return tmp_path


@pytest.mark.parametrize("form", ["vabs", "becas", "anba"])
def test_a_section_is_read_in_the_order_of_lissom(folder, form):
    robot = loaded(folder, f"section: {{file: {FILES[form]}, format: {form}}}")
    section = robot.links[0].beam.section
    np.testing.assert_allclose(section.stiffness, stiffness_matrix(), rtol=1e-9, atol=1e-6)
    np.testing.assert_allclose(section.mass, mass_matrix(), rtol=1e-9, atol=1e-9)
    assert type(robot).from_yaml(robot.to_yaml()) == robot  # which no longer needs the file


def test_a_blade_file_becomes_stations_along_the_link(folder):
    robot = loaded(folder, f"stations: {{file: {FILES['beamdyn']}, format: beamdyn}}")
    beam = robot.links[0].beam
    assert [station.x for station in beam.stations] == [0.0, 2.0]
    np.testing.assert_allclose(beam.stations[0].section.stiffness, stiffness_matrix(), rtol=1e-9, atol=1e-6)
    middle = np.linalg.inv(robot.flexible_links()["boom"].profile.tables(np.array([0.5]))[0][0])
    np.testing.assert_allclose(middle, 0.75 * np.array(stiffness_matrix()), rtol=1e-8, atol=1e-4)


def test_one_section_serves_a_whole_link(folder):
    profile = loaded(folder, "stations: {file: tube.K, format: vabs}").flexible_links()["boom"].profile
    assert len(profile.pieces) == 1
    assert profile.pieces[0].uniform


BROKEN = {
    "no such file": ("section: {file: missing.K, format: vabs}", ["there is no file", "missing.K"]),
    "unknown format": ("section: {file: tube.K, format: nastran}", ["format 'nastran'", "vabs"]),
    "no format": ("section: {file: tube.K}", ["format None", "becas"]),
    "the wrong format": ("section: {file: tube.K, format: becas}", ["cannot be read as becas", "K="]),
    "a field too many": ("section: {file: tube.K, format: vabs, width: 2}", ["'width'", "beside file"]),
    "a name that is a number": ("section: {file: 3, format: vabs}", ["file must be the name of a file", "a number"]),
    "a blade as a section": ("section: {file: tube.dat, format: beamdyn}", ["holds 2 sections", "stations"]),
    "not a blade": ("stations: {file: tube.K, format: beamdyn}", ["DISTRIBUTED PROPERTIES"]),
}


@pytest.mark.parametrize(("body", "said"), BROKEN.values(), ids=BROKEN)
def test_a_file_that_cannot_be_read_gives_one_message(folder, body, said):
    with pytest.raises(RobotError) as caught:
        loaded(folder, body)
    message = str(caught.value)
    for part in said:
        assert part in message, message
    assert len(message.splitlines()) == 1


def test_a_matrix_cut_short_is_named(folder):
    text = (folder / "tube.K").read_text().splitlines()
    cut = next(k for k, line in enumerate(text) if "Timoshenko Stiffness" in line) + 6
    (folder / "tube.K").write_text("\n".join(text[:cut]))
    with pytest.raises(RobotError, match="has 3 rows of six numbers"):
        loaded(folder, "section: {file: tube.K, format: vabs}")


def test_a_blade_with_a_number_missing_says_how_many_there_are(folder):
    text = (folder / "tube.dat").read_text()
    (folder / "tube.dat").write_text(text.rstrip().rsplit(None, 1)[0])
    with pytest.raises(RobotError, match="145 numbers; every station has 73"):
        loaded(folder, "stations: {file: tube.dat, format: beamdyn}")
