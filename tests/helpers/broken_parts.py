"""Mistakes in joints and beams of the robot file of `broken_robots`, and what the messages must say."""

SHOULDER = "joint: {name: shoulder, type: revolute, axis: [0, 0, 1], damping: 0.1}"
MODES = "modes: {y: 2, z: 2, torsion: 1, axial: 1}"
TUBE = "section: {shape: tube, outer: 0.04, thickness: 0.002}"

JOINTS = {
    "joint is missing": (f"    {SHOULDER}\n", "", ["links.upper.joint: missing", "fixed", "revolute"]),
    "unknown joint type": (
        "type: revolute",
        "type: revolut",
        [":8:", "links.upper.joint.type", "'revolut'", "'revolute'"],
    ),
    "unknown joint in short": (
        "joint: fixed",
        "joint: welded",
        ["links.motor.joint.type", "'welded'", "fixed"],
    ),
    "zero axis": (
        "axis: [0, 0, 1]",
        "axis: [0, 0, 0]",
        ["links.upper.joint.axis", "[0, 0, 0]", "zero length"],
    ),
    "axis is missing": ("axis: [0, 0, 1], ", "", ["links.upper.joint.axis: missing", "axis: [0, 0, 1]"]),
    "axis of two numbers": (
        "axis: [0, 0, 1]",
        "axis: [0, 1]",
        ["links.upper.joint.axis", "[0, 1]", "[x, y, z]"],
    ),
    "axes for one axis": (
        "axis: [0, 0, 1]",
        "axes: [[0, 0, 1]]",
        ["links.upper.joint.axes", "axis: [x, y, z]"],
    ),
    "axis on a fixed joint": (
        "joint: fixed",
        "joint: {type: fixed, axis: [0, 0, 1]}",
        ["links.motor.joint.axis", "remove"],
    ),
    "parallel universal axes": (
        "[[0, 1, 0], [0, 0, 1]]",
        "[[0, 1, 0], [0, -2, 0]]",
        ["links.forearm.joint.axes", "parallel", "turn one"],
    ),
    "one universal axis": (
        "[[0, 1, 0], [0, 0, 1]]",
        "[[0, 1, 0]]",
        ["links.forearm.joint.axes", "two axes, not 1"],
    ),
    "oblique planar axes": (
        "universal, axes: [[0, 1, 0]",
        "planar, axes: [[0, 1, 1]",
        ["links.forearm.joint.axes", "right angles"],
    ),
    "negative joint damping": (
        "damping: 0.1",
        "damping: -0.1",
        ["links.upper.joint.damping", "-0.1", "not be negative"],
    ),
    "too many dampings": (
        "damping: 0.1",
        "damping: [1, 2]",
        ["links.upper.joint.damping", "[1, 2]", "list of 1"],
    ),
    "damping on a fixed joint": (
        "joint: fixed",
        "joint: {type: fixed, damping: 1}",
        ["links.motor.joint.damping", "does not move"],
    ),
    "limits exchanged": (
        "damping: 0.1",
        "limits: {lower: 1, upper: -1, stiffness: 10}",
        ["links.upper.joint.limits.upper", "-1", "greater than lower = 1"],
    ),
    "the damping of a stop without its stiffness": (
        "damping: 0.1",
        "limits: {lower: -1, upper: 1, damping: 2}",
        ["links.upper.joint.limits.damping = 2", "belongs to a stop"],
    ),
    "helical joint without pitch": (
        "revolute, axis: [0, 0, 1], damping: 0.1",
        "helical, axis: [0, 0, 1]",
        ["links.upper.joint.pitch", "missing", "slide per turn"],
    ),
    "pitch of a revolute joint": (
        "damping: 0.1",
        "pitch: 0.01",
        ["links.upper.joint.pitch", "0.01", "revolute", "helical"],
    ),
    "limits on a spherical joint": (
        "revolute, axis: [0, 0, 1], damping: 0.1",
        "spherical, limits: {lower: -1, upper: 1, stiffness: 1}",
        ["links.upper.joint.limits", "spherical", "revolute"],
    ),
    "negative spring": (
        "damping: 0.1",
        "spring: {stiffness: -5}",
        ["links.upper.joint.spring.stiffness", "-5", "not be negative"],
    ),
    "curve with two shapes": (
        "damping: 0.1",
        "spring: {curve: {polynomial: [1, 2], backlash: 0.1}}",
        ["links.upper.joint.spring.curve", "one of table, polynomial and backlash"],
    ),
    "curve whose table falls back": (
        "damping: 0.1",
        "spring: {curve: {table: [[0, 0], [0.2, 1], [0.1, 2]]}}",
        ["links.upper.joint.spring.curve.table", "rising"],
    ),
    "curve that is no table": (
        "damping: 0.1",
        "spring: {curve: {table: [[0, 0], [0.2, much]]}}",
        ["links.upper.joint.spring.curve.table", "must be a number"],
    ),
    "play blurred beyond itself": (
        "damping: 0.1",
        "spring: {stiffness: 10, curve: {backlash: 0.1, width: 0.2}}",
        ["links.upper.joint.spring.curve.width", "0.2", "half"],
    ),
    "friction without smoothing": (
        "damping: 0.1",
        "friction: {coulomb: 1, velocity: 0}",
        ["links.upper.joint.friction.velocity", "= 0", "positive"],
    ),
    "transmission on a universal joint": (
        "[0, 0, 1]]}",
        "[0, 0, 1]], transmission: {rotor_inertia: 1}}",
        ["links.forearm.joint.transmission", "universal", "revolute, prismatic, helical or guided"],
    ),
    "transmission without rotor": (
        "damping: 0.1",
        "transmission: {stiffness: 1e5}",
        ["links.upper.joint.transmission.rotor_inertia: missing", "kg m2"],
    ),
    "massless elastic rotor": (
        "damping: 0.1",
        "transmission: {stiffness: 1e5, rotor_inertia: 0}",
        ["transmission.rotor_inertia", "= 0", "positive"],
    ),
    "zero gear": (
        "damping: 0.1",
        "transmission: {rotor_inertia: 1, gear: 0}",
        ["transmission.gear", "= 0", "positive"],
    ),
    "damping of a rigid gear": (
        "damping: 0.1",
        "transmission: {rotor_inertia: 1, damping: 3}",
        ["transmission.damping", "3", "stiffness"],
    ),
}
BEAMS = {
    "no modes at all": (MODES, "modes: {y: 0}", [":13:", "links.upper.beam.modes", "zero", "rigid body"]),
    "negative modes": ("y: 2, z: 2", "y: -2, z: 2", ["links.upper.beam.modes.y", "-2", "not be negative"]),
    "half a mode": ("y: 2, z: 2", "y: 1.5, z: 2", ["links.upper.beam.modes.y", "1.5", "whole number"]),
    "too many modes": ("y: 2, z: 2", "y: 500, z: 2", ["links.upper.beam.modes.y", "500", "0 to 50"]),
    "modes in an unknown direction": (
        "y: 2, z: 2",
        "x: 2, z: 2",
        ["links.upper.beam.modes.x", "y, z, torsion and axial"],
    ),
    "modes as a number": (MODES, "modes: 4", ["links.upper.beam.modes = 4", "must be a mapping", "torsion"]),
    "unknown stiffening": (
        "stiffening: first",
        "stiffening: frist",
        ["links.upper.beam.stiffening", "'frist'", "did you mean 'first'"],
    ),
    "negative damping": (
        "damping: 0.01",
        "damping: -0.01",
        ["links.upper.beam.damping", "-0.01", "not be negative"],
    ),
    "damping in percent": ("damping: 0.01", "damping: 5", ["links.upper.beam.damping", "= 5", "at most 1"]),
    "unknown damping preset": (
        "damping: 0.01",
        "damping: enginering",
        ["links.upper.beam.damping", "'enginering'", "engineering"],
    ),
    "negative Rayleigh damping": (
        "damping: 0.01",
        "damping: {stiffness: -1}",
        ["links.upper.beam.damping.stiffness", "-1", "not be negative"],
    ),
    "unknown ends": (
        "stiffening: first",
        "ends: clamped-fre",
        ["links.upper.beam.ends", "'clamped-fre'", "'clamped-free'"],
    ),
    "tip mass on unloaded ends": (
        "stiffening: first",
        "ends: {family: auto, tip_mass: 1}",
        ["links.upper.beam.ends.tip_mass", "1", "clamped-mass"],
    ),
    "odd hermite modes": (
        "y: 2, z: 2, torsion: 1, axial: 1}",
        "y: 3}\n      ends: hermite",
        ["links.upper.beam.modes.y", "3", "even"],
    ),
    "mass beyond the tip": (
        "stiffening: first",
        "masses: [{mass: 1, at: 2}]",
        ["links.upper.beam.masses[0].at", "2", "length 0.95"],
    ),
    "negative mass on a beam": (
        "stiffening: first",
        "masses: [{mass: -1}]",
        ["links.upper.beam.masses[0].mass", "-1", "positive"],
    ),
    "unknown shape": (
        "shape: tube",
        "shape: tub",
        [":12:", "links.upper.beam.section.shape", "'tub'", "did you mean 'tube'"],
    ),
    "unknown section size": (
        "thickness: 0.002",
        "wall: 0.002",
        ["links.upper.beam.section.wall", "unknown field", "thickness"],
    ),
    "wall thicker than the tube": (
        "thickness: 0.002",
        "thickness: 0.02",
        ["links.upper.beam.section.thickness", "0.02", "half the outer"],
    ),
    "inner beyond outer": (
        "thickness: 0.002",
        "inner: 0.05",
        ["links.upper.beam.section.inner", "0.05", "less than the outer"],
    ),
    "inner and thickness": (
        "thickness: 0.002",
        "thickness: 0.002, inner: 0.036",
        ["section.thickness", "not both"],
    ),
    "section without a wall": (
        ", thickness: 0.002",
        "",
        ["links.upper.beam.section.thickness: missing", "inner"],
    ),
    "box without room": (
        TUBE,
        "section: {shape: box, width: 0.1, height: 0.02, thickness: 0.01}",
        ["section.thickness", "0.01", "half the smaller side"],
    ),
    "radius of a circle": (
        TUBE,
        "section: {shape: circle, radius: 0.02}",
        ["section.radius", "unknown field", "diameter"],
    ),
    "section is text": (TUBE, "section: tube", ["links.upper.beam.section", "'tube'", "must be a mapping"]),
    "stiffness without GJ": (", GJ: 1533", "", ["links.forearm.beam.section.GJ: missing", "N m2"]),
    "stiffness without mass": ("area: 2.0e-4, ", "", ["links.forearm.beam.section.area: missing", "rhoA"]),
    "area and rhoA": ("area: 2.0e-4", "area: 2.0e-4, rhoA: 1.5", ["section.area", "rhoA = 1.5", "not both"]),
    "negative stiffness": (
        "EIy: 2120",
        "EIy: -2120",
        ["links.forearm.beam.section.EIy", "-2120", "positive"],
    ),
}
