"""The files that come with lissom: robots and scenarios by name, as text."""

from __future__ import annotations

from pathlib import Path

ROBOTS = Path(__file__).parent / "model" / "robots"
SCENARIOS = Path(__file__).parent / "scenario" / "builtin"


def names(folder: Path) -> list[str]:
    """Return the names of the robots or of the scenarios in a folder."""
    return sorted(file.stem for file in folder.glob("*.yaml"))


def text(folder: Path, name: str) -> str:
    """Return the file of one of them."""
    return (folder / f"{name}.yaml").read_text(encoding="utf-8")
