"""Mass matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.state_checks import finite, number_type, vector
from lissom.kernel.algorithms import composite_body
from lissom.kernel.compile import Struct
from lissom.kernel.derivatives.columns import make_columns
from lissom.kernel.derivatives.mass_columns import mass_by_columns
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.model import Model


def mass_matrix(robot: AnyRobot, q: ArrayLike) -> np.ndarray:
    """Return the mass matrix M(q), symmetric and positive definite.

    Parameters
    ----------
    robot : str, path, Robot or Model
        The name or file of a robot, a robot, or its model.
    q : array_like
        Configuration, shape (nq,), in the order of `model.q_names`.

    Returns
    -------
    ndarray
        Shape (nv, nv), in the order of `model.coordinates`.

    Examples
    --------
    >>> model = lissom.load("ella").compile()
    >>> lissom.mass_matrix(model, model.neutral()).shape == (model.nv, model.nv)
    True
    """
    model = as_model(robot)
    q = vector(model, q, "q", model.nq)
    number = number_type(model, q)
    M, v = np.empty((model.nv, model.nv), number), np.zeros(model.nv, number)
    if number is np.float64 and not model.arrays.tree.nodes.any():
        mass_by_columns(model.struct, model.workspace(), column_memory(model), q, v, M)
    else:
        composite_body.mass_matrix(model.struct, model.workspace(number), q.astype(number, copy=False), v, M)
    return finite(model, "mass_matrix", M, q=q)


def column_memory(model: Model) -> Struct:
    """Return this thread's memory of recursions that carry a column for every coordinate."""
    return model.cached("columns", lambda: Struct(make_columns(model.arrays)))
