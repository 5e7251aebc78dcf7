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
SIZE = {"width": 1000, "height": 900}
HERE = ("127.0.0.1", "localhost", "::1")
MISSING = "no Chromium on this machine: `make browser` as root installs it; LISSOM_CHROMIUM names another browser"


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


@pytest.fixture(scope="session")
def window(browser):
    """One window for all short tests of a worker: a new one starts a process, longer than most pages take to load."""
    opened = browser.new_page()
    return opened, watch(opened)


@pytest.fixture
def page(window):
    """An empty page of 1000 x 900 in light colours that must neither complain nor call anybody."""
    opened, noted = window
    noted.clear()
    opened.set_viewport_size(SIZE)
    opened.emulate_media(color_scheme="light")
    opened.mouse.move(0, 0)
    yield opened
    opened.goto("about:blank")
    assert not noted, noted


@contextmanager
def watched(browser):
    """A new page; at its end it must have had no error and called no other machine."""
    opened = browser.new_page(viewport=SIZE)
    noted = watch(opened)
    yield opened
    opened.close()
    assert not noted, noted


def watch(opened):
    """A list that gets every error of a page and every address on another machine that it calls."""
    opened.set_default_timeout(60_000)
    noted = []

    def hear(message):
        if message.type == "error" and not message.text.startswith(FOREIGN):
            noted.append(message.text)

    def call(request):
        if leaves(request.url):
            noted.append(request.url)

    opened.on("console", hear)
    opened.on("pageerror", lambda error: noted.append(str(error)))
    opened.on("request", call)
    opened.on("websocket", call)
    return noted


def until(page, condition, seconds=60):
    """Wait until a condition in JavaScript holds; the pages themselves allow no evaluation of text."""
    end = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"still not true: {condition}"
        time.sleep(0.03)


def frames(page):
    """Let a page have its turn twice, as it has before a picture of it."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")


def drawn(page):
    """Wait until a report has drawn what it was told to."""
    until(page, "typeof Lissom !== 'undefined' && Lissom.page.state.drawn > 0")
    frames(page)
    until(page, "!Lissom.page.scene.dirty")


def arrived(page, mark):
    """Wait until all that a live page was told is in the browser and drawn; mark: an HTML element of that page."""
    number = time.monotonic_ns()
    mark.content = f'<i class="mark">{number}</i>'  # what was sent before it is there before it
    until(page, f"document.querySelector('.mark')?.textContent === '{number}'")
    frames(page)


def seen(page, name, selector, holds, seconds=60):
    """A picture that is as it should be; a slow browser gets the time that it needs."""
    end = time.monotonic() + seconds
    while not holds(pixels := shot(page, name, selector)):
        assert time.monotonic() < end, f"{name} never looked as it should"
    return pixels


def still(page, name, selector=None):
    """A picture that rests: the next one is the same."""
    last = [shot(page, name, selector)]
    return seen(page, name, selector, lambda now: changed(last[-1], last.append(now) or now) == 0)


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
