"""A robot as a person describes it: links, joints, beams and bodies; read from YAML, checked, compiled.

`Robot` is the description and `Model` what it is compiled to. Names load when they are first used.
"""

from lissom import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
