"""Claims about the package as a whole: light to import, complete, citable."""

import re
import subprocess
import sys

import pytest
from places import ROOT

import lissom
from lissom.citation import PAPERS

HEAVY = {"scipy", "pydantic", "matplotlib", "xarray", "casadi", "ruamel", "rich", "typer", "numpy"}


def test_import_loads_nothing_heavy():
    code = "import sys, lissom; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not HEAVY & set(loaded.split())


def test_dir_offers_every_public_name():
    assert set(lissom.__all__) <= set(dir(lissom))
    assert set(lissom.__all__) == set(lissom._MODULE_OF)


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
