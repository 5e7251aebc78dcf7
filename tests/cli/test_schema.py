"""JSON Schemas of files: what lissom reads fits them, what it refuses field by field does not; editors use them."""

import copy
import json
import re
from pathlib import Path

import jsonschema
import pytest
from language_server import LanguageServer

import lissom
from lissom.cli.file_schemas import TITLES, file_schema, schema_text
from lissom.errors import LissomError
from lissom.model.io.yaml_reader import read
from lissom.scenario.scenario_schema import Scenario

PACKAGE = Path(lissom.__file__).resolve().parent
SCHEMAS = PACKAGE / "schemas"
ROBOTS = sorted((PACKAGE / "model/robots").glob("*.yaml"))
SCENARIOS = sorted((PACKAGE / "scenario/builtin").glob("*.yaml"))
KINDS = {"robot": lissom.Robot, "scenario": Scenario}


def plain(value):
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def contents(path):
    return plain(read(path.read_text(encoding="utf-8"), str(path)).value)


@pytest.fixture(scope="module")
def validators():
    for kind in TITLES:
        jsonschema.Draft7Validator.check_schema(file_schema(kind))
    return {kind: jsonschema.Draft7Validator(file_schema(kind)) for kind in TITLES}


@pytest.mark.parametrize("path", [*ROBOTS, *SCENARIOS], ids=lambda path: path.stem)
def test_built_in_files_fit_their_schema(path, validators):
    validators["robot" if path in ROBOTS else "scenario"].validate(contents(path))


@pytest.mark.parametrize("kind", TITLES)
def test_the_schemas_that_built_in_files_name_are_those_of_the_classes(kind):
    current = schema_text(file_schema(kind, linked=True))
    assert (SCHEMAS / f"{kind}.json").read_text(encoding="utf-8") == current, (
        "run `lissom schema --out src/lissom/schemas`"
    )
    for file, name in re.findall(r'"(\w+\.json)#/definitions/(\w+)"', current):
        assert name in json.loads((SCHEMAS / file).read_text(encoding="utf-8"))["definitions"]


@pytest.mark.parametrize("path", [*ROBOTS, *SCENARIOS], ids=lambda path: path.stem)
def test_built_in_files_name_their_schema(path):
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    where = first.removeprefix("# yaml-language-server: $schema=")
    assert (path.parent / where).resolve() == SCHEMAS / f"{'robot' if path in ROBOTS else 'scenario'}.json"


FILES = {
    "study": """
        scenario: ella
        vary:
          links.forearm.beam.masses.0.mass: {from: 0.5, to: 3, points: 20}
          gravity.2: [-9.81, -1.62]
        outputs: {sag: peak |deflection.upper|}
        """,
    "fit": """
        robot: ella
        parameters:
          links.upper.joint.damping: [0, 10]
          links.forearm.joint.damping: {prior: {mean: 1, deviation: 0.1}}
        records: [{data: run.csv, time: 200, outputs: {position.elbow: angle}}]
        """,
    "task": "{scenario: ella, to: {shoulder: 0.7, elbow: 40 deg}, duration: 1.5, limits: {torque: 120}}",
    "robot": """
        name: arm
        dh: [{name: a, theta: 90 deg, a: 0.4, body: {mass: 1}}, {name: b, joint: prismatic, beam: {length: 1}}]
        """,
}


@pytest.mark.parametrize("kind", FILES)
def test_short_forms_fit_too(kind, validators):
    validators[kind].validate(plain(read(FILES[kind], kind).value))


# --- broken files ----------------------------------------------------------------------------------------------------


def broken(data, path=()):
    """Yield copies of a file with one thing wrong: a name, or a value of another kind."""
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inside:
        if isinstance(data, dict):
            yield (*path, key), {(f"{k}x" if k == key else k): v for k, v in data.items()}
        wrong = "#?" if isinstance(value, int | float | list | dict) else ["#?"] if isinstance(value, str) else 7
        for other in [wrong, -1.5] if isinstance(value, int) else [wrong]:
            yield (*path, key), _with(data, key, other)
        for place, changed in broken(value, (*path, key)):
            yield place, _with(data, key, changed)


def _with(data, key, value):
    changed = copy.copy(data)
    changed[key] = value
    return changed


# What lissom says of a field by itself; other refusals are about what must fit together.
ALONE = re.compile(
    r"unknown field|must be (a|an|text|true|three|two|six|rows|positive)\b|must not be|is unknown; choose"
)


def test_hundreds_of_broken_files_are_refused_as_by_lissom(validators):
    found, missed = 0, []
    for path in (*ROBOTS[:2], *SCENARIOS[:2]):
        kind = "robot" if path in ROBOTS else "scenario"
        for place, data in broken(contents(path)):
            try:
                KINDS[kind].from_dict(data)
            except LissomError as error:
                if ALONE.search(str(error)):
                    found += 1
                    missed += [(path.stem, place, str(error))] if validators[kind].is_valid(data) else []
    assert found > 200
    assert not missed, missed[:20]


# --- an editor -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_language_server_completes_and_checks(tmp_path):
    with LanguageServer(tmp_path) as server:
        schema = tmp_path / "robot.json"
        schema.write_text(json.dumps(file_schema("robot")))
        head = f"# yaml-language-server: $schema={schema.as_uri()}\nname: arm\nlinks:\n  - name: upper\n"
        errors = server.errors(head + "    joint: {type: revolut}\n    bodyy: {mass: 1}\n")
        assert any("bodyy" in error for error in errors)
        assert any("revolute" in error for error in errors)
        joint = head + "    joint: {type: revolute, axis: [0, 0, 1]}\n"
        assert server.errors(joint + "    body: {mass: 1}\n") == []
        assert {"beam", "body", "parent", "origin"} <= set(server.completions(joint + "    "))
        assert {"revolute", "prismatic", "spherical"} <= set(server.completions(head + "    joint:\n      type: "))
