"""What the drives of actuators make of their commands: limits, rates, currents that are regulated.

A command u to the state z, m dz/dt = u + f, reaches it as the effective command that is computed here. What remains
then is linear in the command, so that dynamics, their inverses and exports take effective commands as forces.
"""

from __future__ import annotations

from lissom.kernel.compile import inline
from lissom.kernel.data.arrays import Port, Regulation
from lissom.kernel.forces.actuator_laws import CONSTANT, RESISTANCE
from lissom.kernel.maths.elementary_functions import clamp


@inline
def effective_command(model, k, u, z, rate):
    """Return the effective command of state k, with the value z, of an actuator whose port has the given rate.

    A regulated drive applies the voltage R i + K omega + L di/dt that takes the current where it should be within
    `servo_time`, as far as its supply allows.
    """
    acts = model.actuators
    if acts.regulation[k] == Regulation.NONE:
        # what follows its command with the lag m may be no faster than its slew rate
        reach = acts.inertia[k] * acts.slew[k]
        return z + clamp(clamp(u, acts.lower[k], acts.upper[k]) - z, -reach, reach)
    p = acts.numbers[acts.owner[k]]
    held = p[RESISTANCE] * z + p[CONSTANT] * rate
    push = acts.inertia[k] / acts.servo_time[k]
    highest = held + push * (acts.peak[k] - z)
    lowest = held - push * (acts.peak[k] + z)
    wanted = u + 0.0 * held
    if acts.regulation[k] == Regulation.CURRENT:
        wanted = held + push * (u - z)
    return clamp(clamp(wanted, lowest, highest), acts.lower[k], acts.upper[k])


@inline
def port_rate(model, v, k):
    """Return the rate at the port of the actuator of state k, if that is a joint's; 0 elsewhere."""
    a = model.actuators.owner[k]
    rate = 0.0 * v[0]
    if model.actuators.port[a] == Port.JOINT:
        rate = model.actuators.ratio[a] * v[model.actuators.port_v[a]]
    return rate


@inline
def regulate(model, v, force, command):
    """Put effective commands in the places of commands in `force` (nv,), and keep those in `command` (states,)."""
    for k in range(model.actuators.state_v.shape[0]):
        at = model.actuators.state_v[k]
        command[k] = force[at]
        force[at] = effective_command(model, k, command[k], v[at], port_rate(model, v, k))


@inline
def command_slopes(model, k, u, z, rate):
    """Return the derivatives of `effective_command` by the command, the state and the rate of the port."""
    acts = model.actuators
    by_command, by_state, by_rate = 1.0, 0.0, 0.0
    if acts.regulation[k] == Regulation.NONE:
        reach = acts.inertia[k] * acts.slew[k]
        if not acts.lower[k] < u < acts.upper[k]:
            by_command = 0.0
        ahead = clamp(u, acts.lower[k], acts.upper[k]) - z
        if not -reach < ahead < reach:
            by_command, by_state = 0.0, 1.0
        return by_command, by_state, by_rate
    p = acts.numbers[acts.owner[k]]
    held = p[RESISTANCE] * z + p[CONSTANT] * rate
    push = acts.inertia[k] / acts.servo_time[k]
    wanted = u + 0.0 * held
    if acts.regulation[k] == Regulation.CURRENT:
        wanted = held + push * (u - z)
        by_command, by_state, by_rate = push, p[RESISTANCE] - push, p[CONSTANT]
    highest = held + push * (acts.peak[k] - z)
    lowest = held - push * (acts.peak[k] + z)
    if not lowest < wanted < highest:
        by_command, by_state, by_rate = 0.0, p[RESISTANCE] - push, p[CONSTANT]
    if not acts.lower[k] < clamp(wanted, lowest, highest) < acts.upper[k]:
        by_command, by_state, by_rate = 0.0, 0.0, 0.0
    return by_command, by_state, by_rate
