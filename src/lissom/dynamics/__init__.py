"""Dynamics as free functions on a compiled Model: states in, arrays out.

What this package offers by name is public; `state_checks` and `coordinates` serve all layers above.
"""

from lissom import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
