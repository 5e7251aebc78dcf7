"""What operating systems do differently, in one place: no other module asks which one this is.

Where a system cannot do something, a function here says so by what it returns, and its caller does without.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import signal
import stat
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

SYSTEM = sys.platform  # linux, darwin, win32
PROCESSOR = platform.machine()  # x86_64 or AMD64, aarch64 or arm64
UNKNOWN = 8e9  # bytes of memory where the system does not tell


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory() -> float:
    """Return bytes of this machine, or those that the process may have of them (`ulimit -v`)."""
    try:
        size = float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        size = UNKNOWN
    try:
        import resource
    except ImportError:  # Windows
        return size
    limits = (resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA))
    return min([size, *(float(limit) for limit in limits if limit != resource.RLIM_INFINITY)])


def user_cache() -> Path:
    """Return the folder in which programs of this user keep what they can make again; RuntimeError without a home."""
    if SYSTEM == "win32":
        base = os.environ.get("LOCALAPPDATA", "~/AppData/Local")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "~/Library/Caches" if SYSTEM == "darwin" else "~/.cache")
    return Path(base).expanduser()


def user_settings_folder() -> Path:
    """Return the folder in which programs keep what this user chose; RuntimeError without a home."""
    if SYSTEM == "win32":
        base = os.environ.get("APPDATA", "~/AppData/Roaming")
    else:
        base = os.environ.get("XDG_CONFIG_HOME", "~/Library/Application Support" if SYSTEM == "darwin" else "~/.config")
    return Path(base).expanduser()


def is_private(path: Path) -> bool:
    """Return whether nobody but the user and the system can put something at a path, by owners and modes on the way.

    What does not exist yet is as safe as the folder it will be made in. Without owners and modes all is private.
    """
    if not hasattr(os, "getuid"):
        return True
    place = path.resolve()
    for each in (place, *place.parents):
        try:
            found = each.stat()
        except OSError:
            continue
        shared = found.st_mode & stat.S_IWOTH and not (each != place and found.st_mode & stat.S_ISVTX)
        if shared or found.st_uid not in (0, os.getuid()):
            return False
    return True


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file, which is waited for; without locks all go on at once."""
    with contextlib.ExitStack() as held:
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            fcntl.flock(held.enter_context(path.open("w")), fcntl.LOCK_EX)
        yield


def lock_folder(folder: Path) -> int | None:
    """Return a descriptor that locks a folder until it is closed, None without locks; BlockingIOError if it is held."""
    try:
        import fcntl
    except ImportError:
        return None
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise
    except OSError:  # some network drives have no locks
        os.close(handle)
        return None
    return handle


def can_fork() -> bool:
    """Return whether processes can be forked safely: on macOS libraries of the system do not survive it."""
    return SYSTEM == "linux" and hasattr(os, "fork")


def fork(work: Callable[[], object]) -> int:
    """Start a child process that does some work and ends without a word; return its number."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads: those of NumPy know how to fork
        child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return child


def succeeded(child: int) -> bool:
    """Wait for a forked process, and return whether it did its work."""
    return os.waitpid(child, 0)[1] == 0


@contextlib.contextmanager
def broken_pipes_as_before() -> Iterator[None]:
    """Keep what a broken pipe does, an error of Python, while a library makes it the silent end of the process.

    By the C library, as Python's own `signal` works in the main thread alone.
    """
    if not hasattr(signal, "SIGPIPE"):
        yield
        return
    handle = ctypes.CDLL(None).signal
    handle.argtypes, handle.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p
    before = handle(signal.SIGPIPE, int(signal.SIG_IGN))
    try:
        yield
    finally:
        handle(signal.SIGPIPE, before)


def processor_has(features: set[str], windows: int) -> bool:
    """Return whether this processor has some features, by Linux's names of them.

    windows: the number by which Windows knows them all.
    """
    if SYSTEM == "win32":
        return bool(ctypes.windll.kernel32.IsProcessorFeaturePresent(windows))  # type: ignore[attr-defined]
    return features <= _features()


@cache
def _features() -> frozenset[str]:
    """Return the features of this processor; none where the system does not tell."""
    if SYSTEM == "darwin":  # names them in capitals, SSE4.2 with a dot
        told = " ".join(map(_told_by_darwin, (b"machdep.cpu.features", b"machdep.cpu.leaf7_features")))
        return frozenset(told.lower().replace(".", "_").split())
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return frozenset()
    return frozenset(next((line for line in text.splitlines() if line.startswith("flags")), "").split())


def _told_by_darwin(name: bytes) -> str:
    """Return what macOS says of itself under a name."""
    text, size = ctypes.create_string_buffer(4096), ctypes.c_size_t(4096)
    failed = ctypes.CDLL(None).sysctlbyname(name, text, ctypes.byref(size), None, ctypes.c_size_t(0))
    return "" if failed else text.value.decode()
