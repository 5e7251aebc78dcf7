"""Planar mechanisms in Exudyn: cable elements of Bernoulli and Euler in absolute nodal coordinates, pinned together.

The figures of `tests/data/loops` say how they are built; so the models of both sides have nothing in common but them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from exudyn_common import OUTPUT, Theirs, clocked, exu, items, settings

Law = Callable[[float], float]  # of time
Point = np.ndarray  # (2,)


class Samples(NamedTuple):
    """Columns of a run by name, and the processor time of its time loop."""

    time: np.ndarray
    columns: dict[str, np.ndarray]
    seconds: float


def smooth(x: float) -> float:
    """The law of the drives: from 0 to 1, with three derivatives that begin and end at zero."""
    return 1.0 if x >= 1.0 else x**4 * (35.0 + x * (-84.0 + x * (70.0 - 20.0 * x)))


class Mechanism:
    """Beams, bodies, pins and drives in the plane, and sensors on them."""

    def __init__(self) -> None:
        self.container = exu.SystemContainer()
        self.system = self.container.AddSystem()
        self.ground = self.system.AddObject(items.ObjectGround())
        self.sensors: dict[str, int] = {}
        self.moves = True  # drives stand while it settles, though that solver's time goes on

    def beam(self, base: Point, angle: float, length: float, section: Mapping[str, float], elements: int) -> list[int]:
        """Nodes along a straight beam."""
        e = np.array([np.cos(angle), np.sin(angle)])
        h = length / elements
        nodes = [
            self.system.AddNode(items.Point2DS1(referenceCoordinates=[*(base + h * k * e), *e]))
            for k in range(elements + 1)
        ]
        for k in range(elements):
            cable = items.ObjectANCFCable2D(
                nodeNumbers=nodes[k : k + 2],
                physicsLength=h,
                physicsMassPerLength=section["rhoA"],
                physicsBendingStiffness=section["EI"],
                physicsAxialStiffness=section["EA"],
                useReducedOrderIntegration=0,
            )
            element = self.system.AddObject(cable)
            if "weight" in section:
                mass = self.system.AddMarker(items.MarkerBodyMass(bodyNumber=element))
                self.system.AddLoad(items.LoadMassProportional(markerNumber=mass, loadVector=[0, section["weight"], 0]))
        return nodes

    def at(self, node: int) -> int:
        return self.system.AddMarker(items.MarkerNodePosition(nodeNumber=node))

    def section(self, node: int) -> int:
        """The section at a node: its place and how it is turned."""
        return self.system.AddMarker(items.MarkerNodeRigid(nodeNumber=node))

    def on_ground(self, place: Point) -> int:
        return self.system.AddMarker(items.MarkerBodyRigid(bodyNumber=self.ground, localPosition=[*place, 0.0]))

    def pin(self, first: int, second: int) -> int:
        return self.system.AddObject(items.ObjectJointRevolute2D(markerNumbers=[first, second]))

    def join(self, first: int, second: int, angle: float = 0.0, **more: Any) -> int:
        """Fix one section on another, turned by `angle` against it."""
        turn = [[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]]
        axes = [1, 1, 0, 0, 0, 1]
        joint = items.GenericJoint(markerNumbers=[first, second], constrainedAxes=axes, rotationMarker0=turn, **more)
        return self.system.AddObject(joint)

    def body(self, place: Point, angle: float, mass: float = 0.0, inertia: float = 0.0, weight: float = 0.0) -> int:
        """A rigid body whose centre of mass is at `place`."""
        node = self.system.AddNode(items.NodeRigidBody2D(referenceCoordinates=[*place, angle]))
        body = self.system.AddObject(items.ObjectRigidBody2D(mass=mass, inertia=inertia, nodeNumber=node))
        if weight:
            marker = self.on(body, (0.0, 0.0))
            self.system.AddLoad(items.Force(markerNumber=marker, loadVector=[0, mass * weight, 0]))
        return body

    def on(self, body: int, place: tuple[float, float]) -> int:
        return self.system.AddMarker(items.MarkerBodyRigid(bodyNumber=body, localPosition=[*place, 0.0]))

    def point_mass(self, node: int, mass: float, weight: float = 0.0) -> None:
        """A mass on a node of a beam."""
        place = self.system.GetNodeOutput(node, OUTPUT.Position, exu.ConfigurationType.Reference)[:2]
        own = self.system.AddNode(items.NodePoint2D(referenceCoordinates=list(place)))
        self.system.AddObject(items.ObjectMassPoint2D(physicsMass=mass, nodeNumber=own))
        marker = self.at(own)
        self.pin(marker, self.at(node))
        if weight:
            self.system.AddLoad(items.Force(markerNumber=marker, loadVector=[0, mass * weight, 0]))

    def motor(self, place: Point, node: int, angle: float, law: Law) -> int:
        """Turn the section at a node about a point of the ground by `law`; what does it, for its torque."""
        hub = self.system.AddNode(items.NodeRigidBody2D(referenceCoordinates=[*place, angle]))
        self.system.AddObject(items.ObjectRigidBody2D(mass=1.0, inertia=1.0, nodeNumber=hub))
        ground = self.system.AddNode(items.NodePointGround())
        still = self.system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
        for k in range(3):
            marker = self.system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=hub, coordinate=k))
            turn = {"offsetUserFunction": lambda mbs, t, item, offset: law(t) - angle} if k == 2 else {}
            self.system.AddObject(items.CoordinateConstraint(markerNumbers=[still, marker], **turn))
        return self.join(self.section(hub), self.section(node))

    def see_node(self, name: str, node: int) -> None:
        sensor = items.SensorNode(
            nodeNumber=node, outputVariableType=OUTPUT.Position, storeInternal=True, writeToFile=False
        )
        self.sensors[name] = self.system.AddSensor(sensor)

    def see_force(self, name: str, joint: int, what: Any = OUTPUT.Force) -> None:
        sensor = items.SensorObject(objectNumber=joint, outputVariableType=what, storeInternal=True, writeToFile=False)
        self.sensors[name] = self.system.AddSensor(sensor)

    def settle(self) -> None:
        """Bring it to rest; the run begins there."""
        self.moves = False
        chosen = exu.SimulationSettings()
        chosen.staticSolver.numberOfLoadSteps = 1
        chosen.staticSolver.newton.relativeTolerance = 1e-8
        chosen.staticSolver.verboseMode = 0
        chosen.solutionSettings.writeSolutionToFile = False
        chosen.linearSolverType = exu.LinearSolverType.EigenSparse
        self.system.SolveStatic(chosen, updateInitialValues=True)
        self.moves = True

    def run(self, duration: float, rate: float, theirs: Theirs) -> Samples:
        chosen = settings(duration, rate, theirs)
        _, seconds = clocked(lambda: self.system.SolveDynamic(chosen))
        stored = {name: self.system.GetSensorStoredData(sensor) for name, sensor in self.sensors.items()}
        time = next(iter(stored.values()))[:, 0]
        return Samples(time, {name: data[:, 1:] for name, data in stored.items()}, seconds)


def five_bar(data: Mapping[str, Any], elements: int) -> Mechanism:
    """The published five-bar arm."""
    p, case = data["parameters"], data["cases"]["A"]
    made = Mechanism()
    tips, parts = [], {}
    for name in ("proximal", "distal"):
        width, height = p[name]["width"], p[name]["height_in_plane"]
        area = width * height
        parts[name] = {"rhoA": p["rho"] * area, "EA": p["E"] * area, "EI": p["E"] * width * height**3 / 12}
    bases = [np.array(p[name], float) for name in ("O1", "O2")]
    moves = [np.radians(case[f"motor{k}_deg"]) for k in (1, 2)]
    near, far = p["proximal"]["length"], p["distal"]["length"]
    elbows = [
        base + near * np.array([np.cos(move[0]), np.sin(move[0])]) for base, move in zip(bases, moves, strict=True)
    ]
    along = elbows[1] - elbows[0]
    half = np.linalg.norm(along) / 2
    across = np.array([-along[1], along[0]]) / (2 * half)
    tip = (elbows[0] + elbows[1]) / 2 + np.sqrt(far**2 - half**2) * across
    for k in (0, 1):
        begin, end = moves[k]
        law = lambda t, begin=begin, end=end: begin + (end - begin) * smooth(t / 0.2)  # noqa: E731
        inner = made.beam(bases[k], begin, near, parts["proximal"], elements)
        made.motor(bases[k], inner[0], begin, law)
        toward = np.arctan2(*(tip - elbows[k])[::-1])
        outer = made.beam(elbows[k], toward, far, parts["distal"], elements)
        made.pin(made.at(inner[-1]), made.at(outer[0]))
        tips.append(outer)
        made.see_node(f"elbow{k}", outer[0])
        made.see_node(f"middle{k}", outer[elements // 2])
    made.point_mass(tips[0][-1], p["payload_point_mass"])
    made.see_node("tip", tips[0][-1])
    made.see_force("pin", made.pin(made.at(tips[0][-1]), made.at(tips[1][-1])))
    made.system.Assemble()
    return made


def crane(data: Mapping[str, Any], elements: int) -> Mechanism:
    """The published luffing crane: two beams joined at the lug, where the axial force jumps."""
    p, l0 = data["parameters"], data["derived"]["cylinder_length_l0"]
    boom, g = p["boom"], p["gravity"][1]
    section = {"rhoA": boom["mass_per_length"], "EA": boom["EA"], "EI": boom["EI"], "weight": g}
    angle, s = np.radians(p["initial_chord_angle_undeformed_deg"]), p["lug"]["s_along_boom"]
    e = np.array([np.cos(angle), np.sin(angle)])
    foot, lug = np.array(p["Q_cylinder_foot"]), np.array(data["derived"]["lug_pin_undeformed"])
    axis = (lug - foot) / np.linalg.norm(lug - foot)
    lean = float(np.arctan2(axis[1], axis[0]))
    made = Mechanism()
    inner = made.beam(np.zeros(2), angle, s, section, max(1, elements // 2))
    outer = made.beam(s * e, angle, boom["length"] - s, section, elements)
    foot_pin = made.pin(made.on_ground(np.zeros(2)), made.at(inner[0]))
    made.join(made.section(inner[-1]), made.section(outer[0]))
    made.point_mass(outer[-1], p["payload"], g)
    barrel, rod = p["barrel"], p["rod"]
    low, high = barrel["com_from_Q_along_axis"], rod["com_from_lug_pin_towards_Q"]
    barrel_body = made.body(foot + low * axis, lean, barrel["mass"], barrel["inertia_com"], g)
    rod_body = made.body(lug - high * axis, lean, rod["mass"], rod["inertia_com"], g)
    made.pin(made.on_ground(foot), made.on(barrel_body, (-low, 0.0)))

    def length(mbs: Any, t: float, item: int, parameters: Any) -> list[float]:
        return [l0 + 0.9 * smooth(t / 3.0) if made.moves else l0, 0.0, 0.0, 0.0, 0.0, 0.0]

    ends = made.on(barrel_body, (-low, 0.0)), made.on(rod_body, (high, 0.0))
    made.see_force("cylinder", made.join(*ends, offsetUserFunction=length), OUTPUT.ForceLocal)
    piece = made.body(s * e, angle)
    made.join(made.section(inner[-1]), made.on(piece, (0.0, 0.0)))
    offset = p["lug"]["offset_in_section_frame"]
    made.pin(made.on(piece, (offset[0], offset[1])), made.on(rod_body, (high, 0.0)))
    made.see_node("tip", outer[-1])
    made.see_force("foot", foot_pin)
    made.system.Assemble()
    made.settle()
    return made
