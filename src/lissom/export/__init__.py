"""Robots and scenarios for other programs: C code, FMUs.

`to_c` and `to_fmu` are public.
"""

from lissom import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
