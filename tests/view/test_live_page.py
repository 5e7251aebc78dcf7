"""The live page in a real browser: it draws, plays, bends, follows sliders, and talks to nobody else.

Here the page has no loop of its own: tests take its turns while they wait, so nothing moves while they look at it and
none depends on the pace of the machine. The loop runs in `test_live_guard.py` and in `test_meshes_shown.py`.
"""

import re
import time
from unittest.mock import MagicMock

import numpy as np
import pytest
from browser import arrived, changed, drag, inked, seen, shot, still, until, watched
from sample_runs import ella_run, small_ella

import lissom
from lissom.errors import LissomError
from lissom.results.trajectory import Trajectory

pytest.importorskip("viser", reason="needs the package viser: pip install lissom[view]")

from lissom.view.drawing.arm_drawing import Drawing
from lissom.view.films.software_renderer import Camera
from lissom.view.live.app import MODES, MOVED, RECORDED, App
from lissom.view.live.server import open_server

SCRIPT = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"
CANVAS = "canvas[data-engine]"


def hostile_run():
    run = ella_run()
    return Trajectory(run.dataset, small_ella().with_value("name", SCRIPT).compile(), run.info, run.warnings)


@pytest.fixture(scope="module")
def app():
    """The page of a two-link arm with two recorded runs, one with a script for a name."""
    server, address = open_server(port=0, say=pytest.fail)
    made = App(server, runs={SCRIPT: hostile_run(), "lift": ella_run()})
    made.address = address
    made.mark = server.gui.add_html("")
    yield made
    made.stop()


@pytest.fixture(scope="module")
def live(browser, app):
    """The page, loaded and drawn; the same one for all tests, as a visitor has it."""
    with watched(browser) as page:
        page.set_viewport_size({"width": 1200, "height": 640})
        page.goto(f"{app.address}?fixedDpr=1")  # else a slow browser gets fewer pixels, and every edge moves
        page.wait_for_selector(CANVAS)
        page.get_by_text("Motion").first.wait_for()
        page.locator(".mantine-Notification-closeButton").click()  # a word about software graphics
        page.locator(".mantine-Notification-root").wait_for(state="detached")
        yield page


TURN = 0.03  # s of the page's clock


def wait(app, condition, seconds=600):  # the first simulation on a machine compiles
    """Take turns of the page until something holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        app.step(TURN, time.perf_counter())
        time.sleep(0.01)


def settle(live, app):
    """Wait until all that the page was told has come to the browser and is drawn."""
    app.step(0.0, time.perf_counter())
    arrived(live, app.mark)


def looks(live, app, name, selector, holds):
    """Take turns of the page until its picture is as it should be: what a visitor did may come after the first."""
    settle(live, app)
    seen(live, name, selector, lambda now: holds(now) or settle(live, app))


class Visitor:
    """What a visitor does to the page with mouse and keyboard, each control found by the name beside it."""

    def __init__(self, page):
        self.page = page

    def control(self, name):
        """The element that a visible label belongs to."""
        label = self.page.locator("label", has_text=re.compile(f"^{re.escape(name)}$")).and_(
            self.page.locator(":visible")
        )
        return self.page.locator(f'[id="{label.first.get_attribute("for")}"]')

    def shows(self, name):
        return self.page.get_by_text(name, exact=True).first.is_visible()

    def thumb(self, name):
        """The knob of a slider."""
        return self.control(name).locator("[role=slider]")

    def value(self, name):
        """Where the slider stands on the page."""
        return float(self.thumb(name).get_attribute("aria-valuenow"))

    def drag(self, name, part):
        """Take a slider's knob by the mouse to a part of its way."""
        now, least, most = (float(self.thumb(name).get_attribute(f"aria-value{x}")) for x in ("now", "min", "max"))
        drag(self.page, self.control(name).locator(".mantine-Slider-track"), (now - least) / (most - least), part)

    def press(self, name, key, times=1):
        """Move a slider by the keyboard."""
        self.thumb(name).focus()
        for _ in range(times):
            self.page.keyboard.press(key)

    def choose(self, name, option):
        """Take an entry of a list."""
        self.control(name).click()
        self.page.get_by_role("option", name=option, exact=True).click()

    def tick(self, name):
        self.control(name).click()


@pytest.fixture
def visitor(live):
    return Visitor(live)


def show(visitor, app, kind, run=None):
    """Let the page show something else, and wait until it does."""
    for name, option in (("Show", kind), ("Run", run)):
        if option is not None and visitor.control(name).input_value() != option:
            before = app.activity
            visitor.choose(name, option)
            wait(app, lambda before=before: app.activity not in (None, before))
    settle(visitor.page, app)


def go_to(visitor, app, part):
    """Take the run to a part of its time by the slider, and wait until the page shows that."""
    visitor.drag("Time [s]", part)
    wait(app, lambda: app.activity.time == pytest.approx(visitor.value("Time [s]")))
    settle(visitor.page, app)
    assert abs(app.activity.time - part) < 0.1


def test_a_recorded_run_is_drawn_and_plays(live, visitor, app):
    recorded = app.activity
    wait(app, lambda: recorded._drawn is not None)
    settle(live, app)
    begin = still(live, "live-start")
    assert inked(begin) > 0.005
    visitor.choose("Speed", "0.5 ×")
    wait(app, lambda: recorded.speed.value == "0.5 ×")
    live.get_by_role("button", name="Play").click()
    wait(app, lambda: recorded.time > 0.2)
    live.get_by_role("button", name="Pause").click()
    wait(app, lambda: not recorded.playing)
    assert 0.2 < recorded.time < 1.0
    looks(live, app, "live-played", None, lambda now: changed(begin, now) > 0.005)
    assert visitor.value("Time [s]") == pytest.approx(recorded.time, abs=2e-3)  # the slider went along


def test_the_time_slider_moves_the_arm_and_the_line_in_the_charts(live, visitor, app):
    go_to(visitor, app, 0.0)
    start = still(live, "live-time-0")
    go_to(visitor, app, 0.6)
    looks(live, app, "live-time-0.6", None, lambda now: changed(start, now) > 0.005)
    by_mouse = app.activity.time
    visitor.press("Time [s]", "ArrowRight", 20)
    wait(app, lambda: app.activity.time > by_mouse + 0.015)
    settle(live, app)
    plot = live.locator(".u-over").first.bounding_box()
    place = plot["x"] + app.activity.time * plot["width"]
    until(live, f"Math.abs(document.querySelector('.lissom-cursor').getBoundingClientRect().x - {place}) < 3", 20)


def test_the_deflection_slider_bends_the_arm(live, visitor, app):
    go_to(visitor, app, 0.55)
    real = still(live, "live-deflection-1", CANVAS)
    visitor.drag("Deflection ×", 0.4)
    wait(app, lambda: app.scale.value == visitor.value("Deflection ×") > 15)
    looks(live, app, "live-deflection-20", CANVAS, lambda now: changed(real, now) > 0.01)
    visitor.press("Deflection ×", "Home")
    wait(app, lambda: app.scale.value == 1.0)
    looks(live, app, "live-deflection-back", CANVAS, lambda now: changed(real, now) < 0.002)


def test_ticks_show_and_hide_their_part_of_the_picture(live, visitor, app):
    go_to(visitor, app, 0.5)
    before = still(live, "live-plain", CANVAS)
    boxes = {"Joint forces": app.forces, "Joint torques": app.torques}
    for name, box in (boxes | {"Joint frames": app.axes, "Tip trail": app.trail}).items():
        for differs in (lambda now: changed(before, now) > 2e-4, lambda now: changed(before, now) < 1e-4):
            was = box.value
            visitor.tick(name)
            wait(app, lambda box=box, was=was: box.value != was)
            looks(live, app, f"live-{name.lower().replace(' ', '-')}", CANVAS, differs)


def test_charts_show_data_and_one_legend_entry_for_all_references(live):
    until(live, "Object.keys(window.__viserTestpoints?.uplots || {}).length >= 5")
    charts = live.evaluate(
        """Object.values(window.__viserTestpoints.uplots).map(({ chart }) => ({
          samples: chart.data[0].length, series: chart.series.length,
          span: Math.max(...chart.data[1]) - Math.min(...chart.data[1]) }))"""
    )
    assert all(chart["samples"] == 201 and chart["series"] >= 3 for chart in charts)
    assert max(chart["span"] for chart in charts) > 0
    shown = live.locator(".u-legend").first.locator("th:visible").all_inner_texts()
    assert shown == ["t [s]", "shoulder-yaw", "shoulder", "elbow", "reference"]


def test_names_with_script_are_text_and_other_paths_are_refused(live, app):
    live.get_by_text(SCRIPT).first.wait_for()
    assert live.evaluate("window.hacked") is None
    app.run_choice._impl.value = "../../etc/passwd"  # as a hostile visitor would send it
    with pytest.raises(LissomError, match="is not a run on this page"):
        app._chosen_run()
    app.run_choice._impl.value = SCRIPT
    assert app.server.request_share_url() is None


def test_another_run_is_picked_from_the_list(live, visitor, app):
    assert app.run_choice.value == SCRIPT
    show(visitor, app, RECORDED, "lift")
    assert app.activity.run is app.runs["lift"]
    live.get_by_text("ella", exact=True).first.wait_for()


@pytest.mark.slow
def test_sliders_move_joints_and_payload_of_a_simulation(live, visitor, app):
    show(visitor, app, MOVED)
    moved = app.activity
    wait(app, lambda: moved.until > 0.3)
    settle(live, app)
    before = still(live, "live-by-hand-before", CANVAS)
    elbow = next(one for one in moved.handles if one.name == "elbow")
    angle = moved.q[elbow.q]
    visitor.drag("elbow [rad]", 0.65)
    wanted = visitor.value("elbow [rad]")
    assert 0.7 < wanted < 1.2
    wait(app, lambda: moved.q[elbow.q] > angle + 0.8 * (wanted - angle))
    looks(live, app, "live-by-hand", CANVAS, lambda now: changed(before, now) > 0.005)
    mass = float(np.real(moved.model.arrays.inertia.mass).sum())
    visitor.press("Payload [kg]", "End")
    wait(app, lambda: float(np.real(moved.model.arrays.inertia.mass).sum()) > mass + 1)
    more = visitor.value("Payload [kg]") - 2.1
    assert float(np.real(moved.model.arrays.inertia.mass).sum()) == pytest.approx(mass + more)
    done = moved.until
    wait(app, lambda: moved.until > done + 0.2)
    assert not moved._failed
    live.get_by_role("button", name="Start again").click()
    wait(app, lambda: moved.until < done)
    show(visitor, app, RECORDED)


def on_screen(live, app, point):
    """Where a point of the world is seen on the page, in px."""
    (client,) = app.server.get_clients().values()
    seen = client.camera
    camera = Camera(seen.position, seen.look_at, np.asarray(seen.up_direction, float), seen.fov)
    box = live.locator(CANVAS).bounding_box()
    column, row, _ = camera.project(np.asarray(point)[None], box["width"], box["height"])[0]
    return box["x"] + column, box["y"] + row


@pytest.mark.slow
def test_the_tip_is_pushed_by_the_mouse_and_comes_back(live, visitor, app):
    show(visitor, app, MOVED)
    moved = app.activity
    wait(app, lambda: moved.until > 0.3)
    settle(live, app)
    before = still(live, "live-push-before", CANVAS)
    start = lissom.tip_pose(moved.model, moved.q)[:3, 3]
    grip = on_screen(live, app, start)
    live.mouse.move(*grip)
    live.wait_for_timeout(300)
    live.mouse.down()
    live.mouse.move(grip[0] + 10, grip[1] - 60, steps=8)
    live.mouse.move(grip[0] + 20, grip[1] - 120, steps=8)
    wait(app, lambda: moved.push.target is not None, 20)
    wait(app, lambda: np.linalg.norm(lissom.tip_pose(moved.model, moved.q)[:3, 3] - start) > 0.05, 60)
    pushed = lissom.tip_pose(moved.model, moved.q)[:3, 3] - start
    assert pushed @ (moved.push.target - start) > 0  # the way it is pulled
    looks(live, app, "live-pushed", CANVAS, lambda now: changed(before, now) > 0.005)
    live.mouse.up()
    wait(app, lambda: moved.push.target is None, 20)
    wait(app, lambda: np.linalg.norm(lissom.tip_pose(moved.model, moved.q)[:3, 3] - start) < 0.02, 60)
    assert not moved._failed
    show(visitor, app, RECORDED)


def test_a_push_is_a_force_on_the_tip_and_nothing_else():
    from lissom.view.live.manual_mode import BANDWIDTH
    from lissom.view.live.tip_push import Push

    model = small_ella().compile()
    push = Push(MagicMock(), MagicMock(arm=Drawing(model)), BANDWIDTH)  # a page without visitors
    q = model.neutral()
    assert push.controller(model, q) is None
    tip = lissom.tip_pose(model, q)[:3, 3]
    push.pull(tip + np.array([0.0, 0.1, 0.0]))
    forces = push.controller(model, q).function(0.0, q, np.zeros(model.nv))
    unit = lissom.dynamics.point_force(model, q, [0, 0, 0, 0, 1, 0], model.links[-1])
    size = forces @ unit / (unit @ unit)
    assert size > 0
    assert forces == pytest.approx(size * unit)
    push.pull(tip + np.array([0.0, 100.0, 0.0]))  # far away it pulls no harder than at twice the reach
    far = push.controller(model, q).function(0.0, q, np.zeros(model.nv))
    assert far == pytest.approx(size * 2 * Drawing(model).reach / 0.1 * unit)


@pytest.mark.slow
def test_views_reset_and_dark_colours(live, visitor, app):
    settle(live, app)
    home = still(live, "live-view-free", CANVAS)
    for view in ("front", "side", "top"):
        visitor.choose("View", view)
        wait(app, lambda view=view: app.view.value == view)
        looks(live, app, f"live-view-{view}", CANVAS, lambda now: changed(home, now) > 0.005)
    live.get_by_role("button", name="Reset view").click()
    wait(app, lambda: app.view.value == "free", 20)
    looks(live, app, "live-view-reset", CANVAS, lambda now: changed(home, now) < 0.002)
    assert np.median(shot(live, "live-light")) > 200
    for dark in (True, False):
        visitor.tick("Dark colours")
        wait(app, lambda dark=dark: app.dark.value == dark)
        looks(
            live, app, "live-dark", None, lambda now, dark=dark: np.median(now) < 90 if dark else np.median(now) > 200
        )


@pytest.mark.slow
def test_the_space_bar_plays_and_pauses_a_recorded_run(live, visitor, app):
    recorded = app.activity
    recorded.time, recorded.playing = recorded.first, False
    live.locator(CANVAS).click(position={"x": 300, "y": 40})
    live.keyboard.press("Space")
    wait(app, lambda: recorded.playing, 20)
    live.keyboard.press("Space")
    wait(app, lambda: not recorded.playing, 20)


def test_modes_swing_with_their_frequencies_at_any_pose(live, visitor, app):
    show(visitor, app, MODES)
    modal = app.activity
    expected = lissom.natural_modes(modal.model, number=3).frequencies
    assert modal.found.frequencies[:3] == pytest.approx(expected)
    live.locator("td", has_text=f"{expected[0]:.5g}").first.wait_for()
    first = still(live, "live-mode", CANVAS)
    app.step(0.25 / modal.speed.value, 0.0)  # a quarter of a swing: from the middle to its end
    looks(live, app, "live-mode-later", CANVAS, lambda now: changed(first, now) > 0.001)
    assert not visitor.shows("Deflection ×")
    assert visitor.shows("Joint frames")
    # another mode
    visitor.choose("Mode", modal.mode.options[1])
    wait(app, lambda: f"{expected[1]:.5g} Hz" in modal.about.content)
    live.locator("td", has_text=f"{expected[1]:.5g} Hz").first.wait_for()
    # another pose: its frequencies come up on the page
    visitor.drag("elbow [rad]", 0.75)
    angle = visitor.value("elbow [rad]")
    bent = lissom.natural_modes(modal.model, {"elbow": angle}, number=1).frequencies
    wait(app, lambda: modal.found.frequencies[0] == pytest.approx(bent[0], rel=1e-9))
    assert abs(bent[0] - expected[0]) > 1e-3
    live.locator("td", has_text=f"{bent[0]:.5g}").first.wait_for()
    # a larger, faster swing
    visitor.press("Size", "End")
    visitor.press("Swings per second", "Home")
    wait(app, lambda: modal.size.value == 3.0 and modal.speed.value == pytest.approx(0.1))
    settle(live, app)
    shot(live, "live-mode-bent")
    show(visitor, app, RECORDED)
