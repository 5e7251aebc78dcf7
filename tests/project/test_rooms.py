"""Folders of the package: small enough to look through, described, and drawn in the page on architecture."""

import importlib.util

import pytest
from places import ROOT

SOURCE = ROOT / "src" / "lissom"
FOLDERS = sorted({path.parent for path in SOURCE.rglob("*.py")} - {SOURCE})
MOST = 15


def tree():
    spec = importlib.util.spec_from_file_location("tree", ROOT / "docs" / "tree.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(SOURCE).as_posix())
def test_a_folder_is_small_and_says_what_lives_there(folder):
    files = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
    assert len(files) <= MOST, f"{len(files)} files: make a room"
    said = tree().paragraphs(folder)
    assert said
    assert said[0].endswith(".")
    assert said[0] != "To be described."


def test_the_tree_in_the_page_on_architecture_is_current():
    """If it is not: python docs/tree.py."""
    page = tree()
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.BEGIN in text
    assert page.current(text) == text
