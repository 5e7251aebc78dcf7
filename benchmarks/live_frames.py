"""How many mesh updates of a three-link flexible arm a browser draws per second.

    python benchmarks/live_frames.py

The live page runs here; Chromium (headless, all graphics by the processor) shows it. Counted are the times that the
points of one tube reach the browser's graphics buffer with new values, so all that lies between the run and the picture
is included.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

WANTED = 25.0
SECONDS, STRETCHES = 1.5, 8
VIEWS = ((760, 480), (1000, 560))  # px of the window; charts and controls take 640 of its width
# Count uploads by buffer, before any script of the page runs: points and normals of all tubes fill equal buffers.
COUNTER = """
window.uploads = new Map();
for (const kind of [WebGLRenderingContext, WebGL2RenderingContext]) {
  for (const name of ['bufferData', 'bufferSubData']) {
    const real = kind.prototype[name];
    kind.prototype[name] = function (...args) {
      const data = args.find((arg) => ArrayBuffer.isView(arg));
      if (data instanceof Float32Array && data.length === SIZE) {
        const buffer = this.getParameter(this.ARRAY_BUFFER_BINDING), seen = window.uploads.get(buffer);
        const value = data[data.length - 1] + data[0];
        if (!seen || seen.value !== value) window.uploads.set(buffer, { count: (seen ? seen.count : 0) + 1, value });
      }
      return real.apply(this, args);
    };
  }
}
window.drawn = () => Math.max(0, ...[...window.uploads.values()].map((seen) => seen.count));
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


def measure() -> dict[str, Any]:
    """Updates sent and drawn per second, by size of the window: the most of several stretches, and their median."""
    return {"views": [{"width": w, "height": h} | _in_window(w, h) for w, h in VIEWS]}


def _in_window(width: int, height: int) -> dict[str, float]:
    from browser import FLAGS, chromium
    from playwright.sync_api import sync_playwright

    from lissom.view.live.app import App
    from lissom.view.live.server import open_server

    server, address = open_server(port=0)
    app = App(server, runs={"three-link": three_links()})
    thread = threading.Thread(target=app.loop, daemon=True)
    thread.start()
    drawn, sent = [], []
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
            page = browser.new_page(viewport={"width": width, "height": height})
            size = 3 * len(app.activity.stage.arm.pieces[0].mesh.points)
            page.add_init_script(COUNTER.replace("SIZE", str(size)))
            page.goto(address)
            page.wait_for_selector("canvas[data-engine]", timeout=60_000)
            page.wait_for_timeout(1500)
            app.activity.speed.value = "0.1 ×"
            app.activity.toggle()
            page.wait_for_timeout(500)
            for _ in range(STRETCHES):
                count, frames, began = page.evaluate("window.drawn()"), app.frames, time.perf_counter()
                page.wait_for_timeout(1000 * SECONDS)
                more = page.evaluate("window.drawn()") - count
                seconds = time.perf_counter() - began
                drawn.append(more / seconds)
                sent.append((app.frames - frames) / seconds)
            browser.close()
    finally:
        app.stop()
        thread.join(10)
    return {"most": max(drawn), "median": median(drawn), "sent": median(sent)}


def main() -> None:
    found = measure()
    print("mesh updates per second")
    for one in found["views"]:
        print(f"{one['width']} x {one['height']}: sent {one['sent']:.1f}, drawn {one['median']:.1f}, "
              f"at most {one['most']:.1f}")  # fmt: skip
    if found["views"][0]["most"] < WANTED:
        raise SystemExit(f"too slow: {WANTED:g} are wanted")


if __name__ == "__main__":
    main()
