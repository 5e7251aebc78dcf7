"""Where stores may lie, here or wherever fsspec reaches: laying them out, and the files of their arrays."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from lissom.errors import StudyError
from lissom.files import NotWritten, umask


def need_zarr() -> Any:
    """Return the library that writes stores, or how to get it."""
    try:
        import zarr
    except ImportError:
        raise StudyError(
            "studies are kept in Zarr stores, which need a package: pip install 'lissom[studies]'"
        ) from None
    return zarr


def checksum() -> Any:
    """Return the filter that puts a checksum behind each file of an array."""
    from numcodecs import CRC32C  # type: ignore[import-untyped]

    return CRC32C(location="end")


def may_hold_group(address: str) -> bool:
    """Return whether there is a Zarr group in a folder here; elsewhere only opening it tells."""
    return "://" in address or (Path(address) / ".zgroup").is_file()


def check_address(address: str) -> None:
    """Refuse an address of a kind that nobody here can write to."""
    protocol, mark, _ = address.partition("://")
    if not mark:
        return
    try:
        from fsspec import get_filesystem_class

        get_filesystem_class(protocol)
    except (ImportError, ValueError) as error:
        text = f"cannot be written to from here ({error}); give a folder, or an address that fsspec knows"
        raise StudyError(text, ("store",), address) from None


def laid_out(address: str, lay_out: Callable[[str], None]) -> bool:
    """Lay out a store, in a folder of its own first: of several processes one makes it. False where something is."""
    try:
        if "://" in address:
            lay_out(address)
            return True
        folder = Path(address)
        if folder.exists() and not folder.is_dir():
            raise StudyError(f"{folder} is a file, not a store; give another name")
        if folder.parent.exists() and not folder.parent.is_dir():
            raise NotWritten(folder, f"{folder.parent} is a file")
        folder.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".part", dir=folder.parent))
        try:
            lay_out(os.fspath(aside))
            aside.chmod(0o777 & ~umask())
            os.rename(aside, folder)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise not_written(error, address) from None
        return False
    return True


def not_written(error: OSError, address: str, remedy: str = "give another place") -> NotWritten:
    """Return what an error says of a store that could not be written."""
    return NotWritten.because(OSError(error.errno, error.strerror or str(error)), address, remedy)


def files_in(address: str, name: str) -> set[str]:
    """Return the names of the files in a folder of a store that hold something."""
    if "://" not in address:
        return {entry.name for entry in os.scandir(Path(address) / name) if entry.stat().st_size}
    system, path = _remote(address)
    return {entry["name"].rpartition("/")[2] for entry in system.ls(f"{path}/{name}") if entry["size"]}


def remove(address: str, file: str) -> None:
    """Remove a file of a store, if it is there."""
    if "://" not in address:
        (Path(address) / file).unlink(missing_ok=True)
        return
    system, path = _remote(address)
    with suppress(FileNotFoundError):
        system.rm(f"{path}/{file}")


def _remote(address: str) -> tuple[Any, str]:
    """Return the file system of an address and the path there."""
    from fsspec.core import url_to_fs

    found: tuple[Any, str] = url_to_fs(address)
    return found
