"""The server behind the live page: on this machine only unless told otherwise, and it calls nobody."""

from __future__ import annotations

import contextlib
import errno
import io
import ipaddress
import socket
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from lissom.errors import LissomError

HOST, PORT = "127.0.0.1", 8080
TRIES = 50  # ports to try beyond the one asked for


def open_server(
    host: str = HOST, port: int = PORT, remote: bool = False, say: Callable[[str], None] = print
) -> tuple[Any, str]:
    """Return a viser server and its address, which holds the key without which nobody is let in.

    Parameters
    ----------
    host : str, optional
        Address to listen at; any but the loopback address needs `remote`.
    port : int, optional
        Port to listen at; the next free one where it is taken.
    say : callable, optional
        Gets a warning where others can reach the page, and a note where the port is taken.
    """
    check_server(host, remote)
    import viser

    from lissom.view.live.guard import Guard

    if not is_loopback(host):
        say(f"warning: the page listens on {host}: everyone who knows its address can see and control it")
    free = free_port(host, port)
    if port and free != port:
        say(f"port {port} is taken; using {free}")
    guard = Guard(host, remote)
    with contextlib.redirect_stdout(io.StringIO()), guard.on_duty():  # the first for its own banner
        server = viser.ViserServer(host=host, port=free, verbose=False)
    if not guard.posted:  # it starts its server in another way than the guard knows
        server.stop()
        raise LissomError(f"viser {viser.__version__} is too new for lissom: pip install --upgrade lissom[view]")
    guard.control = server.gui._gui_input_handle_from_uuid.get  # noqa: SLF001  (viser has no public way to a control)
    _stay_home(server)
    shown = f"[{host}]" if ":" in host else host
    return server, f"http://{shown}:{server.get_port()}/{guard.access.key}/"


def check_server(host: str, remote: bool) -> None:
    """Refuse at once what cannot be served: without viser, or where others could reach it unasked."""
    if find_spec("viser") is None:
        raise LissomError("the live page needs the package viser: pip install lissom[view]")
    if not is_loopback(host) and not remote:
        text = "others on the network could see and control the page there; if you mean that, add --remote"
        raise LissomError(text, ("host",), host)


def is_loopback(host: str) -> bool:
    """Return whether only this machine can connect to an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def free_port(host: str, port: int) -> int:
    """Return the port, or the next one that nobody listens at."""
    if not 0 <= port <= 65535:
        raise LissomError("must be a number from 0 to 65535 (0 takes any that is free)", ("port",), port)
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    except OSError:
        raise _not_here(host) from None
    for candidate in range(port, min(port + TRIES, 65535) + 1):
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, candidate))
            except PermissionError:
                raise LissomError("needs more rights; use one above 1023", ("port",), candidate) from None
            except OSError as error:
                if error.errno in _NOT_HERE:
                    raise _not_here(host) from None
                continue
            return int(probe.getsockname()[1])
    raise LissomError(f"it and the next {TRIES} are taken; give another with --port", ("port",), port)


def _not_here(host: str) -> LissomError:
    return LissomError("is not an address of this machine; use 127.0.0.1", ("host",), host)


def _stay_home(server: Any) -> None:
    """Refuse a tunnel to a public address, even where a visitor's browser asks for one."""

    def refused(*_: Any, **__: Any) -> None:
        return None

    server.request_share_url = refused
    set_theme(server)


def set_theme(server: Any, dark: bool = False) -> None:
    """Choose the colours of the page, for all its visitors."""
    server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=(0, 114, 178), dark_mode=dark)


_NOT_HERE = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
