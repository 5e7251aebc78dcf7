"""Published formulations of the same physics, each derived on its own and checked against the kernel."""

from lissom import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
