"""Planar chains in Exudyn: two-dimensional geometrically exact beams, of the chains that lissom compiles."""

from __future__ import annotations

import itertools

import numpy as np
from exudyn_common import OUTPUT, Theirs, clocked, exu, items, settings

from lissom.model import Robot


class PlanarChain:
    """Beams one after the other on revolute joints about z; elements have their own mass and damping.

    Their shear stiffness 12 EI / h^2 makes the nodal statics those of Bernoulli and Euler.
    """

    def __init__(self, robot: Robot, elements: int) -> None:
        self.container = exu.SystemContainer()
        self.system = system = self.container.AddSystem()
        sections = {name: beam.section for name, beam in robot.compile().flexible.items()}
        at = system.AddMarker(items.MarkerBodyPosition(bodyNumber=system.AddObject(items.ObjectGround())))
        ground = system.AddNode(items.NodePointGround())
        turn = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
        self.sensors, x = [], 0.0
        for link in robot.links:
            assert link.beam is not None
            section, h = sections[link.name], link.beam.length / elements
            nodes = [
                system.AddNode(items.NodeRigidBody2D(referenceCoordinates=[x + h * k, 0.0, 0.0]))
                for k in range(elements + 1)
            ]
            stiffness = {"Axial": section.EA, "Shear": 12 * section.EIz / h**2, "Bending": section.EIz}
            beta = link.beam.damping.stiffness
            for pair in itertools.pairwise(nodes):
                element = system.AddObject(
                    items.ObjectBeamGeometricallyExact2D(
                        nodeNumbers=list(pair),
                        physicsLength=h,
                        physicsMassPerLength=section.rhoA,
                        physicsCrossSectionInertia=section.Jz,
                        **{f"physics{name}Stiffness": value for name, value in stiffness.items()},
                        **{f"physics{name}Damping": beta * stiffness[name] for name in ("Axial", "Bending")},
                    )
                )
                mass = system.AddMarker(items.MarkerBodyMass(bodyNumber=element))
                system.AddLoad(items.LoadMassProportional(markerNumber=mass, loadVector=list(robot.gravity)))
            base, tip = (system.AddMarker(items.MarkerNodePosition(nodeNumber=node)) for node in (nodes[0], nodes[-1]))
            own, end = (
                system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=2))
                for node in (nodes[0], nodes[-1])
            )
            system.AddObject(items.ObjectJointRevolute2D(markerNumbers=[at, base]))
            damping = link.joint.each(link.joint.damping)[0]
            system.AddObject(items.CoordinateSpringDamper(markerNumbers=[turn, own], stiffness=0.0, damping=damping))
            sensor = items.SensorNode(
                nodeNumber=nodes[-1], outputVariableType=OUTPUT.Position, storeInternal=True, writeToFile=False
            )
            self.sensors.append(system.AddSensor(sensor))
            at, turn, x = tip, end, x + link.beam.length
        system.Assemble()

    def run(self, duration: float, rate: float, theirs: Theirs) -> tuple[np.ndarray, float]:
        """Ends of all beams (N, links, 3) and the processor time of the time loop."""
        chosen = settings(duration, rate, theirs)
        _, seconds = clocked(lambda: self.system.SolveDynamic(chosen))
        return np.stack([self.system.GetSensorStoredData(sensor)[:, 1:4] for sensor in self.sensors], axis=1), seconds
