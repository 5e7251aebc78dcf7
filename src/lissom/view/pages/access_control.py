"""Who may open a page that this machine serves: those who come by its names, from the page itself, with its key."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from collections.abc import Sequence
from urllib.parse import urlsplit


class AccessControl:
    """Checks what a request says of itself.

    Parameters
    ----------
    host : str
        Address that the server listens at.
    remote : bool, optional
        Whether others reach it, by this machine's name on the network.
    """

    def __init__(self, host: str, remote: bool = False) -> None:
        self.key = secrets.token_urlsafe(16)
        self.names = {name.lower() for name in ("localhost", host, *(_network_names() if remote else ()))}

    def refusal(self, hosts: Sequence[str], origins: Sequence[str], path: str) -> str | None:
        """Return why a request with these headers is turned away; None where it is welcome."""
        if len(hosts) != 1 or not self._is_here(hosts[0]):
            return "This page answers only to the names of its own machine."
        if origins and (len(origins) > 1 or urlsplit(origins[0]).netloc.lower() != hosts[0].lower()):
            return "Other pages may not use this one."
        if not secrets.compare_digest(split(path)[0].encode(), self.key.encode()):
            return "The address needs its key: open the whole address that lissom view has printed."
        return None

    def _is_here(self, netloc: str) -> bool:
        """Return whether a Host header names this machine; no number can be made to point elsewhere: any will do."""
        try:
            name = (urlsplit(f"//{netloc}").hostname or "").lower()
        except ValueError:
            return False
        return name in self.names or _is_number(name)


def split(path: str) -> tuple[str, str]:
    """Return key and the rest of a path: /KEY/rest?query."""
    key, _, rest = path.partition("?")[0].lstrip("/").partition("/")
    return key, "/" + rest


def _network_names() -> tuple[str, ...]:
    name = socket.gethostname()
    return name, f"{name}.local", socket.getfqdn()


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True
