"""A good robot file, and more than a hundred ways to break it."""

from broken_parts import BEAMS, JOINTS

GOOD = """\
lissom: 1
name: test-arm
gravity: [0, 0, -9.81]
materials:
  steel: {E: 2.1e11, nu: 0.3, rho: 7800}
links:
  - name: upper
    joint: {name: shoulder, type: revolute, axis: [0, 0, 1], damping: 0.1}
    beam:
      length: 0.95
      material: steel
      section: {shape: tube, outer: 0.04, thickness: 0.002}
      modes: {y: 2, z: 2, torsion: 1, axial: 1}
      damping: 0.01
      stiffening: first
  - name: motor
    joint: fixed
    body: {mass: 3.3, com: [0, 0, 0], inertia: [0.01, 0.01, 0.01]}
  - name: forearm
    parent: upper
    at: 0.9
    origin: {xyz: [0, 0, 0], rpy: [0, 0, 0]}
    joint: {name: elbow, type: universal, axes: [[0, 1, 0], [0, 0, 1]]}
    beam: {length: 0.8, material: steel, section: {area: 2.0e-4, EIy: 2120, EIz: 3670, GJ: 1533}}
"""
STEEL = "  steel: {E: 2.1e11, nu: 0.3, rho: 7800}"
MOTOR = "body: {mass: 3.3, com: [0, 0, 0], inertia: [0.01, 0.01, 0.01]}"
STIFFNESS = "section: {area: 2.0e-4, EIy: 2120, EIz: 3670, GJ: 1533}"

# What to replace in the good file, by what, and what the message must say: line, field, value, remedy.
BROKEN = (
    {
        # numbers
        "negative length": (
            "length: 0.95",
            "length: -0.95",
            [":10:", "links.upper.beam.length", "-0.95", "positive", "metres"],
        ),
        "zero length": ("length: 0.95", "length: 0", ["links.upper.beam.length", "= 0", "positive"]),
        "absurd length": (
            "length: 0.95",
            "length: 9.5e5",
            ["links.upper.beam.length", "950000", "at most 10000"],
        ),
        "NaN length": ("length: 0.95", "length: .nan", ["links.upper.beam.length", "nan", "finite"]),
        "infinite length": ("length: 0.95", "length: .inf", ["links.upper.beam.length", "inf", "finite"]),
        "overflowing length": ("length: 0.95", "length: 1e999", ["links.upper.beam.length", "inf", "finite"]),
        "length as text": (
            "length: 0.95",
            "length: long",
            ["links.upper.beam.length", "'long'", "number, not text"],
        ),
        "length with its unit": (
            "length: 0.95",
            "length: 95 furlong",
            ["links.upper.beam.length", "'95 furlong'", "its unit is not known", "metres"],
        ),
        "decimal comma": (
            "length: 0.95",
            "length: 0,95",
            ["links.upper.beam.length", "'0,95'", "decimal point"],
        ),
        "length as truth": (
            "length: 0.95",
            "length: true",
            ["links.upper.beam.length", "true", "must be a number"],
        ),
        "length as list": ("length: 0.95", "length: [0.95]", ["links.upper.beam.length", "[0.95]", "not a list"]),
        "empty length": ("length: 0.95", "length:", ["links.upper.beam.length", "(empty)", "must be a number"]),
        "missing length": ("      length: 0.95\n", "", [":9:", "links.upper.beam.length: missing", "metres"]),
        "modulus in GPa": ("E: 2.1e11", "E: 210", ["materials.steel.E", "210", "at least 1000", "Pa"]),
        "negative density": ("rho: 7800", "rho: -7800", ["materials.steel.rho", "-7800", "kg/m3"]),
        "Poisson's ratio of 0.5": ("nu: 0.3", "nu: 0.5", ["materials.steel.nu", "0.5", "less than 0.5"]),
        "infinite gravity": ("[0, 0, -9.81]\n", "[0, 0, -.inf]\n", [":3:", "gravity", "-inf", "finite"]),
        "gravity with two components": ("[0, 0, -9.81]\n", "[0, -9.81]\n", ["gravity", "not of 2", "[x, y, z]"]),
        "gravity as a number": ("[0, 0, -9.81]\n", "-9.81\n", ["gravity", "-9.81", "list of three"]),
        # fields and names
        "unknown field": (
            "length: 0.95",
            "lenght: 0.95",
            [":10:", "links.upper.beam.lenght", "did you mean 'length'"],
        ),
        "unknown field at the top": (
            "name: test-arm",
            "name: a\ngravty: 1",
            ["gravty = 1", "did you mean 'gravity'"],
        ),
        "unknown field of a link": ("at: 0.9", "att: 0.9", ["links.forearm.att = 0.9", "did you mean 'at'"]),
        "unknown material": (
            "material: steel\n",
            "material: stel\n",
            [":11:", "links.upper.beam.material", "'stel'", "'steel'"],
        ),
        "no materials": (f"materials:\n{STEEL}\n", "", ["links.upper.beam.material", "'steel'", "add materials"]),
        "material is missing": (
            "      material: steel\n",
            "",
            ["links.upper.beam.material: missing", "name the material"],
        ),
        "material without modulus": ("E: 2.1e11, ", "", [":5:", "materials.steel.E: missing", "Young's modulus"]),
        "name is missing": (
            "  - name: motor\n    joint",
            "  - joint",
            [":16:", "links[1].name: missing", "name of the link"],
        ),
        "name is a number": ("name: motor", "name: 12", ["links[1].name = 12", "must be text", "quotes"]),
        "name with a dot": ("name: motor", "name: my.motor", ["name = 'my.motor'", "letters"]),
        "link called world": ("name: motor", "name: world", ["links.world.name", "another name"]),
        "duplicate link": ("name: motor", "name: upper", ["links[1].name = 'upper'", "earlier link", "its own"]),
        "duplicate joint": (
            "name: elbow",
            "name: shoulder",
            ["links.forearm.joint.name = 'shoulder'", "its own"],
        ),
        "robot without a name": ("name: test-arm\n", "", ["name: missing", "name of the robot"]),
        # the tree
        "unknown parent": (
            "parent: upper",
            "parent: uper",
            [":20:", "links.forearm.parent", "'uper'", "'upper'"],
        ),
        "own parent": ("parent: upper", "parent: forearm", ["links.forearm.parent", "cycle", "world"]),
        "cycle": (
            "joint: {name: shoulder",
            "parent: forearm\n    joint: {name: shoulder",
            ["links.upper.parent", "cycle", "upper -> forearm"],
        ),
        "at beyond the parent": ("at: 0.9\n", "at: 0.96\n", [":21:", "links.forearm.at", "0.96", "length 0.95"]),
        "negative at": ("at: 0.9\n", "at: -0.1\n", ["links.forearm.at", "-0.1", "not be negative"]),
        "at on a rigid parent": (
            "parent: upper",
            "parent: motor",
            ["links.forearm.at", "0.9", "rigid", "origin"],
        ),
        "at on the world": ("parent: upper", "parent: world", ["links.forearm.at", "0.9", "the world", "origin"]),
        "no links": (GOOD[GOOD.index("links:") :], "links: []\n", [":6:", "links = []", "at least one link"]),
        "links is a mapping": (
            GOOD[GOOD.index("links:") :],
            "links: {a: 1}\n",
            ["links = {a}", "must be a list"],
        ),
        "a link that is text": (
            GOOD[GOOD.index("links:") :],
            "links: [upper]\n",
            ["links[0] = 'upper'", "must be a mapping"],
        ),
        "links are missing": (GOOD[GOOD.index("links:") :], "", ["links: missing", "list of links"]),
        "neither beam nor body": (f"    {MOTOR}\n", "", ["links.motor.beam: missing", "beam", "body"]),
        "beam and body": (
            MOTOR,
            f"{MOTOR}\n    beam: {{length: 1, material: steel, {STIFFNESS}}}",
            ["links.motor.body", "not both"],
        ),
        # bodies
        "negative mass": ("mass: 3.3", "mass: -3.3", [":18:", "links.motor.body.mass", "-3.3", "kg"]),
        "mass is missing": ("mass: 3.3, ", "", ["links.motor.body.mass: missing", "kg"]),
        "massless body at the end": (MOTOR, "body: {mass: 0}", ["links.motor.body.mass", "= 0", "carry"]),
        "triangle inequality": (
            "inertia: [0.01, 0.01, 0.01]",
            "inertia: [0.01, 0.01, 0.05]",
            ["links.motor.body.inertia", "0.05", "triangle inequality", "check"],
        ),
        "negative inertia": (
            "inertia: [0.01, 0.01, 0.01]",
            "inertia: [0.01, 0.01, -0.01]",
            ["links.motor.body.inertia", "-0.01", "negative principal"],
        ),
        "indefinite inertia": (
            "inertia: [0.01, 0.01, 0.01]",
            "inertia: {xx: 1, yy: 1, zz: 1, xy: 2}",
            ["links.motor.body.inertia", "negative principal"],
        ),
        "asymmetric inertia": (
            "inertia: [0.01, 0.01, 0.01]",
            "inertia: [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]",
            ["links.motor.body.inertia", "symmetric"],
        ),
        "inertia of six unnamed values": (
            "inertia: [0.01, 0.01, 0.01]",
            "inertia: [1, 1, 1, 0, 0, 0]",
            ["links.motor.body.inertia", "name them", "xx"],
        ),
        "inertia as a number": (
            "inertia: [0.01, 0.01, 0.01]",
            "inertia: 0.01",
            ["links.motor.body.inertia", "0.01", "3 x 3"],
        ),
        "joint that turns a point": (
            f"joint: fixed\n    {MOTOR}",
            "joint: {type: revolute, axis: [0, 0, 1]}\n    body: {mass: 2}",
            ["links.motor.body.inertia", "[0, 0, 0]", "without inertia"],
        ),
        "unknown solid": (
            MOTOR,
            "body: {shape: cone, density: 1000}",
            ["links.motor.body.shape", "'cone'", "box, cylinder or sphere"],
        ),
        "solid of negative size": (
            MOTOR,
            "body: {shape: box, size: [1, -1, 1], density: 1000}",
            ["links.motor.body.size", "[1, -1, 1]", "positive"],
        ),
        "solid without density": (
            MOTOR,
            "body: {shape: sphere, diameter: 0.1}",
            ["links.motor.body.density: missing", "kg/m3"],
        ),
        "origin in degrees of freedom": (
            "rpy: [0, 0, 0]",
            "rpy: [0, 0]",
            ["links.forearm.origin.rpy", "[0, 0]", "rad"],
        ),
        "unknown field of an origin": (
            "rpy: [0, 0, 0]",
            "euler: [0, 0, 0]",
            ["links.forearm.origin.euler", "xyz and rpy"],
        ),
        # the file as such
        "future version": ("lissom: 1", "lissom: 2", [":1:", "lissom = 2", "write lissom: 1"]),
        "version as text": ("lissom: 1", "lissom: '1'", ["lissom = '1'", "write lissom: 1"]),
        "version is missing": ("lissom: 1\n", "", ["lissom: missing", "lissom: 1"]),
        "tag": (
            "length: 0.95",
            "length: !!python/object/apply:os.system ['true']",
            [":10:", "tag", "plain value"],
        ),
        "harmless tag": ("length: 0.95", "length: !!float 0.95", [":10:", "tag", "plain value"]),
        "field given twice": (
            "length: 0.95",
            "length: 0.95\n      length: 0.96",
            [":11:", "'length'", "twice", "line 10"],
        ),
        "merge key": ("length: 0.95", "<<: {length: 0.95}", [":10:", "<<", "write the fields out"]),
        "alias without an anchor": ("length: 0.95", "length: *L", [":10:", "*L", "anchor"]),
        "alias inside itself": ("length: 0.95", "length: &L [*L]", [":10:", "*L", "contains itself"]),
        "two documents": ("links:", "---\nlinks:", ["second document", "one robot per file"]),
        "unclosed bracket": ("axis: [0, 0, 1]", "axis: [0, 0, 1", ["not valid YAML", "brackets"]),
        "tabs": ("      length: 0.95", "\tlength: 0.95", ["not valid YAML", "check"]),
        "deep nesting": ("length: 0.95", "length: " + "[" * 50 + "]" * 50, [":10:", "levels deep"]),
        "a key that is a list": ("length: 0.95", "? [length]\n      : 0.95", [":10:", "plain word"]),
        "a bad escape": ("name: test-arm", 'name: "\\UFFFFFFFF"', ["not valid YAML", "check"]),
        "a control character": ("name: test-arm", "name: a\x07b", ["not valid YAML", "special characters"]),
    }
    | JOINTS
    | BEAMS
)
