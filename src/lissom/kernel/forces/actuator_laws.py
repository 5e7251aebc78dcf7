"""Laws of actuators: effort, rates of states and energies from the place and rate of the port and from the states.

Every law returns (effort, f0, f1, f2, power, stored, lost). The effort acts on the port, states obey m dz/dt = u + f
with the command u on one of them. Power put in besides the command times a powered state, energy stored and power lost
balance:

    u z + power = d stored/dt + lost + effort * rate.
"""

from __future__ import annotations

from lissom.kernel.compile import inline
from lissom.kernel.data.arrays import Drive
from lissom.kernel.forces.element_forces import smooth_positive_part
from lissom.kernel.forces.hydraulic_law import hydraulic_law
from lissom.kernel.maths.elementary_functions import above, clamp, tanh

GAIN, ONE_SIDED = range(2)  # numbers of an effort
# numbers of a motor
CONSTANT, RESISTANCE, INDUCTANCE, COULOMB, COULOMB_SPEED, VISCOUS, EFFICIENCY, TURNOVER = range(8)
STIFFNESS, DAMPING, LENGTH, WIDTH, SERVO, RESPONSE = range(6)  # numbers of a rope
BRISTLE_STIFFNESS, BRISTLE_DAMPING, SLIDING, STICKING, STRIBECK_SPEED, BRISTLE_VISCOUS = range(6)  # of friction


@inline
def actuator_law(kind, p, s, rate, z0, z1, z2):
    """Return what the law of a kind says, with its numbers p, at place and rate of the port and the states."""
    zero = 0.0 * (rate + z0)
    effort, f0, f1, f2, power, stored, lost = zero, zero, zero, zero, zero, zero, zero
    if kind == Drive.EFFORT:
        effort, f0, power = effort_law(p, rate, z0)
    elif kind == Drive.MOTOR:
        effort, f0, stored, lost = motor_law(p, rate, z0)
    elif kind == Drive.HYDRAULIC:
        effort, f0, f1, f2, power, stored, lost = hydraulic_law(p, s, rate, z0, z1, z2)
    elif kind == Drive.ROPE:
        effort, f0, f1, power, stored, lost = rope_law(p, s, rate, z0, z1)
    else:
        effort, f0, stored, lost = bristle_law(p, rate, z0)
    return effort, f0, f1, f2, power, stored, lost


@inline
def effort_law(p, rate, z):
    """Return an effort gain z that follows its command with a lag, m dz/dt = u - z; one-sided it never turns round."""
    pressed = p[ONE_SIDED] * above(z, 0.0) + (1.0 - p[ONE_SIDED]) * z
    effort = p[GAIN] * pressed
    return effort, -z, effort * rate


@inline
def motor_law(p, rate, current):
    """Return torque of the shaft, voltage left for the inductance, energy and losses of a direct-current motor.

    L di/dt = u - R i - k omega; the shaft gives k i less its friction, a gear takes its share of the power on the way
    out and on the way back.
    """
    k = p[CONSTANT]
    friction = p[COULOMB] * tanh(rate / p[COULOMB_SPEED]) + p[VISCOUS] * rate
    shaft = k * current - friction
    driving = 0.5 * (1.0 + tanh(shaft * rate / p[TURNOVER]))
    torque = shaft * (driving * p[EFFICIENCY] + (1.0 - driving) / p[EFFICIENCY])
    voltage = p[RESISTANCE] * current + k * rate
    lost = p[RESISTANCE] * current * current + (k * current - torque) * rate
    return torque, -voltage, 0.5 * p[INDUCTANCE] * current * current, lost


@inline
def rope_law(p, s, rate, paid_out, speed):
    """Return the pull of a rope whose free length is driven, rates of paid-out length and speed, power and energies.

    The speed follows its command with a lag, T dw/dt = u - w; a length (SERVO) as a critically damped servo,
    T^2 dw/dt = u - z - 2 T w.
    """
    x = s - p[LENGTH] - paid_out
    stretch, half_square = smooth_positive_part(x, p[WIDTH])
    spring = p[STIFFNESS] * stretch
    slip = rate - speed
    taut = clamp(x / p[WIDTH], 0.0, 1.0)
    pull = above(spring + p[DAMPING] * slip * taut, 0.0)
    by_length = -paid_out - 2.0 * p[RESPONSE] * speed
    brake = p[SERVO] * by_length - (1.0 - p[SERVO]) * speed
    return -pull, speed + 0.0 * s, brake, -pull * speed, p[STIFFNESS] * half_square, (pull - spring) * slip


@inline
def exponential_decay(y):
    """Return exp(-y) for y >= 0, by the hyperbolic tangent that every number type has."""
    t = tanh(0.5 * y)
    return (1.0 - t) / (1.0 + t)


@inline
def bristle_law(p, rate, z):
    """Return friction, rate of the bristles, energy and losses (Canudas de Wit, Olsson, Astrom, Lischinsky 1995).

    dz/dt = v - s0 |v| z / g(v), g = Fc + (Fs - Fc) exp(-(v / vs)^2), F = s0 z + s1 dz/dt + s2 v. Dahl's friction has
    s1 = s2 = 0 and Fs = Fc.
    """
    slow = rate / p[STRIBECK_SPEED]
    level = p[SLIDING] + (p[STICKING] - p[SLIDING]) * exponential_decay(slow * slow)
    speed = above(rate, 0.0) + above(-rate, 0.0)
    z_rate = rate - p[BRISTLE_STIFFNESS] * speed * z / level
    force = p[BRISTLE_STIFFNESS] * z + p[BRISTLE_DAMPING] * z_rate + p[BRISTLE_VISCOUS] * rate
    lost = force * rate - p[BRISTLE_STIFFNESS] * z * z_rate
    return -force, z_rate, 0.5 * p[BRISTLE_STIFFNESS] * z * z, lost
