"""Forces that joints produce by themselves: damping, friction, springs, soft stops, elastic transmissions.

All are smooth functions, so that derivatives exist everywhere and every number type can evaluate them. A spring may
have a curve, pieces of polynomials that meet with equal force and slope.
"""

from __future__ import annotations

from lissom.kernel.compile import inline, kernel
from lissom.kernel.data.arrays import POWERS
from lissom.kernel.links.exact_link import exact_dissipation
from lissom.kernel.maths.elementary_functions import clamp, tanh

# of the terms c^(j + 1) of a piece: their values, means from 0 to c and derivatives, over c^(j + 1), c^(j + 1) and c^j
RISE = (1.0,) * POWERS
MEAN = tuple(1.0 / (j + 2.0) for j in range(POWERS))
STEEPNESS = tuple(j + 1.0 for j in range(POWERS))


@inline
def contact(x, width):
    """Return a smooth unit step of the penetration `x`, from 0 to 1 over about `width`."""
    return 0.5 * (1.0 + tanh(x / width))


@inline
def stop_force(x, stiffness, width):
    """Return the force of a stop with potential 1/2 stiffness rho^2, rho = x contact(x)."""
    on = contact(x, width)
    slope = on + 2.0 * x / width * on * (1.0 - on)
    return stiffness * x * on * slope


@inline
def stop_energy(x, stiffness, width):
    """Return the potential 1/2 stiffness rho^2 of a stop."""
    rho = x * contact(x, width)
    return 0.5 * stiffness * rho * rho


@inline
def dry_friction(passive, k, rate):
    """Return Coulomb friction and what Stribeck's curve adds near rest, of row k at its `rate`.

    (coulomb + stick / (1 + (rate/stick_speed)^2)) tanh(rate / coulomb_speed).
    """
    slow = rate / passive.stick_speed[k]
    return (passive.coulomb[k] + passive.stick[k] / (1.0 + slow * slow)) * tanh(rate / passive.coulomb_speed[k])


@inline
def dry_slope(passive, k, rate):
    """Return the derivative of `dry_friction` by the rate."""
    slow = rate / passive.stick_speed[k]
    share = 1.0 / (1.0 + slow * slow)
    slip = tanh(rate / passive.coulomb_speed[k])
    rising = (passive.coulomb[k] + passive.stick[k] * share) * (1.0 - slip * slip) / passive.coulomb_speed[k]
    return rising - passive.stick[k] * 2.0 * slow * share * share / passive.stick_speed[k] * slip


@inline
def gear_slope(gears, k, rate):
    """Return the derivative of a gear's torque by the rate of its stretch."""
    slip = tanh(rate / gears.hysteresis_speed[k])
    return gears.damping[k] + gears.hysteresis[k] * (1.0 - slip * slip) / gears.hysteresis_speed[k]


@inline
def within_piece(passive, k, x):
    """Return how far the stretch x has come within piece k of a curve."""
    return clamp(x - passive.piece_at[k], passive.piece_lower[k], passive.piece_upper[k])


@inline
def piece_sum(passive, k, c, weights):
    """Return sum_j weights[j] slopes[j] c^j of piece k, by Horner's rule."""
    total = 0.0 * c
    for j in range(POWERS - 1, -1, -1):
        total = total * c + weights[j] * passive.piece_slopes[k, j]
    return total


@inline
def curve_force(passive, pieces, x):
    """Return the force of a spring's curve at the stretch x: its start, and what each piece adds up to x."""
    force = 0.0 * x
    for k in range(pieces[0], pieces[1]):
        c = within_piece(passive, k, x)
        force = force + piece_sum(passive, k, c, RISE) * c
    if pieces[1] > pieces[0]:
        force = force + passive.piece_value[pieces[0]]
    return force


@inline
def curve_energy(passive, pieces, x):
    """Return the integral of `curve_force` from zero to the stretch x."""
    energy = 0.0 * x
    for k in range(pieces[0], pieces[1]):
        c = within_piece(passive, k, x)
        energy = energy + (piece_sum(passive, k, c, MEAN) * c + passive.piece_value[k]) * c
    return energy


@inline
def curve_slope(passive, pieces, x):
    """Return the derivative of `curve_force` by the stretch x: that of the piece where x is."""
    slope = 0.0
    for k in range(pieces[0], pieces[1]):
        c = x - passive.piece_at[k]
        if passive.piece_lower[k] <= c < passive.piece_upper[k]:
            slope += piece_sum(passive, k, c, STEEPNESS)
    return slope


@kernel
def passive_forces(model, q, v, force):
    """Add the passive forces of all joints and transmissions to `force` (nv,)."""
    passive = model.passive
    gears = model.gears
    # joints: damping, friction, spring, stops
    for k in range(passive.v.shape[0]):
        at_v = passive.v[k]
        at_q = passive.q[k]
        rate = v[at_v]
        f = -passive.viscous[k] * rate - dry_friction(passive, k, rate)
        if at_q >= 0:
            stretch = q[at_q] - passive.spring_rest[k]
            f -= passive.spring[k] * stretch + curve_force(passive, passive.pieces[k], stretch)
            if passive.has_stop[k] == 1:
                above = q[at_q] - passive.upper[k]
                below = passive.lower[k] - q[at_q]
                width = passive.stop_width[k]
                f += stop_force(below, passive.stop_stiffness[k], width)
                f -= stop_force(above, passive.stop_stiffness[k], width)
                f -= passive.stop_damping[k] * rate * (contact(above, width) + contact(below, width))
        force[at_v] += f
    # elastic transmissions
    for k in range(gears.rotor_v.shape[0]):
        torque = gear_torque(model, k, q, v)
        force[gears.joint_v[k]] += torque
        force[gears.rotor_v[k]] -= torque


@inline
def gear_torque(model, k, q, v):
    """Return the torque of transmission k on its joint: spring, damper and friction between rotor and link.

    The friction has the sign of the stretch's rate: torque over stretch becomes a loop, as of a harmonic drive.
    """
    gears = model.gears
    stretch = q[gears.rotor_q[k]] - q[gears.joint_q[k]]
    rate = v[gears.rotor_v[k]] - v[gears.joint_v[k]]
    curve = curve_force(model.passive, gears.pieces[k], stretch)
    loop = gears.hysteresis[k] * tanh(rate / gears.hysteresis_speed[k])
    return gears.stiffness[k] * stretch + curve + gears.damping[k] * rate + loop


@kernel
def passive_energy(model, q, zero):
    """Return the potential energy stored in springs, stops and transmissions."""
    passive = model.passive
    gears = model.gears
    energy = zero
    for k in range(passive.v.shape[0]):
        at_q = passive.q[k]
        if at_q >= 0:
            stretch = q[at_q] - passive.spring_rest[k]
            energy += 0.5 * passive.spring[k] * stretch * stretch
            energy += curve_energy(passive, passive.pieces[k], stretch)
            if passive.has_stop[k] == 1:
                width = passive.stop_width[k]
                energy += stop_energy(q[at_q] - passive.upper[k], passive.stop_stiffness[k], width)
                energy += stop_energy(passive.lower[k] - q[at_q], passive.stop_stiffness[k], width)
    for k in range(gears.rotor_v.shape[0]):
        stretch = q[gears.rotor_q[k]] - q[gears.joint_q[k]]
        energy += 0.5 * gears.stiffness[k] * stretch * stretch
        energy += curve_energy(passive, gears.pieces[k], stretch)
    return energy


@kernel
def dissipation(model, q, v, zero):
    """Return the power lost in joints, transmissions and links, in watt."""
    passive = model.passive
    gears = model.gears
    tree = model.tree
    strain = model.strain
    power = zero
    # joints
    for k in range(passive.v.shape[0]):
        rate = v[passive.v[k]]
        at_q = passive.q[k]
        power += passive.viscous[k] * rate * rate
        power += rate * dry_friction(passive, k, rate)
        if at_q >= 0 and passive.has_stop[k] == 1:
            width = passive.stop_width[k]
            on = contact(q[at_q] - passive.upper[k], width) + contact(passive.lower[k] - q[at_q], width)
            power += passive.stop_damping[k] * rate * rate * on
    # transmissions
    for k in range(gears.rotor_v.shape[0]):
        slip = v[gears.rotor_v[k]] - v[gears.joint_v[k]]
        power += gears.damping[k] * slip * slip
        power += gears.hysteresis[k] * slip * tanh(slip / gears.hysteresis_speed[k])
    # links: etadot^T D etadot, and the damping of cubic terms
    for i in range(1, tree.parent.shape[0]):
        eta = tree.modes_q[i]
        rate = tree.modes_v[i]
        if tree.nodes[i] > 0:
            power += exact_dissipation(model, i, q, v, zero)
        for j in range(tree.modes[i]):
            for k in range(tree.modes[i]):
                power += v[rate + j] * strain.damping[i, j, k] * v[rate + k]
        for term in range(strain.cubic_start[i], strain.cubic_start[i + 1]):
            a = strain.cubic_modes[term, 0]
            b = strain.cubic_modes[term, 1]
            c = strain.cubic_modes[term, 2]
            power += (
                2.0
                * strain.cubic_damping[term]
                * (
                    q[eta + a] * v[rate + b] * v[rate + c]
                    + v[rate + a] * q[eta + b] * v[rate + c]
                    + v[rate + a] * v[rate + b] * q[eta + c]
                )
            )
    return power
