"""A run shows itself in a notebook: a table, charts and the moving arm, without a network."""

import pytest
from browser import frames, inked, shot, until
from places import HELPERS

CODE = """\
import sys
sys.path.insert(0, {helpers!r})
from sample_runs import ella_run
run = ella_run()
run
"""


@pytest.fixture(scope="module")
def shown():
    """The HTML that a notebook made by executing a cell."""
    pytest.importorskip("ipykernel", reason="needs the package ipykernel: pip install lissom[test]")
    nbformat = pytest.importorskip("nbformat", reason="needs the package nbclient: pip install lissom[test]")
    from nbclient import NotebookClient

    cell = nbformat.v4.new_code_cell(CODE.format(helpers=str(HELPERS)))
    notebook = nbformat.v4.new_notebook(cells=[cell])
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    (output,) = notebook.cells[0].outputs
    return output["data"]


def test_the_cell_holds_a_table_and_a_page_of_its_own(shown):
    html = shown["text/html"]
    assert "<table>" in html
    assert "peak deflection of upper" in html
    assert "<iframe sandbox" in html
    assert shown["text/plain"].startswith("<Trajectory of ella")
    for reference in ('src="http', "<link", "@import"):
        assert reference not in html


def test_the_cell_draws_the_arm_and_its_charts(page, shown, tmp_path):
    path = tmp_path / "cell.html"
    path.write_text(f"<!DOCTYPE html><meta charset=utf-8><body>{shown['text/html']}</body>", encoding="utf-8")
    page.goto(path.as_uri())
    inner = page.frames[-1]
    until(inner, "typeof Lissom !== 'undefined' && Lissom.page.state.drawn > 0")
    assert inner.evaluate("Lissom.page.span.charts.length") == 4
    inner.evaluate("Lissom.page.seek(0.5)")
    until(inner, "!Lissom.page.scene.dirty")
    frames(page)
    assert inked(shot(page, "notebook")) > 0.004
