"""The Newton matrix of the closed loop by its local parts: links, joints, gears, and the gains of a control law."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom.control.laws.control_kernel import Gain
from lissom.kernel.compile import Hidden, Struct, address, inline, kernel
from lissom.kernel.data.arrays import Port
from lissom.kernel.forces.actuator_commands import command_slopes, port_rate
from lissom.kernel.implicit.actuator_stiffness import actuator_slopes
from lissom.kernel.implicit.link_stiffness import joint_stiffness, link_stiffness
from lissom.kernel.implicit.local_stiffness import keep_frames, make_local
from lissom.kernel.links.geometric_stiffness import clear_turns, turn_stiffness
from lissom.model.model import Model
from lissom.simulation.equations.newton import KEPT, TENSE
from lissom.simulation.equations.system import KERNEL, applied_forces


def local_memory(model: Model) -> Any:
    """Return memory for the local parts at one configuration, as kernels take it."""
    work = model.new_workspace()
    if np.any(model.arrays.tree.nodes):
        from lissom.kernel.links.exact_link_stiffness import exact_stiffness

        work.fields.indirect[3] = address(exact_stiffness, model.struct, work, np.float64)
    if model.states:
        from lissom.kernel.implicit.actuator_stiffness import law_slopes

        work.fields.indirect[6] = address(law_slopes, model.struct, work, np.float64)
    return Struct(make_local(model.arrays, work, model.nq))


def stage_scratch(scratch: Any, local: Any) -> tuple[Any, int]:
    """Return Scratch whose residuals leave inverse dynamics in the workspace of `local`, if they are the kernel's.

    Returns it with 1 where they are.
    """
    if scratch.fields.inverse.kernel is not KERNEL.inverse:  # another formulation leaves something else there
        return scratch, 0
    memory = {name: np.zeros_like(getattr(scratch.fields, name)) for name in ("G", "lam", "row_rate", "given")}
    own = Hidden(local.fields.work)
    return Struct(scratch.fields._replace(own=own, frames=own, **memory)), 1


@kernel
def linearise(system, scratch, local, t, seen, stiffen):
    """Fill the local parts at time t and the state (local.q, local.v, local.a).

    `seen`: 1 where the workspace holds the inverse dynamics of this state already; `stiffen`: KEPT where stiffness and
    damping of bodies stay as they are in the workspace, SLACK where turns of bodies count for nothing, or TENSE.
    """
    model = system.model
    if seen == 0:
        scratch.control.inverse(model, local.work, local.q, local.v, local.a, scratch.wrench, local.force)
    keep_frames(model, local)
    if stiffen != KEPT:
        link_stiffness(model, local.work, local.q, local.v)
        clear_turns(model, local.work)
    if stiffen == TENSE:
        turn_stiffness(model, local.work)
    joint_stiffness(model, local.q, local.v, local.stiffness, local.damping, local.winding, local.slipping)
    if model.actuators.kind.shape[0] > 0:
        actuator_slopes(model, local)
    add_gains(system, scratch, local, t)


@inline
def add_gains(system, scratch, local, t):
    """Compute gains of a law that measures the coordinate it drives, or the joint behind the rotor it drives.

    A saturated force has none. What a law computes from a model of the arm is left out.
    """
    law = system.law
    for k in range(local.gear_stiffness.shape[0]):
        local.gear_stiffness[k] = 0.0
        local.gear_damping[k] = 0.0
    states = system.model.actuators.state_v.shape[0]
    if law.force.shape[0] + states == 0:
        return
    applied_forces(system, scratch, t, local.q, local.v, local.force)
    for k in range(states):
        add_regulation(system.model, scratch, local, k)
    for k in range(law.force.shape[0]):
        driven = law.force[k]
        measured = law.measured_v[k]
        if law.gain[k] != Gain.STIFFNESS or not law.lower[k] < local.force[driven] < law.upper[k]:
            continue
        gear = local.gear_of[measured]
        state = system.model.actuators.state_at[driven]
        if state >= 0:
            add_command_gains(system.model, scratch, local, state, measured, law.kp[k], law.kd[k])
        elif driven == measured:
            local.stiffness[driven] += law.kp[k]
            local.damping[driven] += law.kd[k]
        elif gear >= 0 and system.model.gears.rotor_v[gear] == driven:
            local.gear_stiffness[gear] += law.kp[k]
            local.gear_damping[gear] += law.kd[k]


@inline
def add_regulation(model, scratch, local, k):
    """Add what a drive makes of its command to the slopes of state k: the command changes with state and rate."""
    a = model.actuators.owner[k]
    row = k - model.actuators.states[a, 0]
    z = local.v[model.actuators.state_v[k]]
    _, by_state, by_rate = command_slopes(model, k, scratch.command[k], z, port_rate(model, local.v, k))
    local.state_zz[a, row, row] -= by_state
    local.state_zv[a, row] -= model.actuators.ratio[a] * by_rate


@inline
def add_command_gains(model, scratch, local, k, measured, kp, kd):
    """Add the gains of a law that commands state k of an actuator and measures the coordinate on which this works."""
    a = model.actuators.owner[k]
    if model.actuators.port[a] != Port.JOINT or model.actuators.port_v[a] != measured:
        return
    z = local.v[model.actuators.state_v[k]]
    share, _, _ = command_slopes(model, k, scratch.command[k], z, port_rate(model, local.v, k))
    local.state_zq[a, k - model.actuators.states[a, 0]] += share * kp
    local.state_zv[a, k - model.actuators.states[a, 0]] += share * kd
