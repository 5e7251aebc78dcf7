"""The spin-up beam in Exudyn, built from the robot description that lissom compiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from exudyn_common import OUTPUT, Result, Theirs, clocked, exu, items, settings

from lissom.model import Robot


class SpinUp:
    """The spin-up beam: cable elements of Bernoulli and Euler in absolute nodal coordinates, on a turning hub."""

    def __init__(self, robot: Robot, angle: Callable[[float], float], elements: int) -> None:
        beam, section = robot.links[0].beam, robot.compile().flexible["blade"].section
        assert beam is not None
        self.length, self.angle = beam.length, angle
        self.container = exu.SystemContainer()
        self.system = system = self.container.AddSystem()
        ground = system.AddMarker(
            items.MarkerNodeCoordinate(nodeNumber=system.AddNode(items.NodePointGround()), coordinate=0)
        )
        hub = system.AddNode(items.NodeRigidBody2D(referenceCoordinates=[0, 0, 0]))
        system.AddObject(items.ObjectRigidBody2D(mass=1.0, inertia=1.0, nodeNumber=hub))
        for k in range(3):
            marker = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=hub, coordinate=k))
            turn = {"offsetUserFunction": self._offset} if k == 2 else {}
            system.AddObject(items.CoordinateConstraint(markerNumbers=[ground, marker], **turn))
        h = self.length / elements
        nodes = [
            system.AddNode(items.Point2DS1(referenceCoordinates=[h * k, 0.0, 1.0, 0.0])) for k in range(elements + 1)
        ]
        for k in range(elements):
            system.AddObject(
                items.ObjectANCFCable2D(
                    nodeNumbers=nodes[k : k + 2],
                    physicsLength=h,
                    physicsMassPerLength=section.rhoA,
                    physicsBendingStiffness=section.EIz,
                    physicsAxialStiffness=section.EA,
                    useReducedOrderIntegration=0,
                )
            )
        clamp = [system.AddMarker(items.MarkerNodeRigid(nodeNumber=node)) for node in (hub, nodes[0])]
        system.AddObject(items.GenericJoint(markerNumbers=clamp, constrainedAxes=[1, 1, 0, 0, 0, 1]))
        self.sensor = system.AddSensor(
            items.SensorNode(
                nodeNumber=nodes[-1], outputVariableType=OUTPUT.Position, storeInternal=True, writeToFile=False
            )
        )
        system.Assemble()

    def _offset(self, system: Any, t: float, item: int, offset: float) -> float:
        return self.angle(t)

    def run(self, duration: float, rate: float, theirs: Theirs) -> Result:
        """Deflection of the tip in the axes of the hub, in `tip`."""
        chosen = settings(duration, rate, theirs)
        _, seconds = clocked(lambda: self.system.SolveDynamic(chosen))
        data = self.system.GetSensorStoredData(self.sensor)
        t = data[:, 0]
        angle = np.array([self.angle(x) for x in t])
        c, s = np.cos(angle), np.sin(angle)
        x, y = data[:, 1], data[:, 2]
        tip = np.stack([c * x + s * y - self.length, c * y - s * x, 0.0 * x], axis=1)
        return Result(t, tip, angle[:, None], {}, seconds)
