"""Errors as data: a place and a value that programs can read, and the sentence that people do."""

import ast
import pickle
import re
from pathlib import Path

import pytest

import lissom
from lissom.control import from_config, impulses
from lissom.errors import ABSENT, LissomError, RobotError, ScenarioError, within
from lissom.messages import brief
from lissom.model import Robot
from lissom.scenario import Scenario
from lissom.scenario.scenario_files import find, parse

SOURCE = Path(lissom.__file__).parent


def caught(function, *arguments, **options):
    with pytest.raises(LissomError) as error:
        function(*arguments, **options)
    return error.value


def test_an_error_knows_its_place_and_value():
    error = LissomError("must be positive; give metres", ("links", "upper", "beam", "length"), -1.0)
    assert str(error) == "links.upper.beam.length = -1: must be positive; give metres"
    assert (error.place, error.value, error.text) == ("links.upper.beam.length", -1.0, "must be positive; give metres")
    assert str(LissomError("nothing moves")) == "nothing moves"
    assert LissomError("nothing moves").value is ABSENT


def test_none_is_a_value_that_can_be_shown():
    assert str(LissomError("must be a number", ("step",), None)) == "step = (empty): must be a number"


def test_what_lies_around_a_place_is_added_in_front():
    def inner():
        with within("control"), within("shaper", 2):
            raise LissomError("must be positive", ("frequency",), -1)

    error = caught(inner)
    assert error.path == ("control", "shaper", 2, "frequency")
    assert error.place == "control.shaper[2].frequency"
    with within("control"):
        assert caught(impulses, "zv", -1.0).path == ("frequency",)


def test_the_class_of_an_error_survives_what_is_added():
    with pytest.raises(RobotError, match=r"^links\.upper: has no joint"), within("links", "upper"):
        raise RobotError("has no joint")
    error = ScenarioError.of(LissomError("too long", ("duration",), 9.0, "lift.yaml", 3))
    assert isinstance(error, ScenarioError)
    assert str(error) == "lift.yaml:3: duration = 9: too long"


def test_several_problems_are_one_error_with_each_of_them():
    broken = {"name": "a", "links": [{"name": "up", "joint": "fixed", "body": {"mass": -1, "colour": "red"}}]}
    error = caught(Robot.from_dict, broken)
    assert isinstance(error, RobotError)
    assert {p.path[-1] for p in error.problems} == {"mass", "colour"}
    assert error.problems[0].path[:3] == ("links", "up", "body")
    assert str(error).splitlines()[0] == "the description has 2 problems:"
    error.add_outer("robot")
    assert all(problem.path[0] == "robot" for problem in error.problems)


def test_an_error_of_a_file_knows_file_and_line(tmp_path):
    text = "robot: ella\nduration: 1\ncontrol:\n  type: pd\n  gains: {elbow: {p: -1, d: 1}}\n"
    error = caught(parse, text, "lift.yaml")
    assert (error.source, error.line, error.path, error.value) == (
        "lift.yaml", 5, ("control", "gains", "elbow", "p"), -1)  # fmt: skip
    path = tmp_path / "lift.yaml"
    path.write_text(text.replace("p: -1", "p: 1").replace("elbow", "elbw"))
    loaded = find(path)
    error = loaded.located(caught(loaded.scenario.prepare))
    assert (error.source, error.line, error.path) == (str(path), 5, ("control", "gains"))


def test_an_error_in_python_has_the_same_path_as_in_a_file():
    model = lissom.load("ella").compile()
    block = {"type": "pd", "gains": {"elbow": {"p": 1, "d": "soft"}}}
    alone, inside = caught(from_config, model, block), caught(Scenario, robot="ella", duration=1.0, control=block)
    assert alone.path == inside.path == ("control", "gains", "elbow", "d")
    assert alone.value == inside.value == "soft"
    assert isinstance(inside, ScenarioError)


def test_an_error_can_be_sent_to_another_process():
    error = pickle.loads(pickle.dumps(LissomError("too long", ("duration",), 9.0, "lift.yaml", 3)))
    assert str(error) == "lift.yaml:3: duration = 9: too long"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        pytest.param(10**5000, "a value of type int", id="an endless number"),
        ("x" * 200, f"'{'x' * 55} ..."),
        (list(range(20)), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...]"),
        ({"p": 1, "d": 2}, "{p, d}"),
        (True, "true"),
        (1j, "1j"),
        ("a\nb", r"'a\nb'"),
    ],
)
def test_a_value_is_shown_on_one_short_line(value, shown):
    assert brief(value) == shown


def is_message(node):
    """Whether an expression is the text of an error: str(error), error.message, error.args[0], info.message."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", "")
        return name == "str" and any(isinstance(a, ast.Name) and a.id in ("error", "e", "exc") for a in node.args)
    base = getattr(getattr(node, "value", None), "id", "")
    return isinstance(node, ast.Attribute) and (
        node.attr == "message" or (node.attr in ("text", "args") and base in ("error", "problem"))
    )


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE)))
def test_nothing_is_decided_by_the_words_of_a_message(path):
    """No `"..." in message`, no message that is split, searched or matched."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.In | ast.NotIn | ast.Eq) for op in node.ops):
            found += [node.lineno for side in (node.left, *node.comparators) if is_message(side)]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            used = [node.func.value] if node.func.attr in ("startswith", "partition", "split", "find") else []
            used += node.args if getattr(node.func.value, "id", "") == "re" else []
            found += [node.lineno for part in used if is_message(part)]
    assert not found


@pytest.mark.parametrize("file", sorted((SOURCE / "beam").rglob("*.py")), ids=lambda file: file.stem)
def test_errors_about_beams_say_where(file):
    """Whoever builds a link adds what lies around it: the place must be data."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "LissomError":
            assert len(node.args) > 1, f"{file.name}:{node.lineno}"


def test_a_place_at_the_start_of_a_message_is_data():
    """No LissomError("links.upper: ...") and none of f"{field} = {value}: ...": programs could not read them."""
    kinds = {kind.__name__ for kind in (LissomError, *LissomError.__subclasses__())}
    place = re.compile(r"[\w.{}\[\] -]+ = \S+: |(links|materials|motion|control|parameters)\b\S*: ")
    found = []
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in kinds and len(node.args) == 1:
                begin = ast.unparse(node.args[0]).removeprefix("f").strip("'\"")
                found += [f"{path.name}:{node.lineno}"] if place.match(begin) else []
    assert not found
