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


@pytest.mark.filterwarnings("ignore:tube.dat")
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


MAIN = """\
--------- BEAMDYN with OpenFAST INPUT FILE -------------------------------------------
---------------------- GEOMETRY PARAMETER --------------------------------------
          1   member_total    - Total number of members (-)
          3   kp_total        - Total number of key points (-) [must be at least 3]
     1     3                 - Member number; Number of key points in this member
        kp_xr                   kp_yr                   kp_zr               initial_twist
         (m)                     (m)                     (m)                   (deg)
   0.0000000E+00   0.0000000E+00   0.0000000E+00   20.0
   0.0   BESIDE   0.5   8.0
   0.0   0.0   2.0   -4.0
---------------------- MATERIAL PARAMETER --------------------------------------
"tube.dat"    BldFile - Name of file containing properties for blade (quoted string)
"""


def main_file(folder, beside="0.0"):
    """A main input file beside a blade file of two equal stations, much stiffer about BeamDyn's x than about its y."""
    (folder / "main.inp").write_text(MAIN.replace("BESIDE", beside))
    K = np.diag([1e6, 1e6, 1e7, 900.0, 100.0, 50.0])
    M = np.diag([2.0, 2.0, 2.0, 2e-3, 1e-3, 3e-3])
    rows = "\n".join(" ".join(f"{x:.9e}" for x in row) for row in np.vstack([K, M]))
    heading = "---------------------- DISTRIBUTED PROPERTIES---------------------------------\n"
    (folder / "tube.dat").write_text(heading + f" 0.0\n{rows}\n 1.0\n{rows}\n")


def test_the_key_points_of_beamdyn_twist_the_sections_about_its_negative_z(folder):
    main_file(folder)
    beam = loaded(folder, "stations: {file: main.inp, format: beamdyn}").links[0].beam
    assert [station.x for station in beam.stations] == [0.0, 0.5, 2.0]
    turns = [station.section.turn for station in beam.stations]
    np.testing.assert_allclose(turns, -np.radians([20.0, 8.0, -4.0]))


def test_a_twisted_blade_gives_way_across_its_chord_wherever_that_points(folder):
    main_file(folder)
    profile = loaded(folder, "stations: {file: main.inp, format: beamdyn}").flexible_links()["boom"].profile
    for place, twist in ((0.0, 20.0), (0.25, 8.0), (0.625, 2.0), (1.0, -4.0)):
        bending = np.linalg.inv(profile.tables(np.array([place]))[0][0])[4:, 4:]
        # lissom's y, z are BeamDyn's x, y: the stiff axis is y, turned about x = BeamDyn's z by minus the twist
        stiff = np.linalg.eigh(bending)[1][:, 1]
        angle = np.degrees(np.arctan2(stiff[1], stiff[0]))
        assert (angle + twist + 90) % 180 - 90 == pytest.approx(0, abs=1e-6)


def test_a_blade_that_is_bent_or_of_another_length_is_refused(folder):
    main_file(folder, beside="0.2")
    with pytest.raises(RobotError, match="beside a straight axis"):
        loaded(folder, "stations: {file: main.inp, format: beamdyn}")
    main_file(folder)
    (folder / "main.inp").write_text((folder / "main.inp").read_text().replace("2.0   -4.0", "3.0   -4.0"))
    with pytest.raises(RobotError, match=r"reach over 3 m, and the beam is 2 m long"):
        loaded(folder, "stations: {file: main.inp, format: beamdyn}")


def test_a_blade_file_alone_warns_that_it_has_no_twist(folder):
    with pytest.warns(UserWarning, match="tube.dat: its sections are not twisted"):
        loaded(folder, "stations: {file: tube.dat, format: beamdyn}")
