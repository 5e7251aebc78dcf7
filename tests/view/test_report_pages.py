"""Reports as people read them: in the dark, on a phone, by the keyboard, with curves that lie on each other."""

import numpy as np
import pytest
from browser import changed, drawn, inked, shot, until
from PIL import Image
from sample_runs import ella_run, satellite_run

from lissom import load, scenario, simulate
from lissom.results.trajectory import Trajectory
from lissom.view.figures.chart import Chart, Series
from lissom.view.pages import run_report
from lissom.view.pages.markup import document
from lissom.view.pages.packed_numbers import chart as packed
from lissom.view.pages.page_charts import differences

PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return ella_run().report(tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    html = run_report.comparison({"kernel": ella_run(), "again": ella_run(), "off": moved_apart()})
    return run_report.write(tmp_path_factory.mktemp("report") / "compare.html", html)


def moved_apart():
    """A run whose joints differ from those of `ella_run` by a millionth."""
    run = ella_run()
    return Trajectory(run.dataset.assign(position=run.dataset["position"] + 1e-6), run.model, run.info)


def opened(page, path):
    page.goto(path.as_uri())
    drawn(page)


def chart_page(tmp_path, *charts):
    """A page of charts alone."""
    data = {"duration": 1.0, "charts": [packed(one, 0.0) for one in charts], "scene": None}
    path = tmp_path / "charts.html"
    path.write_text(document("charts", '<div id="charts" class="charts"></div>', data))
    return path


def brightness(pixels):
    return float(np.median(pixels.mean(axis=2)))


def test_a_page_follows_the_colour_scheme_of_its_reader_at_once(page, written):
    opened(page, written)
    light = shot(page, "report-light")
    page.emulate_media(color_scheme="dark")
    drawn(page)
    dark = shot(page, "report-dark")
    assert brightness(light) > 230
    assert brightness(dark) < 50
    for part in ("#scene", "#beside .plot"):
        pixels = shot(page, "report-dark-part", part)
        assert brightness(pixels) < 60 and inked(pixels) > 0.001, part  # the arm and the curves stand out
    page.emulate_media(color_scheme="light")
    drawn(page)
    assert changed(light, shot(page, "report-light-again")) < 0.002


def test_dark_curves_are_lightened_on_dark_paper_and_only_there(page, written):
    page.emulate_media(color_scheme="dark")
    opened(page, written)
    assert page.evaluate("Lissom.light(Lissom.visible('#262626', Lissom.theme()))") > 0.4
    assert page.evaluate("Lissom.visible('#56B4E9', Lissom.theme())") == "#56B4E9"
    page.emulate_media(color_scheme="light")
    assert page.evaluate("Lissom.visible('#262626', Lissom.theme())") == "#262626"


def test_the_space_bar_plays_and_pauses_unless_a_control_wants_it(page, written):
    opened(page, written)
    page.locator("h1").click()
    page.keyboard.press("Space")
    until(page, "Lissom.page.state.playing && Lissom.page.state.time > 0.05")
    page.keyboard.press("Space")
    assert not page.evaluate("Lissom.page.state.playing")
    assert page.evaluate("scrollY") == 0
    page.locator("#time").focus()  # a slider has no use for it
    page.keyboard.press("Space")
    assert page.evaluate("Lissom.page.state.playing")
    page.keyboard.press("Space")
    box = page.locator("[data-show=names]")
    box.focus()
    page.keyboard.press("Space")
    assert box.is_checked()
    assert not page.evaluate("Lissom.page.state.playing")
    page.locator("#play").focus()
    page.keyboard.press("Space")  # presses the button, once
    assert page.evaluate("Lissom.page.state.playing")


@pytest.fixture(scope="module")
def scenic(tmp_path_factory):
    """The report of a scenario, whose file is on the page, with long lines."""
    run = scenario.load("ella").with_value("name", 18 * "long ").run(duration=0.1, progress=False)
    return run.report(tmp_path_factory.mktemp("report") / "scenic.html")


@pytest.mark.parametrize("name", ["written", "compared", "scenic"])
def test_a_phone_shows_all_of_a_page_without_scrolling_sideways(page, name, request):
    page.set_viewport_size(PHONE)
    opened(page, request.getfixturevalue(name))
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    off = page.evaluate(
        """[...document.querySelectorAll(".bar *, .figure, .chart, .key *, h1, h2")].filter((e) => {
          const { left, right, width } = e.getBoundingClientRect(); return width > 0 && (left < -1 || right > 391); }
        ).map((e) => e.className || e.tagName)"""
    )
    assert off == []
    for control in ("#play", "#reset", "#view", "[data-show=force]"):
        box = page.locator(control).bounding_box()
        assert box["height"] >= 16
        assert box["width"] >= 16
    # A wide table scrolls by itself, and its first column stays.
    table = page.locator(".wide").filter(has=page.locator("th.number")).first
    before = table.locator("td").first.bounding_box()["x"]
    table.evaluate("(e) => { e.scrollLeft = 200; }")
    assert table.locator("td").first.bounding_box()["x"] == pytest.approx(before, abs=14)
    shot(page, f"phone-{name}")


def test_views_from_front_side_and_top_and_back_again(page, written):
    opened(page, written)
    home = shot(page, "view-home", "#scene")
    away = "(() => { const d = Lissom.page.scene.direction(); return [d.x, d.y, d.z]; })()"
    up = np.array(page.evaluate("Lissom.page.scene.up.toArray()"))
    for view, across in (("front", True), ("side", True), ("top", False)):
        page.select_option("#view", view)
        drawn(page)
        assert abs(abs(np.array(page.evaluate(away)) @ up) - (0 if across else 1)) < 1e-3
        assert changed(home, shot(page, f"view-{view}", "#scene")) > 0.004
    page.mouse.move(300, 400)
    page.mouse.wheel(0, -400)
    drawn(page)
    assert changed(home, shot(page, "view-nearer", "#scene")) > 0.004
    page.click("#reset")
    page.mouse.move(0, 0)
    drawn(page)
    assert page.locator("#view").input_value() == "home"
    assert changed(home, shot(page, "view-reset", "#scene")) < 1e-4


def test_an_arm_that_flies_away_stays_as_large_as_it_was(page, tmp_path):
    robot = load("satellite-two-arm")
    run = simulate(robot, 30.0, start={"base.rate": [0, 0, 0.1, 20, 0, -15]}, rate=20, progress=False)
    opened(page, run.report(tmp_path / "away.html"))
    for time in (0, 15, 30):
        page.evaluate(f"Lissom.page.seek({time})")
        drawn(page)
        assert inked(shot(page, f"report-away-{time}", "#scene")) > 1e-3


def test_curves_that_lie_on_each_other_are_told_apart(page, tmp_path):
    t = np.linspace(0, 1, 200)
    wave = np.sin(6 * t)
    colours = ("#0072B2", "#D55E00", "#009E73")
    series = [Series(name, wave + 1e-6 * k, colour) for k, (name, colour) in enumerate(zip("abc", colours))]
    page.goto(chart_page(tmp_path, Chart("waves", "angle", "rad", t, tuple(series))).as_uri())
    pixels = shot(page, "striped", ".plot").reshape(-1, 3)
    for colour in colours:  # each has about a third of the line
        wanted = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)])
        assert (np.abs(pixels - wanted).max(axis=1) < 25).sum() > 100, colour
    placed = page.evaluate("[...Lissom.page.span.charts[0].stacked(0, 199, 0.01).values()].map((p) => p.among)")
    assert placed == [3, 3, 3]


@pytest.mark.parametrize("size", [PHONE, {"width": 1200, "height": 900}])
def test_charts_beside_the_picture_show_all_of_their_legends(page, size, tmp_path):
    """Seven names, those of two arms and their references, and the frame of the card around them."""
    page.set_viewport_size(size)
    run = scenario.load("satellite-two-arm").run(duration=0.05, progress=False)
    opened(page, run.report(tmp_path / "report.html"))
    cut = page.evaluate(
        """[...document.querySelectorAll("#beside .chart")].filter((card) => {
          const legend = card.querySelector(".legend");
          const inside = legend.getBoundingClientRect().bottom <= card.getBoundingClientRect().bottom - 4;
          return legend.scrollHeight > legend.clientHeight || !inside;
        }).map((card) => card.querySelector(".chart-title").textContent)"""
    )
    assert cut == []
    assert page.locator("#beside .entry").count() >= 7


def test_a_reference_is_seen_on_the_joint_that_follows_it(page, tmp_path):
    t = np.linspace(0, 1, 200)
    pair = (Series("elbow", t, "#0072B2"), Series("goal", t, "#0072B2", dashed=True, group="reference"))
    page.goto(chart_page(tmp_path, Chart("follow", "angle", "rad", t, pair)).as_uri())
    pixels = shot(page, "followed", ".plot").reshape(-1, 3)
    assert ((pixels.max(axis=1) < 90) & (np.ptp(pixels, axis=1) < 40)).sum() > 100  # dark dashes on blue


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (0, 1),
        (-1, 1),
        (1e6, 1e6 + 1),
        (123456.7, 123457.1),
        (1.0, 1.0),
        (0, 0),
        (1e-9, 3e-9),
        (-2e7, -1.9999e7),
        (0, 3.5),
    ],
)
def test_labels_of_an_axis_differ_and_are_three_at_least(page, tmp_path, low, high):
    t = np.linspace(0, 1, 50)
    curve = Series("one", np.linspace(low, high, 50), "#0072B2")
    page.goto(chart_page(tmp_path, Chart("range", "size", "1", t, (curve,))).as_uri())
    labels = page.evaluate(
        """(() => { const chart = Lissom.page.span.charts[0], [, , low, high] = chart.range();
          const rows = Lissom.ticks(low, high, 4); return rows.made.map((v) => Lissom.number(v, rows.step)); })()"""
    )
    assert len(labels) >= 3 and len(set(labels)) == len(labels), labels
    assert max(map(len, labels)) < 13


def test_a_comparison_shows_differences_over_time(page, compared):
    opened(page, compared)
    titles = page.locator(".chart-title").all_inner_texts()
    assert titles[:3] == ["Distance of the tips", "Joint angles", "Deflections of the links"]
    assert page.locator("#differences .chart").count() == 3
    assert "Joint elbow" in titles
    curves = page.evaluate("Lissom.page.span.charts[1].curves.map((c) => [c.name, Math.max(...c.read)])")
    assert curves[0] == ["again", 0]
    assert curves[1] == ["off", pytest.approx(1e-6, rel=1e-3)]
    assert page.evaluate("Lissom.power(-6)") == "1e-6"
    assert page.evaluate("Lissom.power(Math.log10(0.05))") == "5e-2"
    page.locator("#beside .plot").nth(1).screenshot(path=compared.parent / "angles.png")
    pixels = np.asarray(Image.open(compared.parent / "angles.png").convert("RGB")).astype(int)
    assert inked(pixels) > 0.001


def test_differences_are_those_of_vectors():
    base, other = ella_run(), moved_apart()
    tips, angles, bent, torque, force = differences({"base": base, "other": other})
    assert angles.series[0].values == pytest.approx(1e-6, rel=1e-6)
    assert angles.unit == "rad"
    assert angles.log
    for chart in (tips, bent, torque, force):
        assert not np.any(chart.series[0].values)  # whose data were not changed
    assert [chart.title for chart in differences({"a": satellite_run(), "b": satellite_run()})][
        -1
    ] == "Forces in the joints"
