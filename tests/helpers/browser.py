"""A real browser for tests of pages: Debian's Chromium, headless, with software graphics.

Every page is watched: an error on its console, or a request that leaves this machine, fails the test. Screenshots are
kept in out/screenshots.
"""

import os
import shutil
import time
from contextlib import contextmanager
from urllib.parse import urlparse

import numpy as np
import pytest
from places import ROOT

SHOTS = ROOT / "out" / "screenshots"
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-gpu-compositing",  # without a graphics card, layers are put together faster without its ways
    "--webgl-antialiasing-mode=none",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
NAMES = ("chromium", "chromium-browser", "google-chrome")
FOREIGN = "Unable to preventDefault inside passive event listener"  # said by viser's own page on a drag
HERE = ("127.0.0.1", "localhost", "::1")
MISSING = "no Chromium on this machine: install it (Debian: apt-get install chromium; make test does that as root)"


def chromium():
    """Path of the browser, None where there is none."""
    named = os.environ.get("LISSOM_CHROMIUM")
    found = (shutil.which(name) for name in NAMES)
    return named or next((path for path in found if path), None)


@pytest.fixture(scope="session")
def browser():
    """One browser for all tests of a worker."""
    path = chromium()
    if path is None:
        pytest.skip(MISSING)
    api = pytest.importorskip("playwright.sync_api", reason="needs the package playwright: pip install lissom[test]")
    with api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def page(browser):
    """A page of 1000 x 900 that must neither complain nor call anybody."""
    with watched(browser) as opened:
        yield opened


@contextmanager
def watched(browser):
    """A new page; at its end it must have had no error and called no other machine."""
    opened = browser.new_page(viewport={"width": 1000, "height": 900})
    opened.set_default_timeout(60_000)
    complaints, calls = [], []

    def note(message):
        if message.type == "error" and not message.text.startswith(FOREIGN):
            complaints.append(message.text)

    opened.on("console", lambda message: note(message))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("request", lambda request: calls.append(request.url) if leaves(request.url) else None)
    opened.on("websocket", lambda socket: calls.append(socket.url) if leaves(socket.url) else None)
    yield opened
    opened.close()
    assert not complaints, complaints
    assert not calls, calls


def until(page, condition, seconds=60):
    """Wait until a condition in JavaScript holds; the pages themselves allow no evaluation of text."""
    end = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"still not true: {condition}"
        time.sleep(0.03)


def drag(page, track, start, end, margin=0):
    """Move a slider by the mouse: from one part of the way along its track to another.

    The knob of a browser's own slider is 16 px wide and stays inside the track: a margin of 8 px at either end.
    """
    track.scroll_into_view_if_needed()
    box = track.bounding_box()
    at = [box["x"] + margin + part * (box["width"] - 2 * margin) for part in (start, end)]
    page.mouse.move(at[0], box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(at[1], box["y"] + box["height"] / 2, steps=6)
    page.mouse.up()


def leaves(url):
    """Whether a request goes to another machine."""
    parts = urlparse(url)
    return parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in HERE


def shot(page, name, selector=None):
    """Pixels (height, width, 3) of the page or a part of it; the picture is kept."""
    from PIL import Image

    SHOTS.mkdir(parents=True, exist_ok=True)
    path = SHOTS / f"{name}.png"
    if selector is None:
        page.screenshot(path=path)
    else:
        page.locator(selector).first.screenshot(path=path)
    return np.asarray(Image.open(path).convert("RGB")).astype(int)


def changed(before, after):
    """Share of the pixels that differ."""
    return float((np.abs(before - after).max(axis=2) > 12).mean())


def inked(pixels):
    """Share of the pixels that are strongly coloured or dark, unlike the background and its pale lines."""
    return float((pixels.max(axis=2) - pixels.min(axis=2) > 40).mean())
