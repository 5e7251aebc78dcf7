"""The compiled model: the tables that the kernels read, whatever the robot, grouped by subject.

Row 0 of every table over the bodies is the world: no mass, no modes, no joint. A body's parent always has a smaller
row, so a loop upwards is an outward pass and a loop downwards an inward pass. After the links come the frames: rows
without mass, modes or joint that are fixed on a section of a link. The outward pass gives their pose and twist, and a
wrench on their row reaches the link, its modes and its joints by the inward pass. Tables with an axis of modes are
padded to the largest mode count, rounded up to whole vector registers; loops run over a body's own count.

Every field carries its number type and its axes as data. So tables are made (`zeros`) and extended by massless bodies
(`with_bodies`, both in `table_operations`) without a list of names anywhere.
"""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import Annotated, NamedTuple

import numpy as np

ROW_WIDTH = 4  # numbers that a kernel handles at a time: a register of AVX2
SEVERAL = 6  # axis of a joint that moves along several directions of its frame at once, or obliquely
FIRST_ORDER = -2  # group axis of a velocity that is the state of an actuator: no position belongs to it
STATES_MOST = 3  # of one actuator
LAW_NUMBERS = 24  # room for the numbers of an actuator's law
POWERS = 8  # highest power of a piece of a spring's curve, and of the path of a guided joint


def padded(count: int) -> int:
    """Return `count` rounded up to whole vector registers."""
    return -(-count // ROW_WIDTH) * ROW_WIDTH


class JointMotion(IntEnum):
    """What one step of a joint does; a joint is a short sequence of these."""

    TURN = 0  # rotation by one coordinate about an axis
    SLIDE = 1  # translation by one coordinate along an axis
    BALL = 2  # rotation by a unit quaternion
    FLOAT = 3  # rotation by a unit quaternion and translation: a free body
    SCREW = 4  # rotation by one coordinate about an axis and the translation along it that its pitch couples to it
    GUIDED = 5  # rotation by one coordinate about an axis and a translation along a path, a polynomial of it


class LoopRow(IntEnum):
    """What one row of a loop holds of the pose of its second frame in its first: `constraints.loop_constraints`."""

    PLACE = 0  # the origin along an axis
    SQUARE = 1  # the angle between two axes
    THREAD = 2  # turn about an axis and slide along it, coupled by a pitch
    DISTANCE = 3  # of the origins
    RATIO = 4  # the coordinate of one joint as a multiple of another's


class Element(IntEnum):
    """What an element between two frames does."""

    LINE = 0  # spring, damper and thrust along the line between their origins
    ROPE = 1  # the same without thrust, pulling only
    BUSHING = 2  # six springs and dampers on the relative pose


class Surface(IntEnum):
    """What a sphere may touch, in its own frame."""

    PLANE = 0  # z = 0, free space at z > 0
    BALL = 1  # about the origin
    BOX = 2  # about the origin
    CYLINDER = 3  # about the z-axis, its middle at the origin


class Port(IntEnum):
    """What an actuator works on: the place and the rate to which its effort belongs."""

    JOINT = 0  # the coordinate of a joint, or of the rotor behind its gear, times a ratio
    PATH = 1  # the length of a path over the origins of frames
    AXIS = 2  # the velocity of a frame along an axis of its own


class Drive(IntEnum):
    """The law by which an actuator turns commands and states into effort: `forces.actuator_laws`."""

    EFFORT = 0  # an effort that follows its command with a lag
    MOTOR = 1  # electric motor: voltage, current, back-EMF
    HYDRAULIC = 2  # cylinder with a valve: spool and two pressures
    ROPE = 3  # rope whose free length is driven
    BRISTLE = 4  # friction of LuGre and of Dahl


class Regulation(IntEnum):
    """What a drive makes of the command to a state: `forces.actuator_commands`."""

    NONE = 0
    CURRENT_LIMIT = 1  # a voltage, cut back where the current would grow beyond its peak
    CURRENT = 2  # the current itself is commanded


class Axis(Enum):
    """What the entries along an axis of a table stand for."""

    BODY = "bodies: the world, the links, the frames fixed on links"
    START = "bodies and one more: rows start[i] to start[i + 1] of another table belong to body i"
    VELOCITY = "velocity coordinates"
    MODE = "modes of a link, padded"
    COUPLING = "12 numbers for each mode, padded"
    FUNCTION = "foreshortening functions of all links"
    BOW = "quadrature nodes of all links with terms of fourth order"
    BOW_NODE = "quadrature nodes of one of them, padded"
    COUPLED = "couplings of all links that their deformation changes"
    CUBIC = "cubic terms of the strain energy of all links"
    NODE = "quadrature nodes of a link with the exact field"
    STATION = "stations of all links with the exact field: the nodes of a link, then its lumped masses"
    PASSIVE = "velocity coordinates on which a joint acts by itself"
    PIECE = "pieces of the curves of all springs and elastic transmissions"
    GEAR = "elastic transmissions"
    LOOP = "loops: joints between two frames of the tree"
    ROW = "directions that the joints of all loops hold"
    LOAD = "frames on which a load in time acts"
    ELEMENT = "elements between two frames"
    CONTACT = "pairs of a sphere and a surface that may touch"
    ACTUATOR = "actuators"
    STATE = "states of all actuators"
    WAYPOINT = "points of the paths of all actuators"


Index = Annotated[np.ndarray, np.int64]  # never negative: machine code does not count from the end
Whole = Annotated[np.ndarray, int]
Number = Annotated[np.ndarray, None]  # float64; complex128 for derivatives by parameters; objects for symbols


class Tree(NamedTuple):
    """Who hangs on whom, and where each body's coordinates stand in q and v."""

    parent: Annotated[Index, Axis.BODY]  # row of the parent
    frame: Annotated[Index, Axis.BODY]  # 1 where the row is a frame fixed on its parent: nothing to accelerate or bend
    modes: Annotated[Index, Axis.BODY]  # number of modes of the body
    bending: Annotated[Index, Axis.BODY]  # number of bending modes, which come first
    second_order: Annotated[Index, Axis.BODY]  # 1 where the body's field has second-order terms
    nodes: Annotated[Index, Axis.BODY]  # quadrature nodes where the body's field is geometrically exact, else 0
    joint_q: Annotated[Index, Axis.BODY]  # first joint coordinate in q
    joint_v: Annotated[Index, Axis.BODY]  # first joint coordinate in v
    modes_q: Annotated[Index, Axis.BODY]  # first modal coordinate in q
    modes_v: Annotated[Index, Axis.BODY]  # first modal coordinate in v


class Sections(NamedTuple):
    """The section of the parent on which a body's joint sits."""

    position: Annotated[Number, Axis.BODY, 3]  # its origin on the undeformed parent
    phi: Annotated[Number, Axis.BODY, 3, Axis.MODE]  # its displacement per parent mode
    psi: Annotated[Number, Axis.BODY, 3, Axis.MODE]  # its rotation per parent mode
    shortening: Annotated[Number, Axis.BODY, Axis.MODE, Axis.MODE]  # B of the foreshortening -1/2 eta B eta along x
    twist: Annotated[Number, Axis.BODY, Axis.MODE, Axis.MODE]  # D of the second-order twist 1/2 eta D eta about x
    running: Annotated[Number, Axis.BODY, Axis.NODE]  # exact field: from tangents at the parent's nodes to its position
    bow: Annotated[Number, Axis.BODY, Axis.BOW_NODE]  # from values at the nodes of a parent that bows to integrals


class Joints(NamedTuple):
    """Where a joint's frame stands in the section, and how the joint moves."""

    has_origin: Annotated[Index, Axis.BODY]  # 0 where the joint's frame is the section itself
    origin_rotation: Annotated[Number, Axis.BODY, 3, 3]  # joint frame in the section frame
    origin_position: Annotated[Number, Axis.BODY, 3]
    steps: Annotated[Index, Axis.BODY]  # number of motion steps
    motion: Annotated[Index, Axis.BODY, 3]  # Motion of each step
    screw: Annotated[Number, Axis.BODY, 3, 6]  # unit twist (angular, linear) of each step's coordinate, none on a group
    path: Annotated[Number, Axis.BODY, POWERS, 3]  # of a guided motion, turned axes: place = sum_j path[j] q^(j + 1)
    dofs: Annotated[Index, Axis.BODY]  # number of velocities
    axis: Annotated[Index, Axis.BODY]  # entry of the frame's twist that is all the joint moves, else SEVERAL


class Velocities(NamedTuple):
    """What each velocity coordinate moves, and what is known of it."""

    coordinate: Annotated[Index, Axis.VELOCITY]  # place in q of what it moves, or of the first of its quaternion
    # -1; on a group 0, 1, 2: turn about a body axis, 3, 4, 5: translation; FIRST_ORDER: a state without a position
    group_axis: Annotated[Whole, Axis.VELOCITY]
    prescribed: Annotated[Index, Axis.VELOCITY]  # 1 where the acceleration is given and the force is found
    armature: Annotated[Number, Axis.VELOCITY]  # rotor inertia reflected through a rigid gear


class Inertia(NamedTuple):
    """Invariants of a body: integrals over its mass of the linear field s = s0 + Phi eta."""

    mass: Annotated[Number, Axis.BODY]
    moment: Annotated[Number, Axis.BODY, 3]  # int s0
    second_moment: Annotated[Number, Axis.BODY, 3, 3]  # int s0 s0^T
    coupling: Annotated[Number, Axis.BODY, Axis.COUPLING]  # [12 j + 3 a + b]: int s_a d_j s_b at eta = 0, s_3 = 1
    coupling_eta: Annotated[Number, Axis.BODY, Axis.MODE, Axis.COUPLING]  # [l, 12 j + 3 a + b]: derivative by eta_l
    coupled_start: Annotated[Index, Axis.START]
    coupled: Annotated[Index, Axis.COUPLED, 2]  # row l and column of entries of coupling_eta: all others are zero
    gyroscopic: Annotated[Number, Axis.BODY, 3, Axis.MODE, Axis.MODE]  # [axis, l, j]: int Phi_l x Phi_j
    modal_mass: Annotated[Number, Axis.BODY, Axis.MODE, Axis.MODE]


class Foreshortening(NamedTuple):
    """Functions psi_p of the foreshortening sum_p psi_p 1/2 eta A_p eta, weighed with a link's mass."""

    start: Annotated[Index, Axis.START]
    axis: Annotated[Index, Axis.FUNCTION]  # 0, 1, 2: points draw back along x, sections draw in along y, z
    reach: Annotated[Index, Axis.FUNCTION]  # A_p is zero beyond so many coordinates
    form: Annotated[Number, Axis.FUNCTION, Axis.MODE, Axis.MODE]  # A_p
    weight: Annotated[Number, Axis.FUNCTION]  # int psi_p
    s0: Annotated[Number, Axis.FUNCTION, 3]  # int psi_p s0
    phi: Annotated[Number, Axis.FUNCTION, 3, Axis.MODE]  # int psi_p Phi
    bow: Annotated[Number, Axis.FUNCTION, Axis.BOW_NODE]  # from values at the nodes to int psi_p of running integrals


class Bow(NamedTuple):
    """Terms of fourth order of links held at both ends, node by node (`beam.displacement_fields.chord_field`)."""

    start: Annotated[Index, Axis.START]
    # per mode, about y and z: rotation of the section, curvature, moment, lean of the axis, shear force; moment and
    # shear force times the share of the length
    nodes: Annotated[Number, Axis.BOW, 5, 2, Axis.MODE]


class Strain(NamedTuple):
    """Elastic and damping forces of a link's modes."""

    stiffness: Annotated[Number, Axis.BODY, Axis.MODE, Axis.MODE]
    preload: Annotated[Number, Axis.BODY, Axis.MODE]  # force on the modes of an undeformed link: heat, tendons
    damping: Annotated[Number, Axis.BODY, Axis.MODE, Axis.MODE]
    damped: Annotated[Index, Axis.BODY]  # 0 where all of it is zero
    cubic_start: Annotated[Index, Axis.START]
    cubic_modes: Annotated[Index, Axis.CUBIC, 3]  # the three modes of a term
    cubic: Annotated[Number, Axis.CUBIC]  # its coefficient
    cubic_damping: Annotated[Number, Axis.CUBIC]  # coefficient of its rate in the damping force


class Exact(NamedTuple):
    """Links with the geometrically exact field, station by station."""

    start: Annotated[Index, Axis.START]
    stiffness: Annotated[Number, Axis.STATION, 6, 6]  # of the section times its share of the length, zero for masses
    prestress: Annotated[Number, Axis.STATION, 6]  # forces in the section without strain, likewise
    running: Annotated[Number, Axis.STATION, Axis.NODE]  # from values at the nodes to integrals over x up to here
    psi: Annotated[Number, Axis.STATION, 6, Axis.MODE]  # rotation of the section (x, y, z), stretch and shears per mode
    psi_x: Annotated[Number, Axis.STATION, 3, Axis.MODE]  # x-derivative of the rotation
    mass: Annotated[Number, Axis.STATION]
    offset: Annotated[Number, Axis.STATION, 3]  # centre of mass, section axes
    shifted: Annotated[Index, Axis.STATION]  # 1 where that is off the axis
    inertia: Annotated[Number, Axis.STATION, 3, 3]  # about the centre of mass, section axes
    retardation: Annotated[Number, Axis.BODY]  # beta of stress = stiffness (strain + beta strain rate)


class Passive(NamedTuple):
    """Forces that joints produce by themselves."""

    q: Annotated[Whole, Axis.PASSIVE]  # coordinate in q, -1 where the coordinate is on a group
    v: Annotated[Index, Axis.PASSIVE]  # coordinate in v
    viscous: Annotated[Number, Axis.PASSIVE]
    coulomb: Annotated[Number, Axis.PASSIVE]
    coulomb_speed: Annotated[Number, Axis.PASSIVE]  # speed over which Coulomb friction is smoothed
    stick: Annotated[Number, Axis.PASSIVE]  # friction at rest beyond Coulomb's
    stick_speed: Annotated[Number, Axis.PASSIVE]  # speed at which half of it is left
    spring: Annotated[Number, Axis.PASSIVE]
    spring_rest: Annotated[Number, Axis.PASSIVE]
    has_stop: Annotated[Index, Axis.PASSIVE]  # 1 where the coordinate has limits
    lower: Annotated[Number, Axis.PASSIVE]
    upper: Annotated[Number, Axis.PASSIVE]
    stop_stiffness: Annotated[Number, Axis.PASSIVE]
    stop_damping: Annotated[Number, Axis.PASSIVE]
    stop_width: Annotated[Number, Axis.PASSIVE]
    # curves of springs: within a piece the stretch c runs from `lower` to `upper`, counted from `piece_at`
    pieces: Annotated[Index, Axis.PASSIVE, 2]  # first piece of the spring's curve, and the end; equal where it has none
    piece_at: Annotated[Number, Axis.PIECE]
    piece_lower: Annotated[Number, Axis.PIECE]
    piece_upper: Annotated[Number, Axis.PIECE]
    piece_value: Annotated[Number, Axis.PIECE]  # force at c = 0; of a curve's first piece the force without stretch
    piece_slopes: Annotated[Number, Axis.PIECE, POWERS]  # what the piece adds: sum_j slopes[j] c^(j + 1)


class Gears(NamedTuple):
    """Elastic transmissions between a rotor and its joint."""

    rotor_q: Annotated[Index, Axis.GEAR]  # rotor coordinate in q
    rotor_v: Annotated[Index, Axis.GEAR]  # and in v
    joint_q: Annotated[Index, Axis.GEAR]  # joint coordinate it drives, in q
    joint_v: Annotated[Index, Axis.GEAR]  # and in v
    inertia: Annotated[Number, Axis.GEAR]  # of the rotor, reflected to the joint
    stiffness: Annotated[Number, Axis.GEAR]
    pieces: Annotated[Index, Axis.GEAR, 2]  # of its curve, in the tables of Passive
    damping: Annotated[Number, Axis.GEAR]
    hysteresis: Annotated[Number, Axis.GEAR]  # friction torque between rotor and joint
    hysteresis_speed: Annotated[Number, Axis.GEAR]  # over which it is smoothed


class Loops(NamedTuple):
    """Joints that close loops; axes are those of the frame named."""

    first: Annotated[Index, Axis.LOOP]  # body row of the first frame
    second: Annotated[Index, Axis.LOOP]  # and of the second
    common: Annotated[Index, Axis.LOOP]  # last body that carries both
    rows: Annotated[Index, Axis.LOOP, 2]  # first row of the loop, and the end
    hold: Annotated[Index, Axis.ROW]  # Hold of each row
    a: Annotated[Number, Axis.ROW, 3]  # axis of the first frame
    b: Annotated[Number, Axis.ROW, 3]  # axis of the second frame
    axis: Annotated[Number, Axis.ROW, 3]  # of a thread, first frame
    level: Annotated[Number, Axis.ROW]  # a . b where the joint is assembled, or the distance
    pace: Annotated[Number, Axis.ROW]  # of a thread, rad per m; the ratio of two joints
    joints: Annotated[Index, Axis.ROW, 2]  # bodies of the two joints that a ratio couples, the second as the first


class Loads(NamedTuple):
    """Frames on which loads in time act."""

    row: Annotated[Index, Axis.LOAD]
    in_world: Annotated[Index, Axis.LOAD]  # 1 where the wrench is given in world axes, else in those of its row


class Elements(NamedTuple):
    """Forces between two frames, each with rows of its own."""

    kind: Annotated[Index, Axis.ELEMENT]  # Element
    first: Annotated[Index, Axis.ELEMENT]  # row of the first frame
    second: Annotated[Index, Axis.ELEMENT]  # row of the second frame
    driven: Annotated[Index, Axis.ELEMENT]  # 1 where entry 3 of the wrench given on `first` is a thrust along the line
    stiffness: Annotated[Number, Axis.ELEMENT]
    damping: Annotated[Number, Axis.ELEMENT]
    length: Annotated[Number, Axis.ELEMENT]  # without force
    width: Annotated[Number, Axis.ELEMENT]  # of a rope: stretch over which it becomes taut
    thrust: Annotated[Number, Axis.ELEMENT]  # constant force that pushes the frames apart
    pieces: Annotated[Index, Axis.ELEMENT, 2]  # of a spring's curve, in the tables of Passive
    springs: Annotated[Number, Axis.ELEMENT, 6, 6]  # of a bushing, angular first, axes of `first`
    dampers: Annotated[Number, Axis.ELEMENT, 6, 6]


class Contacts(NamedTuple):
    """Spheres about the origin of a frame against surfaces in another."""

    sphere: Annotated[Index, Axis.CONTACT]  # row of the sphere's frame
    surface: Annotated[Index, Axis.CONTACT]  # row of the surface's frame
    shape: Annotated[Index, Axis.CONTACT]  # Surface
    roots: Annotated[Index, Axis.CONTACT]  # force = stiffness depth^(1 + roots/2)
    radius: Annotated[Number, Axis.CONTACT]  # of the sphere
    size: Annotated[Number, Axis.CONTACT, 3]  # half edges of a box; radius of a ball; radius, half length of a cylinder
    stiffness: Annotated[Number, Axis.CONTACT]
    damping: Annotated[Number, Axis.CONTACT]  # s/m: the force grows by this per speed of approach
    friction: Annotated[Number, Axis.CONTACT]
    friction_speed: Annotated[Number, Axis.CONTACT]  # sliding speed over which friction builds up


class Actuators(NamedTuple):
    """What turns commands and states into forces. The states stand in v, after all that moves."""

    kind: Annotated[Index, Axis.ACTUATOR]  # Drive
    port: Annotated[Index, Axis.ACTUATOR]  # Port
    port_q: Annotated[Index, Axis.ACTUATOR]  # of a joint: its coordinate in q
    port_v: Annotated[Index, Axis.ACTUATOR]  # and in v
    ratio: Annotated[Number, Axis.ACTUATOR]  # of a joint: place of the port per coordinate
    axis: Annotated[Number, Axis.ACTUATOR, 3]  # of a frame
    path: Annotated[Index, Axis.ACTUATOR, 2]  # first point of its path, and the end
    states: Annotated[Index, Axis.ACTUATOR, 2]  # its first state among all, and the end
    numbers: Annotated[Number, Axis.ACTUATOR, LAW_NUMBERS]  # what its law takes, see `forces.actuator_laws`
    state_v: Annotated[Index, Axis.STATE]  # where a state stands in v
    inertia: Annotated[Number, Axis.STATE]  # m of m dz/dt = command + what the law says
    powered: Annotated[Index, Axis.STATE]  # 1 where command times state is the power that goes in
    owner: Annotated[Index, Axis.STATE]  # its actuator
    lower: Annotated[Number, Axis.STATE]  # limits of its command
    upper: Annotated[Number, Axis.STATE]
    slew: Annotated[Number, Axis.STATE]  # how fast a state that follows its command may go, per second
    regulation: Annotated[Index, Axis.STATE]  # Regulation
    servo_time: Annotated[Number, Axis.STATE]  # s: time constant of a drive that regulates the current
    peak: Annotated[Number, Axis.STATE]  # A: largest current that it allows
    state_at: Annotated[Whole, Axis.VELOCITY]  # the state that stands there, or -1
    row: Annotated[Index, Axis.WAYPOINT]  # row of the frame
    falls: Annotated[Number, Axis.WAYPOINT]  # how often the rope runs from this point to the next
    grip: Annotated[Number, Axis.WAYPOINT]  # friction coefficient of the rope at this point


class Arrays(NamedTuple):
    """Kernel data of a robot."""

    tree: Tree
    sections: Sections
    joints: Joints
    velocities: Velocities
    inertia: Inertia
    foreshortening: Foreshortening
    bow: Bow
    strain: Strain
    exact: Exact
    passive: Passive
    gears: Gears
    loops: Loops
    loads: Loads
    elements: Elements
    contacts: Contacts
    actuators: Actuators
    gravity: Annotated[Number, 3]  # in the world frame
