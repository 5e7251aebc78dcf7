"""Files for those who build and publish: workflows, recipe, documentation site and paper say what the project says."""

import re
import tomllib

import pytest
from places import ROOT
from ruamel.yaml import YAML

from lissom.version import __version__

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PAPER, RECIPE = ROOT / "packaging" / "paper", ROOT / "packaging" / "conda" / "recipe.yaml"
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
NAMES = {"matplotlib": "matplotlib-base"}  # as conda-forge has them


def read(path):
    return YAML(typ="safe").load(path.read_text(encoding="utf-8"))


def test_there_is_a_workflow_for_each_of_lint_smoke_wheels_and_docs():
    assert {path.stem for path in WORKFLOWS} == {"lint", "smoke", "wheels", "docs"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_what_is_there(path):
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    runs = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    assert runs
    for run in runs:
        assert set(re.findall(r"\bmake ([a-z]+)", run)) <= TARGETS
        for group in re.findall(r"\.\[([a-z,]+)\]", run):
            assert set(group.split(",")) <= set(EXTRAS)
        assert all((ROOT / name).exists() for name in re.findall(r"tests/\S+\.py", run))
    for job in workflow["jobs"].values():
        assert set(job.get("needs", "").split()) <= set(workflow["jobs"])
        for python in job.get("strategy", {}).get("matrix", {}).get("python", ()):
            assert f"Programming Language :: Python :: {python}" in PROJECT["classifiers"]


def test_the_site_of_the_documentation_is_built_of_what_is_there():
    site = read(ROOT / ".readthedocs.yaml")
    assert site["version"] == 2
    assert (ROOT / site["sphinx"]["configuration"]).exists()
    assert all(set(one["extra_requirements"]) <= set(EXTRAS) for one in site["python"]["install"])


def test_the_recipe_needs_what_the_package_needs():
    recipe = read(RECIPE)
    assert recipe["context"]["version"] == __version__
    assert recipe["build"]["python"]["entry_points"] == ["lissom = " + PROJECT["scripts"]["lissom"]]
    plain = [need for need in PROJECT["dependencies"] if ";" not in need]
    wanted = {re.sub(r"^[a-z0-9.-]+", lambda name: NAMES.get(name[0], name[0]) + " ", need) for need in plain}
    run = set(recipe["requirements"]["run"])
    assert run == wanted | {"python " + PROJECT["requires-python"], "c-compiler"}
    assert (RECIPE.parent / recipe["source"]["path"] / recipe["about"]["license_file"]).exists()
    assert recipe["about"]["summary"] == PROJECT["description"]


def test_the_paper_has_the_form_of_the_journal():
    """Front matter, the two sections that must be there, 250 to 1000 words, and every reference in the bibliography."""
    _, front, text = (PAPER / "paper.md").read_text(encoding="utf-8").split("---\n", 2)
    about = YAML(typ="safe").load(front)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= set(about)
    places = {str(place["index"]) for place in about["affiliations"]}
    assert {str(author["affiliation"]) for author in about["authors"]} <= places
    assert {"Summary", "Statement of need", "References"} <= set(re.findall(r"^# (.+)$", text, re.MULTILINE))
    assert 250 <= len(text.split()) <= 1000
    entries = (PAPER / about["bibliography"]).read_text(encoding="utf-8")
    assert set(re.findall(r"@([a-z0-9]+)", text)) == set(re.findall(r"^@[a-z]+\{([a-z0-9]+),$", entries, re.MULTILINE))


def test_classifiers_name_systems_on_which_the_code_has_run():
    systems = [name for name in PROJECT["classifiers"] if name.startswith("Operating System")]
    assert systems == ["Operating System :: POSIX :: Linux"]
