"""The live page in a real browser: it draws, plays, bends, follows sliders, and talks to nobody else."""

import socket
import threading
import time

import numpy as np
import pytest
from browser import changed, inked, shot, until, watched
from sample_runs import ella_run, small_ella

import lissom
from lissom.errors import LissomError
from lissom.simulation.trajectory import Trajectory

pytest.importorskip("viser", reason="needs the package viser: pip install lissom[view]")

from lissom.view.live.app import MODES, MOVED, RECORDED, App
from lissom.view.live.server import free_port, is_loopback, open_server

SCRIPT = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"
CANVAS = "canvas[data-engine]"


def hostile_run():
    run = ella_run()
    return Trajectory(run.dataset, small_ella().with_value("name", SCRIPT).compile(), run.info, run.warnings)


@pytest.fixture(scope="module")
def app():
    """The page of a two-link arm with two recorded runs, one with a script for a name; its loop runs in a thread."""
    server, address = open_server(port=0, say=pytest.fail)
    made = App(server, runs={SCRIPT: hostile_run(), "lift": ella_run()})
    made.address = address
    thread = threading.Thread(target=made.loop, daemon=True)
    thread.start()
    yield made
    made.stop()
    thread.join(10)


@pytest.fixture(scope="module")
def live(browser, app):
    """The page, loaded and drawn; the same one for all tests, as a visitor has it."""
    with watched(browser) as page:
        page.set_viewport_size({"width": 1200, "height": 640})
        page.goto(app.address)
        page.wait_for_selector(CANVAS)
        page.get_by_text("Motion").first.wait_for()
        page.wait_for_timeout(800)
        yield page


def wait(condition, seconds=600):  # the first simulation on a machine compiles
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.03)


def choose(app, show, run=None):
    """What a visitor does with the two lists."""
    before = app.activity
    app.show.value = show
    if run is not None:
        app.run_choice.value = run
    app.choose()
    wait(lambda: app.activity not in (None, before))


def test_a_recorded_run_is_drawn_plays_and_bends(live, app):
    recorded = app.activity
    still = shot(live, "live-start")
    assert inked(still) > 0.005
    recorded.speed.value = "0.25 ×"  # so that a slow browser can pause it in time
    live.get_by_role("button", name="Play").click()
    wait(lambda: recorded.time > 0.4)
    live.get_by_role("button", name="Pause").click()
    wait(lambda: not recorded.playing)
    assert 0.4 < recorded.time < 1.0
    live.wait_for_timeout(400)
    played = shot(live, "live-played")
    assert changed(still, played) > 0.005
    # the slider of the deflection
    app.scale.value = 30.0
    wait(lambda: recorded._drawn == (recorded.time, 30.0))
    live.wait_for_timeout(500)
    assert changed(played, shot(live, "live-bent")) > 0.003
    app.scale.value = 1.0


def test_charts_show_data_and_follow_the_time(live, app):
    until(live, "Object.keys(window.__viserTestpoints?.uplots || {}).length >= 5")
    charts = live.evaluate(
        """Object.values(window.__viserTestpoints.uplots).map(({ chart }) => ({
          samples: chart.data[0].length, series: chart.series.length,
          span: Math.max(...chart.data[1]) - Math.min(...chart.data[1]) }))"""
    )
    assert all(chart["samples"] == 201 and chart["series"] >= 3 for chart in charts)
    assert max(chart["span"] for chart in charts) > 0
    plot = live.locator(".u-over").first.bounding_box()
    for when in (0.2, 0.8):
        app.activity.time = when
        wanted = plot["x"] + when * plot["width"]
        until(live, f"Math.abs(document.querySelector('.lissom-cursor').getBoundingClientRect().x - {wanted}) < 3", 20)


def test_names_with_script_are_text_and_other_paths_are_refused(live, app):
    assert live.get_by_text(SCRIPT).first.is_visible()
    assert live.evaluate("window.hacked") is None
    app.run_choice._impl.value = "../../etc/passwd"  # as a hostile visitor would send it
    with pytest.raises(LissomError, match="none of the runs"):
        app._chosen()
    app.run_choice._impl.value = SCRIPT
    assert app.server.request_share_url() is None


def test_sliders_move_joints_and_payload_of_a_simulation(live, app):
    choose(app, MOVED)
    moved = app.activity
    wait(lambda: moved.until > 0.3)
    elbow = next(k for k, one in enumerate(moved.handles) if one.name == "elbow")
    before = moved.q[moved.handles[elbow].q]
    moved.sliders[elbow].value = 0.8
    wait(lambda: moved.q[moved.handles[elbow].q] > before + 0.3)
    mass = float(np.real(moved.model.arrays.mass).sum())
    moved.mass.value = 6.0
    moved._wish("mass")
    wait(lambda: abs(float(np.real(moved.model.arrays.mass).sum()) - mass - 3.9) < 1e-9)
    done = moved.until
    wait(lambda: moved.until > done + 0.2)
    assert not moved._failed
    shot(live, "live-by-hand")
    choose(app, RECORDED, "lift")


def test_modes_swing_with_their_frequencies_at_any_pose(live, app):
    choose(app, MODES)
    modal = app.activity
    expected = lissom.natural_modes(modal.model, number=3).frequencies_hz
    assert modal.found.frequencies_hz[:3] == pytest.approx(expected)
    live.locator("td", has_text=f"{expected[0]:.5g}").first.wait_for()
    first = shot(live, "live-mode")
    live.wait_for_timeout(500)
    assert changed(first, shot(live, "live-mode-later")) > 0.001
    modal.sliders[-1].value = 1.5
    modal._wish()
    wait(lambda: abs(modal.found.frequencies_hz[0] - expected[0]) > 1e-3)
    bent = lissom.natural_modes(modal.model, {"elbow": 1.5}, number=1).frequencies_hz
    assert modal.found.frequencies_hz[0] == pytest.approx(bent[0])
    choose(app, RECORDED, "lift")


# the server


def test_a_taken_port_is_told_and_another_one_picked():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        told = []
        server, address = open_server(port=port, say=told.append)
        try:
            assert told == [f"port {port} is taken; using {server.get_port()}"]
            assert address == f"http://127.0.0.1:{server.get_port()}" and server.get_port() != port
        finally:
            server.stop()


def test_other_addresses_need_a_flag_and_are_warned_of():
    with pytest.raises(LissomError, match="--remote"):
        open_server("0.0.0.0", 0)
    told = []
    server, _ = open_server("0.0.0.0", 0, remote=True, say=told.append)
    server.stop()
    assert len(told) == 1 and told[0].startswith("warning:")
    assert is_loopback("127.0.0.1") and is_loopback("::1") and is_loopback("localhost")
    assert not is_loopback("0.0.0.0") and not is_loopback("192.168.0.1") and not is_loopback("example.org")


def test_ports_and_hosts_that_cannot_be_are_one_message():
    with pytest.raises(LissomError, match="0 to 65535"):
        free_port("127.0.0.1", 70000)
    with pytest.raises(LissomError, match="no address of this machine"):
        free_port("203.0.113.7", 8080)


def test_the_command_refuses_what_it_cannot_show(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from lissom.cli import app as commands

    monkeypatch.chdir(tmp_path)
    for arguments, message in (
        (["view"], "there is no folder out/ yet"),
        (["view", "."], "no recorded run"),
        (["view", "nowhere.nc"], "no such file"),
    ):
        result = CliRunner().invoke(commands, [*arguments, "--no-browser"])
        assert result.exit_code == 1 and message in result.stderr


@pytest.mark.slow
def test_mesh_updates_reach_the_browser_25_times_a_second(browser):
    """In a process of its own, as Playwright runs one loop per process."""
    import subprocess
    import sys
    from pathlib import Path

    script = Path(__file__).parents[1] / "benchmarks" / "live_frames.py"
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
