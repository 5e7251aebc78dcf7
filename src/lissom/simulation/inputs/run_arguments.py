"""The types of what a user gives to a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from lissom.analysis.equilibrium.equilibrium_state import Equilibrium
from lissom.control.laws.control_law import ControlLaw, Together
from lissom.control.laws.sampled_control import Sampled
from lissom.simulation.inputs.loads import Load
from lissom.simulation.inputs.payload import Payload

Fields: TypeAlias = Mapping[str, object]  # a part as a file writes it
# torques of all coordinates (nv,), or by joint, at (t, q, v)
Function: TypeAlias = Callable[[float, np.ndarray, np.ndarray], ArrayLike | Mapping[str, ArrayLike]]
Controller: TypeAlias = ControlLaw | Sampled | Together | Function
# by name, as an array q, as (q, v), or where an equilibrium is
Start: TypeAlias = (
    Mapping[str, ArrayLike] | ArrayLike | tuple[ArrayLike, ArrayLike] | Equilibrium | Literal["equilibrium"]
)
Loads: TypeAlias = Load | Fields | Iterable[Load | Fields]
Payloads: TypeAlias = Payload | Fields | Iterable[Payload | Fields]
