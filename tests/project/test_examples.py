"""Every example is one page that stands alone, runs, and the numbers that it asserts hold."""

import runpy

import pytest
from places import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGE = 60  # lines


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    text = path.read_text(encoding="utf-8")
    assert "\nassert " in text and "lissom.reproductions" not in text and len(text.splitlines()) <= PAGE
    for package in ("casadi", "control", "skfem"):
        if f"import {package}" in text:
            pytest.importorskip(package)
    runpy.run_path(str(path), run_name="__main__")
