"""The system as integrators see it: r(t, q, v, a) = inverse dynamics - applied forces - G^T lam = 0, and a(t, q, v).

The inverse dynamics hold what acts from outside: loads in time, elements, contacts. Loops add the rows G of what their
joints hold and the multipliers lam.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lissom.control.laws.control_kernel import control_forces, evaluate, law_scratch
from lissom.control.laws.law_tables import packed_law
from lissom.kernel.algorithms.articulated_body import forward_dynamics
from lissom.kernel.algorithms.complex_step import STEP, make_real, tangent_step
from lissom.kernel.algorithms.composite_body import mass_matrix
from lissom.kernel.algorithms.newton_euler import inverse_dynamics
from lissom.kernel.compile import Hidden, Pointer, Struct, inline, kernel
from lissom.kernel.forces.actuator_commands import regulate
from lissom.kernel.maths.algebra import cross, dot, quaternion_matrix, rotate_back, scale, store_vector, subtract
from lissom.model.model import Model
from lissom.simulation.equations.loop_projection import (
    loop_pointers,
    row_memory,
    run_closure,
    set_driven_rows,
    subtract_reactions,
)


class System(NamedTuple):
    """A model under control; all parts but the last are structs."""

    model: Any  # ModelStruct
    twin: Any  # ModelStruct of the rigid twin (the model itself where the law needs none)
    law: Any  # LawStruct
    motion_q: np.ndarray  # (np,) prescribed coordinates in q, those of groups apart
    motion_v: np.ndarray  # (np + ng,) and in v; then those of joints on a group
    motion_number: np.ndarray  # (np,) which number of the motion each one follows
    motion_group: np.ndarray  # (groups, 4) joints on a group: place in q, in v, first number, 1 where it floats
    motion_breaks: np.ndarray  # (p + 1,) the motion, a piecewise polynomial
    motion_coefficients: np.ndarray  # (p, numbers, 6)
    driven: np.ndarray  # (nd,) rows of loops whose value is given in time
    driven_breaks: np.ndarray  # (p + 1,) their values, a piecewise polynomial
    driven_coefficients: np.ndarray  # (p, nd, 6)
    held: np.ndarray  # (nv,) forces of a sampled controller, held between its samples
    load_row: np.ndarray  # (nl,) row on which a load acts
    load_entry: np.ndarray  # (nl,) which of the six entries of its wrench
    load_breaks: np.ndarray  # (l + 1,) the loads over time, a piecewise polynomial
    load_coefficients: np.ndarray  # (l, nl, 6)
    load_held: np.ndarray  # (nl,) loads of sampled functions, held between their samples
    forward: Any  # Pointer to forward_dynamics
    mass: Any  # Pointer to mass_matrix
    latest: np.ndarray  # (1,) references are read up to this time: just before the jump that ends a segment


class Scratch(NamedTuple):
    """Working vectors of one number type."""

    zero: Any
    inverse: Any  # Pointer to the inverse dynamics
    own: Any  # Hidden: memory of the inverse and forward dynamics, the workspace of the model for the kernel's
    frames: Any  # Hidden: workspace in which they leave frames and accelerations, which loops read
    work: Any  # WorkspaceStruct of the model
    q: np.ndarray  # (nq,)
    v: np.ndarray  # (nv,)
    a: np.ndarray  # (nv,)
    force: np.ndarray  # (nv,) applied forces
    residual: np.ndarray  # (nv,)
    wrench: np.ndarray  # (n, 6) external wrenches: the loads at the present time
    closure: Any  # Closure of the mass matrix
    loop_rows: Any  # Pointers
    constraint_violation: Any
    close: Any
    G: np.ndarray  # (rows, nv) of all loops at the state of the last residual
    lam: np.ndarray  # (rows,) multipliers
    row_rate: np.ndarray  # (rows,) rates of the rows, zero where loops stay closed
    given: np.ndarray  # (rows, 3) value, rate and acceleration that they are to have
    q1: np.ndarray  # (nq,) scratch of projections
    control: Any  # Struct of the LawScratch
    command: np.ndarray  # (states,) commands to actuators, as given


class Dynamics(NamedTuple):
    """Compiled equations of motion, with the arguments of the kernel's own."""

    inverse: Any
    forward: Any
    own: Struct | None = None  # what they take as their second argument, in place of the model's workspace
    force: np.ndarray | None = None  # (nv,) where they read the forces applied, if they do
    frames: Struct | None = None  # the kernel's workspace, where they fill one of their own for loops
    given: np.ndarray | None = None  # (loop rows, 3) where they read values, rates and accelerations given to loops


KERNEL = Dynamics(inverse_dynamics, forward_dynamics)


def make_scratch(
    model: Model, twin: Model, number: type, dynamics: Dynamics = KERNEL, law: Any = None, outside: Any = None
) -> Any:
    """Make scratch of the number type for a model, the rigid twin of its control law, and that law.

    Arguments: `dynamics` are the equations of motion of the model, `law` the tables of the law as kernels take them,
    `outside` its kernel where it is one from outside.
    """
    law = packed_law(None) if law is None else law
    if twin is model and dynamics is KERNEL and outside is None:
        key = ("scratch", number, law.kind, len(law.fields.kp))
        return model.cached(key, lambda: _new_scratch(model, twin, number, dynamics, law, outside))
    return _new_scratch(model, twin, number, dynamics, law, outside)


def _new_scratch(model: Model, twin: Model, number: type, dynamics: Dynamics, law: Any, outside: Any) -> Any:
    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape, number)

    work, wrench, q, v = model.workspace(number), zeros(model.rows, 6), zeros(model.nq), zeros(model.nv)
    # `own` is `work` itself where the kernel's inverse dynamics fill it: the Newton matrix may then read it
    own = Hidden(dynamics.own or (work if dynamics.inverse is inverse_dynamics else Struct(work.fields)))
    frames = own if dynamics.frames is None else Hidden(dynamics.frames)
    closure = run_closure(model, number)
    scratch = Scratch(
        zero=number(0),
        inverse=Pointer(dynamics.inverse, model.struct, own, q, v, v, wrench, v),
        own=own,
        frames=frames,
        work=work,
        q=q,
        v=v,
        a=zeros(model.nv),
        force=zeros(model.nv) if dynamics.force is None else dynamics.force,
        residual=zeros(model.nv),
        wrench=wrench,
        closure=closure,
        **loop_pointers(model, frames, closure, number),
        **row_memory(model, number, dynamics.given),
        q1=zeros(model.nq),
        control=law_scratch(law, outside, twin, number),
        command=zeros(len(model.arrays.actuators.state_v)),
    )
    return Struct(scratch)


def dynamics_pointers(model: Model, dynamics: Dynamics = KERNEL) -> dict[str, Pointer]:
    """Return pointers to the kernels that a System calls."""
    if dynamics is KERNEL:
        return model.cached("dynamics pointers", lambda: _new_pointers(model, dynamics))
    return _new_pointers(model, dynamics)


def _new_pointers(model: Model, dynamics: Dynamics) -> dict[str, Pointer]:
    work, q, v, M = model.workspace(), np.zeros(model.nq), np.zeros(model.nv), np.zeros((model.nv, model.nv))
    own, wrench = Hidden(dynamics.own or work), np.zeros((model.rows, 6))
    return {
        "forward": Pointer(dynamics.forward, model.struct, own, q, v, v, wrench, v),
        "mass": Pointer(mass_matrix, model.struct, work, q, v, M),
    }


@inline
def evaluate_vector(system, first, t):
    """Return three numbers of the motion from `first` on, their rates and accelerations."""
    x, xd, xdd = evaluate(system.motion_breaks, system.motion_coefficients, first, t)
    y, yd, ydd = evaluate(system.motion_breaks, system.motion_coefficients, first + 1, t)
    z, zd, zdd = evaluate(system.motion_breaks, system.motion_coefficients, first + 2, t)
    return (x, y, z), (xd, yd, zd), (xdd, ydd, zdd)


@kernel
def prescribe_group(system, joint, t, q, v, a):
    """Compute pose, twist and its rate of a joint on a group by its quaternion p (of any length) and position.

    omega = 2 vec(p* p') / |p|^2 and its rate 2 vec(p* p'') / |p|^2 - 2 (p . p') omega / |p|^2, both in body axes.
    """
    at = joint[0]
    to = joint[1]
    first = joint[2]
    w, wd, wdd = evaluate(system.motion_breaks, system.motion_coefficients, first, t)
    p, pd, pdd = evaluate_vector(system, first + 1, t)
    square = w * w + dot(p, p)
    size = square**0.5
    omega = scale(2.0 / square, subtract(subtract(scale(w, pd), scale(wd, p)), cross(p, pd)))
    norm_rate = 2.0 * (w * wd + dot(p, pd)) / square
    alpha = scale(2.0 / square, subtract(subtract(scale(w, pdd), scale(wdd, p)), cross(p, pdd)))
    alpha = subtract(alpha, scale(norm_rate, omega))
    q[at] = w / size
    store_vector(q[at + 1 : at + 4], scale(1.0 / size, p))
    store_vector(v[to : to + 3], omega)
    store_vector(a[to : to + 3], alpha)
    if joint[3] == 1:
        R = quaternion_matrix(w / size, p[0] / size, p[1] / size, p[2] / size)
        place, rate, acceleration = evaluate_vector(system, first + 4, t)
        v_body = rotate_back(R, rate)
        store_vector(q[at + 4 : at + 7], place)
        store_vector(v[to + 3 : to + 6], v_body)
        store_vector(a[to + 3 : to + 6], subtract(rotate_back(R, acceleration), cross(omega, v_body)))


@inline
def prescribe(system, t, q, v, a):
    """Put the prescribed motion at time t into q, v, a."""
    t = min(t, system.latest[0])
    for k in range(system.motion_q.shape[0]):
        r, rd, rdd = evaluate(system.motion_breaks, system.motion_coefficients, system.motion_number[k], t)
        q[system.motion_q[k]] = r
        v[system.motion_v[k]] = rd
        a[system.motion_v[k]] = rdd
    for g in range(system.motion_group.shape[0]):
        prescribe_group(system, system.motion_group[g], t, q, v, a)


@kernel
def applied_forces(system, scratch, t, q, v, force):
    """Compute forces of the controller, continuous and sampled, at the state (q, v); loads go to scratch.wrench.

    Commands of actuators become effective ones; what was commanded stays in scratch.command.
    """
    t = min(t, system.latest[0])
    for k in range(system.load_row.shape[0]):
        load, _, _ = evaluate(system.load_breaks, system.load_coefficients, k, t)
        scratch.wrench[system.load_row[k], system.load_entry[k]] = scratch.zero + load + system.load_held[k]
    for k in range(force.shape[0]):
        force[k] = scratch.zero + system.held[k]
    set_driven_rows(system, t, scratch.given)
    control_forces(system.law, system.twin, scratch.control, t, q, v, force)
    regulate(system.model, v, force, scratch.command)


@kernel
def residual(system, scratch, t, q, v, a, out):
    """Compute out = ID(q, v, a) - tau - G^T lam, zero where (q, v, a) obeys the equations of motion.

    Rows of prescribed coordinates are zero. The multipliers are those of `scratch`.
    """
    applied_forces(system, scratch, t, q, v, scratch.force)
    scratch.inverse(system.model, scratch.own, q, v, a, scratch.wrench, out)
    for k in range(out.shape[0]):
        out[k] -= scratch.force[k]
    if scratch.lam.shape[0] > 0:
        subtract_reactions(system, scratch, t, v, out)
    for k in range(system.motion_v.shape[0]):
        out[system.motion_v[k]] = scratch.zero


@kernel
def acceleration(system, scratch, t, q, v, a):
    """Compute a(t, q, v) by forward dynamics, loops closed; prescribed entries of q and v are those of their motion."""
    prescribe(system, t, q, v, a)
    applied_forces(system, scratch, t, q, v, scratch.force)
    system.forward(system.model, scratch.own, q, v, scratch.force, scratch.wrench, a)
    if scratch.lam.shape[0] > 0:
        set_driven_rows(system, t, scratch.closure.given)
        scratch.close(system.model, scratch.frames, scratch.closure, a)


@kernel
def mass_part(system, scratch, q, v, M):
    """Compute the mass matrix at q; rows and columns of prescribed coordinates are those of the unit matrix."""
    n = v.shape[0]
    system.mass(system.model, scratch.work, q, v, M)
    for k in range(system.motion_v.shape[0]):
        p = system.motion_v[k]
        for j in range(n):
            M[j, p] = 0.0
            M[p, j] = 0.0
        M[p, p] = 1.0


@kernel
def linear_parts(system, scratch, scratch_c, t, q, v, a, M, C, K):
    """Compute M, and exact derivatives C = dr/dv, K = dr/du of the residual at (q, v, a), entry [row, coordinate]."""
    n = v.shape[0]
    mass_part(system, scratch, q, v, M)
    for k in range(q.shape[0]):
        scratch_c.q[k] = q[k]
    for k in range(n):
        scratch_c.v[k] = v[k]
        scratch_c.a[k] = a[k]
    h = STEP * 1j
    for k in range(n):
        tangent_step(system.model, k, scratch_c.q, h)
        residual(system, scratch_c, t, scratch_c.q, scratch_c.v, scratch_c.a, scratch_c.residual)
        make_real(system.model, k, scratch_c.q)
        for j in range(n):
            K[j, k] = scratch_c.residual[j].imag / STEP
    for k in range(n):
        scratch_c.v[k] += h
        residual(system, scratch_c, t, scratch_c.q, scratch_c.v, scratch_c.a, scratch_c.residual)
        scratch_c.v[k] = scratch_c.v[k].real
        for j in range(n):
            C[j, k] = scratch_c.residual[j].imag / STEP
    for k in range(system.motion_v.shape[0]):
        p = system.motion_v[k]
        for j in range(n):
            C[j, p] = 0.0
            K[j, p] = 0.0
