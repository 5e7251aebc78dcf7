"""Every example runs, and the numbers it asserts hold."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path):
    assert "assert " in path.read_text(encoding="utf-8")
    runpy.run_path(str(path), run_name="__main__")
