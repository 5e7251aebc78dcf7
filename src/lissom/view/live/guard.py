"""Who may open the live page, and what a visitor may send.

The page can steer a simulation, so other pages in the same browser must not reach it. Three checks stand before every
request, for files and for the WebSocket alike: the Host is a name of this machine (a foreign name that is made to point
here, as in DNS rebinding, is not), the Origin is the page itself, and the address holds a key that is new in every
session. What comes over the WebSocket is checked again: numbers must be finite and are kept within their slider,
entries of lists must be in the list, and everything that the page has no use for is dropped.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import math
import threading
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import viser
import websockets.asyncio.server as websocket_server
from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from lissom.view.live import GRIP, LOG
from lissom.view.pages.access_control import AccessControl, split

LARGEST = 2**20  # bytes of a message from a visitor

Handler = Callable[[ServerConnection, Request], Response | None]
_starting = threading.Lock()


class Guard:
    """Stands before one server.

    Parameters
    ----------
    host : str
        Address that the server listens at.
    remote : bool, optional
        Whether others reach it, by this machine's name on the network.
    """

    def __init__(self, host: str, remote: bool = False) -> None:
        self.access = AccessControl(host, remote)
        self.control: Callable[[str], Any] = lambda uuid: None  # the control of an identifier
        self.posted = False

    def refusal(self, request: Request) -> str | None:
        """Return why a request is turned away; None where it is welcome."""
        headers = request.headers
        return self.access.refusal(headers.get_all("Host"), headers.get_all("Origin"), request.path)

    def before(self, handler: Handler) -> Handler:
        """Return a handler of requests that asks the guard first."""

        def guarded(connection: ServerConnection, request: Request) -> Response | None:
            refused = self.refusal(request)
            if refused is None and request.headers.get("Upgrade", "").lower() == "websocket":
                refused = None if _speaks(request) else "This page is of another session: load it again."
            if refused is not None:
                return connection.respond(403, refused + "\n")
            response = handler(connection, dataclasses.replace(request, path=split(request.path)[1]))
            if response is not None:
                response.headers["Referrer-Policy"] = "no-referrer"
                response.headers["Cache-Control"] = "no-store"
            return response

        return guarded

    def connection(self, *args: Any, **options: Any) -> ServerConnection:
        """Return a connection that hands on only what has been checked."""
        return _Checked(self, *args, **options)

    @contextlib.contextmanager
    def on_duty(self) -> Iterator[None]:
        """Guard whatever server viser starts meanwhile; viser itself has no place for checks."""
        original = websocket_server.serve

        def serve(handler: Any, host: Any, port: Any, *, process_request: Handler, **options: Any) -> Any:
            self.posted = True
            asyncio.get_running_loop().set_exception_handler(_note)
            options |= {"max_size": LARGEST, "logger": LOG, "create_connection": self.connection}
            return original(handler, host, port, process_request=self.before(process_request), **options)

        with _starting:
            websocket_server.serve = serve  # type: ignore[misc, assignment]
            try:
                yield
            finally:
                websocket_server.serve = original  # type: ignore[misc]


class _Checked(ServerConnection):
    def __init__(self, guard: Guard, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._guard = guard

    async def recv(self, decode: bool | None = None) -> Any:
        while True:
            message = check_message(await super().recv(decode), self._guard.control)
            if message is not None:
                return message


def check_message(raw: Any, control: Callable[[str], Any]) -> bytes | None:
    """Return a message of a visitor with its values made sure of; None where it is to be ignored."""
    if not isinstance(raw, bytes):
        return None
    try:
        message = msgspec.msgpack.decode(raw)
        kind = message["type"]
        if kind == "ViewerCameraMessage":  # where the visitor stands; nothing here depends on it
            return raw
        if kind == "SceneNodeDragMessage":
            return raw if message["name"] == GRIP and _is_place(message["end_position"]) else None
        if kind == "CommandTriggerMessage":  # of the commands that the page has, as viser looks up
            return raw if isinstance(message["uuid"], str) else None
        if kind != "GuiUpdateMessage" or set(message["updates"]) != {"value"}:
            return None
        value = allowed_value(control(message["uuid"]), message["updates"]["value"])
        return None if value is None else msgspec.msgpack.encode(message | {"updates": {"value": value}})
    except (msgspec.MsgspecError, KeyError, TypeError, RecursionError):
        return None


def allowed_value(handle: Any, value: Any) -> Any:
    """Return the value that a control takes for the one sent; None where it takes none."""
    if isinstance(handle, viser.GuiSliderHandle):
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return None
        return min(max(value, handle.min), handle.max)
    if isinstance(handle, viser.GuiDropdownHandle):
        return value if isinstance(value, str) and value in handle.options else None
    if isinstance(handle, viser.GuiCheckboxHandle | viser.GuiButtonHandle):
        return value if isinstance(value, bool) else None
    return None


def _is_place(value: Any) -> bool:
    """Return whether a value is a point of the world: three finite numbers of a size that a picture can have."""
    if not isinstance(value, list) or len(value) != 3:
        return False
    return all(isinstance(x, int | float) and not isinstance(x, bool) and abs(x) < 1e6 for x in value)


def _speaks(request: Request) -> bool:
    """Return whether the visitor's page came with this version of viser; viser would print a complaint."""
    spoken = ",".join(request.headers.get_all("Sec-WebSocket-Protocol"))
    return f"viser-v{viser.__version__}" in (name.strip() for name in spoken.split(","))


def _note(_: Any, context: dict[str, Any]) -> None:
    """Log an error inside the server instead of printing it over the user's terminal."""
    LOG.error("%s", context.get("message"), exc_info=context.get("exception"))
