"""Whether machine code was made of the sources that are there now: comments and docstrings do not count.

A table of machine code keeps two digests of each module that its C was made of: of the text, which is compared first,
and of the syntax tree without docstrings, for the modules whose text has changed.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
COMPILE = Path(__file__).parents[1]
SHAPING = ("argument_kinds.py", "struct.py", "translate/prelude.h", "libraries/toolchain.py")  # beside the translator


def translator_files() -> list[Path]:
    """Return all files that turn kernels into machine code."""
    return [*sorted((COMPILE / "translate").glob("*.py")), *(COMPILE / name for name in SHAPING)]


def digests(package: Path, files: Iterable[Path]) -> dict[str, list[str]]:
    """Return digests of text and meaning of files, by their path in the package, or whole where they lie elsewhere."""
    return {_name(package, path): [_text_digest(path), _meaning_digest(path)] for path in files}


def _name(package: Path, path: Path) -> str:
    return (path.relative_to(package) if path.is_relative_to(package) else path).as_posix()


def is_unchanged(package: Path, kept: dict[str, list[str]]) -> bool:
    """Return whether the files still mean what they did."""
    return all(_means_the_same(package / name, tuple(known)) for name, known in kept.items())


@cache
def _means_the_same(path: Path, known: tuple[str, str]) -> bool:
    try:
        return _text_digest(path) == known[0] or _meaning_digest(path) == known[1]
    except (OSError, SyntaxError):
        return False


def _text_digest(path: Path) -> str:
    return digest(path.read_bytes())


def _meaning_digest(path: Path) -> str:
    """Return the digest of the syntax tree without docstrings; of what is not Python, of its text."""
    if path.suffix != ".py":
        return _text_digest(path)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return digest(ast.dump(tree).encode())


def digest(content: bytes) -> str:
    """Return the SHA-256 of some bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()
