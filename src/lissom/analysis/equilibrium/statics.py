"""Static equilibrium: how an arm sags, and what holds it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

from numpy.typing import ArrayLike

from lissom.analysis.equilibrium.equilibrium_search import EquilibriumSearch
from lissom.analysis.equilibrium.equilibrium_state import Equilibrium
from lissom.analysis.equilibrium.held_coordinates import Hold, held_coordinates, refuse_held_forces
from lissom.analysis.equilibrium.tangent_matrices import Loads
from lissom.dynamics.coordinates import Named, configuration, forces
from lissom.dynamics.kinematic_loops.cylinder_pose import closed_pose, split_lengths
from lissom.dynamics.kinematic_loops.loop_closing import close_loops
from lissom.dynamics.state_checks import Vector, Wrenches
from lissom.errors import LissomError
from lissom.model.any_robot import AnyRobot, model_for
from lissom.model.model import Model


def static_equilibrium(
    robot: AnyRobot,
    q: ArrayLike | Named | None = None,
    tau: ArrayLike | Named | None = None,
    hold: Hold = "joints",
    wrenches: Wrenches | None = None,
    loads: Loads | None = None,
    lengths: Mapping[str, float] | None = None,
) -> Equilibrium:
    """Find the state of rest under gravity, springs and loads (Newton's method with the exact stiffness).

    Loops stay closed: what is not held moves so that they are, and their reactions are part of the result. Where
    Newton's method does not get there, loads grow step by step along the path of rest, past limit points.

    Parameters
    ----------
    q : array_like or mapping, optional
        Where held coordinates stand and where the search begins: (nq,), or {joint: value}; neutral unless given.
        Cylinders driven by length may be named like joints; with `hold="joints"` those that are not follow the
        joints that are.
    tau : array_like or mapping, optional
        Forces on coordinates that are not held, (nv,) or {joint: value}; zero unless given.
    hold : str or sequence of str
        "joints" keeps every joint at its angle in `q` (in loops those near the ground, which the others follow):
        links bend, and the rotor of an elastic joint winds up by the torque it transmits. "motors" keeps the rotors
        (and joints without one), so that elastic joints give way too. Or the names to hold, joints ("elbow") and
        rotors ("elbow.rotor"); () leaves all free. Prescribed joints are always held.
    wrenches : mapping of str to array_like, optional
        External wrenches by link name, (torque, force) at the link's origin in its axes, turning with it.
    loads : mapping, optional
        Wrenches (torque, force) in the world's axes, by link name at its tip or by (link, x).
    lengths : mapping of str to float, optional
        Distance in metres of loops that hold one, where it is not the robot's own.

    Returns
    -------
    Equilibrium
        An Equilibrium, or an error that says how far the loads could grow: what is returned is at rest. Free joints
        settle where the arm would come to rest, if they start off a balance point. Links bent beyond their range
        (`stiffening: exact` has none) and limit points that were passed are told by a warning and in `warnings`.

    Examples
    --------
    >>> rest = lissom.static_equilibrium("ella", {"elbow": 0.5})
    >>> print(rest)
    """
    places = [key for key in loads or () if isinstance(key, tuple) and len(key) == 2]
    model = model_for(robot, places, q)
    hold = hold if isinstance(hold, str) else tuple(hold)
    by_name = (("loads", loads, "{'hand': [0, 0, 0, 0, 0, -20]}"), ("lengths", lengths, "{'lift': 2.5}"))
    for name, given, example in by_name:
        if given is not None and not isinstance(given, Mapping):
            raise LissomError(f"must be given by name, such as {example}", (name,), given)
    closing = model.loops and hold == "joints"  # elsewhere the search closes them around what is held
    q, lengths = split_lengths(model, q, lengths)
    if closing and isinstance(q, Mapping):
        pose, lengths = closed_pose(model, q, lengths)
    else:
        pose = close_loops(model, q, lengths=lengths) if closing else configuration(model, q)
    if isinstance(tau, Mapping):
        refuse_held_forces(model, tau, held_coordinates(model, hold, pose, lengths))
    found = find_equilibrium(model, pose, forces(model, tau), hold, wrenches, loads, lengths)
    for doubt in found.warnings:
        warnings.warn(f"{model.robot.name}: {doubt}", StaticsWarning, stacklevel=2)
    return found


class StaticsWarning(UserWarning):
    """A state of rest that was found, but lies beyond what its model or its loads are good for."""


def find_equilibrium(
    model: Model,
    q: Vector,
    tau: Vector,
    hold: Hold = "joints",
    wrenches: Wrenches | None = None,
    loads: Loads | None = None,
    lengths: Mapping[str, float] | None = None,
) -> Equilibrium:
    """Find the equilibrium of a model at a closed configuration; warnings are in the result alone."""
    return EquilibriumSearch(model, q, tau, hold, wrenches, dict(loads or {}), dict(lengths or {})).equilibrium()
