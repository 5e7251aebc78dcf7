"""Seeing a run: figures, a report in one file, films, a live page.

Results reach these functions by `lissom.plot_registry`; scripts may call what this package offers by name.
"""

from lissom import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
