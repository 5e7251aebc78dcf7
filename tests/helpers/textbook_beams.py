"""Beams, shafts, frames and trusses at rest."""

from __future__ import annotations

import numpy as np
from textbook import NU, RHO, Case, E, G, circle, down, g, rest, shift, turn

# The rod of most cases: 2 m of round steel, 20 mm thick. A hundred diameters: shear adds less than 0.01 % to its sag.
L, D = 2.0, 0.020
A, I, J = circle(D)
EI, GJ, EA = E * I, G * J, E * A
KGA = 6 * (1 + NU) / (7 + 6 * NU) * G * A  # Cowper 1966
ROD = "beam: {length: 2 m, material: steel, section: {shape: circle, diameter: 20 mm}}"
CLAMPED = f"links: [{{name: rod, joint: fixed, {ROD}}}]"
TO_WORLD = "between: [{link: rod}, {link: world, origin: {xyz: [2, 0, 0]}}]"
BOTH_CLAMPED = f"{CLAMPED}\nloops: [{{name: wall, joint: fixed, {TO_WORLD}}}]"
PROPPED = f"{CLAMPED}\nloops: [{{name: prop, joint: {{type: spherical}}, {TO_WORLD}}}]"
HINGED = f"links: [{{name: rod, joint: {{name: pin, type: revolute, axis: [0, 1, 0]}}, {ROD}}}]"
SIMPLE = f"{HINGED}\nloops: [{{name: roller, joint: {{type: revolute, axis: [0, 1, 0]}}, {TO_WORLD}}}]"
WEIGHT = RHO * A * g  # N/m


def sag(place=None, hold="joints", link="rod", **loads):
    """Downward movement of a place under loads {at: wrench}; `at` None is the tip."""
    return lambda robot: -shift(rest(robot, hold=hold, loads=loads.get("loads")), link, place)[2]


def at(x, wrench, link="rod"):
    return {(link, x): wrench}


def couple(moment):
    return [0, moment, 0, 0, 0, 0]


def cantilever(force, a, x):
    """Sag at x of a clamped rod under a force at a, with shear."""
    low, high = min(a, x), max(a, x)
    return force * (low**2 * (3 * high - low) / (6 * EI) + low / KGA)


F = 10.0
BEAMS = [
    Case(
        "cantilever, force at its end: sag and slope there",
        "Roark 8.1.1a",
        CLAMPED,
        lambda robot: [-shift(e := rest(robot, loads={"rod": down(F)}), "rod")[2], turn(e, "rod")[1]],
        [F * L**3 / (3 * EI), F * L**2 / (2 * EI)],
    ),
    Case(
        "cantilever, force near its base: sag under the force",
        "Roark 8.1.1a with shear",
        CLAMPED,
        sag(0.15, loads=at(0.15, down(500))),
        cantilever(500, 0.15, 0.15),
    ),
    Case(
        "cantilever, force near its base: sag of the tip",
        "Roark 8.1.1a",
        CLAMPED,
        sag(loads=at(0.15, down(500))),
        cantilever(500, 0.15, L),
    ),
    Case(
        "cantilever, force in its middle: sag of middle and tip",
        "Roark 8.1.1a",
        CLAMPED,
        lambda robot: [-shift(e := rest(robot, loads=at(1.0, down(20))), "rod", 1.0)[2], -shift(e, "rod")[2]],
        [cantilever(20, 1.0, 1.0), cantilever(20, 1.0, L)],
    ),
    Case(
        "cantilever, couple at a third: slope there and sag of the tip",
        "Roark 8.1.3a",
        CLAMPED,
        lambda robot: [turn(e := rest(robot, loads=at(0.6, couple(20))), "rod", 0.6)[1], -shift(e, "rod")[2]],
        [20 * 0.6 / EI, 20 * 0.6 * (L - 0.3) / EI],
    ),
    Case(
        "cantilever, couple at its end: sag of the tip",
        "Roark 8.1.3a",
        CLAMPED,
        sag(loads={"rod": couple(8)}),
        8 * L**2 / (2 * EI),
    ),
    Case(
        "cantilever, forces at two places, one of them upwards: sag of the tip",
        "Roark 8.1.1a, added",
        CLAMPED,
        sag(loads=at(0.5, down(60)) | at(1.4, down(-8))),
        cantilever(60, 0.5, L) - cantilever(8, 1.4, L),
    ),
    Case(
        "cantilever, own weight: sag and slope of the tip",
        "Roark 8.1.2a",
        CLAMPED,
        lambda robot: [-shift(e := rest(robot), "rod")[2], turn(e, "rod")[1]],
        [WEIGHT * L**4 / (8 * EI), WEIGHT * L**3 / (6 * EI)],
        gravity=g,
    ),
    Case(
        "thick rod raised by 50 degrees, own weight: movement of the tip across the rod",
        "Roark 8.1.2a, weight across",
        HINGED.replace("20 mm", "60 mm"),
        lambda robot: (lambda d: -(d[2]))(rest(robot, {"pin": np.radians(-50)}).deflections["rod"].displacement),
        RHO * 16 * g / 0.06**2 * np.cos(np.radians(50)) * L**4 / (8 * E),
        gravity=g,
    ),
    Case(
        "cantilever with a mass at 0.7 m, own weight too: sag of the tip",
        "Roark 8.1.1a",
        CLAMPED.replace("beam: {", "beam: {masses: [{mass: 5, at: 0.7}], "),
        sag(),
        WEIGHT * L**4 / (8 * EI) + cantilever(5 * g, 0.7, L),
        gravity=g,
    ),
    Case(
        "cantilever with a bracket at 0.8 m that carries 2 kg 0.5 m beside it: twist and sag there",
        "Roark 10.1, 8.1.1a, 8.1.2a",
        CLAMPED[:-1] + ", {name: bracket, parent: rod, at: 0.8, joint: fixed, body: {mass: 2, com: [0, 0.5, 0]}}]",
        lambda robot: [turn(e := rest(robot), "rod", 0.8)[0], -shift(e, "rod", 0.8)[2]],
        [
            -2 * g * 0.5 * 0.8 / GJ,
            cantilever(2 * g, 0.8, 0.8) + WEIGHT * 0.8**2 * (6 * L**2 - 4 * L * 0.8 + 0.8**2) / (24 * EI),
        ],
        gravity=g,
    ),
    Case(
        "shaft, torque at its end and against it in the middle: twist of both",
        "Roark 10.1",
        CLAMPED,
        lambda robot: [
            turn(e := rest(robot, loads={"rod": [5, 0, 0, 0, 0, 0]} | at(1.0, [-15, 0, 0, 0, 0, 0])), "rod", 1.0)[0],
            turn(e, "rod")[0],
        ],
        [-10 * 1.0 / GJ, -10 * 1.0 / GJ + 5 * 1.0 / GJ],
    ),
    Case(
        "bar pulled at its end and at 0.5 m: how far both move",
        "Hooke's law, F L / E A",
        CLAMPED,
        lambda robot: [
            shift(e := rest(robot, loads={"rod": [0, 0, 0, 2e3, 0, 0]} | at(0.5, [0, 0, 0, 8e3, 0, 0])), "rod", 0.5)[0],
            shift(e, "rod")[0],
        ],
        [10e3 * 0.5 / EA, 10e3 * 0.5 / EA + 2e3 * 1.5 / EA],
    ),
    Case(
        "bar that hangs: how far middle and end move by its own weight",
        "Timoshenko, Strength of Materials I",
        CLAMPED.replace("joint: fixed", "origin: {rpy: [0, 90 deg, 0]}, joint: fixed"),
        lambda robot: [-shift(e := rest(robot), "rod", 1.0)[2], -shift(e, "rod")[2]],
        [RHO * g * (L - 0.5) / E, RHO * g * L**2 / (2 * E)],
        gravity=g,
    ),
]

_STEPPED = """
links:
  - name: rod
    joint: fixed
    beam:
      length: 2 m
      material: steel
      stations:
        - {x: 0, section: {shape: circle, diameter: 30 mm}}
        - {x: 0.8, section: {shape: circle, diameter: 30 mm}}
        - {x: 0.8, section: {shape: circle, diameter: 20 mm}}
        - {x: 2, section: {shape: circle, diameter: 20 mm}}
"""
_TAPERED = """
links:
  - name: rod
    joint: fixed
    beam:
      length: 2 m
      material: steel
      stations:
        - {x: 0, section: {shape: circle, diameter: 40 mm}}
        - {x: 2, section: {shape: circle, diameter: 20 mm}}
"""
_THICK = E * circle(0.03)[1], G * circle(0.03)[2]
VARIED = [
    Case(
        "stepped cantilever, force at its end: sag of the tip",
        "Timoshenko, Strength of Materials I",
        _STEPPED,
        sag(loads={"rod": down(20)}),
        20 * (1.2**3 / (3 * EI) + (L**3 - 1.2**3) / (3 * _THICK[0])),
    ),
    Case(
        "stepped shaft, torque at its end: twist",
        "Roark 10.1",
        _STEPPED,
        lambda robot: turn(rest(robot, loads={"rod": [20, 0, 0, 0, 0, 0]}), "rod")[0],
        20 * (0.8 / _THICK[1] + 1.2 / GJ),
    ),
    Case(
        "conical cantilever, force at its end: sag",
        "64 F L^3 / (3 pi E d1 d2^3), Timoshenko",
        _TAPERED,
        sag(loads={"rod": down(30)}),
        64 * 30 * L**3 / (3 * np.pi * E * 0.02 * 0.04**3),
    ),
    Case(
        "conical shaft, torque at its end: twist",
        "Roark 10.1, integrated",
        _TAPERED,
        lambda robot: turn(rest(robot, loads={"rod": [40, 0, 0, 0, 0, 0]}), "rod")[0],
        40 * 32 * L / (3 * np.pi * G * 0.02) * (1 / 0.02**3 - 1 / 0.04**3),
    ),
]

CASES = [*BEAMS, *VARIED]
