"""Claims about the package as a whole: light to import, complete, citable."""

import importlib
import re
import subprocess
import sys

import pytest
from places import ROOT

import lissom
from lissom.citation import PAPERS

STUBS = sorted((ROOT / "src" / "lissom").rglob("__init__.pyi"))
HEAVY = {"scipy", "pydantic", "matplotlib", "xarray", "casadi", "ruamel", "rich", "typer", "numpy"}


def test_import_loads_nothing_heavy():
    code = "import sys, lissom; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not HEAVY & set(loaded.split())


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.parent.name)
def test_a_stub_lists_what_its_package_offers(stub):
    """Type checkers read the stub, Python the same lines of it: each must be of the form that both understand."""
    lines = [line for line in stub.read_text(encoding="utf-8").splitlines() if line.startswith("from ")]
    assert all(re.fullmatch(r"from lissom[\w.]* import (\w+) as \w+", line) for line in lines)
    package = importlib.import_module(".".join(stub.parent.relative_to(ROOT / "src").parts))
    assert dir(package) == sorted(line.split()[-1] for line in lines)
    assert set(package.__all__) <= set(dir(package))
    inside = {path.stem for path in stub.parent.iterdir()}
    assert not inside & set(package.__all__), "a module hides the name it bears as soon as anything imports it"


def test_dir_shows_what_is_public_and_nothing_else():
    assert {"simulate", "forward_dynamics_batch", "Load", "view", "__version__"} <= set(dir(lissom))
    assert not {"Any", "import_module", "provide", "lazy", "annotations"} & set(dir(lissom))


def test_what_the_reference_names_is_an_attribute_without_further_imports():
    page = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    names = " ".join(re.findall(r"autosummary::\n(?:   :.*\n)*\n((?:   \S+\n)+)", page)).split()
    assert "view.plots.plot" in names
    code = f"import lissom, operator; [operator.attrgetter(name)(lissom) for name in {names}]"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        lissom.simulat  # noqa: B018


def test_subpackages_load_on_first_use():
    assert lissom.lie.so3.exp([0, 0, 0]).shape == (3, 3)


def test_citation_names_lissom_and_the_five_papers():
    text = lissom.cite()
    assert repr(text) == text
    for author in ("lissom contributors", "Park", "Cibicik", "Vidoni", "Qian", "Yaqubi"):
        assert author in text
    assert lissom.cite("bibtex").count("@article") == 5
    with pytest.raises(lissom.LissomError, match="choose 'text' or 'bibtex'"):
        lissom.cite("apa")


def test_citation_file_and_changelog_agree_with_the_package():
    cff = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {lissom.__version__}\n" in cff
    titles = re.findall(r"^    title: (.*)$", cff, re.MULTILINE)
    assert sorted(titles) == sorted(paper.title for paper in PAPERS)
    assert "## [Unreleased]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
