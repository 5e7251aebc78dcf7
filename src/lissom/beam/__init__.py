"""Beams: sections, shape functions, displacement fields, and the flexible link made of them.

`BeamLink` joins them. What this package offers by name may be used from outside.
"""

from lissom import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
