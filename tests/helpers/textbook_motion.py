"""Machines in motion: elastic joints, impacts, stops, damping, resonance, mechanisms."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipk
from textbook import RHO, Case, E, circle, g, rest, run
from textbook_beams import CLAMPED, EI, A, L

import lissom
from lissom import Load, Payload, control
from lissom.control import Reference

HEAVY = CLAMPED[:-1] + ", {name: ball, joint: fixed, body: {mass: 50}}]"
STIFF = 3 * EI / L**3  # N/m at the end of the rod
MOVES = 50 + 33 / 140 * RHO * A * L  # kg there

# An inertia of 0.5 kg m2 behind a gear of 100 with an elastic flexspline; the rotor's 5e-5 kg m2 count 0.5 kg m2.
GEARED = """
links:
  - name: arm
    joint:
      name: hinge
      type: revolute
      axis: [0, 0, 1]
      transmission: {stiffness: 2000, rotor_inertia: 5.0e-5, gear: 100}
    body: {mass: 2, com: [0.3, 0, 0], inertia: [0.01, 0.32, 0.32]}
"""
PENDULUM = """
links:
  - name: bar
    joint:
      name: hinge
      type: revolute
      axis: [0, 1, 0]
      transmission: {stiffness: 200, rotor_inertia: 1.0e-4, gear: 50}
    body: {mass: 3, com: [0, 0, -0.4], inertia: [0.16, 0.16, 0.001]}
"""
INVERTED = """
links:
  - name: bar
    joint: {name: hinge, type: revolute, axis: [0, 1, 0], spring: {stiffness: 30}}
    body: {mass: 3, com: [0, 0, 0.8], inertia: [0.16, 0.16, 0.001]}
"""
OSCILLATOR = """
links: [{name: cart, joint: {name: slide, type: prismatic, axis: [1, 0, 0], %s}, body: {mass: 2}}]
"""


def peak(values):
    return float(np.abs(np.asarray(values)).max())


def gear_peak(robot):
    """Largest torque in the gear after the motor's torque is switched on."""
    found = run(robot, 0.3, controller=control.torques(robot, {"hinge": 10.0}), rate=5000)
    return peak(2000 * (found["hinge.rotor"].values - found["hinge"].values))


def decrement(values):
    """Logarithmic decrement per period, by the maxima."""
    x = np.asarray(values)
    k = np.flatnonzero((x[1:-1] > x[:-2]) & (x[1:-1] >= x[2:]) & (x[1:-1] > 1e-4 * x.max())) + 1
    y = [np.polyval(p, -p[1] / (2 * p[0])) for p in (np.polyfit([-1, 0, 1], x[i - 1 : i + 2], 2) for i in k)]
    return float(np.log(y[0] / y[-1]) / (len(y) - 1))


def ratio_decrement(zeta):
    return 2 * np.pi * zeta / np.sqrt(1 - zeta**2)


def motor_peak(k):
    """Largest torque of the motor, whose rotor of 0.5 kg m2 turns by a quintic of 1 rad in 1 s."""
    t = np.linspace(0, 1, 2001)
    angle, acceleration = 10 * t**3 - 15 * t**4 + 6 * t**5, 60 * t - 180 * t**2 + 120 * t**3
    found = solve_ivp(
        lambda t, x: [x[1], k / 0.5 * (10 * t**3 - 15 * t**4 + 6 * t**5 - x[0])],
        (0, 1),
        [0, 0],
        "DOP853",
        t,
        rtol=1e-10,
        atol=1e-12,
    )
    return np.abs(0.5 * acceleration + k * (angle - found.y[0])).max()


ELASTIC = [
    Case(
        "arm behind an elastic gear of 100: frequency with the motor free",
        "Spong 1987; two inertias on a spring",
        GEARED,
        lambda robot: lissom.natural_modes(robot, locked=False).frequencies[-1],
        np.sqrt(2000 * (1 / 0.5 + 1 / 0.5)) / (2 * np.pi),
    ),
    Case(
        "arm behind an elastic gear of 100: frequency with the motor held",
        "Spong 1987",
        GEARED,
        lambda robot: lissom.natural_modes(robot, locked="motors").frequencies[0],
        np.sqrt(2000 / 0.5) / (2 * np.pi),
    ),
    Case(
        "pendulum that hangs behind an elastic gear, motor held: frequency",
        "sqrt((k + m g l) / J)",
        PENDULUM,
        lambda robot: lissom.natural_modes(robot, locked="motors").frequencies[0],
        np.sqrt((200 + 3 * g * 0.4) / (0.16 + 3 * 0.16)) / (2 * np.pi),
        gravity=g,
    ),
    Case(
        "inverted pendulum on a spring: frequency",
        "sqrt((k - m g l) / J)",
        INVERTED,
        lambda robot: lissom.natural_modes(robot, locked=False).frequencies[0],
        np.sqrt((30 - 3 * g * 0.8) / (0.16 + 3 * 0.64)) / (2 * np.pi),
        gravity=g,
    ),
    Case(
        "arm behind an elastic gear, motor torque switched on: largest torque in the gear",
        "two masses; 2 T J / (J + Jr)",
        GEARED,
        gear_peak,
        2 * 10 * 0.5,
    ),
    Case(
        "motor that follows a quintic before an elastic gear: its largest torque",
        "Spong 1987; J x'' = k (motor - x), integrated",
        GEARED.replace("2000", "20000"),
        lambda robot: peak(run(robot, 1.0, motion={"hinge": Reference.quintic(0, 1, 1.0)}, rate=1000).torque("hinge")),
        motor_peak(20000.0),
    ),
    Case(
        "cart on a spring with a damper in its joint: logarithmic decrement",
        "Den Hartog; c / 2 sqrt(k m)",
        OSCILLATOR % "spring: {stiffness: 800}, damping: 4",
        lambda robot: decrement(run(robot, 3.0, start={"slide": 0.1}, rate=2000)["slide"]),
        ratio_decrement(4 / (2 * np.sqrt(800 * 2))),
    ),
    Case(
        "cart on a spring with dry friction: amplitude lost in five periods",
        "Den Hartog; 4 F / k per period",
        OSCILLATOR % "spring: {stiffness: 800}, friction: {coulomb: 2}",
        lambda robot: 0.1 - float(run(robot, 5 * 2 * np.pi / 20, start={"slide": 0.1}, rate=2000)["slide"][-1]),
        5 * 4 * 2 / 800,
    ),
    Case(
        "rod with 2 % of damping, pulled aside and let go: logarithmic decrement",
        "Den Hartog; 2 pi zeta",
        CLAMPED.replace("beam: {", "beam: {damping: 0.02, "),
        lambda robot: decrement(
            run(robot, 3.0, start=rest(robot, loads={"rod": [0, 0, 0, 0, 0, 10]}), rate=2000)
            .deflection("rod")
            .sel(axis="z")[1500:]
        ),
        ratio_decrement(0.02),
    ),
]

# Impacts
STOP = OSCILLATOR % "limits: {lower: -1, upper: 0.1, stiffness: 1.0e+6}"
BALL = """
links: [{name: ball, joint: {name: fall, type: prismatic, axis: [0, 0, 1]}, body: {mass: 2}}]
contacts: [{name: floor, sphere: {link: ball, radius: 0.1}, surface: {link: world, shape: plane}, stiffness: 1.0e+7}]
"""
DROPPED = """
links:
  - {name: rod, joint: fixed, beam: {length: 1 m, material: steel, section: {shape: circle, diameter: 30 mm}}}
  - name: ball
    parent: world
    origin: {xyz: [1, 0, 0.052]}
    joint: {name: fall, type: prismatic, axis: [0, 0, 1]}
    body: {mass: 25}
contacts:
  - name: touch
    sphere: {link: ball, radius: 0.05}
    surface: {link: rod, shape: plane}
    stiffness: 2.0e+6
    exponent: 1
"""
ROPE = """
links:
  - name: load
    origin: {xyz: [0, 0, -4]}
    joint: {name: fall, type: prismatic, axis: [0, 0, 1]}
    body: {mass: 100}
elements: [{name: rope, type: rope, stiffness: 50000, length: 5, between: [{link: world}, {link: load}]}]
"""
_STATIC = 25 * g / (3 * E * circle(0.03)[1])
_OWN = RHO * g * 16 / 0.03**2 / (8 * E)  # sag by its own weight
_LIGHT = 33 / 140 * RHO * circle(0.03)[0] / 25
IMPACTS = [
    Case(
        "cart against the stop of its joint: largest force",
        "v sqrt(k m)",
        STOP,
        lambda robot: peak(2 * run(robot, 0.06, start={"slide.rate": 2.0}, rate=50000).acceleration("slide")),
        2 * np.sqrt(1e6 * 2),
    ),
    Case(
        "ball that falls on a floor: largest force",
        "Hertz; 5/4 m v^2 = k d^(5/2) / 2",
        BALL,
        lambda robot: peak(run(robot, 0.5, start={"fall": 0.6}, rate=50000).dataset["contact_force"]),
        1e7 * brentq(lambda d: 1e7 * d**2.5 / 2.5 - 2 * g * (0.5 + d), 0, 0.1) ** 1.5,
        gravity=g,
    ),
    Case(
        "weight dropped by 2 mm on the end of a light cantilever: deepest sag",
        "Timoshenko; d + sqrt(d^2 + 2 h d / (1 + m / M))",
        DROPPED,
        lambda robot: peak(run(robot, 0.2, start="equilibrium", rate=5000).deflection("rod").sel(axis="z")),
        _OWN + _STATIC * (1 + np.sqrt(1 + 2 * (0.002 + _OWN) / _STATIC / (1 + _LIGHT))),
        gravity=g,
    ),
    Case(
        "load that falls into a slack rope: largest force of the rope",
        "Timoshenko; m g (1 + sqrt(1 + 2 h k / m g))",
        ROPE,
        lambda robot: peak(run(robot, 1.2, rate=2000).dataset["element_force"]),
        100 * g * (1 + np.sqrt(1 + 2 * 1.0 * 50000 / (100 * g))),
        gravity=g,
    ),
]


# Motions
def shaken(robot):
    """Largest deflection of the rod on a base that shakes at half its frequency."""
    w = np.sqrt(STIFF / MOVES)
    shake = Reference.sine(0.01, 0.5 * w / (2 * np.pi), 30.0)
    return peak(run(robot, 30.0, motion={"base": shake}, rate=100).deflection("rod").sel(axis="z"))


def shaken_alone():
    """The same of one mass on a spring, from rest: x'' + w^2 x = -u''."""
    w, W = 1.0, 0.5
    t = np.linspace(0, 30 * np.sqrt(STIFF / MOVES), 200001)
    pushed = (50 + 3 / 8 * RHO * A * L) / MOVES  # what a shaken base pushes of the rod's mass, over what moves of it
    return pushed * np.abs(0.01 * W**2 / (w**2 - W**2) * (np.sin(W * t) - W / w * np.sin(w * t))).max()


CRANK = """
links:
  - name: crank
    joint: {name: motor, type: revolute, axis: [0, 0, 1]}
    body: {mass: 1, com: [0.05, 0, 0], inertia: [0.001, 0.01, 0.01]}
  - name: rod
    origin: {xyz: [0.1, 0, 0]}
    joint: {name: wrist, type: revolute, axis: [0, 0, 1]}
    body: {mass: 1.0e-6, com: [0.2, 0, 0]}
  - {name: piston, parent: world, joint: {name: bore, type: prismatic, axis: [1, 0, 0]}, body: {mass: 2}}
loops:
  - name: pin
    joint: {type: revolute, axis: [0, 0, 1]}
    between: [{link: rod, origin: {xyz: [0.4, 0, 0]}}, {link: piston}]
"""


def piston(t, r=0.1, l=0.4, w=50.0, h=1e-5):
    """Acceleration of a piston by central differences of its place."""

    def x(t):
        return r * np.cos(w * t) + np.sqrt(l**2 - (r * np.sin(w * t)) ** 2)

    return (x(t + h) - 2 * x(t) + x(t - h)) / h**2


def rod_force(robot):
    motion = {"motor": Reference.from_function(lambda t: 50.0 * t, 0.3)}
    found = run(robot, 0.25, motion=motion, start={"motor.rate": 50.0, "bore.near": 0.5}, rate=2000)
    return peak(found.loop_wrench("pin", frame="world").sel(wrench_component="fx"))


CRANE = """
links:
  - name: boom
    joint: {name: pin, type: revolute, axis: [0, -1, 0]}
    beam:
      length: 6 m
      material: steel
      section: {shape: box, width: 150 mm, height: 200 mm, thickness: 6 mm}
  - {name: load, joint: fixed, body: {mass: 500}}
elements:
  - name: lift
    type: cylinder
    drive: length
    length: 2.5
    between: [{link: world, origin: {xyz: [0, 0, -1.5]}}, {link: boom, at: 2}]
"""
_BOOM = RHO * (0.15 * 0.2 - 0.138 * 0.188) * 6


def pendulum_period(robot):
    found = run(robot, 4.0, start={"hinge": 2.0}, rate=1000)
    x, t = found["hinge"].values, found.time
    k = np.flatnonzero((x[:-1] > 0) & (x[1:] <= 0))
    zeros = t[k] + x[k] / (x[k] - x[k + 1]) * (t[k + 1] - t[k])
    return float(np.diff(zeros).mean())


MOTIONS = [
    Case(
        "force put on the end of a rod with a ball: largest sag is twice the static one",
        "Timoshenko; dynamic factor 2",
        HEAVY,
        lambda robot: peak(
            run(robot, 3.0, loads=[Load(link="ball", force=[0, 0, -10])], rate=500).deflection("rod").sel(axis="z")
        ),
        2 * 10 / STIFF,
    ),
    Case(
        "rod with a ball on a base that shakes at half its frequency: largest deflection",
        "Den Hartog; one mass on a spring",
        HEAVY.replace("joint: fixed, beam", "joint: {name: base, type: prismatic, axis: [0, 0, 1]}, beam"),
        shaken,
        shaken_alone(),
    ),
    Case(
        "ball of 10 kg dropped from the end of a sagging rod with 50 kg: how far it springs up",
        "released spring; 2 F / k above the first sag",
        HEAVY,
        lambda robot: (lambda z: float(z.max() - z[0]))(
            run(
                robot,
                3.0,
                start="equilibrium",
                payloads=[Payload(link="ball", mass=10, drop=0.1)],
                rate=500,
            )
            .deflection("rod")
            .sel(axis="z")
            .values
        ),
        2 * 10 / STIFF,
        gravity=1.0,
    ),
    Case(
        "slider-crank at 50 rad/s: largest force on the piston",
        "rigid kinematics; m a",
        CRANK,
        rod_force,
        2 * np.abs(piston(np.linspace(0, 0.25, 5001))).max(),
    ),
    Case(
        "crane boom on a cylinder: its force",
        "lever about the pin",
        CRANE,
        lambda robot: np.linalg.norm(rest(robot, hold=()).loop_wrenches["lift"][3:]),
        (500 * 6 + _BOOM * 3) * g / (2 * 1.5 / 2.5),
        gravity=g,
    ),
    Case(
        "pendulum that swings by 2 rad: period",
        "4 sqrt(J / m g l) K(sin^2 1)",
        INVERTED.replace("com: [0, 0, 0.8]", "com: [0, 0, -0.8]").replace(", spring: {stiffness: 30}", ""),
        pendulum_period,
        4 * np.sqrt((0.16 + 3 * 0.64) / (3 * g * 0.8)) * ellipk(np.sin(1) ** 2),
        gravity=g,
    ),
]
CASES = [*ELASTIC, *IMPACTS, *MOTIONS]
