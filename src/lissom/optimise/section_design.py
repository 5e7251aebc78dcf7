"""What sections decide: mass, frequencies, deflections and stresses of a robot, each with its exact derivatives.

A derivative by a size is the imaginary part of a complex step through the sections' formulas and the kernel. Equilibria
are differentiated through their balance, frequencies through their modes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from lissom.analysis.equilibrium.equilibrium_state import Equilibrium
from lissom.analysis.equilibrium.statics import find_equilibrium
from lissom.analysis.equilibrium.tangent_matrices import load_forces, tangent
from lissom.analysis.modes.natural_modes import natural_modes
from lissom.beam import BeamLink
from lissom.dynamics.coordinates import configuration, indices
from lissom.dynamics.inverse import bias, inverse_dynamics, joint_wrenches
from lissom.dynamics.kinematics import point_pose, tip_pose
from lissom.kernel.algorithms.complex_step import STEP
from lissom.model.description.robot import Robot
from lissom.model.flexible.stations import section_at
from lissom.model.model import Model
from lissom.optimise.design_stress import von_mises

STATIONS = 5  # of a beam where stresses are taken, its base the first
MODES = 4  # frequencies that are kept above their limit
AMPLITUDE = 1e-3  # m or rad, of the difference along a mode
NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)


class DualValue(NamedTuple):
    """A number and its derivatives by the sizes."""

    value: float
    slope: np.ndarray  # (sizes,)


@dataclass(frozen=True)
class Case:
    """A pose and the loads on it: {(link, x or None): wrench (6,) in world axes}."""

    pose: dict[str, Any]
    loads: dict[Any, np.ndarray]
    factor: float  # of weight and loads


class Design:
    """A robot with certain sizes."""

    def __init__(self, robot: Robot, sizes: dict[str, float]) -> None:
        self.robot = robot.with_values(sizes.items())
        self.model = self.robot.compile()
        stepped = (self.robot.with_value(path, float(value) + 1j * STEP) for path, value in sizes.items())
        self.models = [each.compile() for each in stepped]  # one for each size

    @cached_property
    def mass(self) -> DualValue:
        """Of the whole robot, kg."""
        slopes = [_mass(model).imag / STEP for model in self.models]
        return DualValue(float(_mass(self.model).real), np.array(slopes))

    def at(self, case: Case) -> LoadedDesign:
        """Return the design in a case."""
        return LoadedDesign(self, case)


class LoadedDesign:
    """A design at rest in a case: weight and loads times the factor, joints held."""

    def __init__(self, design: Design, case: Case) -> None:
        self.model = _weighing(design.model, case.factor)
        self.models = [_weighing(model, case.factor) for model in design.models]
        self.loads = {place: case.factor * wrench for place, wrench in case.loads.items()}
        pose = configuration(self.model, case.pose, "pose")
        self.rest: Equilibrium = find_equilibrium(self.model, pose, np.zeros(self.model.nv), loads=self.loads)
        free = [k for body in self.model.bodies for k in indices(body.modes_v)]
        self.states = [
            self._add_derivative(model, free) for model in self.models
        ]  # q with derivatives, one for each size

    def _add_derivative(self, changed: Model, free: list[int]) -> np.ndarray:
        """Return q (nq,) whose imaginary part is STEP times its derivative."""
        q = self.rest.q
        out = q.astype(complex)
        if not free:
            return out
        unbalanced = np.imag(bias(changed, q, np.zeros(changed.nv)) - load_forces(changed, q, self.loads))
        place = [k for body in self.model.bodies for k in indices(body.modes_q)]
        out[place] -= 1j * np.linalg.solve(self._stiffness[np.ix_(free, free)], unbalanced[free])
        return out

    @cached_property
    def _stiffness(self) -> np.ndarray:
        return tangent(self.model, self.rest.q, loads=self.loads).K

    def _value(self, function: Any) -> DualValue:
        """Return function(robot's model, q) -> a number, with its derivatives."""
        slopes = [np.imag(function(model, q)) / STEP for model, q in zip(self.models, self.states, strict=True)]
        return DualValue(float(np.real(function(self.model, self.rest.q))), np.array(slopes))

    # quantities ----------------------------------------------------------------------------------------------

    def deflection(self, link: str) -> DualValue:
        """Return the distance of a link's tip from its place while unbent, m."""

        def moved(model: Model, q: np.ndarray) -> Any:
            beam, body = model.flexible[link], model.link(link)
            return _norm(beam.pose(beam.length, q[body.modes_q])[:3, 3] - beam.position(beam.length))

        return self._value(moved)

    def sag(self, link: str) -> DualValue:
        """Return the distance of a link's tip from its place in a rigid arm, m."""

        def moved(model: Model, q: np.ndarray) -> Any:
            straight = q.copy()
            for body in model.bodies:
                straight[body.modes_q] = 0.0
            return _norm(tip_pose(model, q, link)[:3, 3] - tip_pose(model, straight, link)[:3, 3])

        return self._value(moved)

    def stresses(self, link: str) -> list[DualValue]:
        """Return largest equivalent stress in sections along a beam, Pa."""
        length = float(np.real(self.model.flexible[link].length))
        return [
            self._value(lambda model, q, x=x: self._stress(model, q, link, x))
            for x in length * np.arange(STATIONS) / STATIONS
        ]

    def _stress(self, model: Model, q: np.ndarray, link: str, x: float) -> Any:
        beam = model.robot.link(link).beam
        assert beam is not None
        section = beam.section if beam.section is not None else section_at(beam.stations, x)[0]
        return von_mises(section, *self._inner_forces(model, q, link, x))

    def _inner_forces(self, model: Model, q: np.ndarray, link: str, x: float) -> tuple[np.ndarray, np.ndarray]:
        """Return force and moment of the outer part on the inner one at x, in the link's axes, by its balance."""
        beam = model.flexible[link]
        assert isinstance(beam, BeamLink)
        row = model.links.index(link)
        pose = point_pose(model, q, link, 0.0)
        R, here = pose[:3, :3], np.real(beam.position(x))
        wrenches = joint_wrenches(model, q, np.zeros(model.nv), np.zeros(model.nv), self._at_origins(model, q))
        parts = [(np.zeros(3), wrenches[row, 3:], wrenches[row, :3])]  # place, force, torque on the inner part
        gravity = R.T @ model.arrays.gravity
        if x > 0:
            at = x * (NODES + 1) / 2
            moments = np.asarray(beam.profile.tables(beam.profile.fraction(at))[1])
            for place, weight, per_length in zip(at, x / 2 * WEIGHTS, moments, strict=True):
                parts.append((beam.position(place), weight * per_length[0, 0] * gravity, np.zeros(3)))
        for lump in beam.masses:
            if np.real(lump.x) < x:
                parts.append((beam.position(lump.x), lump.moments[0, 0] * gravity, np.zeros(3)))
        for place, wrench in self.loads.items():
            name, where = place if isinstance(place, tuple) else (place, None)
            if name == link and where is not None and where < x:
                parts.append((beam.position(where), R.T @ wrench[3:], R.T @ wrench[:3]))
        for child in model.robot.bodies:
            if child.parent == link and child.at is not None and not isinstance(child.at, str) and child.at < x:
                k = model.links.index(child.name)
                turn = R.T @ point_pose(model, q, child.name, 0.0 if child.name in model.flexible else None)[:3, :3]
                parts.append((beam.position(child.at), -turn @ wrenches[k, 3:], -turn @ wrenches[k, :3]))
        force = np.sum([part[1] for part in parts], axis=0)
        moment = np.sum([part[2] + np.cross(part[0] - here, part[1]) for part in parts], axis=0)
        return -force, -moment

    def _at_origins(self, model: Model, q: np.ndarray) -> dict[str, np.ndarray]:
        """Return the loads as wrenches at the links' origins in their axes."""
        out: dict[str, np.ndarray] = {}
        for place, wrench in self.loads.items():
            link, x = place if isinstance(place, tuple) else (place, None)
            base = point_pose(model, q, link, 0.0) if link in model.flexible else _origin(model, q, link)
            arm = point_pose(model, q, link, x)[:3, 3] - base[:3, 3]
            R = base[:3, :3]
            moved = np.concatenate([R.T @ (wrench[:3] + np.cross(arm, wrench[3:])), R.T @ wrench[3:]])
            out[link] = out.get(link, np.zeros(6)) + moved
        return out

    def frequencies(self) -> list[DualValue]:
        """Return the lowest natural frequencies with all joints locked, Hz."""
        modes = natural_modes(self.model, self.rest, number=MODES)
        return [self._frequency(float(f), shape) for f, shape in zip(modes.frequencies, modes.shapes.T, strict=True)]

    def _frequency(self, hertz: float, shape: np.ndarray) -> DualValue:
        """Derive a frequency, phi of unit modal mass: d lambda = phi' (dK - lambda dM) phi (Fox, Kapoor 1968)."""
        if hertz <= 0:
            return DualValue(0.0, np.zeros(len(self.models)))
        square = (2 * np.pi * hertz) ** 2
        eps = AMPLITUDE / np.abs(shape).max()
        zero = np.zeros(self.model.nv)
        place = self._along(shape)
        slopes = []
        for model, q in zip(self.models, self.states, strict=True):

            def force(share: float, model: Model = model, q: np.ndarray = q) -> float:
                there = q + share * eps * place
                return float(shape @ (bias(model, there, zero) - load_forces(model, there, self.loads)).imag)

            stiffer = (8 * (force(1) - force(-1)) - (force(2) - force(-2))) / (12 * eps)
            heavier = shape @ (inverse_dynamics(model, q, zero, shape) - inverse_dynamics(model, q, zero, zero)).imag
            slopes.append((stiffer - square * heavier) / STEP)
        return DualValue(hertz, np.array(slopes) / (8 * np.pi**2 * hertz))

    def _along(self, shape: np.ndarray) -> np.ndarray:
        """Return a displacement (nv,) of modes as one of q (nq,)."""
        out = np.zeros(self.model.nq)
        for body in self.model.bodies:
            out[body.modes_q] = shape[body.modes_v]
        return out


def _weighing(model: Model, factor: float) -> Model:
    """Return the model in `factor` times the gravity."""
    arrays = model.arrays._replace(gravity=factor * model.arrays.gravity)
    return model.with_arrays(arrays)


def _mass(model: Model) -> Any:
    return np.asarray(model.arrays.inertia.mass, complex).sum()


def _norm(vector: np.ndarray) -> Any:
    """Return the length of a real vector, with its derivative."""
    square = vector @ vector
    return np.sqrt(square) if np.real(square) > 0 else 0.0


def _origin(model: Model, q: np.ndarray, link: str) -> np.ndarray:
    """Return the pose of a rigid link's frame."""
    tip = getattr(model.robot.link(link).body, "tip", None)
    back = (0.0, 0.0, 0.0) if tip is None else tuple(-np.asarray(tip))
    return point_pose(model, q, link, offset=back)
