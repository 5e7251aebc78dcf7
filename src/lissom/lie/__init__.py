"""Rotations and rigid motions: SO(3), SE(3), unit quaternions; their dual counterparts in `lissom.lie.dual`.

Every function takes numpy arrays with any leading batch axes, which broadcast. Twists and wrenches have the
angular part first. Tangent vectors of SO(3) are rotation vectors (3,), of SE(3) twists (6,) = (omega, v).
"""

from lissom import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
