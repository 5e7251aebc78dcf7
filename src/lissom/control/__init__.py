"""References and controllers. Names load when they are first used.

What this package offers by name is public.
"""

from lissom import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
