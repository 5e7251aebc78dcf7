"""Seeing a run: figures of its results."""
