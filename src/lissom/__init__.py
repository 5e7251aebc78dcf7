"""lissom: dynamics of robot arms whose links and joints bend.

>>> import lissom
>>> robot = lissom.load("ella")
>>> model = robot.compile()

The public names stand in `__init__.pyi`. They load when they are first used, so that `import lissom` stays light.
"""

from lissom import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
