"""Reports carry words and a logo of their own, as a page and as a PDF."""

import numpy as np
import pytest
from PIL import Image
from sample_runs import ella_run

from lissom.errors import LissomError
from lissom.view.pages import run_report
from lissom.view.pages.run_report import report_text

TEXT = "The arm swings.\n\nIt stays below <b>40 mm</b>."


@pytest.fixture
def logo(tmp_path):
    """A red picture."""
    Image.fromarray(np.full((20, 40, 3), (200, 0, 0), np.uint8)).save(tmp_path / "logo.png")
    return tmp_path / "logo.png"


def test_title_text_and_logo_stand_on_the_page(page, tmp_path, logo):
    written = ella_run().report(tmp_path / "r.html", title="Swing of the arm", text=TEXT, logo=logo)
    page.goto(written.as_uri())
    assert page.title() == "Swing of the arm - lissom"
    assert page.locator("p.said").all_inner_texts() == ["The arm swings.", "It stays below <b>40 mm</b>."]
    assert page.evaluate("document.querySelector('.logo').naturalWidth") == 40


def test_a_pdf_holds_words_logo_tables_and_charts(tmp_path, logo):
    pdfium = pytest.importorskip("pypdfium2", reason="needs the package pypdfium2: pip install lissom[test]")
    run = ella_run().beside()
    run.units = "kN, mm, deg"
    written = run.report(tmp_path / "r.pdf", title="Swing of the arm", text=TEXT, logo=logo)
    document = pdfium.PdfDocument(written)
    pages = [page.get_textpage().get_text_range() for page in document]
    assert "Swing of the arm" in pages[0] and "It stays below <b>40 mm</b>." in pages[0]
    assert "Peak wrench in every joint" in pages[1] and "torque kN m" in pages[1]
    assert "angle [deg]" in pages[2] and f"1 / {len(pages)}" in pages[0]
    first = np.asarray(document[0].render(scale=1.0).to_pil().convert("RGB")).astype(int)
    assert ((first[..., 0] > 150) & (first[..., 1] < 60)).sum() > 300  # the logo


def test_a_scenario_says_what_its_report_says(logo):
    run = ella_run().beside()
    run.info = run.info.__class__(**{**vars(run.info), "scenario": {"report": {"title": "Ours", "logo": str(logo)}}})
    said = report_text(run)
    assert said.title == "Ours" and said.picture() == logo
    assert report_text(run, title="Mine").title == "Mine"
    assert "<h1>Ours</h1>" in run_report.report(run)


def test_pictures_that_no_page_shows_are_refused(tmp_path):
    run = ella_run()
    with pytest.raises(LissomError, match=r"logo.*no picture that pages can show"):
        run.report(tmp_path / "r.html", logo="logo.tiff")
    with pytest.raises(LissomError, match="logo"):
        run.report(tmp_path / "r.html", logo=tmp_path / "none.png")
