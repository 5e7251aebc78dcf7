"""Seeing a run: figures, a report in one file, films, a live page."""

from lissom.view.style import style

__all__ = ["style"]
