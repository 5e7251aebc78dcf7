"""Every example runs, and the numbers it asserts hold."""

import runpy
from importlib import import_module
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


NEEDS = {"boom_from_mesh": "gmsh"}  # which a bare machine may have, but cannot load without its graphics libraries


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path):
    assert "assert " in path.read_text(encoding="utf-8")
    if path.stem in NEEDS:
        try:
            import_module(NEEDS[path.stem])
        except (ImportError, OSError) as error:
            pytest.skip(f"{NEEDS[path.stem]} cannot be loaded: {error}")
    runpy.run_path(str(path), run_name="__main__")
