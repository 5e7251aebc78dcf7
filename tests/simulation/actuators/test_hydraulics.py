"""Hydraulic cylinders against their equations integrated on their own."""

import numpy as np
import pytest
from driven_arms import CYLINDER, PENDULUM, driven
from scipy.integrate import solve_ivp

import lissom

MASS = 500.0
SLED = {"name": "sled", "joint": {"type": "prismatic", "axis": [1, 0, 0]}, "body": {"mass": MASS}}
ALONG = [{"link": "world", "origin": {"xyz": [-1.0, 0, 0]}}, {"link": "sled"}]
RAM = CYLINDER | {"through": ALONG, "retracted": 0.8, "stroke": 0.5, "friction": 0.0, "leakage": 0.0, "viscous": 300.0}
RAM |= {"pressure_a": "20 bar", "pressure_b": "30 bar"}


def textbook(t_end, times, command):
    """Place, rate, spool and pressures of the sled by the equations of a textbook (Jelali and Kroll 2003)."""
    A, B = np.pi / 4 * 0.04**2, np.pi / 4 * (0.04**2 - 0.02**2)
    beta, dead, supply = 1.4e9, 0.05 * 0.5 * A, 1e7
    valve = 20e-3 / 60 / np.sqrt(5e5)

    def edge(opening, drop):
        return valve * opening * np.sign(drop) * np.sqrt(abs(drop)) if opening > 0 else 0.0

    def rates(t, y):
        x, v, spool, a, b = y
        out, back = max(spool - 0.05, 0) / 0.95, max(-spool - 0.05, 0) / 0.95
        flow_a = edge(out, supply - a) - edge(back, a)
        flow_b = edge(back, supply - b) - edge(out, b)
        volume_a, volume_b = dead + A * (x + 0.2), dead + B * (0.3 - x)
        force = a * A - b * B - 300.0 * v
        return [
            v,
            force / MASS,
            (command(t) - spool) / 0.01,
            beta / volume_a * (flow_a - A * v),
            beta / volume_b * (flow_b + B * v),
        ]

    start = [0.0, 0.0, 0.0, 20e5, 30e5]
    return solve_ivp(rates, (0, t_end), start, "LSODA", times, rtol=1e-9, atol=1e-9, max_step=1e-3).y


@pytest.mark.parametrize("spool", [0.5, -0.4])
def test_a_sled_moves_as_the_equations_of_a_textbook_say(spool):
    model = driven(SLED, RAM, gravity=(0, 0, 0)).compile()
    run = lissom.simulate(model, 0.5, controller=lissom.control.torques(model, {"drive": spool}), rtol=1e-8)
    x, v, s, a, b = textbook(0.5, run.time, lambda t: spool)
    assert np.abs(run["sled"] - x).max() < 1e-4 * np.ptp(x)
    assert np.abs(run.velocity("sled") - v).max() < 2e-3 * np.ptp(v)
    assert np.abs(run["drive.spool"] - s).max() < 1e-4
    # check valves let fluid in where a chamber would fall below the tank, which the textbook leaves out
    assert min(a.min(), b.min()) > 0
    assert np.abs(run["drive.pressure_a"] + 20e5 - a).max() < 5e-3 * np.ptp(a)
    assert np.abs(run["drive.pressure_b"] + 30e5 - b).max() < 5e-3 * np.ptp(b)


def test_a_closed_valve_holds_a_boom_by_the_oil_alone():
    closed = {key: value for key, value in CYLINDER.items() if key not in ("leakage", "friction")}
    model = driven(PENDULUM, closed).compile()
    run = lissom.simulate(model, 1.0, controller=lissom.control.torques(model, {"drive": 0.0}))
    assert np.abs(run["arm"]).max() < 1e-7  # the pressures of the start carry it


def test_oil_is_a_spring_as_stiff_as_both_chambers():
    """Hydraulic stiffness beta (A^2 / V_A + B^2 / V_B) of a locked sled, from its vibration."""
    model = driven(SLED, RAM | {"viscous": 0.0, "pressure_a": "30 bar", "pressure_b": "40 bar"}).compile()
    linear = lissom.linearise(model)
    A, B = np.pi / 4 * 0.04**2, np.pi / 4 * (0.04**2 - 0.02**2)
    dead = 0.05 * 0.5 * A
    stiffness = 1.4e9 * (A**2 / (dead + A * 0.2) + B**2 / (dead + B * 0.3))
    frequency = linear.poles().oscillating.frequencies
    assert frequency == pytest.approx([np.sqrt(stiffness / MASS) / (2 * np.pi)], rel=1e-9)


def test_ends_of_the_stroke_stop_the_piston():
    model = driven(SLED, RAM, gravity=(0, 0, 0)).compile()
    run = lissom.simulate(model, 2.0, controller=lissom.control.torques(model, {"drive": 1.0}))
    assert 0.3 < run["sled"].max() < 0.3 + 4e-3
    assert np.abs(run["energy_residual"]).max() < 1e-4 * np.abs(run["work"]).max()
