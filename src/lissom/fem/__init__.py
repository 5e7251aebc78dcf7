"""Links of any shape from finite elements: frames, solids, matrices of other codes; reduced to a few coordinates.

What this package offers by name may be used from outside.
"""

from lissom import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
