"""Reductions are kept, in memory and on disk (`lissom.cache`), under a key made of what they were computed from."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence

from lissom import cache
from lissom.errors import LissomError
from lissom.fem.reduced_files import FORMAT
from lissom.fem.reduced_link import ReducedLink
from lissom.progress import Progress as Bar

Progress = Callable[[str], None]
KEPT = 16  # links in memory
_links: dict[str, ReducedLink] = {}


def key(settings: str, files: Sequence[str]) -> str:
    """Return a name for the reduction that these settings and the contents of these files give."""
    digest = hashlib.sha256(f"{FORMAT}\n{settings}\n".encode())
    for file in files:
        with open(file, "rb") as content:
            digest.update(hashlib.file_digest(content, "sha256").digest())
    return digest.hexdigest()


def get(name: str, make: Callable[[Progress], ReducedLink]) -> ReducedLink:
    """Return the link kept under a name, or a new one; a terminal sees what is being done."""
    if name not in _links:
        link = _from_disk(name)
        if link is None:
            with reporting("finite elements") as progress:
                link = make(progress)
            _to_disk(name, link)
        while len(_links) >= KEPT:
            del _links[next(iter(_links))]
        _links[name] = link
    return _links[name]


@contextlib.contextmanager
def reporting(title: str) -> Iterator[Progress]:
    """Return what is being done is reported once it takes long."""
    with Bar(title) as shown:
        yield lambda text: shown.say(f"{title}: {text}")


def _from_disk(name: str) -> ReducedLink | None:
    place = cache.folder("links")
    if place is None or not (place / f"{name}.npz").is_file():
        return None
    try:
        return ReducedLink.load(place / f"{name}.npz")
    except LissomError:  # cut short or of an older lissom: made again
        return None


def _to_disk(name: str, link: ReducedLink) -> None:
    place = cache.folder("links")
    if place is None:
        return
    with cache.writing("links"):
        place.mkdir(parents=True, exist_ok=True)
        part = place / f"{name}.{os.getpid()}.part"
        link.save(part)
        part.replace(place / f"{name}.npz")
