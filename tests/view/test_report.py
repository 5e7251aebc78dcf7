"""The report: one file that shows a run in any browser, offline; what it holds is text and nothing else."""

import json

import numpy as np
import pytest
from browser import changed, drag, drawn, frames, inked, shot, until
from sample_runs import ella_run, satellite_run, small_ella

import lissom
from lissom.errors import LissomError
from lissom.results.summaries.summary_tables import number
from lissom.results.trajectory import Trajectory, from_run
from lissom.simulation.raw_run import RawRun
from lissom.view.pages import run_report

SCRIPT = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"

# How many strongly coloured pixels each chart has.
COLOURED = """Lissom.page.span.charts.map((chart) => {
  const { width, height } = chart.canvas, pixels = chart.pen.getImageData(0, 0, width, height).data;
  let count = 0;
  for (let k = 0; k < pixels.length; k += 4) {
    const rgb = pixels.subarray(k, k + 3);
    if (pixels[k + 3] > 200 && Math.max(...rgb) - Math.min(...rgb) > 60) count += 1;
  }
  return count;
})"""

# The time that the line in each chart stands at.
CURSOR = """Lissom.page.span.charts.map((chart) => {
  const x = chart.cursor.getBoundingClientRect().left - chart.box.getBoundingClientRect().left;
  return chart.timeAt(x);
})"""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A report of the two-link arm on disk."""
    return ella_run().report(tmp_path_factory.mktemp("report") / "report.html")


def hostile_run():
    """A run whose robot and whose events are called by a script."""
    run = ella_run()
    robot = small_ella().with_value("name", SCRIPT)
    noted = [type(event)(event.time, event.link_or_joint, event.kind, SCRIPT, event.value) for event in run.warnings]
    return Trajectory(run.dataset, robot.compile(), run.info, noted)


# in the browser


def test_the_report_draws_the_arm_and_plays_it(page, written):
    page.goto(written.as_uri())
    drawn(page)
    still = shot(page, "report-start", "#scene")
    assert inked(still) > 0.002
    page.select_option("#speed", "0.25")  # so that a slow browser can pause it in time
    page.click("#play")
    until(page, "Lissom.page.state.time > 0.2")
    page.click("#play")
    time = page.evaluate("Lissom.page.state.time")
    frames(page)
    assert page.evaluate("Lissom.page.state.time") == time
    assert changed(still, shot(page, "report-played", "#scene")) > 0.004


def test_the_time_slider_moves_the_arm_and_the_line_in_the_charts(page, written):
    page.goto(written.as_uri())
    drawn(page)
    start = shot(page, "report-time-0", "#scene")
    slider = page.locator("#time")
    drag(page, slider, 0.0, 0.6, margin=8)
    time = page.evaluate("Lissom.page.state.time")
    assert 0.55 < time < 0.65
    assert page.locator("#clock").inner_text() == f"{time:.2f} s"
    drawn(page)
    assert changed(start, shot(page, "report-time-0.6", "#scene")) > 0.004
    for key, sign in (("ArrowRight", 1), ("ArrowLeft", -1)):
        before = page.evaluate("Lissom.page.state.time")
        slider.press(key)
        assert sign * (page.evaluate("Lissom.page.state.time") - before) > 1e-3
    assert page.evaluate(CURSOR) == pytest.approx([page.evaluate("Lissom.page.state.time")] * 13, abs=5e-3)


def test_the_deflection_slider_bends_the_arm(page, written):
    page.goto(written.as_uri())
    drawn(page)
    page.evaluate("Lissom.page.seek(0.3)")
    drawn(page)
    tip = "(() => { const p = [0, 0, 0], m = Lissom.page.scene.motion; m.tip(p, 0); return p; })()"
    small, before = np.array(page.evaluate(tip)), shot(page, "report-deflection-1", "#scene")
    drag(page, page.locator("#scale"), 0.0, 0.5, margin=8)
    scale = page.evaluate("Lissom.page.scene.scale")
    assert 7 < scale < 14
    assert page.locator("#scale-value").inner_text() in (f"× {scale:.0f}", f"× {scale:.1f}")
    drawn(page)
    large = np.array(page.evaluate(tip))
    assert changed(before, shot(page, "report-deflection-10", "#scene")) > 0.002
    # What the page draws is what the library computes, within 16-bit steps.
    run = ella_run()
    from lissom.view.drawing.arm_drawing import Drawing

    arm = Drawing(run.model)
    motion = arm.motion(run.state(0.3)[0])
    for times, found in ((1.0, small), (scale, large)):
        assert found == pytest.approx(arm.tips(motion, times)[0], abs=1e-3)
    page.locator("#scale").press("Home")
    drawn(page)
    assert changed(before, shot(page, "report-deflection-back", "#scene")) == 0


def test_ticks_show_and_hide_their_part_of_the_picture(page, written):
    page.goto(written.as_uri())
    drawn(page)
    page.evaluate("Lissom.page.seek(0.5)")
    drawn(page)
    before = shot(page, "report-plain", "#scene")
    for part in ("force", "torque", "frames", "names", "trail"):
        page.click(f"[data-show={part}]")
        drawn(page)
        assert changed(before, shot(page, f"report-{part}", "#scene")) > 2e-4, part
        page.click(f"[data-show={part}]")
        drawn(page)
        assert changed(before, shot(page, "report-plain", "#scene")) == 0, part


def test_charts_show_data_read_values_and_zoom(page, written):
    page.goto(written.as_uri())
    drawn(page)
    coloured = page.evaluate(COLOURED)
    assert len(coloured) == 13
    assert min(coloured) > 150
    box = page.locator(".plot").first.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.5 * box["width"], middle)
    until(page, "document.querySelector('.reading').textContent !== ''")
    page.mouse.down()
    page.mouse.move(box["x"] + 0.8 * box["width"], middle, steps=4)
    page.mouse.up()
    first, last = page.evaluate("Lissom.page.span.shown")
    assert 0 < first < last < 1
    shot(page, "report-zoomed")
    page.locator(".plot").first.dblclick()
    assert page.evaluate("Lissom.page.span.shown") == [0, 1]
    # An entry of the legend hides its curve: all references have one entry.
    shown = page.locator(".chart").first.locator(".entry-name").all_inner_texts()
    assert shown == ["shoulder-yaw", "shoulder", "elbow", "reference"]
    page.locator(".entry").nth(3).click()
    assert page.evaluate("Lissom.page.span.charts[0].curves.filter((c) => c.hidden).length") == 3
    assert page.evaluate(COLOURED)[0] < coloured[0]


def test_names_with_script_are_shown_as_text(page, tmp_path):
    path = hostile_run().report(tmp_path / "hostile.html")
    page.goto(path.as_uri())
    drawn(page)
    assert page.evaluate("window.hacked") is None
    assert page.locator("h1").inner_text() == SCRIPT
    assert SCRIPT in page.locator("main").inner_text().split("Events")[1]
    shot(page, "report-hostile")


def test_labels_of_a_comparison_are_text_and_all_arms_are_drawn(page, tmp_path):
    html = run_report.comparison({"kernel": ella_run(), SCRIPT: hostile_run()}, SCRIPT, {"erls": "has no wrist"})
    page.goto(run_report.write(tmp_path / "compare.html", html).as_uri())
    page.evaluate("Lissom.page.seek(0.6)")
    drawn(page)
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("Lissom.page.scene.runs.length") == 2
    assert SCRIPT in page.locator(".key").inner_text()
    assert "has no wrist" in page.locator("main").inner_text()
    assert inked(shot(page, "comparison", "#scene")) > 0.002


# without a browser


def test_the_report_is_one_small_file_that_names_no_other(written):
    html = written.read_text()
    assert written.stat().st_size < 6e6
    for part in ("Peak wrench in every joint", "Energy audit", "Robot", "Please cite", f"lissom {lissom.__version__}"):
        assert part in html
    for reference in ('src="', "<link", "@import", 'href="'):
        assert reference not in html
    assert "default-src &#x27;none&#x27;" in html


@pytest.mark.parametrize("name", ["ella", "canadarm2"])
def test_a_report_of_four_seconds_stays_below_six_megabytes(name):
    model = lissom.load(name).compile()
    t = np.linspace(0, 4, 801)
    q = model.neutral() + 0.01 * np.sin(np.outer(t, 1 + np.arange(model.nq)))
    noise = np.random.default_rng(1).normal(size=(801, model.nv))  # nothing that could be packed well
    run = from_run(RawRun(model, t, q, noise, noise, noise, t, t))
    assert len(run_report.report(run).encode()) < 6e6


def test_a_report_of_a_free_robot_and_of_a_run_that_diverged():
    assert "satellite-two-arm" in run_report.report(satellite_run())
    run = ella_run()
    broken = run.dataset.copy(deep=True)
    broken["eta"].values[150:] = np.nan
    html = run_report.report(Trajectory(broken, run.model, run.info))
    data = json.loads(html.split('id="lissom-data">')[1].split("</script>")[0], parse_constant=pytest.fail)
    assert len(data["charts"]) == 13


def test_a_report_tells_of_scenario_gains_frequencies_and_when_it_was_run():
    from lissom.scenario import load

    run = load("ella").run(duration=0.05, progress=False)
    html = run_report.report(run)
    assert run.info.date in html
    assert run.info.date[:2] == "20"
    assert "<h2>Gains</h2>" in html
    assert "<td>shoulder-yaw</td>" in html
    assert "quintic" in html
    first = lissom.natural_modes(run.model, run.q[-1], locked=True, number=1).frequencies[0]
    assert "<h2>Natural frequencies" in html
    assert f">{number(float(first))}<" in html
    assert 'id="wrenches"' in html
    assert "Torque at elbow" in html
    assert 'id="space"' not in html
    assert 'id="space"' in run_report.report(load("satellite-two-arm").run(duration=0.05, progress=False))


def test_cards_charts_and_trail_show_the_end_effector_that_goes_farthest():
    from lissom.view.drawing.arm_drawing import Drawing
    from lissom.view.figures.run_charts import busiest
    from lissom.view.pages.page_charts import charts

    run = satellite_run()
    for side in ("left", "right"):
        start = {f"{side}-elbow.rate": 1.0}
        run = lissom.simulate(run.model, 0.2, start=start, rate=100, progress=False)
        end = f"{side}-gripper"
        assert busiest(run) == end
        assert f"Tip of {end} in the world" in [chart.title for chart in charts(run)]
        html = run_report.report(run)
        assert f"tip of {end}, which travels farthest, settles within" in html
        data = json.loads(html.split('id="lissom-data">')[1].split("</script>")[0])
        assert data["scene"]["drawing"]["tip"]["frame"] == Drawing(run.model, tip=end).tip
        assert run.plot("tip").get_suptitle() == f"satellite-two-arm: tip of {end}"
    assert "tip of forearm settles within" in run_report.report(ella_run())


def test_a_comparison_needs_two_runs_of_one_robot():
    with pytest.raises(LissomError, match="at least two runs"):
        run_report.comparison({"one": ella_run()})
    with pytest.raises(LissomError, match="another robot"):
        run_report.comparison({"one": ella_run(), "other": satellite_run()})


def test_a_folder_that_is_not_there_is_one_message(tmp_path):
    with pytest.raises(LissomError, match="cannot write"):
        ella_run().report(tmp_path / "nowhere" / "report.html")


def test_without_three_js_the_report_says_what_is_missing(monkeypatch):
    from lissom.view.pages import markup

    monkeypatch.setattr(markup, "three", lambda: None)
    html = run_report.report(ella_run())
    assert "pip install lissom[view]" in html
    assert '<div id="charts" ' in html


# what the commands write


def test_names_that_lead_out_of_the_results_are_refused_before_computing(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from lissom.cli import app

    monkeypatch.chdir(tmp_path)
    (tmp_path / "far.yaml").write_text("robot: spinup-beam\nduration: 0.1\noutput: {folder: ../elsewhere}\n")
    for arguments, message in (
        (["run", "ella", "--animation", "../lift.gif"], "leads out of out/"),
        (["run", "ella", "--animation", "/elsewhere/lift.gif"], "leads out of out/"),
        (["run", "far.yaml"], "leads out of the working folder; if you mean that, give it with --out"),
    ):
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 1
        assert message in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["far.yaml"]


def test_a_link_in_the_results_that_leads_elsewhere_is_refused(tmp_path):
    from lissom.cli.printing.run_folder import within

    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "door").symlink_to(tmp_path)
    assert within(tmp_path / "out", "a/b.gif") == tmp_path / "out" / "a" / "b.gif"
    with pytest.raises(LissomError, match="leads out"):
        within(tmp_path / "out", "door/b.gif")
