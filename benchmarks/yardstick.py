"""The C yardstick: yardstick.c compiled for one size of chain, on the arrays of the compiled model."""

from __future__ import annotations

import ctypes
from operator import attrgetter

import compiler
import numpy as np
from chain import States

from lissom.model import Model

FIELDS = (
    "sections.position",
    "sections.phi",
    "sections.psi",
    "joints.screw",
    "inertia.mass",
    "inertia.moment",
    "inertia.second_moment",
    "inertia.coupling",
    "inertia.coupling_eta",
    "inertia.gyroscopic",
    "inertia.modal_mass",
    "strain.stiffness",
    "strain.damping",
    "gravity",
)


class _Model(ctypes.Structure):
    _fields_ = tuple((name.replace(".", "_"), ctypes.c_void_p) for name in FIELDS)


class Yardstick:
    """Forward dynamics of `model`, a serial chain of equal beams with the linear field, in C."""

    def __init__(self, model: Model) -> None:
        arrays, links = model.arrays, len(model.bodies)
        modes = int(arrays.tree.modes[1])
        serial = np.array_equal(arrays.tree.parent[1:], np.arange(links))
        if not serial or np.any(arrays.tree.modes[1:] != modes) or np.any(arrays.tree.second_order):
            raise ValueError("the yardstick is for serial chains of equal links without stiffening")
        self._arrays = {name: np.ascontiguousarray(attrgetter(name)(arrays)) for name in FIELDS}
        self._model = _Model(*(array.ctypes.data for array in self._arrays.values()))
        self._repeat = compiler.load("yardstick.c", LINKS=links, MODES=modes).repeat
        self._repeat.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_long, *4 * [ctypes.c_void_p]]
        self._repeat.restype = None

    def repeat(self, rounds: int, states: States, a: np.ndarray) -> None:
        """Accelerations `a` (count, nv) of all states, computed `rounds` times over."""
        pointers = (array.ctypes.data for array in (*states, a))
        self._repeat(ctypes.byref(self._model), rounds, len(a), *pointers)
