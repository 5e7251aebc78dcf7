"""The page of a study in a real browser: lines, points, filters, ranking, and a picked run in three dimensions."""

import threading
import urllib.error
import urllib.request
from itertools import pairwise

import pytest
from browser import inked, shot, until

import lissom
from lissom.errors import LissomError
from lissom.view.pages.study_page import StudyServer, study_page

PAYLOAD, GAIN = "links.forearm.beam.masses.0.mass", "control.gains.elbow.p"
SCRIPT = "<script>window.hacked = 1</script>"


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    scenario = lissom.scenario.load("ella").with_values([("duration", 0.1), ("output.rate", 50)])
    study = lissom.study.Study(
        name=f"payloads {SCRIPT}",
        scenario=scenario,
        vary={PAYLOAD: {"from": -0.2, "to": 3}, GAIN: {"from": 300, "to": 900}},
        sampling={"type": "sobol", "runs": 32, "seed": 1},
        outputs={"sag": "peak |deflection.upper|", "effort": "rms torque.elbow"},
    )
    return study.run(tmp_path_factory.mktemp("study") / "payloads.zarr", cores=1, progress=False)


@pytest.fixture(scope="module")
def served(results):
    server = StudyServer(results, "127.0.0.1", 0)
    thread = threading.Thread(target=server.loop, daemon=True)
    thread.start()
    yield server
    server.stop()
    thread.join()


def test_lines_and_points_are_drawn_and_filtered(page, served):
    page.goto(served.address)
    until(page, "Study.state.drawn > 0")
    assert inked(shot(page, "study-lines", "#lines")) > 0.01
    assert inked(shot(page, "study-points", "#points")) > 0.002
    box = page.locator("#lines").bounding_box()
    page.mouse.move(box["x"] + 76, box["y"] + 60)  # along the first axis
    page.mouse.down()
    page.mouse.move(box["x"] + 76, box["y"] + 170, steps=4)
    page.mouse.up()
    kept = page.evaluate("Study.data.runs.filter((_, k) => Study.kept(k)).length")
    assert 0 < kept < 32
    assert page.inner_text("#count") == f"{kept} of 32 runs"
    page.click("#all")
    assert page.inner_text("#count") == "32 runs"
    assert page.evaluate("window.hacked") is None
    assert page.inner_text("h1") == f"payloads {SCRIPT}"


def test_a_picked_run_opens_in_three_dimensions(page, served, results):
    page.goto(served.address)
    until(page, "Study.state.drawn > 0")
    page.evaluate("Study.pick(Study.data.runs.indexOf(17))")
    assert page.input_value("#number") == "17"
    shown = page.inner_text("#picked")
    assert PAYLOAD in shown
    assert f"{results.outputs()['sag'][17]:.3g}"[:4] in shown
    with page.context.expect_page() as opened:
        page.click("#open")
    run = opened.value
    run.set_default_timeout(60_000)
    until(run, "typeof Lissom !== 'undefined' && Lissom.page.state.drawn > 0")
    assert "run 17" in run.inner_text("h1")
    assert inked(shot(run, "study-run", "#scene")) > 0.002
    run.close()


def test_before_a_run_is_picked_the_page_says_how(page, served):
    page.goto(served.address)
    until(page, "Study.state.drawn > 0")
    assert page.inner_text("#picked") == "Click a line or a point, or write the number of a run."
    assert page.input_value("#number") == ""


def test_a_click_picks_the_point_under_it(page, served):
    page.goto(served.address)
    until(page, "Study.state.drawn > 0")
    box = page.locator("#points").bounding_box()
    place = """() => {
        const [a, b] = [Study.columns[Study.state.x], Study.columns[Study.state.y]], k = 9;
        return [a.share(a.values[k]), b.share(b.values[k])];
    }"""
    across, up = page.evaluate(place)
    x, y = 78 + across * (box["width"] - 90), box["height"] - 40 - up * (box["height"] - 52)
    page.mouse.click(box["x"] + x, box["y"] + y)
    assert page.evaluate("Study.state.picked") == 9


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
def test_it_fits_phones_and_both_colour_schemes(page, served, scheme, width):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(served.address)
    until(page, "Study.state.drawn > 0")
    page.evaluate("Study.pick(9)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    shot(page, f"study-{scheme}-{width}", "main")


def test_runs_that_did_not_finish_and_the_ranking_are_told(results):
    html = study_page(results)
    assert "Runs that did not finish" in html
    assert "must be" in html
    assert "What drives the outputs" in html
    assert SCRIPT not in html
    assert "Open in 3D" in html
    assert '"served":false' in html


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("", {}, 200),
        ("run/5", {}, 200),
        ("run/99", {}, 404),
        ("run/-1", {}, 404),
        ("run/../../etc/passwd", {}, 404),
        ("", {"Host": "evil.example"}, 403),
        ("", {"Origin": "http://evil.example"}, 403),
    ],
)
def test_only_the_page_itself_is_served(served, path, headers, status):
    request = urllib.request.Request(served.address + path, headers=headers)
    try:
        found = urllib.request.urlopen(request).status
    except urllib.error.HTTPError as error:
        found = error.code
    assert found == status
    assert served.answer("/run/17x")[0] == 404


def test_a_wrong_key_is_refused(served):
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(served.address.replace(served.access.key, "x" * 22))


def test_others_on_the_network_are_not_let_in_unasked(results):
    with pytest.raises(LissomError, match="add --remote"):
        StudyServer(results, "0.0.0.0", 0)


def test_the_page_can_be_kept_in_a_file(results, tmp_path):
    written = results.page(tmp_path / "study.html")
    assert written.read_text(encoding="utf-8") == study_page(results)


def test_the_command_serves_a_store(results, monkeypatch):
    from typer.testing import CliRunner

    from lissom.cli import app

    monkeypatch.setattr(StudyServer, "loop", lambda self: None)
    monkeypatch.setattr(StudyServer, "stop", lambda self: self._server.server_close())
    store = str(results.store.address)
    shown = CliRunner().invoke(app, ["view", store, "--no-browser", "--port", "0"])
    assert shown.exit_code == 0 and "lissom view: http://127.0.0.1:" in shown.output, shown.output
    refused = CliRunner().invoke(app, ["view", store, "--set", "duration=1"])
    assert refused.exit_code == 2
    assert "a study is as it is" in refused.output


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    """Runs that differ in a word, an output that never settles, one that is the same in all, too few runs to rank."""
    scenario = lissom.scenario.load("ella").with_values([("duration", 0.1), ("output.rate", 50)])
    study = lissom.study.Study(
        name="words",
        scenario=scenario,
        vary={
            "stiffening": {"values": ["first", "none"], "fields": ["links.upper.beam.stiffening"]},
            "control.gains.shoulder.d": [40, 50],
        },
        outputs={
            "never": "settling position.shoulder-yaw",
            "same": "first position.elbow",
            "the largest deflection of the upper link at its tip": "peak |deflection.upper|",
            "bend": "deflection.upper",
        },
    )
    return study.run(tmp_path_factory.mktemp("words") / "words.zarr", cores=1, progress=False)


def test_words_are_drawn_as_places_on_their_axis(page, words, tmp_path):
    page.goto(words.page(tmp_path / "words.html").as_uri())
    until(page, "Study.state.drawn > 0")
    assert inked(shot(page, "study-words", "#lines")) > 0.005
    page.evaluate("Study.pick(3)")
    assert "stiffening\tnone" in page.inner_text("#picked")
    assert "50 N m s/rad" in page.inner_text("#picked")
    assert "Too few runs" in page.inner_text("body")
    assert "2 inputs, 3 outputs" in page.inner_text("header")


def test_a_long_field_with_a_long_unit_fits_a_phone(page, words, tmp_path):
    page.set_viewport_size({"width": 360, "height": 700})
    page.goto(words.page(tmp_path / "words.html").as_uri())
    page.evaluate("Study.pick(1)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_run_that_is_not_drawn_can_be_opened(page, results, monkeypatch):
    monkeypatch.setattr("lissom.view.pages.study_page.SHOWN", 4)
    page.set_content(study_page(results, served=True))
    page.fill("#number", "7")
    page.dispatch_event("#number", "change")
    assert page.input_value("#number") == "7"
    assert "not drawn" in page.inner_text("#picked")
    assert page.get_attribute("#open", "href") == "run/7"


def test_a_picture_of_a_study_has_room_for_all_its_texts(words):
    """The headline stands above the charts, and no label of a row reaches into the next."""
    figure = words.plot()
    figure.canvas.draw()
    titles = [figure._suptitle.get_window_extent(), figure.texts[-1].get_window_extent()]
    charts = [axes for part in figure.subfigs[1:2] for axes in part.axes]
    assert len(charts) == 6
    assert all(axes.get_tightbbox().y1 <= min(box.y0 for box in titles) for axes in charts)
    labels = [axes.yaxis.label.get_window_extent() for axes in charts[::2]]
    assert all(above.y0 >= below.y1 for above, below in pairwise(labels))
    assert [text.get_text() for text in charts[-2].get_xticklabels()] == ["first", "none"]


def test_outputs_over_time_and_words_are_in_the_table(words):
    assert "over time" in str(words)
    assert words.to_dict()["ranking"]["same"] == {"stiffening": None, "control.gains.shoulder.d": None}
