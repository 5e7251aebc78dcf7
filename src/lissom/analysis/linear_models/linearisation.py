"""Linear models of small motions."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from lissom.analysis.equilibrium.equilibrium_state import Equilibrium
from lissom.analysis.equilibrium.loop_freedoms import independent
from lissom.analysis.equilibrium.steady_motion import elastic_velocities
from lissom.analysis.equilibrium.tangent_matrices import Loads, load_forces
from lissom.analysis.linear_models import signals
from lissom.analysis.linear_models.linear_model import LinearModel
from lissom.analysis.linear_models.sensor_outputs import StateDerivatives, output_matrices
from lissom.analysis.propeller_moment import warn_of_propeller_moments
from lissom.dynamics import derivatives, mass_matrix
from lissom.dynamics.coordinates import Named, along_coordinates, configuration, forces, rates
from lissom.dynamics.kinematic_loops.cylinder_pose import closed_pose
from lissom.dynamics.kinematic_loops.loop_kinematics import closed_loops, loop_jacobian
from lissom.dynamics.state_checks import Vector, Wrenches
from lissom.dynamics.state_derivatives import Derivatives
from lissom.errors import LissomError
from lissom.lie import so3
from lissom.model.any_robot import AnyRobot, model_for
from lissom.model.model import Model

UNDEFORMED = 1e-7  # m or rad: what a steady motion may deform a link without a word


def linearise(
    robot: AnyRobot,
    q: ArrayLike | Named | Equilibrium | None = None,
    v: ArrayLike | Named | None = None,
    tau: ArrayLike | Named | None = None,
    outputs: signals.Outputs | None = None,
    inputs: signals.Signals | None = None,
    wrenches: Wrenches | None = None,
    loads: Loads | None = None,
    lengths: Mapping[str, float] | None = None,
) -> LinearModel:
    """Return exact linear model of small motions about a state: `A, B = linearise(model, q, v, tau)`.

    Parameters
    ----------
    q : array_like, mapping or Equilibrium, optional
        Configuration (nq,), or {joint: value} with the rest neutral; or an `Equilibrium`, which brings its forces.
    v, tau : array_like or mapping, optional
        Velocities and forces (nv,), or {joint: value}; zero unless given. About a pose in gravity take the holding
        torques: `linearise(model, static_equilibrium(model, q))`.
    outputs : sequence of str, optional
        Names, see `lissom.analysis.linear_models.signals`: "elbow", "elbow.rate", "forearm.tip" or ("tip",
        "forearm"), "upper.deflection.z"; sensors, by their names in the robot's file or as objects of
        `lissom.model`. The whole state unless given.
    inputs : sequence of str, optional
        Joints (their motors), coordinates, or tips that forces act on; every motor unless given. The input of a
        prescribed joint is its acceleration.
    wrenches, loads : mapping of str to array_like, optional
        Constant external wrenches that turn with a link, or keep to the world's axes, as in `static_equilibrium`.
    lengths : mapping of str to float, optional
        Distance in metres of loops that hold one, where it is neither their own nor follows from q.

    Returns
    -------
    LinearModel
        A LinearModel: A, B, C, D with the names of states, inputs and outputs; `a` tells how far the state is from
        equilibrium. About a moving state (v not zero) it holds for deviations from the motion, at that instant.

    Examples
    --------
    >>> rest = lissom.static_equilibrium("ella", {"elbow": 0.5})
    >>> linear = lissom.linearise("ella", rest, outputs=["forearm.tip"], inputs=["elbow"])
    >>> linear.A.shape[0] == len(linear.states)
    True
    """
    model = model_for(robot, [key for key in loads or () if isinstance(key, tuple)], q)
    if isinstance(q, Equilibrium):
        if not (tau is None and wrenches is None and loads is None):
            raise LissomError(
                "an Equilibrium brings its own forces; leave out tau, wrenches, loads, or pass its q alone"
            )
        rest = q
        q, tau, wrenches, loads, lengths = rest.q, rest.tau, rest.wrenches, rest.loads, rest.lengths
        v = rest.v if v is None else v
    if model.loops:
        q = closed_pose(model, q, lengths).q
    q, v, tau, loads = configuration(model, q), rates(model, v), forces(model, tau), dict(loads or {})
    n = model.nv
    exact = derivatives(model, q, v, tau + load_forces(model, q, loads), wrenches)
    if np.any(v[: model.moving]) and not model.loops:
        _warn_of_undeformed_links(model, q, exact)
    warn_of_propeller_moments(model, q, v, stacklevel=2)
    # States (u, v): du/dt = v + carried, dv/dt = da/dq u + da/dv v + (loads that keep to the world's axes).
    A = np.zeros((2 * n, 2 * n))
    A[:n, :n], A[:n, n:] = _convective_rate(model, v), np.eye(n)
    A[n:, :n], A[n:, n:] = exact.q, exact.v
    if loads:
        A[n:, :n] += exact.tau @ along_coordinates(model, q, lambda z: load_forces(model, z, loads))
    if inputs is None:
        inputs = [model.coordinates[k] for k in model.actuated]
    of_actuators = {name for own in model.states for name in own.names}
    names, unit = signals.input_columns(model, q, signals.as_list(inputs))
    B = np.concatenate([np.zeros_like(unit), _accelerations(model, q, exact.tau, unit)])
    rates_of = (f"{name}.rate" if k < model.moving else name for k, name in enumerate(model.coordinates))
    states = tuple(model.coordinates) + tuple(rates_of)
    C, D, observed = np.eye(2 * n), np.zeros((2 * n, len(names))), states
    if outputs is not None:
        motion = StateDerivatives(model, q, v, exact.a, A, B, bool(loads or wrenches))
        C, D, observed = output_matrices(motion, signals.as_list(outputs))
    # Loops: coordinates that may be chosen freely are the states, the others follow them.
    if model.loops:
        chosen, spread = _closed_state_map(model, q, v)
        A, B, C, states = (A @ spread)[chosen], B[chosen], C @ spread, tuple(states[k] for k in chosen)
        if outputs is None:
            C, D, observed = np.eye(len(chosen)), D[chosen], states
    # States of actuators have no displacement beside them.
    if model.states:
        kept = [k for k, name in enumerate(states) if not (name in of_actuators and k < len(states) // 2)]
        A, B, C, states = A[np.ix_(kept, kept)], B[kept], C[:, kept], tuple(states[k] for k in kept)
        if outputs is None:
            C, D, observed = np.eye(len(kept)), D[kept], states
    return LinearModel(A, B, C, D, states, tuple(names), observed, q=q, v=v, tau=tau, a=exact.a, name=model.robot.name)


def _warn_of_undeformed_links(model: Model, q: Vector, exact: Derivatives) -> None:
    """Warn where links are undeformed although the motion deforms them: what tension stiffens is left out."""
    elastic = elastic_velocities(model)
    if not len(elastic) or np.any(q[np.asarray(model.arrays.velocities.coordinate)[elastic]]):
        return
    change = np.linalg.lstsq(exact.q[np.ix_(elastic, elastic)], -exact.a[elastic], rcond=None)[0]
    worst = int(np.argmax(np.abs(change)))
    if abs(change[worst]) > UNDEFORMED:
        warnings.warn(
            f"{model.robot.name}: links are undeformed, but this motion deforms them "
            f"({model.coordinates[elastic[worst]]} by {change[worst]:.3g} m or rad); what that stiffens is left out. "
            "Linearise about the steady motion: linearise(robot, *lissom.steady_motion(robot, q, v))",
            UserWarning,
            stacklevel=3,
        )


def _closed_state_map(model: Model, q: Vector, v: Vector) -> tuple[np.ndarray, np.ndarray]:
    """Return states that are free with loops closed (2 k,), and all states as functions of them (2 nv, 2 k)."""
    n = model.nv
    rest, Z = independent(model, q, np.arange(n))
    k = len(rest)
    spread = np.zeros((2 * n, 2 * k))
    spread[:n, :k] = spread[n:, k:] = Z
    if np.any(v):  # a displacement changes the rows that the nominal velocity must meet
        turned = along_coordinates(model, q, lambda z: loop_jacobian(model, z) @ v) @ Z
        others = np.setdiff1d(np.arange(n), rest)
        spread[n + others, :k] = -np.linalg.lstsq(loop_jacobian(model, q)[:, others], turned, rcond=None)[0]
    return np.concatenate([rest, n + rest]), spread


def _accelerations(model: Model, q: Vector, inverse_mass: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Return accelerations (nv, inputs) under unit forces; a prescribed coordinate takes an acceleration instead."""
    out = inverse_mass @ unit
    given = np.flatnonzero(model.arrays.velocities.prescribed)
    if len(given) and model.loops:
        still, units = np.zeros(model.nv), np.eye(model.nv)[given]
        at_rest = closed_loops(model, q, still).a
        out += np.stack([closed_loops(model, q, still, a=one).a - at_rest for one in units], axis=1) @ unit[given]
    elif len(given):
        reaction = -inverse_mass @ mass_matrix(model, q)[:, given]  # what its acceleration does to the free ones
        reaction[given] = np.eye(len(given))
        out += reaction @ unit[given]
    return out


def _convective_rate(model: Model, v: Vector) -> np.ndarray:
    """Return the rate of a displacement that the nominal motion carries along, (nv, nv).

    Zero for plain coordinates; a displacement along body axes turns with the body: for a nominal twist
    (omega, v) and a displacement (phi, rho), phi' = -omega x phi and rho' = -omega x rho - v x phi.
    """
    out = np.zeros((model.nv, model.nv))
    for link, body in zip(model.robot.bodies, model.bodies, strict=True):
        if link.joint.kind.on_group:
            at = body.joint_v.start
            turning = slice(at, at + 3)
            out[turning, turning] = -so3.hat(v[turning])
            if link.joint.kind.floats:
                translation = slice(at + 3, at + 6)
                out[translation, translation] = out[turning, turning]
                out[translation, turning] = -so3.hat(v[translation])
    return out
