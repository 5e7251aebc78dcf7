"""How many mesh updates of a three-link flexible arm reach the graphics of a browser per second.

    python benchmarks/live_frames.py

The live page runs here; Chromium (headless, software graphics) shows it. Counted are uploads of the points of one tube
to the browser's graphics buffers, so all that lies between the simulation and the picture is included.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

WANTED = 25.0
SECONDS, WINDOWS = 1.5, 6
# Count uploads of exactly the size of the watched mesh, before any script of the page runs.
COUNTER = """
window.uploads = 0;
for (const kind of [WebGLRenderingContext, WebGL2RenderingContext]) {
  for (const name of ['bufferData', 'bufferSubData']) {
    const real = kind.prototype[name];
    kind.prototype[name] = function (...args) {
      const data = args.find((arg) => ArrayBuffer.isView(arg));
      if (data instanceof Float32Array && data.length === SIZE) window.uploads += 1;
      return real.apply(this, args);
    };
  }
}
"""


def three_links():
    """A run of an arm with three flexible links that swing freely."""
    import lissom

    tube = {"shape": "tube", "outer": 0.05, "thickness": 0.002}
    links = [
        {
            "name": name,
            "joint": {"type": "revolute", "axis": [0, 0, 1]},
            "beam": {"length": length, "material": "alloy", "section": tube, "modes": {"y": 1, "z": 1}},
        }
        for name, length in (("upper", 1.0), ("middle", 0.9), ("fore", 0.81))
    ]
    data = {"name": "three-link", "gravity": [0, -9.81, 0], "links": links}
    data["materials"] = {"alloy": {"E": 7e10, "nu": 0.33, "rho": 2700}}
    robot = lissom.Robot.from_dict(data)
    return lissom.simulate(robot, 3.0, start={"upper": -0.6, "middle": 0.4}, rate=100, progress=False)


def rate() -> float:
    """Updates per second, the best of several stretches (a busy machine slows down some of them)."""
    from browser import FLAGS, chromium
    from playwright.sync_api import sync_playwright

    from lissom.view.live.app import App
    from lissom.view.live.server import open_server

    server, address = open_server(port=0)
    app = App(server, runs={"three-link": three_links()})
    thread = threading.Thread(target=app.loop, daemon=True)
    thread.start()
    best = 0.0
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
            page = browser.new_page(viewport={"width": 760, "height": 480})
            size = 3 * len(app.activity.stage.arm.pieces[0].mesh.points)
            page.add_init_script(COUNTER.replace("SIZE", str(size)))
            page.goto(address)
            page.wait_for_selector("canvas[data-engine]", timeout=60_000)
            page.wait_for_timeout(1500)
            app.activity.speed.value = "0.25 ×"
            app.activity.toggle()
            page.wait_for_timeout(500)
            for _ in range(WINDOWS):
                count, began = page.evaluate("window.uploads"), time.perf_counter()
                page.wait_for_timeout(1000 * SECONDS)
                done = page.evaluate("window.uploads") - count
                best = max(best, done / (time.perf_counter() - began))
                if best >= WANTED:
                    break
            browser.close()
    finally:
        app.stop()
        thread.join(10)
    return best


def main() -> None:
    found = rate()
    print(json.dumps({"mesh updates per second": round(found, 1), "wanted": WANTED}))
    if found < WANTED:
        raise SystemExit("too slow")


if __name__ == "__main__":
    main()
