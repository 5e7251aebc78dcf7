"""A hydraulic cylinder with its valve: spool, two chambers of compressible fluid, pump, tank, leakage, ends.

With the compliance of the fluid x = p / beta its density is rho0 exp(x), so that mass, pressure and energy agree:

    dp/dt = beta / V (Q - dV/dt),    Q: volume at the chamber's pressure,
    stored = V (beta (exp(x) - 1) - p),    enthalpy per reference volume h = beta (1 - exp(-x)).

Orifices: Q = K y dp / (dp^2 + p0^2)^(1/4), the square root of the pressure drop, smooth about zero. Pressures are gauge
pressures; check valves let fluid in from the tank before a chamber is empty.
"""

from __future__ import annotations

from lissom.kernel.compile import inline
from lissom.kernel.maths.elementary_functions import above, sqrt, tanh

(
    BORE,  # area of the piston, m2
    RING,  # area on the side of the rod, m2
    VOLUME_A,  # at port length RETRACTED, m3
    VOLUME_B,
    RETRACTED,  # m
    BULK,  # Pa
    VALVE,  # K, m3/s per root of a pascal
    DEADBAND,  # of the spool
    SUPPLY,  # Pa
    TANK,  # Pa
    RELIEF,  # Pa
    RELIEF_FLOW,  # m3/s per pascal
    LEAK,  # m3/s per pascal
    ROUND,  # Pa: pressure drop over which orifices are rounded
    START_A,  # Pa: pressure at state zero
    START_B,
    DRY,  # N
    DRY_SPEED,  # m/s
    WET,  # N s/m
    STROKE,  # m
    END,  # N/m: stiffness of the ends of the stroke
) = range(21)
END_DAMPING = 10.0  # s/m: how much harder an end is per speed of the hit (Hunt and Crossley)


@inline
def orifice(p, drop):
    """Return the flow through a wholly open edge of the valve under a pressure drop."""
    return p[VALVE] * drop / sqrt(sqrt(drop * drop + p[ROUND] * p[ROUND]))


@inline
def growth(x):
    """Return exp(x) - 1 of the small compliances of fluids, by its series."""
    return x * (1.0 + x * (1.0 / 2.0 + x * (1.0 / 6.0 + x * (1.0 / 24.0 + x * (1.0 / 120.0 + x / 720.0)))))


@inline
def enthalpy(p, pressure):
    """Return the enthalpy per reference volume of fluid."""
    return -p[BULK] * growth(-pressure / p[BULK])


@inline
def hydraulic_law(p, s, rate, spool, rise_a, rise_b):
    """Return thrust, rates of spool and pressures, power of the pump, energy and losses."""
    a = p[START_A] + rise_a
    b = p[START_B] + rise_b
    beta = p[BULK]
    # opening of the valve: A to the pump at positive spool, B at negative
    reach = 1.0 / (1.0 - p[DEADBAND])
    out = reach * above(spool - p[DEADBAND], 0.0)
    back = reach * above(-spool - p[DEADBAND], 0.0)
    # flows at the chambers' pressures
    pump_a = out * orifice(p, p[SUPPLY] - a)
    tank_a = back * orifice(p, a - p[TANK]) + p[RELIEF_FLOW] * above(a - p[RELIEF], 0.0)
    pump_b = back * orifice(p, p[SUPPLY] - b)
    tank_b = out * orifice(p, b - p[TANK]) + p[RELIEF_FLOW] * above(b - p[RELIEF], 0.0)
    fill_a = p[RELIEF_FLOW] * above(p[TANK] - a, 0.0)
    fill_b = p[RELIEF_FLOW] * above(p[TANK] - b, 0.0)
    leak = p[LEAK] * (a - b)
    dense_a = 1.0 + growth(a / beta)
    dense_b = 1.0 + growth(b / beta)
    # chambers
    volume_a = p[VOLUME_A] + p[BORE] * (s - p[RETRACTED])
    volume_b = p[VOLUME_B] - p[RING] * (s - p[RETRACTED])
    a_rate = beta / volume_a * (pump_a - tank_a + fill_a - leak - p[BORE] * rate)
    b_rate = beta / volume_b * (pump_b - tank_b + fill_b + leak * dense_a / dense_b + p[RING] * rate)
    friction = p[DRY] * tanh(rate / p[DRY_SPEED]) + p[WET] * rate
    # ends of the stroke
    short = above(p[RETRACTED] - s, 0.0)
    long = above(s - p[RETRACTED] - p[STROKE], 0.0)
    push = p[END] * short * above(1.0 - END_DAMPING * rate, 0.0)
    pull = p[END] * long * above(1.0 + END_DAMPING * rate, 0.0)
    thrust = a * p[BORE] - b * p[RING] - friction + push - pull
    # energy
    h_pump, h_tank = enthalpy(p, p[SUPPLY] + 0.0 * a), enthalpy(p, p[TANK] + 0.0 * a)
    h_a, h_b = enthalpy(p, a), enthalpy(p, b)
    power = h_pump * (dense_a * pump_a + dense_b * pump_b)
    power -= h_tank * (dense_a * (tank_a - fill_a) + dense_b * (tank_b - fill_b))
    lost = dense_a * (pump_a * (h_pump - h_a) + (tank_a - fill_a) * (h_a - h_tank) + leak * (h_a - h_b))
    lost += dense_b * (pump_b * (h_pump - h_b) + (tank_b - fill_b) * (h_b - h_tank)) + friction * rate
    lost += (pull - p[END] * long) * rate - (push - p[END] * short) * rate
    stored = 0.5 * p[END] * (short * short + long * long)
    stored += volume_a * (beta * growth(a / beta) - a) + volume_b * (beta * growth(b / beta) - b)
    return thrust, -spool, a_rate, b_rate, power, stored, lost
