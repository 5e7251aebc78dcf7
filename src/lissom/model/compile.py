"""From a robot's description to the arrays that the kernels read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from lissom.beam import FlexibleLink
from lissom.errors import RobotError
from lissom.lie import so3
from lissom.model.arrays import Arrays, Motion, padded
from lissom.model.compiled import BodyNames, Model
from lissom.model.joint import Joint
from lissom.model.robot import Link, Robot

LEVI_CIVITA = np.zeros((3, 3, 3))
for _a, _b, _c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    LEVI_CIVITA[_a, _b, _c], LEVI_CIVITA[_a, _c, _b] = 1.0, -1.0


def compile_robot(robot: Robot, prescribed: str | Iterable[str] = ()) -> Model:
    """Compile `robot` into a Model.

    Args:
        robot: the description; a complex value in it (set by `robot.with_value`) makes complex arrays.
        prescribed: joints whose motion is given, by name: acceleration is an input, force a result.
    """
    names = (prescribed,) if isinstance(prescribed, str) else tuple(prescribed)
    return _Compiler(robot, names).model()


def joint_steps(joint: Joint) -> list[tuple[Motion, np.ndarray]]:
    """The elementary motions of a joint, in order, each with its axis."""
    axes = [np.asarray(axis) for axis in joint.axes]
    none = np.zeros(3)
    match joint.type:
        case "fixed":
            return []
        case "revolute":
            return [(Motion.TURN, axes[0])]
        case "prismatic":
            return [(Motion.SLIDE, axes[0])]
        case "cylindrical":
            return [(Motion.TURN, axes[0]), (Motion.SLIDE, axes[0])]
        case "universal":
            return [(Motion.TURN, axes[0]), (Motion.TURN, axes[1])]
        case "planar":
            normal = np.cross(axes[0], axes[1])
            return [(Motion.SLIDE, axes[0]), (Motion.SLIDE, axes[1]), (Motion.TURN, normal)]
        case "spherical":
            return [(Motion.BALL, none)]
        case _:
            return [(Motion.FLOAT, none)]


def _starts(counts: Iterable[int]) -> np.ndarray:
    """First row of every body, the world's included, and the end: for arrays that list rows body by body."""
    return np.cumsum([0, 0, *counts])


class _Compiler:
    """Fills the arrays body by body; row 0 is the world."""

    def __init__(self, robot: Robot, prescribed: tuple[str, ...]) -> None:
        self.robot = robot
        self.links = robot.bodies
        self.flexible = robot.flexible_links()
        self.rows = {"world": 0} | {link.name: i for i, link in enumerate(self.links, start=1)}
        self.rotors = [link for link in self.links if link.joint.elastic]
        self.n = len(self.links) + 1
        self.m = padded(max((beam.count for beam in self.flexible.values()), default=0))
        exact = {name: beam.stations() for name, beam in self.flexible.items()}
        self.stations = {name: part for name, part in exact.items() if part is not None}
        self.K = max((part.nodes for part in self.stations.values()), default=0)
        self.number = np.complex128 if robot.has_complex_values() else np.float64
        self.names = self._name_coordinates()
        self.prescribed = self._prescribed_coordinates(prescribed)

    def model(self) -> Model:
        fields = self._tree() | self._tangent() | self._joints() | self._inertias() | self._passive() | self._rotors()
        fields["gravity"] = np.asarray(self.robot.gravity, self.number)
        return Model(robot=self.robot, arrays=Arrays(**fields), flexible=self.flexible, bodies=tuple(self.names))

    # coordinates ------------------------------------------------------------------------------------------------

    def _name_coordinates(self) -> list[BodyNames]:
        """Order of q and v: for each body its joint coordinates, then its modes; then the rotors."""
        names, nq, nv = [], 0, 0
        for link in self.links:
            joint = link.joint
            labels = self.flexible[link.name].labels if link.name in self.flexible else ()
            modes = tuple(f"{link.name}.{label}" for label in labels)
            body = BodyNames(
                link=link.name,
                joint=joint.name,
                joint_q=slice(nq, nq + joint.nq),
                joint_v=slice(nv, nv + joint.nv),
                modes_q=slice(nq + joint.nq, nq + joint.nq + len(modes)),
                modes_v=slice(nv + joint.nv, nv + joint.nv + len(modes)),
                q_names=joint.position_names + modes,
                v_names=joint.velocity_names + modes,
            )
            nq, nv = body.modes_q.stop, body.modes_v.stop
            names.append(body)
        for k, link in enumerate(self.rotors):
            body = names[self.rows[link.name] - 1]
            body.rotor_q, body.rotor_v = nq + k, nv + k
        self.nq, self.nv = nq + len(self.rotors), nv + len(self.rotors)
        return names

    def _prescribed_coordinates(self, joints: tuple[str, ...]) -> np.ndarray:
        mask = np.zeros(self.nv, np.int64)
        known = {body.joint: body for body in self.names}
        for name in joints:
            if name not in known or known[name].joint_v.stop == known[name].joint_v.start:
                movable = ", ".join(b.joint for b in self.names if b.joint_v.stop > b.joint_v.start)
                raise RobotError(f"prescribed: {name!r} is not a joint that moves; choose from {movable}")
            mask[known[name].joint_v] = 1
        return mask

    # arrays -----------------------------------------------------------------------------------------------------

    def _zeros(self, *shape: int) -> np.ndarray:
        return np.zeros(shape, self.number)

    def _tree(self) -> dict[str, np.ndarray]:
        rows = range(1, self.n)
        out = {
            name: np.zeros(self.n, np.int64)
            for name in (
                "parent",
                "modes",
                "bending",
                "second_order",
                "nodes",
                "joint_q",
                "joint_v",
                "modes_q",
                "modes_v",
            )
        }
        for i, link, names in zip(rows, self.links, self.names, strict=True):
            out["parent"][i] = self.rows[link.parent]
            for key in ("joint_q", "joint_v", "modes_q", "modes_v"):
                out[key][i] = getattr(names, key).start
            if link.name in self.flexible:
                beam = self.flexible[link.name]
                out["modes"][i] = beam.count
                out["bending"][i] = beam.bending_count
                out["second_order"][i] = int(beam.second_order)
            if link.name in self.stations:
                out["nodes"][i] = self.stations[link.name].nodes
        return out

    def _tangent(self) -> dict[str, np.ndarray]:
        """How each velocity moves q."""
        place, axis = np.zeros(self.nv, np.int64), np.full(self.nv, -1)
        for link, names in zip(self.links, self.names, strict=True):
            on_group = link.joint.type in ("spherical", "free")
            for k, at in enumerate(range(names.joint_v.start, names.joint_v.stop)):
                place[at] = names.joint_q.start + (0 if on_group else k)
                axis[at] = k if on_group else -1
            place[names.modes_v] = np.arange(names.modes_q.start, names.modes_q.stop)
            if names.rotor_v is not None:
                place[names.rotor_v] = names.rotor_q or 0
        return {"tangent_q": place, "tangent_axis": axis}

    def _joints(self) -> dict[str, np.ndarray]:
        n, m = self.n, self.m
        position, phi, psi = self._zeros(n, 3), self._zeros(n, 3, m), self._zeros(n, 3, m)
        shortening, twist, running = self._zeros(n, m, m), self._zeros(n, m, m), self._zeros(n, self.K)
        origin_rotation, origin_position = self._zeros(n, 3, 3), self._zeros(n, 3)
        has_origin, steps, dofs = (np.zeros(n, np.int64) for _ in range(3))
        motion, axis = np.zeros((n, 3), np.int64), self._zeros(n, 3, 3)
        armature = self._zeros(self.nv)
        origin_rotation[:] = np.eye(3)
        for i, link in enumerate(self.links, start=1):
            if link.parent in self.flexible:
                beam = self.flexible[link.parent]
                at = beam.section_map(beam.length if link.at is None else link.at)
                k = beam.count
                position[i], phi[i, :, :k], psi[i, :, :k] = at.position, at.phi, at.psi
                shortening[i, :k, :k], twist[i, :k, :k] = at.foreshortening, at.twist
                running[i, : len(at.running)] = at.running
            origin_rotation[i] = so3.from_rpy(np.asarray(link.origin.rpy, self.number))
            origin_position[i] = link.origin.xyz
            has_origin[i] = int(np.any(origin_position[i]) or np.any(origin_rotation[i] != np.eye(3)))
            dofs[i] = link.joint.nv
            for k, (kind, direction) in enumerate(joint_steps(link.joint)):
                motion[i, k], axis[i, k], steps[i] = kind, direction, k + 1
            gear = link.joint.transmission
            if gear is not None and gear.stiffness is None:
                armature[self.names[i - 1].joint_v] = gear.rotor_inertia * gear.gear**2
        return {
            "section_position": position,
            "section_phi": phi,
            "section_psi": psi,
            "section_shortening": shortening,
            "section_twist": twist,
            "section_running": running,
            "has_origin": has_origin,
            "origin_rotation": origin_rotation,
            "origin_position": origin_position,
            "steps": steps,
            "motion": motion,
            "axis": axis,
            "dofs": dofs,
            "prescribed": self.prescribed,
            "armature": armature,
        }

    def _inertias(self) -> dict[str, np.ndarray]:
        n, m = self.n, self.m
        out = {
            "mass": self._zeros(n),
            "moment": self._zeros(n, 3),
            "second_moment": self._zeros(n, 3, 3),
            "coupling": self._zeros(n, 12 * m),
            "coupling_eta": self._zeros(n, m, 12 * m),
            "gyroscopic": self._zeros(n, 3, m, m),
            "modal_mass": self._zeros(n, m, m),
            "stiffness": self._zeros(n, m, m),
            "damping": self._zeros(n, m, m),
            "rigidity": self._zeros(n, 4),
            "retardation": self._zeros(n),
        }
        for i, link in enumerate(self.links, start=1):
            if link.name in self.flexible:
                self._flexible_body(i, self.flexible[link.name], out)
            else:
                self._rigid_body(i, link, out)
        return out | self._cubic_terms() | self._shortenings() | self._stations()

    def _cubic_terms(self) -> dict[str, np.ndarray]:
        """Cubic strain-energy terms of all links, one after the other."""
        terms = [self.flexible[link.name].cubic_terms() if link.name in self.flexible else None for link in self.links]
        index, value, rate = zip(*(t for t in terms if t is not None), strict=True) if self.flexible else ((), (), ())
        return {
            "cubic_start": _starts(0 if t is None else len(t[0]) for t in terms),
            "cubic_modes": np.concatenate([np.zeros((0, 3), np.int64), *index]),
            "cubic": np.concatenate([self._zeros(0), *value]),
            "cubic_damping": np.concatenate([self._zeros(0), *rate]),
        }

    def _shortenings(self) -> dict[str, np.ndarray]:
        """Foreshortening of all links, one after the other, padded to the largest mode count."""
        parts = [self.flexible[link.name].shortening() if link.name in self.flexible else None for link in self.links]
        starts = _starts(0 if part is None else len(part.weight) for part in parts)
        total, m = starts[-1], self.m
        out = {
            "short_start": starts,
            "short_form": self._zeros(total, m, m),
            "short_weight": self._zeros(total),
            "short_s0": self._zeros(total, 3),
            "short_phi": self._zeros(total, 3, m),
        }
        for part, start, stop in zip(parts, starts[1:-1], starts[2:], strict=True):
            if part is not None:
                k = part.form.shape[1]
                out["short_form"][start:stop, :k, :k], out["short_phi"][start:stop, :, :k] = (
                    part.form,
                    part.phi,
                )
                out["short_weight"][start:stop], out["short_s0"][start:stop] = part.weight, part.s0
        return out

    def _stations(self) -> dict[str, np.ndarray]:
        """Stations of all links with the exact field, one after the other, padded to the largest counts."""
        parts = [self.stations.get(link.name) for link in self.links]
        starts = _starts(0 if part is None else len(part.weight) for part in parts)
        total = starts[-1]
        out = {
            "station_weight": self._zeros(total),
            "station_running": self._zeros(total, self.K),
            "station_psi": self._zeros(total, 4, self.m),
            "station_psi_x": self._zeros(total, 3, self.m),
            "station_mass": self._zeros(total),
            "station_offset": self._zeros(total, 3),
            "station_inertia": self._zeros(total, 3, 3),
        }
        for part, start, stop in zip(parts, starts[1:-1], starts[2:], strict=True):
            for name, table in out.items() if part is not None else ():
                values = getattr(part, name.removeprefix("station_"))
                table[start:stop][tuple(slice(size) for size in values.shape)] = values
        return {"station_start": starts} | out

    def _rigid_body(self, i: int, link: Link, out: dict[str, np.ndarray]) -> None:
        body = link.body
        assert body is not None  # the schema allows a beam or a body
        com, inertia = np.asarray(body.com, self.number), np.asarray(body.inertia, self.number)
        out["mass"][i] = body.mass
        out["moment"][i] = body.mass * com
        out["second_moment"][i] = 0.5 * np.trace(inertia) * np.eye(3) - inertia + body.mass * np.outer(com, com)

    def _flexible_body(self, i: int, beam: FlexibleLink, out: dict[str, np.ndarray]) -> None:
        """Invariants in the kernel's layout."""
        k, inv = beam.count, beam.invariants()
        out["mass"][i], out["moment"][i], out["second_moment"][i] = inv.mass, inv.mc0, inv.G0
        coupling = np.concatenate([inv.S0, inv.C1[None]]).reshape(12, k)  # [a b, j], a = x, y, z, 1
        by_eta = np.concatenate([inv.N, np.zeros_like(inv.N[:1])]).reshape(12, k, k)  # [a b, l, j]
        out["coupling"][i, : 12 * k] = coupling.T.ravel()
        out["coupling_eta"][i, :k, : 12 * k] = by_eta.transpose(1, 2, 0).reshape(k, 12 * k)
        out["gyroscopic"][i, :, :k, :k] = np.einsum("cab,ablj->clj", LEVI_CIVITA, inv.N)
        out["modal_mass"][i, :k, :k] = np.einsum("aalj->lj", inv.N)
        out["stiffness"][i, :k, :k] = beam.stiffness()
        out["damping"][i, :k, :k] = beam.damping_matrix()
        exact = self.stations.get(self.links[i - 1].name)
        if exact is not None:  # what follows stiffness acts on the exact strains
            out["damping"][i, :k, :k] -= exact.retardation * beam.stiffness()
            out["rigidity"][i], out["retardation"][i] = exact.rigidity, exact.retardation

    def _passive(self) -> dict[str, np.ndarray]:
        """One row per coordinate on which a joint acts by itself."""
        rows: list[dict[str, Any]] = []
        for link, names in zip(self.links, self.names, strict=True):
            joint = link.joint
            if not (np.any(joint.damping) or joint.friction or joint.spring or joint.limits):
                continue
            on_group = joint.type in ("spherical", "free")
            friction, spring, limits = joint.friction, joint.spring, joint.limits
            for k in range(joint.nv):

                def value(part: Any, field: str, default: float, joint: Joint = joint, k: int = k) -> Any:
                    return default if part is None else joint.each(getattr(part, field))[k]

                rows.append(
                    {
                        "passive_q": -1 if on_group else names.joint_q.start + k,
                        "passive_v": names.joint_v.start + k,
                        "viscous": joint.each(joint.damping)[k] + value(friction, "viscous", 0.0),
                        "coulomb": value(friction, "coulomb", 0.0),
                        "coulomb_speed": value(friction, "velocity", 1.0),
                        "spring": value(spring, "stiffness", 0.0),
                        "spring_rest": value(spring, "rest", 0.0),
                        "has_stop": int(limits is not None),
                        "lower": value(limits, "lower", 0.0),
                        "upper": value(limits, "upper", 0.0),
                        "stop_stiffness": value(limits, "stiffness", 0.0),
                        "stop_damping": value(limits, "damping", 0.0),
                        "stop_width": value(limits, "width", 1.0),
                    }
                )
        integers = ("passive_q", "passive_v", "has_stop")
        fields = Arrays._fields[Arrays._fields.index("passive_q") : Arrays._fields.index("stop_width") + 1]
        return {
            name: np.array([row[name] for row in rows], np.int64 if name in integers else self.number)
            for name in fields
        }

    def _rotors(self) -> dict[str, np.ndarray]:
        bodies = [self.names[self.rows[link.name] - 1] for link in self.rotors]
        gears = [link.joint.transmission for link in self.rotors]

        def column(values: Iterable[Any], number: Any) -> np.ndarray:
            return np.array(list(values), number)

        return {
            "rotor_q": column((b.rotor_q for b in bodies), np.int64),
            "rotor_v": column((b.rotor_v for b in bodies), np.int64),
            "geared_q": column((b.joint_q.start for b in bodies), np.int64),
            "geared_v": column((b.joint_v.start for b in bodies), np.int64),
            "rotor_inertia": column((g.rotor_inertia * g.gear**2 for g in gears if g), self.number),
            "gear_stiffness": column((g.stiffness for g in gears if g), self.number),
            "gear_damping": column((g.damping for g in gears if g), self.number),
        }
