"""Seeing a run: figures, a report in one file, films, a live page."""
