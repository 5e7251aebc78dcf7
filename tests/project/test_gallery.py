"""The gallery: short files that stand alone, run, hold their numbers, and have a picture and a place on the pages."""

import runpy
import subprocess
import sys

import pytest
from places import ROOT

sys.path.insert(0, str(ROOT / "docs"))
import gallery

EXAMPLES = sorted((ROOT / "examples" / "gallery").glob("*.py"))
PAGE = 40  # lines: they fit on a screen


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_of_the_gallery_runs(path, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    text = path.read_text(encoding="utf-8")
    assert "\nassert " in text or "\n    assert " in text
    assert len(text.splitlines()) <= PAGE
    made = runpy.run_path(str(path), run_name="__main__")
    assert "figure" in made or "run" in made
    from matplotlib import pyplot

    pyplot.close("all")


def test_the_gallery_has_thirty_examples_with_pictures_of_all_trades():
    found = gallery.examples()
    assert sum(map(len, found.values())) >= 30 and all(found.values())
    for path in EXAMPLES:
        assert (gallery.PICTURES / f"{path.stem}.png").stat().st_size > 1000


def test_the_pages_of_the_gallery_are_current():
    done = subprocess.run([sys.executable, ROOT / "docs" / "gallery.py", "--check"])
    assert done.returncode == 0, "run `python docs/gallery.py`"
