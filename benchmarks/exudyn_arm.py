"""Arms in Exudyn: absolute coordinates and geometrically exact beam elements, of the robots that lissom compiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from exudyn_common import OUTPUT, Drive, Result, Theirs, clocked, euler_parameters, exu, items, settings

from lissom.lie import so3
from lissom.model import Robot
from lissom.model.description.robot import Link


class Arm:
    """A tree of beams and rigid bodies on revolute, spherical and fixed joints.

    Beams are two-node elements interpolated on SE(3). Their shear stiffness 12 EI / h^2 makes the nodal statics those
    of Bernoulli and Euler. Their mass is lumped to rigid bodies at the nodes, those at the ends with their centre of
    mass h/6 inward, which converges faster over the number of elements for the manoeuvres; or it is the elements' own
    (`own_mass`), which does better for chains that fall and for the L mechanism, the latter with shear (`shear`: factor
    of the shear area).
    """

    def __init__(
        self,
        robot: Robot,
        elements: int,
        start: Sequence[float] = (),
        drive: Drive | None = None,
        shear: float | None = None,
        own_mass: bool = False,
    ) -> None:
        self.robot, self.elements, self.drive, self.shear, self.own_mass = robot, elements, drive, shear, own_mass
        self.sections = {link: beam.section for link, beam in robot.compile().flexible.items()}
        self.container = exu.SystemContainer()
        self.system = system = self.container.AddSystem()
        self.ground = system.AddObject(items.ObjectGround())
        self.frames = {"world": (np.zeros(3), np.eye(3))}  # where children attach: at rest, in the world
        self.nodes: dict[str, list[int]] = {}
        self.objects: dict[str, int] = {}
        self.springs: list[int] = []
        angles = iter(start)
        for link in robot.bodies:
            angle = next(angles, 0.0) if link.joint.type == "revolute" else 0.0
            self._link(link, angle)
        self._sensors()
        system.Assemble()

    def _link(self, link: Link, angle: float) -> None:
        """A link in its place at rest, its mass, its joint."""
        position, R = self.frames[link.parent]
        turn = _rpy(link.origin.rpy)
        axes = _axes_with_z(link.joint.axes[0]) if link.joint.axes else np.eye(3)
        position = position + R @ np.array(link.origin.xyz)
        R = R @ turn @ axes @ so3.exp(np.array([0.0, 0.0, angle])) @ axes.T
        parent = self._marker(link)
        child = self._beam(link, position, R) if link.beam is not None else self._body(link, position, R)
        frames = {"rotationMarker0": turn @ axes, "rotationMarker1": axes}
        pair = [parent, child]
        if link.joint.type == "fixed":
            self.system.AddObject(items.GenericJoint(markerNumbers=pair, constrainedAxes=[1] * 6, **frames))
            return
        damping = link.joint.each(link.joint.damping)
        if link.joint.type == "spherical":
            self.system.AddObject(items.ObjectJointSpherical(markerNumbers=pair))
            self.system.AddObject(
                items.ObjectConnectorRigidBodySpringDamper(
                    markerNumbers=pair, stiffness=np.zeros((6, 6)), damping=np.diag([0.0, 0.0, 0.0, *damping])
                )
            )
            return
        self.system.AddObject(items.ObjectJointRevoluteZ(markerNumbers=pair, **frames))
        data = self.system.AddNode(items.NodeGenericData(initialCoordinates=[angle], numberOfDataCoordinates=1))
        gear = link.joint.transmission
        if gear is not None:
            self._rotor(gear, angle, items.TorsionalSpringDamper(markerNumbers=pair, nodeNumber=data, **frames))
        else:
            kp, kd = 0.0, damping[0]
            if self.drive is not None:
                kp, kd = (gains[len(self.springs)] for gains in (self.drive.kp, self.drive.kd))
            spring = items.TorsionalSpringDamper(
                markerNumbers=pair, nodeNumber=data, stiffness=kp, damping=kd, offset=0.0, **frames
            )
            self.springs.append(self.system.AddObject(spring))

    def _marker(self, link: Link) -> int:
        """The joint's place on the parent."""
        offset = np.array(link.origin.xyz)
        if link.parent == "world":
            return self.system.AddMarker(items.MarkerBodyRigid(bodyNumber=self.ground, localPosition=list(offset)))
        if link.parent in self.objects:
            body = self.robot.link(link.parent).body
            return self.system.AddMarker(
                items.MarkerBodyRigid(
                    bodyNumber=self.objects[link.parent], localPosition=list(offset - np.array(body.com))
                )
            )
        node = self.nodes[link.parent][-1]
        if not offset.any():
            return self.system.AddMarker(items.MarkerNodeRigid(nodeNumber=node))
        arm = items.ObjectRigidBody(mass=0.0, inertia=[0.0] * 6, nodeNumber=node)
        return self.system.AddMarker(
            items.MarkerBodyRigid(bodyNumber=self.system.AddObject(arm), localPosition=list(offset))
        )

    def _node(self, position: np.ndarray, R: np.ndarray) -> int:
        coordinates = [*position, *euler_parameters(R)]
        return self.system.AddNode(items.NodeRigidBodyEP(referenceCoordinates=coordinates))

    def _mass(self, node: int, mass: float, inertia: Sequence[float], com: float = 0.0) -> int:
        """A rigid body on a node; `com` is along x. With its weight."""
        body = self.system.AddObject(
            items.ObjectRigidBody(
                mass=mass, inertia=[*inertia, 0.0, 0.0, 0.0], centerOfMass=[com, 0.0, 0.0], nodeNumber=node
            )
        )
        weight = mass * np.array(self.robot.gravity)
        if weight.any():
            at = self.system.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[com, 0.0, 0.0]))
            self.system.AddLoad(items.Force(markerNumber=at, loadVector=list(weight)))
        return body

    def _body(self, link: Link, position: np.ndarray, R: np.ndarray) -> int:
        com, inertia = np.array(link.body.com), np.diag(np.array(link.body.inertia))
        node = self._node(position + R @ com, R)
        body = self._mass(node, link.body.mass, list(inertia))
        self.nodes[link.name], self.objects[link.name] = [node], body
        self.frames[link.name] = (position, R)
        return self.system.AddMarker(items.MarkerBodyRigid(bodyNumber=body, localPosition=list(-com)))

    def _beam(self, link: Link, position: np.ndarray, R: np.ndarray) -> int:
        section, length, n = self.sections[link.name], link.beam.length, self.elements
        h = length / n
        stiffness = [section.EA, *self._shear(link, h), section.GJ, section.EIy, section.EIz]
        shape = exu.BeamSection()
        shape.stiffnessMatrix = np.diag(stiffness)
        if self.own_mass:
            shape.massPerLength, shape.inertia = section.rhoA, np.diag([section.Jx, section.Jy, section.Jz])
        nodes = [self._node(position + R[:, 0] * h * k, R) for k in range(n + 1)]
        markers = [self.system.AddMarker(items.MarkerNodeRigid(nodeNumber=node)) for node in nodes]
        beta = getattr(link.beam.damping, "stiffness", 0.0)
        for k in range(n):
            self.system.AddObject(
                items.ObjectBeamGeometricallyExact(nodeNumbers=nodes[k : k + 2], length=h, sectionData=shape)
            )
            if beta > 0:
                self._damper(markers[k : k + 2], beta / h * np.array(stiffness), h)
        for k, (node, marker) in enumerate(zip(nodes, markers, strict=True)):
            part = h if 0 < k < n else 0.5 * h
            extra = sum(lump.mass for lump in link.beam.masses) if k == n else 0.0
            if not self.own_mass:
                inward = h / 6 if k == 0 else -h / 6 if k == n else 0.0
                self._lump(node, section, part, inward, extra)
            else:
                weight = (section.rhoA * part + extra) * np.array(self.robot.gravity)
                self.system.AddLoad(items.Force(markerNumber=marker, loadVector=list(weight)))
        self.nodes[link.name] = nodes
        self.frames[link.name] = (position + R[:, 0] * length, R)
        return markers[0]

    def _shear(self, link: Link, h: float) -> list[float]:
        """Shear stiffness of the elements, in y and z."""
        section = self.sections[link.name]
        if self.shear is None:
            return [12.0 / h**2 * section.EIz, 12.0 / h**2 * section.EIy]
        material = self.robot.materials[link.beam.material]
        return [self.shear * section.EA / (2 + 2 * material.nu)] * 2

    def _damper(self, pair: list[int], coefficients: np.ndarray, h: float) -> None:
        """Kelvin-Voigt damping between two nodes."""
        self.system.AddObject(
            items.ObjectConnectorRigidBodySpringDamper(
                markerNumbers=pair,
                stiffness=np.zeros((6, 6)),
                damping=np.diag([0.0, 0.0, 0.0, *coefficients[3:]]),
            )
        )
        self.system.AddObject(
            items.ObjectConnectorSpringDamper(
                markerNumbers=pair, referenceLength=h, stiffness=0.0, damping=coefficients[0]
            )
        )

    def _lump(self, node: int, section: Any, part: float, inward: float, extra: float) -> None:
        """The mass of a piece of beam, and a point mass on top, as a rigid body."""
        own = section.rhoA * part
        about_node = own * inward**2
        inertia = [section.Jx * part, section.Jy * part + about_node, section.Jz * part + about_node]
        self._mass(node, own + extra, inertia, own * inward / (own + extra))

    def _rotor(self, gear: Any, angle: float, spring: Any) -> None:
        """A rotor with a coordinate of its own; spring and damper between it and the joint's angle.

        Through functions in Python: a native body on the joint's axis would carry the parent's spin as well, which is
        other physics than lissom's.
        """
        system, K, D = self.system, gear.stiffness, gear.damping
        rotor = system.AddNode(items.Node1D(referenceCoordinates=[0.0], initialCoordinates=[angle]))
        system.AddObject(items.ObjectMass1D(mass=gear.rotor_inertia, nodeNumber=rotor))

        def torque(system: Any, t: float, item: int, q: float, rate: float, *_: float) -> float:
            theta = system.GetNodeOutput(rotor, OUTPUT.Coordinates)
            speed = system.GetNodeOutput(rotor, OUTPUT.Coordinates_t)
            return K * (q - float(theta)) + D * (rate - float(speed))

        spring.stiffness, spring.springTorqueUserFunction = K, torque
        joint = system.AddObject(spring)
        self.springs.append(joint)

        def reaction(system: Any, t: float, item: int, theta: float, speed: float, *_: float) -> float:
            q = system.GetObjectOutput(joint, OUTPUT.Rotation)
            rate = np.ravel(system.GetObjectOutput(joint, OUTPUT.AngularVelocityLocal))[-1]
            return K * (theta - q) + D * (speed - rate)

        ground = system.AddMarker(
            items.MarkerNodeCoordinate(nodeNumber=system.AddNode(items.NodePointGround()), coordinate=0)
        )
        marker = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=rotor, coordinate=0))
        system.AddObject(
            items.CoordinateSpringDamper(
                markerNumbers=[ground, marker], stiffness=K, damping=0.0, springForceUserFunction=reaction
            )
        )

    def _sensors(self) -> None:
        def of_node(node: int, what: Any) -> int:
            return self.system.AddSensor(
                items.SensorNode(nodeNumber=node, outputVariableType=what, storeInternal=True, writeToFile=False)
            )

        last = self.robot.bodies[-1].name
        self.tip_sensors = [of_node(self.nodes[last][-1], what) for what in (OUTPUT.Position, OUTPUT.RotationMatrix)]
        self.beam_sensors = {
            name: (
                of_node(self.nodes[name][0], OUTPUT.Position),
                of_node(self.nodes[name][0], OUTPUT.RotationMatrix),
                of_node(self.nodes[name][-1], OUTPUT.Position),
            )
            for name in self.sections
        }
        self.angle_sensors = [
            self.system.AddSensor(
                items.SensorObject(
                    objectNumber=spring, outputVariableType=OUTPUT.Rotation, storeInternal=True, writeToFile=False
                )
            )
            for spring in self.springs
        ]

    def _follow(self, system: Any, t: float) -> bool:
        """Set-points of the next step."""
        points = self.drive.setpoint(t)
        if points is not None:
            for spring, (angle, rate) in zip(self.springs, points):
                system.SetObjectParameter(spring, "offset", angle)
                system.SetObjectParameter(spring, "velocityOffset", rate)
        return True

    def run(self, duration: float, rate: float, theirs: Theirs) -> Result:
        if self.drive is not None:
            self.system.SetPreStepUserFunction(self._follow)
            self._follow(self.system, 0.0)
        chosen = settings(duration, rate, theirs)
        _, seconds = clocked(lambda: self.system.SolveDynamic(chosen))

        def samples(sensor: int) -> np.ndarray:
            return self.system.GetSensorStoredData(sensor)[:, 1:]

        position, R = (samples(sensor) for sensor in self.tip_sensors)
        body = self.robot.bodies[-1].body
        if body is not None:
            position = position + R.reshape(-1, 3, 3) @ (np.array(body.tip) - np.array(body.com))
        return Result(
            self.system.GetSensorStoredData(self.tip_sensors[0])[:, 0],
            position,
            np.hstack([np.zeros((len(position), 0)), *(samples(sensor) for sensor in self.angle_sensors)]),
            {
                name: (samples(base), samples(axes).reshape(-1, 3, 3), samples(tip))
                for name, (base, axes, tip) in self.beam_sensors.items()
            },
            seconds,
        )


def deflection(result: Result, beam: str, length: float) -> np.ndarray:
    """Elastic displacement (N, 3) of a beam's tip, in the axes of its base."""
    base, axes, tip = result.ends[beam]
    return np.einsum("tji,tj->ti", axes, tip - base) - np.array([length, 0.0, 0.0])


def _rpy(angles: Sequence[float]) -> np.ndarray:
    roll, pitch, yaw = (so3.exp(angle * axis) for angle, axis in zip(angles, np.eye(3), strict=True))
    return yaw @ pitch @ roll


def _axes_with_z(axis: Sequence[float]) -> np.ndarray:
    """A rotation matrix whose third column is `axis`."""
    z = np.array(axis)
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)
