"""Analysis: linear models, modes, statics, frequency response, spectra, energy balance.

What this package offers by name is public.
"""

from lissom import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
