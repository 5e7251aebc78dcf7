"""lissom sweep: a study file in, a store and a table out."""

import json

import pytest
from small_study import GIVEN
from typer.testing import CliRunner

from lissom.cli import make_app

APP = make_app(["sweep"])


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rods.yaml").write_text(json.dumps(GIVEN | {"sampling": {"type": "sobol", "runs": 8}}))
    return tmp_path


def sweep(*words):
    return CliRunner().invoke(make_app(), ["sweep", *words])


def test_a_study_goes_to_a_store_of_its_name(study):
    done = sweep("rods.yaml", "--cores", "1")
    assert done.exit_code == 0, done.output
    assert "rods: 8 runs" in done.output
    assert "out/rods.zarr" in done.output
    assert (study / "out" / "rods.zarr" / ".zgroup").is_file()


def test_json_for_machines(study):
    done = sweep("rods.yaml", "--cores", "1", "--json", "--out", "here.zarr", "--quiet")
    told = json.loads(done.stdout)
    assert told["runs"] == told["finished"] == 8
    assert told["failed"] == {}
    assert told["outputs"]["pull"]["least"] > 0
    assert set(told["ranking"]) == {"low", "pull"}


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"vary": {"links.rod.body.mas": [1, 2]}}, "did you mean 'mass'"),
        ({"outputs": ["peek position.pin"]}, "did you mean 'peak'"),
        ({"outputs": []}, "rods.yaml:1: outputs"),
        ({"vary": {}}, "vary"),
        ({"sampling": {"type": "sobl"}}, "did you mean 'sobol'"),
        ({"scenario": "elle"}, "scenario"),
        ({"varied": {}}, "varied"),
    ],
)
def test_mistakes_in_the_file_are_told(study, change, text):
    (study / "rods.yaml").write_text(json.dumps(GIVEN | {"sampling": {"type": "grid"}} | change))
    if "vary" in change or "outputs" in change:
        given = {"vary": {"links.rod.body.mass": [1, 2]}} | {"sampling": {}} | change
        (study / "rods.yaml").write_text(json.dumps(GIVEN | given))
    done = sweep("rods.yaml", "--cores", "1")
    assert done.exit_code == 1
    assert text in done.output
    assert not (study / "out").exists() or not list((study / "out").iterdir())


def test_no_file_and_no_runs(study):
    assert sweep("none.yaml").exit_code == 1
    (study / "rods.yaml").write_text(
        json.dumps(GIVEN | {"vary": {"links.rod.body.inertia": [[1, 1, 5], [1, 1, 1]]}, "sampling": {}})
    )
    done = sweep("rods.yaml", "--cores", "1")
    assert done.exit_code == 0
    assert "1 did not finish" in done.output
