"""A page in one file: style, scripts, data and text together. It asks nothing of any server, and cannot."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib import resources
from typing import Any

from lissom.version import __version__

THREE = ("jupyter_threejs_sage", "static/r130/three.min.js")  # package and file
MISSING = (
    "The moving arm needs the package jupyter-threejs-sage: pip install lissom[view], then write the report again."
)
# Nothing may be loaded from anywhere: scripts and style are in the page itself.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"

STAGE = """\
<div class="stage">
<div id="scene"></div>{key}
<div class="bar">
<button id="play" type="button" title="space bar">Play</button>
<input id="time" type="range" min="0" max="{duration}" step="any" value="0" aria-label="time">
<span id="clock">0.00 s</span>
<label>speed <select id="speed"><option value="0.1">0.1 ×</option><option value="0.25">0.25 ×</option>\
<option value="0.5">0.5 ×</option><option value="1" selected>1 ×</option><option value="2">2 ×</option></select></label>
<div class="second">
<label>deflection <input id="scale" type="range" min="0" max="2" step="0.01" value="0">\
<span id="scale-value">× 1.0</span></label>
<label><input type="checkbox" data-show="trail" checked> tip trail</label>
<label><input type="checkbox" data-show="force"> forces</label>
<label><input type="checkbox" data-show="torque"> torques</label>
<label><input type="checkbox" data-show="frames"> frames</label>
<label><input type="checkbox" data-show="names"> names</label>{stress}
<label>view <select id="view"><option value="home" selected>free</option><option value="front">front</option>\
<option value="side">side</option><option value="top">top</option></select></label>
<button id="reset" type="button" class="plain">Reset view</button>
</div>
</div>
</div>"""


STRESS = """
<label><input type="checkbox" data-show="stress"> stress <i class="stress-scale" title="von Mises stress"></i>\
<span class="stress-most" hidden>0 to {most}</span></label>"""


@cache
def three() -> str | None:
    """Return the text of three.js, from the package that carries it; None where it is not installed."""
    package, file = THREE
    try:
        return (resources.files(package) / file).read_text(encoding="utf-8")
    except (ModuleNotFoundError, FileNotFoundError):
        return None


@cache
def own(name: str) -> str:
    """Return a file of ours that goes into the page."""
    return (resources.files("lissom.view.pages") / "assets" / name).read_text(encoding="utf-8")


def stage(duration: float, labels: list[tuple[str, str]] | None = None, stress: str = "") -> str:
    """Return the place of the arm with the bar that plays it.

    `labels` are (name, colour) of several runs; `stress` is the largest of a run whose beams can be coloured by it.
    """
    if three() is None:
        return f'<div class="stage absent">{escape(MISSING)}</div>'
    key = ""
    if labels:
        marks = "".join(f'<span><i style="background:{colour}"></i>{escape(name)}</span>' for name, colour in labels)
        key = f'<div class="key">{marks}</div>'
    box = STRESS.format(most=escape(stress)) if stress else ""
    return STAGE.format(duration=f"{duration:.9g}", key=key, stress=box)


def document(
    title: str,
    body: str,
    data: dict[str, Any],
    embedded: bool = False,
    files: Sequence[str] = ("scene.js", "charts.js", "page.js"),
) -> str:
    """Return the whole file. `data` is what the scripts in `files` read."""
    scripts = [(three() or "") if "scene.js" in files else "", *map(own, files)]
    code = "\n".join(f"<script>\n{script}\n</script>" for script in scripts if script)
    kind = ' class="embedded"' if embedded else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="lissom {__version__}">
<title>{escape(title)}</title>
<style>
{own("page.css")}</style>
</head>
<body{kind}>
<main>
{body}
</main>
<script type="application/json" id="lissom-data">{_json(data)}</script>
{code}
</body>
</html>
"""


def _json(data: dict[str, Any]) -> str:
    """Return JSON that no text in it can end: every angle bracket is written as an escape."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
