"""Responses: root moments under step forces, shaken and slewed beams, slider-cranks, tops, beads, pendulums."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import brentq
from textbook import RHO, Case, E, G, g, run
from textbook_beams import CLAMPED, EI, A, J, L
from textbook_blades import among
from textbook_frames import BAR
from textbook_frequencies import FLAT_MASS
from textbook_motion import peak

import lissom
from lissom import Load, control
from lissom.control import Reference

ZETA = 0.02
DAMPED = CLAMPED.replace("beam: {", f"beam: {{damping: {ZETA}, ")


def clamped_modes(n):
    """Wave numbers beta L of a clamped-free beam, and its shapes' sigma."""
    b = np.array(
        [
            brentq(lambda x: np.cos(x) + 1 / np.cosh(x), (k - 0.5) * np.pi - 0.4, (k - 0.5) * np.pi + 0.4)
            for k in range(1, n + 1)
        ]
    )
    return b, (np.cosh(b) + np.cos(b)) / (np.sinh(b) + np.sin(b))


def stepped_root_moment(force, at=1.0, modes=12, T=0.6):
    """Largest root moment of the damped rod after a force steps on at a fraction of its length, and when it stands."""
    b, s = clamped_modes(modes)
    w = b**2 / L**2 * np.sqrt(EI / (RHO * A))
    f = np.cosh(b * at) - np.cos(b * at) - s * (np.sinh(b * at) - np.sin(b * at))
    t = np.linspace(0, T, 6001)
    wd = w * np.sqrt(1 - ZETA**2)
    # q = F f / (m w^2) (1 - e^(-zw t) (cos + z/.. sin)); M = EI q phi''(0) = EI q 2 b^2 / L^2
    left = np.exp(-ZETA * np.outer(t, w)) * (
        np.cos(np.outer(t, wd)) + ZETA / np.sqrt(1 - ZETA**2) * np.sin(np.outer(t, wd))
    )
    share = force * f / (RHO * A * L * w**2) * EI * 2 * b**2 / L**2
    return np.abs(force * at * L - left @ share).max()


def root_moment(at=None, force=5.0):
    def ask(robot):
        found = run(robot, 0.6, loads=[Load(link="rod", at=at, force=[0, 0, -force])], rate=10000)
        return peak(found.wrench("rod", frame="local").values[:, 1])

    return ask


def with_root_name(text):
    return text.replace("joint: fixed", "joint: {name: rod-foot, type: fixed}")


BEAD = """
links:
  - {name: arm, joint: {name: hub, type: revolute, axis: [0, 0, 1]}, body: {mass: 1, inertia: [0.1, 0.1, 0.2]}}
  - {name: bead, joint: {name: tube, type: prismatic, axis: [1, 0, 0]}, body: {mass: 0.5}}
"""
TOP = """
links:
  - {name: top, joint: {name: tip, type: spherical},
     body: {mass: 0.5, com: [0, 0, 0.06], inertia: [0.0008, 0.0008, 0.0005]}}
"""
DOUBLE = """
links:
  - {name: upper, joint: {name: a, type: revolute, axis: [0, 1, 0]}, body: {mass: 2, com: [0, 0, -1]}}
  - {name: lower, origin: {xyz: [0, 0, -1]}, joint: {name: b, type: revolute, axis: [0, 1, 0]},
     body: {mass: 1, com: [0, 0, -1]}}
"""
DISCS = f"""
links:
  - {{name: d1, joint: {{name: bearing, type: revolute, axis: [1, 0, 0]}},
     body: {{mass: 4, inertia: [0.05, 0.03, 0.03]}}}}
  - {{name: s1, joint: fixed, {BAR % 0.8}}}
  - {{name: d2, joint: fixed, body: {{mass: 8, inertia: [0.08, 0.04, 0.04]}}}}
  - {{name: s2, joint: fixed, {BAR % 0.5}}}
  - {{name: d3, joint: fixed, body: {{mass: 2, inertia: [0.02, 0.01, 0.01]}}}}
"""


def discs():
    k1, k2 = G * J / 0.8, G * J / 0.5
    shaft = RHO * J
    M = np.diag([0.05, 0.08, 0.02]) + shaft * (
        0.8 / 6 * np.array([[2, 1, 0], [1, 2, 0], [0, 0, 0]]) + 0.5 / 6 * np.array([[0, 0, 0], [0, 2, 1], [0, 1, 2]])
    )
    K = np.array([[k1, -k1, 0], [-k1, k1 + k2, -k2], [0, -k2, k2]])
    return np.sqrt(eigh(K, M, eigvals_only=True)[1:]) / (2 * np.pi)


def double_pendulum():
    M = np.array([[3.0, 1.0], [1.0, 1.0]])
    K = np.diag([3 * g, 1 * g])
    return np.sqrt(eigh(K, M, eigvals_only=True)) / (2 * np.pi)


def nutation(spin):
    """Rates of the sleeping top's two circular motions: J w^2 - C n w + m g h = 0."""
    Jt, C, h = 0.0008 + 0.5 * 0.06**2, 0.0005, 0.06
    return np.abs(np.roots([Jt, -C * spin, 0.5 * g * h]))


def top_rates(spin):
    def ask(robot):
        model = robot.compile()
        q, v = model.neutral(), np.zeros(model.nv)
        v[2] = spin
        w = np.abs(lissom.linearise(model, q, v).poles().values.imag)
        # in the turning frame circular motions have the rates w - spin
        return [(spin + s * x) for x in w for s in (1, -1)]

    return ask


def hanging():
    """The clamped rod that hangs: weight stiffens it. Ritz."""
    x, w = np.polynomial.legendre.leggauss(40)
    x, w = (x + 1) / 2, w / 2
    p = np.arange(2, 11)
    f, d, dd = x[:, None] ** p, p * x[:, None] ** (p - 1), p * (p - 1) * x[:, None] ** (p - 2)
    M = (f.T * w) @ f * RHO * AW * LW
    K = (dd.T * w) @ dd * EIW / LW**3 + (d.T * w * (1 - x)) @ d * RHO * AW * g
    return np.sqrt(eigh(K, M, eigvals_only=True)[:3]) / (2 * np.pi)


AW, EIW, LW = np.pi / 4 * 0.006**2, E * np.pi / 64 * 0.006**4, 2.0
HANGING = CLAMPED.replace("20 mm", "6 mm").replace("joint: fixed", "origin: {rpy: [0, 90 deg, 0]}, joint: fixed")

# Slider-crank with a flexible rod, slow against its bending: it bows by its own inertia.
ELASTIC_CRANK = """
links:
  - name: crank
    joint: {name: motor, type: revolute, axis: [0, 0, 1]}
    body: {mass: 1, com: [0.05, 0, 0], inertia: [0.001, 0.01, 0.01]}
  - name: rod
    origin: {xyz: [0.1, 0, 0]}
    joint: {name: wrist, type: revolute, axis: [0, 0, 1]}
    beam: {length: 0.5 m, material: steel, section: {shape: rectangle, width: 6 mm, height: 20 mm}}
  - {name: piston, parent: world, joint: {name: bore, type: prismatic, axis: [1, 0, 0]}, body: {mass: 0.5}}
loops:
  - name: pin
    joint: {type: revolute, axis: [0, 0, 1]}
    between: [{link: rod}, {link: piston}]
"""


def bow_of_crank(w=12.0, r=0.1, l=0.5):
    """Largest bow of the middle: transverse acceleration is r w^2 sin-like at the crank, zero along the bore."""
    t = np.linspace(0, 2 * np.pi / w, 4001)
    h = 1e-4

    def pose(t):
        crank = np.array([r * np.cos(w * t), r * np.sin(w * t)])
        angle = np.arcsin(-crank[1] / l)
        return crank, angle

    (c0, a0), (c1, a1), (c2, a2) = pose(t - h), pose(t), pose(t + h)
    acc = (c2 - 2 * c1 + c0) / h**2
    alpha = (a2 - 2 * a1 + a0) / h**2
    normal = np.array([-np.sin(a1), np.cos(a1)])
    start = (acc * normal).sum(axis=0)
    end = start + alpha * l
    mean = (start + end) / 2  # the odd part does not move the middle
    return np.abs(5 * RHO * 0.006 * 0.02 * mean * l**4 / (384 * E * 0.02 * 0.006**3 / 12)).max()


def crank_bow(robot):
    found = run(robot, 3.0, motion={"motor": Reference.spin_up(12.0, 2.0, 3.0)}, start={"bore.near": 0.6}, rate=400)
    keep = found.time > 2.2
    return peak(found.bow("rod").values[keep])


SHAKE = DAMPED.replace("joint: {name: rod-foot, type: fixed}", "joint: fixed").replace(
    "joint: fixed", "joint: {name: base, type: prismatic, axis: [0, 0, 1]}"
)


def shaken_tip(share=1.0, amplitude=1e-4):
    """Amplitude of the tip against the base that shakes at a share of the first frequency, damped, many modes."""
    b, s = clamped_modes(8)
    w = b**2 / L**2 * np.sqrt(EI / (RHO * A))
    W = share * w[0]
    f = np.cosh(b) - np.cos(b) - s * (np.sinh(b) - np.sin(b))
    pushed = 2 * s / b  # int phi
    return abs((f * pushed * W**2 * amplitude / (w**2 - W**2 + 2j * ZETA * w * W)).sum())


def shaken(share):
    def ask(robot):
        w = 1.8751041**2 / L**2 * np.sqrt(EI / (RHO * A))
        hz = share * w / (2 * np.pi)
        found = run(robot, 100 / hz, motion={"base": Reference.sine(1e-4, hz, 100 / hz)}, rate=40 * hz)
        return peak(found.deflection("rod").sel(axis="z").values[-400:])

    return ask


def slew(torque=2.0, T=1.0):
    """Angle of hub and arm after a bang-bang torque, when vibration has died out: as of a rigid body."""
    return torque * (T / 2) ** 2 / (3.0 + FLAT_MASS * 8 / 3 + 4 * 4)


SLEW = """
links:
  - {name: hub, joint: {name: motor, type: revolute, axis: [0, 0, 1]}, body: {mass: 5, inertia: [3, 3, 3]}}
  - {name: arm, joint: fixed, beam: {damping: 0.05, length: 2 m, material: steel,
     section: {shape: rectangle, width: 10 mm, height: 120 mm}}}
  - {name: ball, joint: fixed, body: {mass: 4}}
"""


def slewed(robot):
    law = control.Sampled(lambda t, q, v: {"motor": 2.0 if t < 0.5 else (-2.0 if t < 1.0 else 0.0)}, rate=1000)
    found = run(robot, 6.0, controller=law, rate=100)
    return found["motor"].values[-100:].mean()


CASES = [
    Case(
        "damped rod, force stepped on at its end: largest moment at its root",
        "modal sum, 12 modes",
        with_root_name(DAMPED),
        root_moment(),
        stepped_root_moment(5.0),
    ),
    Case(
        "damped rod, force stepped on in its middle: largest moment at its root",
        "modal sum, 12 modes",
        with_root_name(DAMPED),
        root_moment(1.0),
        stepped_root_moment(5.0, 0.5),
    ),
    Case(
        "damped rod, force stepped on at a fifth: largest moment at its root",
        "modal sum, 12 modes",
        with_root_name(DAMPED),
        root_moment(0.4, 20.0),
        stepped_root_moment(20.0, 0.2),
    ),
    Case(
        "damped rod on a base that shakes at its frequency: amplitude of its tip",
        "modal sum",
        SHAKE,
        shaken(1.0),
        shaken_tip(1.0),
    ),
    Case(
        "damped rod on a base that shakes at twice its frequency: amplitude of its tip",
        "modal sum",
        SHAKE,
        shaken(2.0),
        shaken_tip(2.0),
    ),
    Case(
        "bead in a tube that turns at 5 rad/s: where it is after 0.6 s",
        "r cosh w t",
        BEAD,
        lambda robot: run(
            robot,
            0.6,
            motion={"hub": Reference.from_function(lambda t: 5 * t, 0.6)},
            start={"hub.rate": 5.0, "tube": 0.1},
        )["tube"].values[-1],
        0.1 * np.cosh(3.0),
    ),
    Case(
        "sleeping top: rates of its nutation and precession",
        "Goldstein; J w^2 - C n w + m g h = 0",
        TOP,
        among(top_rates(300.0), nutation(300.0)),
        nutation(300.0),
        gravity=g,
    ),
    Case(
        "double pendulum: two frequencies",
        "Goldstein",
        DOUBLE,
        lambda robot: lissom.natural_modes(robot, locked=False).frequencies,
        double_pendulum(),
        gravity=g,
    ),
    Case(
        "three discs on a shaft that turns: two torsional frequencies",
        "Den Hartog; Holzer",
        DISCS,
        among(lambda robot: lissom.natural_modes(robot, locked=False).frequencies, discs()),
        discs(),
    ),
    Case(
        "rod of 6 mm that hangs from its clamp: three frequencies",
        "Ritz",
        HANGING,
        lambda robot: lissom.natural_modes(robot, at="equilibrium").frequencies[:6:2],
        hanging(),
        gravity=g,
    ),
    Case(
        "slider-crank with a flexible rod, slow: largest bow",
        "5 w l^4 / 384 EI by its inertia",
        ELASTIC_CRANK,
        crank_bow,
        bow_of_crank(),
    ),
    Case("hub with a flexible arm, bang-bang torque: angle at the end", "rigid body", SLEW, slewed, slew()),
]
