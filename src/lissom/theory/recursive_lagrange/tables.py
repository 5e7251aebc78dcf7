"""Constants of an arm as the recursion reads them: its joints, its sections, their mass and elasticity.

Every link is a row of *stations*, sections whose 4 x 4 pose in the link frame depends on the link's modal amplitudes:
those that carry mass (the nodes of the quadrature, lumped masses) and those on which other links sit. A rigid link is a
single station that never moves. Integrals along the axis run over the link's quadrature *nodes*, its first stations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lissom.beam import BeamLink
from lissom.beam.damping import rayleigh
from lissom.beam.displacement_fields.displacement_field import Field
from lissom.beam.functions.quadrature import Quadrature
from lissom.model.description.frame import Frame
from lissom.model.model import Model

ORDERS = ("zero", "first", "high")
ROTATIONS = ("proper", "linear")
STIFFENING = {"zero": "none", "first": "first", "high": "first"}


class Tables(NamedTuple):
    """Constants of `n` bodies (row 0 is the world), `s` stations, `k` nodes, at most `m` modes per link."""

    parent: np.ndarray  # (n,) row of the parent
    attached: np.ndarray  # (n,) station of the parent on which the body sits
    tip: np.ndarray  # (n,) station at its own end
    origin: np.ndarray  # (n, 4, 4) frame of its joint seen from there
    steps: np.ndarray  # (n,) elementary motions of the joint
    motion: np.ndarray  # (n, 3) their kinds
    screw: np.ndarray  # (n, 3, 6) and unit twists (angular, linear)
    dofs: np.ndarray  # (n,) velocities of the joint
    joint_q: np.ndarray  # (n,) places of its coordinates in q
    joint_v: np.ndarray  # (n,) and in v
    modes: np.ndarray  # (n,) number of modes of the body
    modes_q: np.ndarray  # (n,) their places in q
    modes_v: np.ndarray  # (n,) and in v
    order: np.ndarray  # (n,) of the link's field: 0 zero, 1 first, 2 high

    first_station: np.ndarray  # (n + 1,) stations of body i: first[i] to first[i+1]
    reach: np.ndarray  # (s,) x on the undeformed axis
    phi: np.ndarray  # (s, 3, m) displacement (a, v, w) per mode
    psi: np.ndarray  # (s, 3, m) rotation (t, -w', v') per mode
    running: np.ndarray  # (s, most nodes of a link) integrals from the base to the station, over the link's nodes
    moments: np.ndarray  # (s, 4, 4) int (d, 1)(d, 1)^T dm of the mass elements at offsets d from the station
    turns: np.ndarray  # (s,) 1 where the section turns by a proper rotation, 0 by identity plus skew

    first_node: np.ndarray  # (n + 1,) nodes of body i
    strain: np.ndarray  # (k, 4, m) a', t', -w'', v'' per mode
    slope: np.ndarray  # (k, 2, m) v', w' per mode
    weight: np.ndarray  # (k,) of integrals over x
    rigidity: np.ndarray  # (n, 4) EA, GJ, EIy, EIz
    viscosity: np.ndarray  # (n,) beta: damping in proportion to the stiffness, high order

    stiffness: np.ndarray  # (n, m, m) of zero and first order
    damping: np.ndarray  # (n, m, m)
    cubic_start: np.ndarray  # (n + 1,) cubic strain-energy terms of body i
    cubic_modes: np.ndarray  # (nc, 3)
    cubic: np.ndarray  # (nc,)
    cubic_damping: np.ndarray  # (nc,)
    gravity: np.ndarray  # (3,)


class _Stations:
    """Stations of all bodies, one after the other."""

    def __init__(self, m: int, nodes: int, number: Any) -> None:
        self.m, self.nodes, self.number = m, nodes, number
        self.rows: list[tuple[Any, ...]] = []

    def rigid(self, moments: np.ndarray) -> None:
        """Add the one station of a rigid link.

        Equations: 004 (24)-(25).
        """
        none = np.zeros((3, self.m), self.number)
        self.rows.append((0.0, none, none, np.zeros(self.nodes, self.number), moments, 0))

    def beam(self, field: Field, rule: Quadrature, xi: np.ndarray, moments: np.ndarray, turns: int) -> None:
        sections, running = field.sections(xi), field.length * rule.running(xi)
        for k in range(len(xi)):
            phi, psi = (_pad(part[k], (3, self.m), self.number) for part in (sections.phi, sections.psi))
            row = _pad(running[k], (self.nodes,), self.number)
            self.rows.append((field.length * xi[k], phi, psi, row, moments[k], turns))

    def columns(self) -> dict[str, np.ndarray]:
        reach, phi, psi, running, moments, turns = (np.array(column) for column in zip(*self.rows, strict=True))
        return {"reach": reach + 0 * phi[:, 0, :1].sum(axis=1), "phi": phi, "psi": psi, "running": running,
                "moments": moments, "turns": turns}  # fmt: skip


class _Elasticity:
    """Elasticity and damping of all bodies: at their nodes with high order, as constant matrices with the others."""

    def __init__(self, bodies: int, m: int, number: Any) -> None:
        self.m, self.number = m, number
        self.first_node, self.first_cubic = [0, 0], [0, 0]
        self.strain, self.slope = [np.zeros((0, 4, m), number)], [np.zeros((0, 2, m), number)]
        self.weight = [np.zeros(0, number)]
        self.cubics = [(np.zeros((0, 3), np.int64), np.zeros(0, number), np.zeros(0, number))]
        self.rigidity, self.viscosity = np.zeros((bodies, 4), number), np.zeros(bodies, number)
        self.stiffness, self.damping = np.zeros((bodies, m, m), number), np.zeros((bodies, m, m), number)

    def beam(self, i: int, beam: BeamLink, rule: Quadrature, high: bool) -> None:
        section, own, at = beam.section, slice(beam.count), beam.field.sections(rule.nodes)
        self.strain.append(_pad(at.strain[:, [0, 3, 4, 5]], (len(at.strain), 4, self.m), self.number))
        slope = np.stack([at.psi[:, 2], -at.psi[:, 1]], axis=1)
        self.slope.append(_pad(slope, (len(slope), 2, self.m), self.number))
        self.weight.append((beam.length * rule.weights).astype(self.number))
        self.rigidity[i] = section.EA, section.GJ, section.EIy, section.EIz
        self.damping[i, own, own] = beam.damping_matrix()
        if high:  # strain and its damping come from the nodes; what is left is damping by ratio or by mass
            self.viscosity[i], _ = rayleigh(beam.damping) or (0.0, 0.0)
            self.damping[i, own, own] -= self.viscosity[i] * beam.stiffness()
        else:
            self.stiffness[i, own, own] = beam.stiffness()
            self.cubics.append(beam.cubic_terms())

    def end_body(self) -> None:
        self.first_node.append(sum(map(len, self.weight)))
        self.first_cubic.append(sum(len(index) for index, _, _ in self.cubics))

    def columns(self) -> dict[str, np.ndarray]:
        modes, cubic, damping = (np.concatenate(part) for part in zip(*self.cubics, strict=True))
        return {
            "first_node": np.array(self.first_node),
            "strain": np.concatenate(self.strain),
            "slope": np.concatenate(self.slope),
            "weight": np.concatenate(self.weight),
            "rigidity": self.rigidity,
            "viscosity": self.viscosity,
            "stiffness": self.stiffness,
            "damping": self.damping,
            "cubic_start": np.array(self.first_cubic),
            "cubic_modes": modes,
            "cubic": cubic,
            "cubic_damping": damping,
        }


def make_tables(
    model: Model, slender: dict[str, BeamLink], orders: dict[str, str], rotation: str, frames: Sequence[Frame] = ()
) -> tuple[Tables, dict[tuple[str, Any], int]]:
    """Tables of `model`, each of its beams with the order given by its name; stations by link and place.

    Arguments: `frames` are fixed on links and get stations too.
    """
    arrays, links = model.arrays, model.robot.bodies
    tree, joints, inertia = arrays.tree, arrays.joints, arrays.inertia
    # zero and first order share stiffness and damping with the link's own fields of that order
    beams = {name: replace(slender[name], stiffening=STIFFENING[order]) for name, order in orders.items()}
    rules = {name: quadrature(beam, orders[name]) for name, beam in beams.items()}
    number, n = inertia.mass.dtype, len(links) + 1
    m = max((beam.count for beam in beams.values()), default=0)
    nodes = max((len(rule.nodes) for rule in rules.values()), default=0)
    stations, elasticity = _Stations(m, nodes, number), _Elasticity(n, m, number)
    stations.rigid(np.zeros((4, 4), number))  # the world
    attached, tip, first_station = np.zeros(n, np.int64), np.zeros(n, np.int64), [0, 1]
    found: dict[tuple[str, Any], int] = {}
    for i, link in enumerate(links, start=1):
        carried = {k: child for k, child in enumerate(links, start=1) if child.parent == link.name}
        if link.name not in beams:
            stations.rigid(_rigid_moments(inertia.mass[i], inertia.moment[i], inertia.second_moment[i]))
            attached[list(carried)] = tip[i] = found[link.name, None] = first_station[-1]
        else:
            beam, rule, high = beams[link.name], rules[link.name], orders[link.name] == "high"
            stations.beam(beam.field, rule, *mass_elements(beam, rule), turns=int(high))
            seats = [*(child.at for child in carried.values()), *(f.at for f in frames if f.link == link.name)]
            places = {None: beam.length} | {at: at for at in seats if at is not None}
            sits = {at: len(stations.rows) + k for k, at in enumerate(places)}
            xi, massless = beam.field.fraction([*places.values()]), np.zeros((len(places), 4, 4))
            stations.beam(beam.field, rule, xi, massless, turns=int(rotation == "proper"))
            found |= {(link.name, at): station for at, station in sits.items()}
            for k, child in carried.items():
                attached[k] = sits[child.at]
            tip[i] = sits[None]
            elasticity.beam(i, beam, rule, high)
        first_station.append(len(stations.rows))
        elasticity.end_body()
    origin = np.zeros((n, 4, 4), number)
    origin[:, :3, :3], origin[:, :3, 3], origin[:, 3, 3] = joints.origin_rotation, joints.origin_position, 1
    tables = Tables(
        parent=tree.parent,
        joint_q=tree.joint_q,
        joint_v=tree.joint_v,
        modes=tree.modes,
        modes_q=tree.modes_q,
        modes_v=tree.modes_v,
        steps=joints.steps,
        motion=joints.motion,
        screw=joints.screw,
        dofs=joints.dofs,
        gravity=arrays.gravity,
        **stations.columns(),
        **elasticity.columns(),
        attached=attached,
        tip=tip,
        origin=origin,
        order=np.array([0, *(ORDERS.index(orders.get(link.name, "zero")) for link in links)]),
        first_station=np.array(first_station),
    )
    return tables, found


def quadrature(beam: BeamLink, order: str) -> Quadrature:
    """Nodes of a link: exact for the polynomials of zero and first order; for high order enough to converge."""
    if order != "high":
        return beam.basis.rule
    sets = beam.basis.directions.values()
    edges = sorted({0.0, 1.0, *(b for s in sets for b in s.breaks)})
    return Quadrature(tuple(edges), 6 if len(edges) > 2 else 10 + 2 * max(s.count for s in sets))


def mass_elements(beam: BeamLink, rule: Quadrature) -> tuple[np.ndarray, np.ndarray]:
    """Stations xi (k,) that carry a beam's mass, quadrature nodes first, and its moments (k, 4, 4) there.

    Equations: 004 (26)-(28).
    """
    section = beam.section
    per_length = np.zeros((4, 4), np.result_type(section.rhoA, section.second_moments))
    per_length[:3, :3], per_length[3, 3] = section.second_moments, section.rhoA
    xi, moments = rule.nodes, (beam.length * rule.weights)[:, None, None] * per_length
    if beam.masses:
        lumps = np.array([np.roll(lump.moments, -1, axis=(0, 1)) for lump in beam.masses])  # from (1, d) to (d, 1)
        xi = np.concatenate([xi, beam.field.fraction([lump.x for lump in beam.masses])])
        moments = np.concatenate([moments, lumps])
    return xi, moments


def _rigid_moments(mass: Any, moment: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.block([[second, moment[:, None]], [moment[None], np.array([[mass]])]])


def _pad(values: np.ndarray, shape: tuple[int, ...], number: Any) -> np.ndarray:
    out = np.zeros(shape, number)
    out[tuple(slice(k) for k in values.shape)] = values
    return out
