"""Robot files: a broken one gives one clear error that says what is wrong, a good one comes back the same."""

import os
import re
import warnings
from pathlib import Path

import pytest
from broken_robots import BROKEN, GOOD, STIFFNESS
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lissom.errors import RobotError
from lissom.model import Robot, builtin_names, load
from lissom.model.io import yaml_reader


def test_the_good_file_is_good() -> None:
    robot = Robot.from_yaml(GOOD)
    assert [link.name for link in robot.links] == ["upper", "motor", "forearm"]


@pytest.mark.parametrize(("old", "new", "said"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_gives_one_error_with_place_value_and_remedy(
    old: str, new: str, said: list[str], tmp_path: Path
) -> None:
    assert old in GOOD
    path = tmp_path / "arm.yaml"
    path.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(RobotError) as caught:
        load(path)
    message = str(caught.value)
    assert "arm.yaml" in message
    for part in said:
        assert part in message, f"{part!r} is not in: {message}"
    lines = message.splitlines()
    assert len(lines) <= 3  # one problem, or a heading and two
    assert all(len(line) < 300 + len(str(path)) for line in lines)
    assert not re.search(r"pydantic|http|Traceback|Error:|validator|union|input_", message)


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join(['*' + a] * 10)}]\n" for a, b in zip("abcdefgh", "bcdefghi")
)
WHOLE = {
    "empty": (b"", ["empty", "lissom: 1"]),
    "only comments": (b"# nothing here\n\n", ["empty", "lissom: 1"]),
    "null": (b"null\n", ["empty", "lissom: 1"]),
    "a list": (b"- 1\n- 2\n", ["must be a mapping", "not a list"]),
    "text": (b"hello\n", ["must be a mapping", "not text"]),
    "latin-1": (GOOD.replace("test-arm", "b\u00e4r").encode("latin-1"), [":2:", "0xe4", "UTF-8"]),
    "utf-16": (GOOD.encode("utf-16"), ["not UTF-8", "save the file as UTF-8"]),
    "binary": (bytes(range(256)), ["UTF-8"]),
    "huge": (b"# " + b"x" * 5_000_000, ["larger than 5 MB", "kilobytes"]),
    "too many values": (b"a: &a [" + b"1," * 300 + b"]\nb: [*a, *a, *a, *a]", ["more than 1000 values", "far fewer"]),
    "alias bomb": (BOMB.encode(), ["more than 1000 values", "aliases"]),
}


@pytest.mark.parametrize(("content", "said"), WHOLE.values(), ids=WHOLE)
def test_a_file_that_is_no_robot_at_all_gives_one_error(
    content: bytes, said: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yaml_reader, "MAX_REPEATED", 1000)
    path = tmp_path / "arm.yaml"
    path.write_bytes(content)
    with pytest.raises(RobotError) as caught:
        load(path)
    for part in ("arm.yaml", *said):
        assert part in str(caught.value)


def test_a_folder_is_not_a_robot_file(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match="is a folder; give a file inside it"):
        load(tmp_path)


def test_a_missing_file_is_named_with_its_nearest_neighbours(tmp_path: Path) -> None:
    (tmp_path / "crane.yaml").write_text(GOOD)
    with pytest.raises(RobotError, match=r"crame.yaml: no such file.*did you mean .*crane.yaml"):
        load(tmp_path / "crame.yaml")
    with pytest.raises(RobotError, match="did you mean ella"):
        load("elle")
    with pytest.raises(RobotError, match=r"the built-in ones are .*canadarm2"):
        load("no/such/folder/xyzzy.yaml")


def test_odd_paths_are_refused_in_the_same_way() -> None:
    for path in ("", "\0", "a" * 5000, os.fsdecode(b"\xff.yaml")):
        with pytest.raises(RobotError):
            load(path)
    for not_a_path in (b"ella", 3, None):
        with pytest.raises((RobotError, TypeError)):
            load(not_a_path)  # type: ignore[arg-type]


def test_an_unreadable_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(GOOD)

    def refuse(*args: object, **kwargs: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(RobotError, match=r"arm.yaml: cannot be read \(Permission denied\)"):
        load(path)


def test_several_problems_are_all_listed_one_per_line() -> None:
    text = GOOD.replace("length: 0.95", "length: -1").replace("mass: 3.3", "mass: heavy").replace("nu: 0.3", "nu: 3")
    with pytest.raises(RobotError) as caught:
        Robot.from_yaml(text)
    heading, *lines = str(caught.value).splitlines()
    assert "3 problems" in heading
    assert [re.search(r":(\d+): (\S+)", line)[0] for line in lines] == [  # type: ignore[index]
        ":5: materials.steel.nu",
        ":10: links.upper.beam.length",
        ":18: links.motor.body.mass",
    ]


def test_a_stout_beam_is_a_warning_not_an_error(tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(GOOD.replace("length: 0.95", "length: 0.15").replace("at: 0.9\n", "at: 0.1\n"))
    with pytest.warns(UserWarning, match=r"links.upper.beam.length = 0.15: only 3.8 times the thickness"):
        load(path)


# Mutations of the good text: lines dropped or doubled, pieces exchanged, characters put in.
NUMBERS = [
    "-1",
    "0",
    "1e400",
    "1e308",
    "-0.0",
    "9" * 400,
    ".nan",
    ".inf",
    "null",
    "~",
    "true",
    "0x1F",
    "1_000",
]
SYNTAX = ["[]", "{}", "[[1]]", "{a: b}", "'", '"', "!!str", "&a", "*a", "<<", "? ", ": ", "- ", ",", "|", ">"]
SIGNS = ["%", "@", "`", "#", "\\", "---", "...", "\n", "\t", "\u2028", "\ufeff", "\x00", "\x85", "ü"]
PIECES = st.sampled_from([*NUMBERS, *SYNTAX, *SIGNS, "world", "upper", "forearm"])
WORDS = re.findall(r"[\w.+-]+|[^\w\s]|\s+", GOOD)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    words = list(WORDS)
    for _ in range(draw(st.integers(1, 4))):
        i = draw(st.integers(0, len(words) - 1))
        match draw(st.sampled_from(["replace", "insert", "delete", "exchange", "text", "cut"])):
            case "replace":
                words[i] = draw(PIECES)
            case "insert":
                words.insert(i, draw(PIECES))
            case "delete" if len(words) > 1:
                del words[i]
            case "exchange":
                j = draw(st.integers(0, len(words) - 1))
                words[i], words[j] = words[j], words[i]
            case "text":
                words[i] = draw(st.text(max_size=6))
            case _:
                words = words[: i + 1]
    return "".join(words)


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutated())
@example("lissom: 1\nname: x\nlinks: 9")
@example("? {a: b}\n: c")
@example("lissom: 1\nname: x\nlinks: [{name: a, joint: free, body: {mass: 1, inertia: [9e307, 9e307, 9e307]}}]")
def test_whatever_happens_to_a_file_only_robot_errors_come_out(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        try:
            robot = Robot.from_yaml(text)
        except RobotError as error:
            assert str(error)
        else:
            assert Robot.from_yaml(robot.to_yaml()) == robot


KEYS = st.sampled_from(["lissom", "name", "links", "joint", "type", "beam", "body", "mass", "shape", "axis", "x"])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
PLAIN_DATA = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner), max_leaves=12
)


@settings(max_examples=150, deadline=None)
@given(PLAIN_DATA)
def test_any_plain_data_gives_a_robot_or_a_robot_error(data: object) -> None:
    for links in (data, [data], [{"name": "a", "joint": data, "body": data}]):
        try:
            Robot.from_dict({"lissom": 1, "name": "x", "links": links})
        except RobotError as error:
            assert str(error)


@pytest.mark.parametrize("name", builtin_names())
def test_built_in_robots_come_back_from_yaml_as_they_were(name: str, tmp_path: Path) -> None:
    robot = load(name)
    assert robot.name == name
    robot.save(tmp_path / "copy.yaml")
    assert load(tmp_path / "copy.yaml") == robot
    assert Robot.from_dict(robot.to_dict()) == robot
    assert max(len(line) for line in robot.to_yaml().splitlines()) <= 100


def test_the_built_in_robots_are_the_promised_ones() -> None:
    promised = {"ella", "spinup-beam", "canadarm2", "dual-screw-arm", "l-mechanism", "l-mechanism-torque"}
    closed = {"luffing-crane", "five-bar", "slider-crank", "two-arms-one-beam"}
    driven = {"loader-crane", "soft-gripper", "tendon-arm"}
    assert promised | closed | driven | {"rigid-7-axis", "satellite-two-arm", "two-link-rig"} == set(builtin_names())


def test_yaml_written_is_yaml_a_person_would_write() -> None:
    text = load("ella").to_yaml()
    assert "gravity: [0, -9.81, 0]" in text
    assert "  steel: {E: 2.1e11, rho: 7800}" in text
    assert "    joint: {name: elbow, type: revolute, axis: [0, 0, 1]}" in text
    assert "      section: {area: 2.09e-4, EA: 4.38e7, EIy: 2120, EIz: 3670, GJ: 1533}" in text


def test_awkward_names_and_numbers_survive_the_round_trip() -> None:
    text = GOOD.replace("test-arm", '"no: 1 # arm"').replace("name: motor", 'name: "null"')
    text = text.replace("0.95", "0.9500000000000001").replace("[0, 0, -9.81]", "[1e-300, -0.0, 123456789.123]")
    robot = Robot.from_yaml(text)
    again = Robot.from_yaml(robot.to_yaml())
    assert again == robot
    assert again.name == "no: 1 # arm"
    assert again.links[1].name == "null"
    assert again.gravity == (1e-300, 0.0, 123456789.123)


def test_an_alias_repeats_a_whole_value() -> None:
    text = GOOD.replace("section: {shape", "section: &profile {shape").replace(STIFFNESS, "section: *profile")
    robot = Robot.from_yaml(text)
    assert robot.link("forearm").beam.section == robot.link("upper").beam.section  # type: ignore[union-attr]


def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert load(path) == Robot.from_yaml(GOOD)


CARRYING = """\
lissom: 1
name: crane
links:
  - {name: column, joint: {type: revolute, axis: [0, 0, 1]}, body: {mass: 5, inertia: [1, 1, 1], tip: [0, 0, 3]}}
  - {name: boom, joint: {type: revolute, axis: [0, 1, 0]}, body: {mass: 5, inertia: [1, 1, 1]}}
"""


def test_a_link_without_origin_on_a_body_with_a_tip_sits_there_unless_its_place_is_said(tmp_path: Path) -> None:
    path = tmp_path / "crane.yaml"
    path.write_text(CARRYING)
    assert load(path).bodies[1].origin.xyz == (0, 0, 3)
    for place in ("[0, 0, 3]", "[0, 0, 0]"):
        path.write_text(CARRYING.replace("name: boom", f"name: boom, origin: {{xyz: {place}}}"))
        robot = load(path)
        robot.save(path)
        assert load(path) == robot  # and what was said stays said
        assert str(list(map(int, load(path).bodies[1].origin.xyz))) == place
