"""Every example is one page that stands alone, runs, and the numbers that it asserts hold."""

import runpy

import pytest
from places import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGE = 55  # lines


@pytest.mark.filterwarnings("ignore::lissom.simulation.SimulationWarning")  # deflections beyond 10 % are told
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    text = path.read_text(encoding="utf-8")
    assert "\nassert " in text
    assert "lissom.reproductions" not in text
    assert len(text.splitlines()) <= PAGE
    if "import casadi" in text:
        pytest.importorskip("casadi", reason="needs the package casadi: pip install lissom[symbolic]")
    runpy.run_path(str(path), run_name="__main__")


def test_the_list_of_examples_is_complete():
    text = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in EXAMPLES if f"[{path.name}]({path.name})" not in text] == []
