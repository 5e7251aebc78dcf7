"""States whose loops are closed: given joints are kept, the rest moves until the loops close.

Joints move before links bend: modes weigh much more than joints, in Newton's method for loops as in every correction.

The rows of the kernel are zero too where a joint is assembled the wrong way round: an axis reversed, the axes of a weld
exchanged (120 degrees), a thread half a turn off. Far from closed, the search therefore takes the angles themselves,
which are zero only where the joint is as described (`loop_angles`).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from lissom.dynamics.coordinates import Named, configuration, indices, velocity_indices
from lissom.dynamics.kinematic_loops.loop_angles import angle_rows, angles_off
from lissom.dynamics.kinematic_loops.loop_kinematics import loop_gaps, loop_jacobian
from lissom.dynamics.state_checks import Vector, integrate
from lissom.errors import LissomError
from lissom.messages import listed
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.model import Model

NEAR = ".near"  # behind the name of a joint whose value is about what is given
CLOSED = 1e-12  # m or rad
ITERATIONS = 60
STIFF = 1e-4  # how far a mode moves for a joint's 1
LARGEST_TURN = 0.4  # rad or m, in one iteration
SINGULAR = 1e-9  # of the rows' Jacobian, relative
NUDGE = 0.01  # rad or m
TRIES = 40  # starts of the joints that are not kept, where the given one leads nowhere
BENT = 0.01  # of its length: a link that bends by more for a loop to close is told
ASSEMBLED = 0.5  # rad: a joint turned by less is near how it is described, so its rows have no other zero near
TURNED = np.pi / 2  # rad: a start that is turned by more is told


class LoopWarning(UserWarning):
    """Loops that were closed, but far from where they began."""


def close_loops(
    robot: AnyRobot,
    q: ArrayLike | Named | None = None,
    keep: Iterable[str] | None = None,
    lengths: Mapping[str, float] | None = None,
) -> Vector:
    """Find the configuration (nq,) near `q` at which all loops are closed.

    Parameters
    ----------
    q : array_like or mapping, optional
        (nq,) or {joint: value}; where the search begins, neutral unless given. A name ending in ".near" says where
        a joint is about ("elbow.near").
    keep : iterable of str, optional
        Names of joints, coordinates or links that do not move; those that `q` names by themselves unless given.
    lengths : mapping of str to float, optional
        Distance in metres of loops that hold one, where it is not the robot's own.

    Returns
    -------
    array
        The configuration, every joint assembled as it is described; a start that is turned by more than 90 degrees
        is told by a warning. An error names the loop that cannot close, its gap, and what to free.

    Examples
    --------
    >>> q = lissom.close_loops("five-bar")
    """
    model = as_model(robot)
    named: tuple[str, ...] = ()
    if isinstance(q, Mapping):
        if any(not isinstance(name, str) for name in q):
            raise LissomError("must be values by names of joints", ("q",), q)
        named = tuple(name for name in q if not name.endswith(NEAR))
        q = {name.removesuffix(NEAR): value for name, value in q.items()}
    kept = {k for name in (named if keep is None else keep) for k in velocity_indices(model, name)}
    return closed_configuration(model, configuration(model, q), kept, lengths)


def closed_configuration(
    model: Model,
    q: Vector,
    keep: set[int],
    lengths: Mapping[str, float] | None = None,
    leave: Iterable[str] = (),
) -> Vector:
    """Close loops as `close_loops` does; `keep` holds indices in v. Prescribed joints are kept too.

    Loops in `leave` stay as open as they come. A link that has to bend by more than a hundredth of its length is told.
    """
    fixed = keep | set(np.flatnonzero(model.arrays.velocities.prescribed).tolist())
    free = np.array([k for k in range(model.nv) if k not in fixed], np.int64)
    joints = {k for body in model.bodies for k in indices(body.joint_v)}
    turning = np.array([k for k in free if k in joints], np.int64)
    bending = np.array([k for k in free if k not in joints], np.int64)
    search = _ClosingSearch(model, lengths or {}, leave)
    best, gap = search.closed(_apart(model, q, turning), turning, bending)
    rng = np.random.default_rng(0)
    for _ in range(TRIES):
        if gap <= CLOSED or not len(turning):
            break
        step = np.zeros(model.nv)
        step[turning] = rng.uniform(-np.pi, np.pi, len(turning))
        other, left = search.closed(integrate(model, q, step), turning, bending)
        if left < gap:
            best, gap = other, left
    if gap > CLOSED:
        raise _cannot_close(model, search, best, fixed & joints)
    for loop, angle in zip(model.loops, angles_off(model, q), strict=True):
        if angle > TURNED:
            text = (
                f"loops.{loop.name} starts turned by {np.degrees(angle):.0f} degrees against how its joint is described"
            )
            warnings.warn(f"{text}; it was closed as described: check where it starts", LoopWarning, stacklevel=3)
    _tell_bending(model, q, best, fixed & joints)
    return move_rotors(model, q, best, fixed)


def _tell_bending(model: Model, before: Vector, after: Vector, kept: set[int]) -> None:
    """Warn of links that had to bend far for the loops to close."""
    for body in model.bodies:
        if body.link not in model.flexible or np.array_equal(before[body.modes_q], after[body.modes_q]):
            continue
        beam = model.flexible[body.link]
        tips = [beam.pose(beam.length, np.real(q[body.modes_q]))[:3, 3] for q in (before, after)]
        share = np.linalg.norm(tips[1] - tips[0]) / beam.length
        if share > BENT:
            names = [other.joint for other in model.bodies if kept & set(indices(other.joint_v))]
            free = f"free {listed(names)}, or " if names else ""
            text = f"loops close only by bending {body.link} by {share:.0%} of its length; {free}give other lengths"
            warnings.warn(f"{text}: of cylinders by name, as of joints", LoopWarning, stacklevel=4)


def _apart(model: Model, q: Vector, turning: np.ndarray) -> Vector:
    """Move joints a little where both ends of a length coincide: it has no direction there."""
    if np.all(np.isfinite(loop_jacobian(model, q))):
        return q
    step = np.zeros(model.nv)
    step[turning] = NUDGE
    return integrate(model, q, step)


def closed_velocity(model: Model, q: Vector, v: Vector, keep: set[int], given: Vector | None = None) -> Vector:
    """Return velocities (nv,) near `v` that keep loops closed; those with indices in `keep`, and prescribed, stay."""
    fixed = keep | set(np.flatnonzero(model.arrays.velocities.prescribed).tolist())
    free = np.array([k for k in range(model.nv) if k not in fixed], np.int64)
    G = loop_jacobian(model, q)
    miss = G @ v - (0.0 if given is None else given)
    weight = move_weights(model)[free]
    out = v.copy()
    out[free] -= weight * _least(G[:, free] * weight, miss)
    left = np.abs(G @ out - (0.0 if given is None else given))
    if left.max(initial=0.0) > 1e-9 * max(1.0, np.abs(v).max(initial=0.0)):
        row = int(np.argmax(left))
        names = [loop.name for loop in model.loops for _ in loop.held]
        raise LissomError(
            f"loops.{names[row]} cannot stay closed with the given velocities: it opens by {left[row]:.3g} per second; "
            "give fewer rates, the rest is found"
        )
    return out


def length_gaps(model: Model, lengths: Mapping[str, float]) -> Vector:
    """Return values (rows,) that the rows are to have where loops hold a distance other than their own; else zero."""
    table, wanted = model.arrays.loops, np.zeros(len(model.arrays.loops.hold))
    for k, loop in enumerate(model.loops):
        if loop.name in lengths:
            wanted[table.rows[k, 0]] = lengths[loop.name] - np.real(table.level[table.rows[k, 0]])
    return wanted


class _ClosingSearch:
    """Newton's method on the gaps of the rows."""

    def __init__(self, model: Model, lengths: Mapping[str, float], leave: Iterable[str] = ()) -> None:
        self.model, self.weights, self.wanted = model, move_weights(model), length_gaps(model, lengths)
        left = set(leave)
        self.held = np.array([loop.name not in left for loop in model.loops for _ in loop.held], float)

    def gaps(self, q: Vector) -> Vector:
        return self.held * (loop_gaps(self.model, q) - self.wanted)

    def closed(self, q: Vector, turning: np.ndarray, bending: np.ndarray) -> tuple[Vector, float]:
        """Return the best configuration found from `q` and its gap: by joints alone, else by modes too."""
        best, gap = self._newton(q, turning)
        if gap > CLOSED and len(bending):
            other, left = self._newton(best, np.concatenate([turning, bending]))
            if left < gap:
                return other, left
        return best, gap

    def _newton(self, q: Vector, free: np.ndarray) -> tuple[Vector, float]:
        g = self.gaps(q)
        size = np.abs(g).max(initial=0.0)
        if not len(free):
            return q, size
        for _ in range(ITERATIONS):
            off = angles_off(self.model, q)
            if size <= 0.1 * CLOSED and off.max(initial=0.0) <= ASSEMBLED:
                break
            turned = np.flatnonzero(off > ASSEMBLED)
            left, G = g, self.held[:, None] * loop_jacobian(self.model, q)
            if len(turned):
                left, G = angle_rows(self.model, q, turned, left, G)
            weight = self.weights[free]
            step = np.zeros(self.model.nv)
            step[free] = -weight * _least(G[:, free] * weight, left)
            largest = np.abs(step).max()
            factor = min(1.0, LARGEST_TURN / largest) if largest > 0 else 1.0
            for _ in range(12):
                moved = integrate(self.model, q, factor * step)
                after = self.gaps(moved)
                there = angle_rows(self.model, moved, turned, after)[0] if len(turned) else after
                if np.linalg.norm(there) < np.linalg.norm(left):
                    break
                factor /= 2
            else:
                break
            q, g, size = moved, after, np.abs(after).max()
        return (q, size) if angles_off(self.model, q).max(initial=0.0) <= ASSEMBLED else (q, max(size, 1.0))


def _least(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the least x with A x = b, as far as there is one."""
    try:
        return np.linalg.lstsq(A, b, rcond=SINGULAR)[0]
    except np.linalg.LinAlgError:
        raise LissomError(
            "the loops cannot be closed: sizes of the robot are beyond what numbers can tell apart"
        ) from None


def move_weights(model: Model) -> np.ndarray:
    """Return how far each coordinate moves for a joint's 1, (nv,): joints move before links bend."""
    weights = np.full(model.nv, STIFF)
    for body in model.bodies:
        weights[body.joint_v] = 1.0
    return weights


def move_rotors(model: Model, before: Vector, after: Vector, fixed: set[int]) -> Vector:
    """Let rotors go with their joints."""
    for body in model.bodies:
        if body.rotor_q is not None and body.rotor_v not in fixed:
            after[body.rotor_q] = before[body.rotor_q] + after[body.joint_q.start] - before[body.joint_q.start]
    return after


def _cannot_close(model: Model, search: _ClosingSearch, q: Vector, kept: set[int]) -> LissomError:
    gaps, table = np.abs(search.gaps(q)), model.arrays.loops
    by_loop = [gaps[slice(*rows)].max(initial=0.0) for rows in table.rows]
    worst = int(np.argmax(by_loop))
    loop = model.loops[worst]
    if by_loop[worst] <= CLOSED:
        text = (
            f"loops.{loop.name} closes only with its axes turned round; start its joints nearer to how it is assembled"
        )
        return LissomError(text)
    way = links_around(model, worst)
    held = [body.joint for body in model.bodies if body.link in way and kept & set(indices(body.joint_v))]
    remedy = f"free {listed(held)}, or " if held else ""
    return LissomError(
        f"loops.{loop.name} cannot be closed: its gap is still {by_loop[worst]:.3g} m or rad; {remedy}check lengths, "
        "origins and the direction of its axes"
    )


def links_around(model: Model, loop: int) -> set[str]:
    """Return links on the way around a loop."""
    table, tree, found = model.arrays.loops, model.arrays.tree, set()
    for row in (int(table.first[loop]), int(table.second[loop])):
        while row != table.common[loop]:
            if 0 < row <= len(model.links):
                found.add(model.links[row - 1])
            row = int(tree.parent[row])
    return found
