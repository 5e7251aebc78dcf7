"""Draws live-page.png, report.png and those of the mechanisms: screenshots of pages, in the browser of the tests.

python docs/images/pages.py
"""

import sys
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
MECHANISMS = {  # when, s
    "luffing-crane": 6.0,
    "luffing-crane-at-sea": 9.0,
    "five-bar": 0.1,
    "slider-crank": 0.23,
    "two-arms-one-beam": 2.0,
}
sys.path.insert(0, str(HERE.parents[1] / "tests" / "helpers"))


def main() -> None:
    from browser import FLAGS, chromium
    from playwright.sync_api import sync_playwright

    from lissom.scenario.scenario_files import find
    from lissom.view.live.app import App
    from lissom.view.live.server import open_server

    run = find("ella").scenario.run(progress=False)
    server, address = open_server(port=0)
    app = App(server, runs={"ella": run})
    threading.Thread(target=app.loop, daemon=True).start()
    with sync_playwright() as playwright, TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        page = browser.new_page(viewport={"width": 1400, "height": 800})
        page.goto(address)
        page.get_by_text("Motion").first.wait_for()
        page.locator(".mantine-Notification-closeButton").click()
        app.activity.time = 1.0
        app.scale.value, app.forces.value = 8.0, True
        page.wait_for_timeout(2500)
        _keep(page, "live-page.png")
        page.goto(run.report(Path(folder) / "report.html").as_uri())
        page.wait_for_timeout(1500)
        page.evaluate("Lissom.page.seek(1.0)")
        page.wait_for_timeout(1000)
        _keep(page, "report.png")
        for name, when in MECHANISMS.items():
            page.goto(find(name).scenario.run(progress=False).report(Path(folder) / f"{name}.html").as_uri())
            page.wait_for_timeout(1500)
            page.evaluate(f"Lissom.page.seek({when})")
            page.wait_for_timeout(1000)
            _keep(page.locator("canvas").first, f"{name}.png")
        browser.close()
    app.stop()


def _keep(page, name: str) -> None:
    from PIL import Image

    page.screenshot(path=HERE / name)
    Image.open(HERE / name).convert("RGB").quantize(200).save(HERE / name, optimize=True)


if __name__ == "__main__":
    main()
