"""Seeing a run: figures, a report in one file, films, a live page.

The methods `plot`, `report` and `animate` of results call these functions. `register_plot` adds a plot to all runs.
"""

from lissom import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
