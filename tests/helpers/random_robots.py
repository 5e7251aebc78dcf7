"""Random robots and states for tests: trees of all joint types with rigid and flexible links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

JOINTS = ("fixed", "revolute", "prismatic", "cylindrical", "universal", "planar", "spherical", "free")
EVERY = (*JOINTS, "helical")
VELOCITIES = dict(zip(EVERY, (0, 1, 1, 2, 2, 3, 3, 6, 1))) | {"guided": 1}
COORDINATES = VELOCITIES | {"spherical": 4, "free": 7}


def random_robot(rng: np.random.Generator, joints: Sequence[str] | int = 5, **options: Any) -> Any:
    """A `lissom.Robot`; see `random_description`."""
    from lissom.model import Robot

    return Robot.from_dict(random_description(rng, joints, **options))


def random_description(
    rng: np.random.Generator,
    joints: Sequence[str] | int = 5,
    flexible: Sequence[bool] | float = 0.5,
    stiffening: str = "first",
    transmissions: float = 0.5,
    passive: float = 0.5,
) -> dict[str, Any]:
    """A robot as its file holds it.

    Args:
        joints: the joint types in order, or how many links to give random joints.
        flexible: which links are beams, or the share of them.
        transmissions: share of revolute and prismatic joints that get one (half of these elastic).
        passive: share of joints that get damping; likewise friction, springs, limits.
    """
    if isinstance(joints, int):
        joints = [str(rng.choice(JOINTS)) for _ in range(joints)]
    if isinstance(flexible, float):
        flexible = [bool(rng.random() < flexible) for _ in joints]
    links: list[dict[str, Any]] = []
    for i, (kind, bends) in enumerate(zip(joints, flexible, strict=True)):
        link: dict[str, Any] = {"name": f"link{i}"}
        if i > 0:
            parent = links[max(0, i - int(rng.integers(1, 3)))]
            link["parent"] = parent["name"]
            if "beam" in parent and rng.random() < 0.4:
                link["at"] = round(float(rng.uniform(0.2, 0.8)) * parent["beam"]["length"], 3)
        if i == 0 or rng.random() < 0.8:
            link["origin"] = {"xyz": _vector(rng, 0.2), "rpy": _vector(rng, 1.0)}
        link["joint"] = _joint(rng, kind, f"joint{i}", transmissions, passive)
        if bends:
            link["beam"] = _beam(rng, stiffening)
        else:
            link["body"] = _mass(rng, 1.0)
        links.append(link)
    materials = {"plastic": {"E": 2.0e9, "nu": 0.35, "rho": 1200.0}}
    gravity = _vector(rng, 6.0)
    return {"lissom": 1, "name": "random", "gravity": gravity, "materials": materials, "links": links}


def random_state(robot: Any, rng: np.random.Generator, deflection: float = 0.02) -> tuple[np.ndarray, np.ndarray]:
    """Configuration and velocity in the robot's order, large enough that every term of the dynamics matters.

    Bending amplitudes are about `deflection` of a link's length, quaternions random, velocities of order one.
    """
    q: list[np.ndarray] = []
    v: list[np.ndarray] = []
    rotors: list[float] = []
    for link in robot.bodies:
        kind = link.joint.type
        place = 0.5 * rng.normal(size=COORDINATES[kind])
        if kind in ("spherical", "free"):
            quaternion = rng.normal(size=4)
            place[:4] = quaternion / np.linalg.norm(quaternion)
        q.append(place)
        v.append(rng.normal(size=VELOCITIES[kind]))
        if link.joint.transmission is not None and link.joint.transmission.stiffness is not None:
            rotors.append(place[0] + 0.1 * float(rng.normal()))
        if link.beam is not None:
            size = deflection * link.beam.length
            sizes = {"y": size, "z": size, "torsion": 2 * deflection, "axial": 0.05 * size}
            scale = np.repeat([*sizes.values()], [getattr(link.beam.modes, name) for name in sizes])
            q.append(scale * rng.normal(size=len(scale)))
            v.append(10 * scale * rng.normal(size=len(scale)))
    return np.concatenate([*q, rotors]), np.concatenate([*v, rng.normal(size=len(rotors))])


def _vector(rng: np.random.Generator, size: float) -> list[float]:
    return [float(x) for x in rng.normal(size=3) * size]


def _mass(rng: np.random.Generator, mass: float) -> dict[str, Any]:
    """A body whose inertia is that of a random cloud of points, so it is physical."""
    spread = rng.normal(size=(3, 3)) * 0.1
    second = mass * spread @ spread.T
    inertia = np.trace(second) * np.eye(3) - second
    mass *= float(rng.uniform(0.5, 2.0))
    return {"mass": mass, "com": _vector(rng, 0.1), "inertia": inertia.tolist()}


def _beam(rng: np.random.Generator, stiffening: str) -> dict[str, Any]:
    beam: dict[str, Any] = {"length": round(float(rng.uniform(0.6, 1.4)), 3), "stiffening": stiffening}
    if rng.random() < 0.3:
        beam["material"] = "plastic"
        beam["section"] = {"shape": "rectangle", "width": 0.04, "height": 0.03}
        beam["shear"] = "none"
    else:
        Jy, Jz = rng.uniform(0.004, 0.008, size=2)
        stiffness = dict(zip(("EIy", "EIz", "GJ"), map(float, rng.uniform(20, 100, size=3))))
        inertia = {"Jx": float((Jy + Jz) * rng.uniform(0.9, 1.2)), "Jy": float(Jy), "Jz": float(Jz)}
        beam["section"] = {"rhoA": float(rng.uniform(0.5, 2.0)), "EA": 2e4, **stiffness, **inertia}
    y, z, torsion, axial = (int(n) for n in rng.integers(0, (3, 3, 3, 2)))
    beam["modes"] = {"y": max(y, int(z == 0)), "z": z, "torsion": torsion, "axial": axial}
    choice = rng.random()
    if choice < 0.4:
        beam["damping"] = {"stiffness": 2e-3, "mass": 0.2}
    elif choice < 0.8:
        beam["damping"] = 0.03
    if rng.random() < 0.5:
        beam["masses"] = [_mass(rng, 0.3) for _ in range(int(rng.integers(1, 3)))]
        for mass in beam["masses"]:
            if rng.random() < 0.7:
                mass["at"] = round(float(rng.uniform(0.1, 1.0)) * beam["length"], 3)
    return beam


def _joint(rng: np.random.Generator, kind: str, name: str, transmissions: float, passive: float) -> dict[str, Any]:
    joint: dict[str, Any] = {"name": name, "type": kind}
    count = VELOCITIES[kind]

    def each(low: float, high: float) -> float | list[float]:
        """One value for all coordinates or, for several, a list: both forms of the file."""
        values = [float(x) for x in rng.uniform(low, high, size=count)]
        return values[0] if count == 1 or rng.random() < 0.3 else values

    if kind in ("revolute", "prismatic", "helical", "cylindrical", "guided"):
        joint["axis"] = _vector(rng, 1.0)
    if kind == "guided":
        joint["path"] = [_vector(rng, size) for size in (0.3, 0.2, 0.1)]
    if kind == "helical":
        joint["pitch"] = float(rng.uniform(-1.0, 1.0))
    if kind == "universal":
        joint["axes"] = [_vector(rng, 1.0), _vector(rng, 1.0)]
    elif kind == "planar" and rng.random() < 0.7:
        pair, _ = np.linalg.qr(rng.normal(size=(3, 2)))
        joint["axes"] = pair.T.tolist()
    if kind == "fixed":
        return joint
    if rng.random() < passive:
        joint["damping"] = each(0.1, 1.0)
    if rng.random() < passive:
        joint["friction"] = {"coulomb": each(0.1, 1.0), "velocity": each(0.2, 1.0), "viscous": each(0.1, 1.0)}
        if np.random.default_rng(round(1e6 * np.ravel(joint["friction"]["coulomb"])[0])).random() < 0.5:  # its own draw
            joint["friction"] |= {"stick": 0.4, "stribeck": 0.3}
    if kind in ("spherical", "free"):
        return joint
    if rng.random() < passive:
        joint["spring"] = {"stiffness": each(1.0, 5.0), "rest": each(-0.5, 0.5)}
    if rng.random() < passive:
        joint["limits"] = {"lower": each(-0.4, -0.2), "upper": each(0.2, 0.4), "stiffness": each(5.0, 20.0),
                           "damping": each(0.5, 2.0), "width": each(0.05, 0.2)}  # fmt: skip
    if kind in ("revolute", "prismatic", "helical") and rng.random() < transmissions:
        inertia, gear = rng.uniform((0.001, 2.0), (0.01, 10.0))
        joint["transmission"] = {"rotor_inertia": float(inertia), "gear": float(gear)}
        if rng.random() < 0.5:
            stiffness, damping = rng.uniform((20.0, 0.0), (200.0, 0.5))
            joint["transmission"] |= {"stiffness": float(stiffness), "damping": float(damping)}
            if damping > 0.25:
                joint["transmission"] |= {"hysteresis": 0.3, "hysteresis_velocity": 0.5}
    return joint


class Case:
    """A robot at a random state, under random forces and a wrench on its last link."""

    def __init__(self, robot, seed=7, deflection=0.02, **options):
        rng = np.random.default_rng(seed)
        self.robot, self.model = robot, robot.compile(**options)
        self.q, self.v = random_state(robot, rng, deflection)
        self.tau, self.a = rng.normal(size=(2, self.model.nv))
        self.wrenches = {self.model.links[-1]: rng.normal(size=6)}

    @property
    def state(self):
        return self.q, self.v
