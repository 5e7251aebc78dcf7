"""The live page against hostile pages and visitors, over real sockets."""

import math
import socket
import threading
import time
from urllib.parse import urlsplit

import numpy as np
import pytest
from sample_runs import ella_run, small_ella

pytest.importorskip("viser", reason="needs the package viser: pip install lissom[view]")

import msgspec
import viser
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from lissom.view.live.app import MODES, MOVED, App
from lissom.view.live.guard import check_message
from lissom.view.live.server import open_server

SPOKEN = [f"viser-v{viser.__version__}"]


@pytest.fixture(scope="module")
def page():
    """Address parts of a page without a loop."""
    server, address = open_server(port=0, say=pytest.fail)
    App(server, runs={"lift": ella_run()})
    parts = urlsplit(address)
    yield parts
    server.stop()


def get(page, path=None, **headers):
    """Status of a plain request; headers by their names, None leaves one out."""
    headers = {"Host": page.netloc} | {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"GET {page.path if path is None else path} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in headers.items() if value is not None]
    with socket.create_connection((page.hostname, page.port)) as line:
        line.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return int(line.recv(64).split()[1])


def visit(page, path=None, host=None, origin=None, spoken=SPOKEN):
    """A WebSocket of the page, as a browser opens it."""
    with socket.create_connection((page.hostname, page.port)) as line:
        return connect(
            f"ws://{host or page.netloc}{page.path if path is None else path}",
            sock=line.dup(),
            origin=origin,
            subprotocols=spoken,
            max_size=None,
            close_timeout=0.2,
            proxy=None,
        )


def refused(page, **how):
    with pytest.raises(InvalidStatus) as found:
        visit(page, **how).close()
    return found.value.response.status_code == 403


def test_the_page_itself_is_served(page):
    own = f"http://{page.netloc}"
    assert get(page) == 200
    assert get(page, Origin=own) == 200
    with visit(page, origin=own) as line:
        assert len(line.recv()) > 100
    with visit(page, path=page.path.rstrip("/")) as line:  # as viser's own page asks for it
        assert len(line.recv()) > 100


@pytest.mark.parametrize("name", ["localhost:{port}", "localhost:9000", "127.0.0.1:9000", "[::1]:{port}"])
def test_names_of_this_machine_are_served_through_any_port(page, name):
    """So that a tunnel works: it comes in by a port of its own."""
    host = name.format(port=page.port)
    assert get(page, Host=host, Origin=f"http://{host}") == 200
    visit(page, host=host, origin=f"http://{host}").close()


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "localhost.evil.example", "", "[::1", "a b", None]
)
def test_a_foreign_name_that_points_here_is_refused(page, host):
    host = host and host.format(port=page.port)
    assert get(page, Host=host) == 403
    if host and " " not in host and "[" not in host:
        assert refused(page, host=host, origin=f"http://{host}")


@pytest.mark.parametrize("origin", ["http://evil.example", "http://localhost:1", "null", "http://127.0.0.1", "file://"])
def test_another_page_of_the_same_browser_is_refused(page, origin):
    assert get(page, Origin=origin) == 403
    assert refused(page, origin=origin)


@pytest.mark.parametrize(
    "path", ["/", "", "/index.html", "/?token=", "/{half}/", "/{key}x/", "/x{key}/", "/..%2f{key}/"]
)
def test_without_the_key_nobody_gets_in(page, path):
    key = page.path.strip("/")
    path = path.format(key=key, half=key[:10])
    if path:
        assert get(page, path=path) == 403
    assert refused(page, path=path, origin=f"http://{page.netloc}")


def test_a_key_is_long_and_of_one_session_only(page):
    server, address = open_server(port=0, say=pytest.fail)
    server.stop()
    other = urlsplit(address).path
    assert len(other.strip("/")) >= 20
    assert other != page.path
    assert get(page, path=other) == 403


def test_two_hosts_in_one_request_are_refused(page):
    assert get(page, Host=f"{page.netloc}\r\nHost: evil.example") == 403


def test_an_old_page_of_another_version_is_told_so_without_a_word_in_the_terminal(page, capfd):
    assert refused(page, spoken=["viser-v0.0.1"])
    assert refused(page, spoken=None)
    assert capfd.readouterr() == ("", "")


def test_with_remote_the_key_is_asked_for_and_foreign_names_are_refused():
    server, address = open_server("0.0.0.0", 0, remote=True, say=lambda text: None)
    try:
        page = urlsplit(address.replace("0.0.0.0", "127.0.0.1"))
        named = f"{socket.gethostname()}:{page.port}"
        assert get(page) == 200
        assert get(page, Host=named, Origin=f"http://{named}") == 200
        assert get(page, path="/") == 403
        assert refused(page, path="/")
        assert get(page, Host="evil.example") == 403
        assert refused(page, origin="http://evil.example")
    finally:
        server.stop()


def test_a_server_that_the_guard_cannot_watch_is_not_opened(monkeypatch):
    from lissom.errors import LissomError
    from lissom.view.live.guard import Guard

    monkeypatch.setattr(Guard, "before", lambda self, handler: setattr(self, "posted", False) or handler)
    with pytest.raises(LissomError, match="too new for lissom"):
        open_server(port=0)


# what a visitor sends


def update(handle, value, key="value"):
    return msgspec.msgpack.encode({"type": "GuiUpdateMessage", "uuid": handle._impl.uuid, "updates": {key: value}})


CAMERA = {
    "type": "ViewerCameraMessage",
    "wxyz": [1.0, 0.0, 0.0, 0.0],
    "position": [3.0, 0.0, 0.0],
    "look_at": [0.0, 0.0, 0.0],
    "up_direction": [0.0, 0.0, 1.0],
    "fov": 0.6,
    "near": 0.01,
    "far": 100.0,
    "image_height": 600,
    "image_width": 800,
}


@pytest.fixture
def running():
    """A page that moves, with a visitor's line to it."""
    server, address = open_server(port=0, say=pytest.fail)
    app = App(server, robot=small_ella(), runs={"lift": ella_run()}, show=MOVED)
    thread = threading.Thread(target=app.loop, daemon=True)
    thread.start()
    with visit(urlsplit(address)) as line:
        line.send(msgspec.msgpack.encode(CAMERA))
        wait(server.get_clients)
        yield app, line
    app.stop()
    thread.join(20)
    assert not thread.is_alive()


def wait(condition, seconds=600):  # the first simulation on a machine compiles
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


HOSTILE = [math.nan, math.inf, -math.inf, "text", None, True, [1.0], {"a": 1}, b"bytes", -(2**63)]


def test_no_value_that_a_visitor_sends_ends_the_page(running, capfd):
    app, line = running
    moved = app.activity
    wait(lambda: moved.until > 0.2)
    for handle in (*moved.sliders, moved.mass, moved.again, app.show, app.run_choice, app.scale, app.trail):
        for value in HOSTILE:
            line.send(update(handle, value))
    for key in ("min", "max", "props", "_impl", "uuid", "no such thing"):
        line.send(update(moved.sliders[0], 1.0, key))
    for raw in (b"", b"\xc1", b"\x80", b"\xff" * 1000, "text", b"\x91" * 5000, msgspec.msgpack.encode([1, 2])):
        line.send(raw)
    for kind in ("ShareUrlRequest", "FileTransferStartUpload", "GuiRemoveMessage", "ResetSceneMessage", "nothing"):
        line.send(msgspec.msgpack.encode({"type": kind, "uuid": moved.mass._impl.uuid}))
    line.send(update(moved.sliders[0], 1e9))  # the last: far out, so kept at the end of its way
    wait(lambda: moved.sliders[0].value == moved.handles[0].upper)
    done = moved.until
    wait(lambda: moved.until > done + 0.3)
    assert app.activity is moved
    assert not moved._failed
    assert np.all(np.isfinite(moved.q))
    for one, slider in zip(moved.handles, moved.sliders):
        assert one.lower <= slider.value <= one.upper
    assert capfd.readouterr() == ("", "")


def test_values_within_the_way_of_a_control_arrive(running):
    app, line = running
    elbow = app.activity.sliders[2]
    line.send(update(elbow, 0.5))
    line.send(update(app.trail, False))
    wait(lambda: elbow.value == 0.5 and app.trail.value is False)
    line.send(update(app.show, MODES))
    wait(lambda: app.show.value == MODES and hasattr(app.activity, "found"))


def test_a_fault_inside_is_told_on_the_page_and_the_page_goes_on(running, capfd, monkeypatch):
    app, _ = running

    def broken(dt, now):
        raise ZeroDivisionError("on purpose")

    told = []
    monkeypatch.setattr(app, "_say", told.append)
    monkeypatch.setattr(app.activity, "step", broken)
    wait(lambda: app.activity is None and told)
    assert "ZeroDivisionError: on purpose" in told[0]
    app.choose()
    wait(lambda: app.activity is not None)
    assert capfd.readouterr() == ("", "")


def test_a_message_keeps_its_form_and_loses_what_is_not_asked_for():
    camera = msgspec.msgpack.encode({"type": "ViewerCameraMessage", "position": [1, 2, 3]})
    assert check_message(camera, lambda uuid: None) == camera
    unknown = msgspec.msgpack.encode({"type": "GuiUpdateMessage", "uuid": "x", "updates": {"value": 1}})
    assert check_message(unknown, lambda uuid: None) is None


def test_only_the_ball_at_the_tip_can_be_dragged_and_only_to_a_place():
    drag = {"type": "SceneNodeDragMessage", "name": "/grip", "phase": "update", "end_position": [0.1, 2, -3.0]}
    assert check_message(msgspec.msgpack.encode(drag), lambda uuid: None) == msgspec.msgpack.encode(drag)
    infinite, nan = float("inf"), float("nan")
    places = ([1, 2], [1, 2, infinite], [nan, 0, 0], [1e9, 0, 0], ["1", 2, 3], [True, 0, 0], "abc", None)
    for change in ({"name": "/arm/0-link"}, {"name": 3}, *({"end_position": place} for place in places)):
        assert check_message(msgspec.msgpack.encode(drag | change), lambda uuid: None) is None
    command = {"type": "CommandTriggerMessage", "uuid": "abc"}
    assert check_message(msgspec.msgpack.encode(command), lambda uuid: None) == msgspec.msgpack.encode(command)
    assert check_message(msgspec.msgpack.encode(command | {"uuid": 7}), lambda uuid: None) is None


def test_a_start_beyond_the_usual_range_of_a_slider_is_shown():
    server, _ = open_server(port=0)
    robot = small_ella()
    start = robot.compile().neutral()
    start[1] = 7.0
    told = []
    App._say, original = lambda self, text: told.append(text), App._say
    try:
        app = App(server, robot=robot, start=start, show=MOVED)
        assert app.activity is not None
        assert not told
        assert app.activity.sliders[1].value == 7.0 == app.activity.sliders[1].max
    finally:
        App._say = original
        server.stop()
