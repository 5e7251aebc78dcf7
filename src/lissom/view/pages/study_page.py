"""A study as a page: all runs as lines and points, what moves the outputs, and a way into every single run."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Callable
from functools import lru_cache
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.errors import LissomError
from lissom.study.plan.run_plan import FINISHED
from lissom.version import __version__
from lissom.view.figures.study_figures import encode_words, spread_evenly
from lissom.view.live.server import free_port, is_loopback
from lissom.view.pages.access_control import AccessControl, split
from lissom.view.pages.markup import document
from lissom.view.pages.report_tables import figures, table
from lissom.view.pages.run_report import report, report_text, write

if TYPE_CHECKING:
    from lissom.study.store.study_results import Results

SHOWN = 4000  # runs that the page draws, evenly out of all
FAILED = 50  # runs that it lists with their causes
KEPT = 20  # pages of runs
PATIENCE = 10.0  # s that a visitor may let us wait for the next bytes of a request
VISITORS = 100  # connections at the same time
DIGITS = 9  # of the number of a run

BODY = """\
<section><h2>Every run as a line</h2>
<div class="chart study">
<div class="bar"><label>colour <select id="colour"></select></label>
<button id="all" type="button" class="plain">Show all</button> <span id="count" class="made"></span></div>
<div class="wide"><div id="lines" class="plot tall"></div></div>
</div>
<p class="hint">Drag along an axis to keep the runs between, click it to let go. Click a line to pick its run.</p>
</section>
<div class="pair">
<section><h2>One against the other</h2>
<div class="chart study"><div class="bar"><label>across <select id="x"></select></label>
<label>up <select id="y"></select></label></div><div id="points" class="plot tall"></div></div>
</section>
<section><h2>Picked run</h2>
<div class="chart study">
<div class="bar"><label>run <input id="number" type="number" min="0" step="1" placeholder="none"></label>
<a id="open" class="button" target="_blank" rel="noopener" hidden>Open in 3D</a></div>
<div id="picked"></div></div>
</section>
</div>"""


def study_page(results: Results, served: bool = False) -> str:
    """Return the HTML of a study; where it is `served`, a picked run can be opened."""
    inputs, outputs = results.inputs(), results.outputs()
    if not outputs:
        raise LissomError("there is nothing to show: no output is one number per run")
    status = results.values("status")
    stored, good = int((status >= 0).sum()), results.finished
    rows = spread_evenly(len(status), SHOWN)
    columns = [
        {"name": name, "unit": unit, "input": name in inputs, "words": words, "values": [_number(x) for x in at[rows]]}
        for name, values in (inputs | outputs).items()
        for unit, (at, words) in [(str(results.data[name].attrs.get("units", "")), encode_words(values))]
    ]
    data = {"runs": rows.tolist(), "total": len(status), "columns": columns, "served": served}
    detail = f"{_count(inputs, 'input')}, {_count(outputs, 'output')}, {results.store.address}"
    numbers = [(str(len(status)), "runs"), (str(good), "finished"), (str(stored - good), "did not finish")]
    if stored < len(status):
        numbers.append((str(len(status) - stored), "still to be computed"))
    parts = [
        f'<header><div><h1>{escape(results.study.name)}</h1><div class="detail">{escape(detail)}</div></div>'
        f'<div class="made">lissom {escape(__version__)}</div></header>',
        figures(numbers),
        f'<p class="hint">Drawn are {len(rows)} runs, evenly out of all.</p>' if len(rows) < len(status) else "",
        BODY,
        _ranking(results.ranking()),
        _failures(results, status),
    ]
    return document(f"{results.study.name} - lissom", "\n".join(parts), data, files=("study.js",))


def save(results: Results, path: str | os.PathLike[str]) -> Path:
    """Write the page of a study to a file."""
    return write(os.fspath(path), study_page(results))


def _count(what: dict[str, Any], word: str) -> str:
    return f"{len(what)} {word}{'' if len(what) == 1 else 's'}"


def _number(x: float) -> float | None:
    return float(f"{x:.6g}") if np.isfinite(x) else None


def _ranking(ranking: dict[str, dict[str, float]]) -> str:
    """Return the bars of the share of each output's variance that each input explains alone."""
    if not all(np.isfinite(share) for shares in ranking.values() for share in shares.values()):
        few = '<p class="hint">Too few runs have a result of every output to tell what moves it.</p>'
        ranking = {name: shares for name, shares in ranking.items() if np.isfinite(list(shares.values())).all()}
    else:
        few = ""
    if not ranking:
        return f"<section><h2>What drives the outputs</h2>{few}</section>"
    rows = []
    for output, shares in ranking.items():
        for field, share in sorted(shares.items(), key=lambda pair: -pair[1]):
            width = f'<i style="width:{100 * share:.1f}%"></i>'
            rows.append(
                f"<tr><td>{escape(output)}</td><td>{escape(field)}</td>"
                f'<td class="number">{100 * share:.0f} %</td><td class="share"><div>{width}</div></td></tr>'
            )
            output = ""
    head = "<tr><th>output</th><th>input</th><th></th><th>share of its variance</th></tr>"
    return (
        f'<section><h2>What drives the outputs</h2><div class="wide"><table class="ranking"><thead>{head}</thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
        '<p class="hint">First-order Sobol indices, from the runs themselves.</p>' + few + "</section>"
    )


def _failures(results: Results, status: np.ndarray) -> str:
    failed = np.flatnonzero(status > FINISHED)
    if not len(failed):
        return ""
    cause = results.values("cause")
    rows = [(str(k), str(cause[k])) for k in failed[:FAILED]]
    return f"<section><h2>Runs that did not finish</h2>{table(('run', 'why'), rows)}</section>"


class StudyServer:
    """Serves a study and the runs that are picked on its page, to those who have its address."""

    def __init__(
        self, results: Results, host: str, port: int, remote: bool = False, say: Callable[[str], None] = print
    ) -> None:
        if not is_loopback(host):
            if not remote:
                text = "others on the network could open the page there; if you mean that, add --remote"
                raise LissomError(text, ("host",), host)
            say(f"warning: the page listens at {host}: everyone who knows its address can see it")
        free = free_port(host, port)
        if port and free != port:
            say(f"port {port} is taken; using {free}")
        self.page = study_page(results, served=True).encode()
        self.access, self._turn = AccessControl(host, remote), threading.Lock()
        self.run_page = lru_cache(maxsize=KEPT)(lambda run: _run_page(results, run))
        self._server = _Server((host, free), _handler(self))
        shown = f"[{host}]" if ":" in host else host
        self.address = f"http://{shown}:{self._server.server_address[1]}/{self.access.key}/"

    def answer(self, path: str) -> tuple[int, bytes]:
        """Return status and page for a path below the key."""
        if path == "/":
            return 200, self.page
        number = path.removeprefix("/run/")
        if not path.startswith("/run/") or not number.isdecimal() or len(number) > DIGITS:
            return 404, b"There is no such page.\n"
        try:
            with self._turn:  # one simulation at a time
                return 200, self.run_page(int(number))
        except LissomError as error:
            return 404, f"{error}\n".encode()

    def loop(self) -> None:
        """Serve until someone stops it."""
        self._server.serve_forever(poll_interval=0.2)

    def stop(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    """Answers many visitors at once, but no more than `VISITORS`: of those who wait, the first ones have to go."""

    daemon_threads = True

    def __init__(self, *arguments: Any) -> None:
        self._open: dict[int, Any] = {}  # connections, the oldest first
        self._lock = threading.Lock()
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            while len(self._open) >= VISITORS:
                oldest = self._open.pop(next(iter(self._open)))
                with contextlib.suppress(OSError):
                    oldest.shutdown(socket.SHUT_RDWR)  # its thread ends and closes it
            self._open[id(request)] = request
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.pop(id(request), None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a visitor who goes away, or sends what is no request: no concern of the user's terminal."""


def _run_page(results: Results, run: int) -> bytes:
    found = results.trajectory(run, progress=False)
    return report(found, report_text(found, title=f"{results.study.name}, run {run}")).encode()


def _handler(server: StudyServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = PATIENCE

        def do_GET(self) -> None:
            hosts, origins = (self.headers.get_all(name) or [] for name in ("Host", "Origin"))
            refused = server.access.refusal(hosts, origins, self.path)
            status, content = (403, f"{refused}\n".encode()) if refused else server.answer(split(self.path)[1])
            self.send_response(status)
            kind = "text/html" if status == 200 else "text/plain"
            for name, value in (
                ("Content-Type", f"{kind}; charset=utf-8"),
                ("Content-Length", str(len(content))),
                ("Referrer-Policy", "no-referrer"),
                ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"),
                ("X-Frame-Options", "DENY"),
            ):
                self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(ConnectionError):  # who asked has gone
                self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            """Print nothing over the user's terminal."""

    return Handler
