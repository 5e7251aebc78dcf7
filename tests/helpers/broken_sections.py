"""Stations and sections that are wrong, each in one way, and what the one message must say."""

GOOD = """\
lissom: 1
name: arm
materials:
  steel: {E: 2.1e11, nu: 0.3, rho: 7850}
  alloy: {E: 7.0e10, nu: 0.33, rho: 2700}
links:
  - name: boom
    joint: {type: revolute, axis: [0, 0, 1]}
    beam:
      length: 2.0
      material: steel
      BODY
"""
SQUARE = "[[0, 0], [0.1, 0], [0.1, 0.1], [0, 0.1]]"
S0 = "{x: 0, section: {shape: tube, outer: 0.1, thickness: 0.004}}"
S1 = "{x: 2.0, section: {shape: tube, outer: 0.06, thickness: 0.004}}"
K = "[[1e7,0,0,0,0,0],[0,1e6,0,0,0,0],[0,0,1e6,0,0,0],[0,0,0,1e3,0,0],[0,0,0,0,2e3,0],[0,0,0,0,0,2e3]]"
M = "[[3,0,0,0,0,0],[0,3,0,0,0,0],[0,0,3,0,0,0],[0,0,0,.01,0,0],[0,0,0,0,.005,0],[0,0,0,0,0,.005]]"
TWO_CENTRES = "[[3,0,0,0,.02,0],[0,3,0,0,0,0],[0,0,3,0,0,0],[0,0,0,.01,0,0],[.02,0,0,0,.02,0],[0,0,0,0,0,.005]]"


def _stations(*parts: str) -> str:
    return f"stations: [{', '.join(parts)}]"


BROKEN = {
    "neither section nor stations": ("shear: none", ["boom.beam.section: missing", "stations"]),
    "section and stations": (
        f"section: {{shape: circle, diameter: 0.1}}\n      {_stations(S0, S1)}",
        ["beam.stations", "conflicts with section"],
    ),
    "one station": (_stations(S0), ["beam.stations = 1", "at least two"]),
    "stations that are no list": ("stations: 3", ["beam.stations = 3", "must be a list"]),
    "no station at the base": (_stations(S0.replace("x: 0", "x: 0.1"), S1), ["stations[0].x = 0.1", "must be 0"]),
    "no station at the tip": (
        _stations(S0, S1.replace("2.0", "1.9")),
        ["stations[1].x = 1.9", "length of the beam (2)"],
    ),
    "stations beyond the tip": (_stations(S0, S1, S1.replace("2.0", "2.5")), ["stations[2].x = 2.5", "length"]),
    "stations out of order": (
        _stations(S0, S1.replace("2.0", "1.5"), S1.replace("2.0", "1.2"), S1),
        ["stations[2].x = 1.2", "before the station at 1.5", "from base to tip"],
    ),
    "three at one place": (
        _stations(S0, *[S1.replace("2.0", "1.0")] * 3, S1),
        ["stations[3].x = 1", "third station", "two make a jump"],
    ),
    "jump at the base": (_stations(S0, S0, S1), ["stations[1].x = 0", "jump at the base"]),
    "jump at the tip": (_stations(S0, S1, S1), ["stations[2].x = 2", "jump at the tip"]),
    "station without x": (
        _stations("{section: {shape: circle, diameter: 0.1}}", S1),
        ["stations[0].x: missing", "metres"],
    ),
    "station without section": (_stations("{x: 0}", S1), ["stations[0].section: missing"]),
    "negative x": (_stations(S0.replace("x: 0", "x: -1"), S1), ["stations[0].x = -1", "must not be negative"]),
    "x is text": (_stations(S0.replace("x: 0", "x: base"), S1), ["stations[0].x", "'base'", "must be a number"]),
    "x in kilograms": (_stations(S0, S1.replace("2.0", "2 kg")), ["stations[1].x", "wrong kind", "metres"]),
    "a tube into a box": (
        _stations(S0, "{x: 2.0, section: {shape: box, width: 0.1, height: 0.1, thickness: 0.004}}"),
        ["stations[1].section", "a tube cannot change gradually into a box", "makes a jump"],
    ),
    "one material into another": (
        _stations(S0, S1.replace("x: 2.0", "x: 2.0, material: alloy")),
        ["stations[1].material", "one material cannot change gradually"],
    ),
    "material of a station unknown": (
        _stations(S0.replace("x: 0", "x: 0, material: aloy"), S1.replace("x: 2.0", "x: 2.0, material: aloy")),
        ["stations[0].material", "'aloy'", "did you mean 'alloy'"],
    ),
    "thickness at one end, inner at the other": (
        _stations(S0, "{x: 2.0, section: {shape: tube, outer: 0.06, inner: 0.05}}"),
        ["stations[1].section.inner", "give it at both alike"],
    ),
    "shear stiffness at one station": (
        _stations(
            "{x: 0, section: {rhoA: 3, EA: 1e7, EIy: 1e3, EIz: 1e3, GJ: 1e3, kGAy: 1e6, kGAz: 1e6}}",
            "{x: 1, section: {rhoA: 3, EA: 1e7, EIy: 1e3, EIz: 1e3, GJ: 1e3, kGAy: 1e6, kGAz: 1e6}}",
            "{x: 1, section: {rhoA: 3, EA: 1e7, EIy: 1e3, EIz: 1e3, GJ: 1e3}}",
            "{x: 2.0, section: {rhoA: 3, EA: 1e7, EIy: 1e3, EIz: 1e3, GJ: 1e3}}",
        ),
        ["stations[2].section.kGAy", "at all or at none"],
    ),
    "only one shear stiffness": (
        "section: {rhoA: 3, EA: 1e7, EIy: 1e3, EIz: 1e3, GJ: 1e3, kGAy: 1e6}",
        ["section.kGAz: missing", "kGAy needs it"],
    ),
    "shear is a word": ("section: {shape: circle, diameter: 0.1}\n      shear: yes please", ["beam.shear", "auto"]),
    "shear is negative": ("section: {shape: circle, diameter: 0.1}\n      shear: -1", ["beam.shear = -1", "positive"]),
    "hermite with stations": (f"{_stations(S0, S1)}\n      ends: hermite", ["beam.ends", "does not suit", "legendre"]),
    "flange too thick": (
        "section: {shape: I, width: 0.1, height: 0.2, flange: 0.1, web: 0.01}",
        ["section.flange = 0.1", "half the height (0.1 m)"],
    ),
    "web too thick": (
        "section: {shape: C, width: 0.1, height: 0.2, flange: 0.01, web: 0.1}",
        ["section.web = 0.1", "the width (0.1 m)"],
    ),
    "angle without a wall": ("section: {shape: L, width: 0.1, height: 0.2}", ["section.thickness: missing", "metres"]),
    "angle too thick": (
        "section: {shape: L, width: 0.1, height: 0.2, thickness: 0.1}",
        ["section.thickness = 0.1", "the shorter leg"],
    ),
    "corners too round": (
        "section: {shape: rounded-box, width: 0.1, height: 0.2, thickness: 0.01, radius: 0.06}",
        ["section.radius = 0.06", "half the smaller side (0.05 m)"],
    ),
    "a letter there is not": ("section: {shape: Z, width: 0.1}", ["section.shape", "'Z'", "choose"]),
    "ellipse all wall": (
        "section: {shape: ellipse, width: 0.1, height: 0.2, thickness: 0.05}",
        ["section.thickness = 0.05", "half the smaller size"],
    ),
    "two corners": (
        "section: {shape: polygon, outline: [[0, 0], [1, 0]]}",
        ["section.outline", "at least three corners"],
    ),
    "corner of three numbers": (
        "section: {shape: polygon, outline: [[0, 0], [1, 0, 2], [0, 1]]}",
        ["section.outline", "corner 2 must be two numbers"],
    ),
    "outline that crosses itself": (
        "section: {shape: polygon, outline: [[0, 0], [0.1, 0], [0, 0.1], [0.12, 0.3]]}",
        ["section.outline", "sides 2 and 4 cross"],
    ),
    "outline without area": (
        "section: {shape: polygon, outline: [[0, 0], [0.1, 0.1], [0.2, 0.2]]}",
        ["section.outline", "encloses no area"],
    ),
    "corner given twice": (
        "section: {shape: polygon, outline: [[0, 0], [0.1, 0], [0.1, 0], [0, 0.1]]}",
        ["section.outline", "corners 2 and 3 are the same"],
    ),
    "hole outside": (
        "section: {shape: polygon, outline: [[0, 0], [0.1, 0], [0, 0.1]], holes: [[[0.2, 0], [0.3, 0], [0.2, 0.1]]]}",
        ["section.holes[0]", "inside the outline"],
    ),
    "offset of three numbers": (
        "section: {shape: circle, diameter: 0.1, offset: [0, 0, 1]}",
        ["section.offset", "two numbers", "[y, z]"],
    ),
    "turn in metres": ("section: {shape: circle, diameter: 0.1, turn: 3 mm}", ["section.turn", "wrong kind", "rad"]),
    "five rows": (f"section: {{stiffness: {K[:-17]}], mass: {M}}}", ["section.stiffness", "must be six rows", "of 5"]),
    "a row of five": (
        f"section: {{stiffness: {K.replace(',2e3]]', ']]')}, mass: {M}}}",
        ["section.stiffness", "row 6"],
    ),
    "stiffness without mass": (f"section: {{stiffness: {K}}}", ["section.mass: missing", "six rows"]),
    "stiffness not symmetric": (
        f"section: {{stiffness: {K.replace('[[1e7,0', '[[1e7,1e6')}, mass: {M}}}",
        ["section.stiffness", "must be symmetric", "(1, 2)"],
    ),
    "stiffness not positive": (
        f"section: {{stiffness: {K.replace('[[1e7', '[[-1e7')}, mass: {M}}}",
        ["section.stiffness", "entry 1 of its diagonal must be positive"],
    ),
    "stiffness indefinite": (
        "section: {stiffness: "
        + K.replace("[[1e7,0", "[[1e7,4e6").replace("[0,1e6,0", "[4e6,1e6,0")
        + f", mass: {M}}}",
        ["section.stiffness", "must be positive definite"],
    ),
    "shear factor of matrices without material": (
        "section: {rhoA: 3, EA: 1e7, EIy: 1e3, EIz: 1e3, GJ: 1e3}\n      shear: 0.8\n      damping: 0.01",
        ["beam.shear", "needs a material"],
    ),
    "tendon that pushes": (
        "section: {shape: circle, diameter: 0.1}\n      prestress: {tendons: [{tension: -5}]}",
        ["prestress.tendons[0].tension = -5", "must not be negative"],
    ),
    "curvature of one number": (
        "section: {shape: circle, diameter: 0.1}\n      prestress: {curvature: 0.1}",
        ["prestress.curvature = 0.1", "two numbers"],
    ),
    "hole that touches the edge": (
        f"section: {{shape: polygon, outline: {SQUARE}, holes: [[[0, 0.04], [0.06, 0.04], [0.06, 0.06], [0, 0.06]]]}}",
        ["section.holes[0]", "inside the outline, without touching"],
    ),
    "hole across a notch": (
        "section: {shape: polygon, holes: [[[0.05, 0.05], [0.25, 0.05], [0.25, 0.08], [0.05, 0.08]]], outline: "
        "[[0, 0], [0.3, 0], [0.3, 0.1], [0.2, 0.1], [0.2, 0.02], [0.1, 0.02], [0.1, 0.1], [0, 0.1]]}",
        ["section.holes[0]", "inside the outline"],
    ),
    "hole around a hole": (
        f"section: {{shape: polygon, outline: {SQUARE}, holes: [[[0.04, 0.04], [0.06, 0.04], [0.05, 0.06]], "
        "[[0.02, 0.02], [0.08, 0.02], [0.08, 0.08], [0.02, 0.08]]]}",
        ["section.holes[1]", "overlaps or touches hole 1"],
    ),
    "holes that cross": (
        f"section: {{shape: polygon, outline: {SQUARE}, holes: [[[0.02, 0.045], [0.08, 0.045], [0.08, 0.055], "
        "[0.02, 0.055]], [[0.045, 0.02], [0.055, 0.02], [0.055, 0.08], [0.045, 0.08]]]}",
        ["section.holes[1]", "overlaps or touches hole 1"],
    ),
    "outline that touches itself": (
        "section: {shape: polygon, outline: [[0, 0], [0.1, 0], [0.05, 0.05], [0.1, 0.1], [0, 0.1], [0.05, 0.05]]}",
        ["section.outline", "sides 2 and 5 cross or touch"],
    ),
    "outline that runs back": (
        "section: {shape: polygon, outline: [[0, 0], [0.1, 0], [0.1, 0.1], [0.05, 0.1], [0.05, 0.2], [0.05, 0.1], "
        "[0, 0.1]]}",
        ["section.outline", "cross or touch"],
    ),
    "corners in another order": (
        _stations(
            f"{{x: 0, section: {{shape: polygon, outline: {SQUARE}}}}}",
            "{x: 2.0, section: {shape: polygon, outline: [[0, 0], [0, 0.1], [0.1, 0.1], [0.1, 0]]}}",
        ),
        ["stations[1].section", "crosses itself on the way", "same order"],
    ),
    "round corners into sharp ones": (
        _stations(
            *(
                f"{{x: {x}, section: {{shape: rounded-box, width: 0.1, height: 0.2, thickness: 0.01, radius: {r}}}}}"
                for x, r in ((0, 0.02), (2.0, 0.005))
            )
        ),
        ["stations[1].section", "round at one end and sharp at the other", "makes a jump"],
    ),
    "mass of three sizes": (
        f"section: {{stiffness: {K}, mass: {M.replace('[0,3,', '[0,4,')}}}",
        ["section.mass", "entry (2, 2) should be 3"],
    ),
    "mass with two centres": (
        f"section: {{stiffness: {K}, mass: {TWO_CENTRES}}}",
        ["section.mass", "is not that of a section"],
    ),
    "shear factor beside shear stiffnesses": (
        "section: {area: 1e-3, EIy: 1e3, EIz: 1e3, GJ: 1e3, kGAy: 1e6, kGAz: 1e6}\n      shear: 0.8",
        ["beam.shear = 0.8", "conflicts with kGAy"],
    ),
    "shear factor beside matrices": (
        f"section: {{stiffness: {K}, mass: {M}}}\n      shear: 0.8",
        ["beam.shear = 0.8", "conflicts with stiffness"],
    ),
    "strain that nothing survives": (
        "section: {shape: circle, diameter: 0.1}\n      prestress: {stretch: -5}",
        ["prestress.stretch = -5", "at least -0.1"],
    ),
    "curvature of a needle": (
        "section: {shape: circle, diameter: 0.1}\n      prestress: {curvature: [1e9, 0]}",
        ["prestress.curvature", "beyond any physical size"],
    ),
}

TOO_MUCH = {  # right field by field, and yet no link: said when it is built
    "a wall of nothing": (
        "section: {shape: C, width: 0.1, height: 0.2, flange: 1e-7, web: 1e-7}",
        ["links.boom.beam.section", "too thin", "by its stiffnesses"],
    ),
    "turned by degrees": (
        _stations(
            "{x: 0, section: {shape: rectangle, width: 0.1, height: 0.2}}",
            "{x: 2.0, section: {shape: rectangle, width: 0.1, height: 0.2, turn: 900}}",
        ),
        ["links.boom.beam.stations", "change too fast", "in rad"],
    ),
    "frequencies without end": (
        "section: {shape: circle, diameter: 0.1}\n      modes: {to: 1e9 Hz}",
        ["links.boom.beam.modes", "more than 50 functions", "ask for less"],
    ),
}
