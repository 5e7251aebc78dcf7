"""A good scenario file, and many ways to break it."""

GOOD = """\
robot: ella
duration: 0.5
start: {shoulder: 0.1, elbow: -0.2, elbow.rate: 0.3}
control:
  type: pd
  gains: {shoulder-yaw: {p: 900, d: 157}, shoulder: {p: 2000, d: 200}, elbow: {p: 600, d: 40}}
  reference:
    type: quintic
    to: {shoulder: 0.6, elbow: 0.4}
    duration: 0.4
method: auto
rtol: 1e-5
output: {rate: 100}
"""
GAINS = "gains: {shoulder-yaw: {p: 900, d: 157}, shoulder: {p: 2000, d: 200}, elbow: {p: 600, d: 40}}"
START = "start: {shoulder: 0.1, elbow: -0.2, elbow.rate: 0.3}"
TO = "to: {shoulder: 0.6, elbow: 0.4}"
QUINTIC = "{type: quintic, to: 0.4, duration: 0.4}"

# What to replace in the good file, by what, and what the message must say: line, field, value, remedy.
BROKEN = {
    # fields of the scenario
    "no robot": ("robot: ella\n", "", ["robot: missing", "give the name of a built-in robot"]),
    "empty robot": ("robot: ella", "robot:", [":1:", "robot", "an empty value", "built-in robot"]),
    "number as robot": ("robot: ella", "robot: 7", [":1:", "robot = 7", "not a number", "path"]),
    "unknown robot": ("robot: ella", "robot: ellla", ["ellla", "no such file", "did you mean", "ella"]),
    "missing robot file": ("robot: ella", "robot: arms/x.yaml", ["arms/x.yaml", "no such file", "ella"]),
    "broken robot inside": (
        "robot: ella",
        "robot: {name: a, links: [{name: up, joint: fixed, body: {mass: -1}}]}",
        [":1:", "robot.links.up.body.mass = -1", "not be negative"],
    ),
    "no duration": ("duration: 0.5\n", "", ["duration: missing", "time to simulate in seconds"]),
    "negative duration": ("duration: 0.5", "duration: -2", [":2:", "duration = -2", "positive", "seconds"]),
    "duration with its unit": (
        "duration: 0.5",
        "duration: 5 m",
        [":2:", "'5 m'", "a unit of the wrong kind", "seconds"],
    ),
    "NaN duration": ("duration: 0.5", "duration: .nan", [":2:", "duration", "finite"]),
    "endless duration": ("duration: 0.5", "duration: 1e12", [":2:", "duration", "sensible"]),
    "misspelt field": ("method: auto", "methods: auto", [":11:", "methods", "unknown field", "did you mean 'method'"]),
    "given twice": ("method: auto", "duration: 1", [":11:", "'duration' is given twice", "line 2"]),
    "unknown method": ("method: auto", "method: radua", [":11:", "'radua'", "did you mean 'radau'", "dop853"]),
    "fixed step missing": ("method: auto", "method: rk4", ["step: missing", "rk4", "seconds"]),
    "zero step": ("method: auto", "step: 0", [":11:", "step = 0", "positive"]),
    "rtol too large": ("rtol: 1e-5", "rtol: 2", [":12:", "rtol = 2", "less than 1"]),
    "radius too large": ("rtol: 1e-5", "radius: 1.5", [":12:", "radius = 1.5", "0 to 1"]),
    "zero rate": ("rate: 100", "rate: 0", [":13:", "output.rate = 0", "positive"]),
    "unknown output": ("rate: 100", "rates: 100", [":13:", "output.rates", "did you mean 'rate'"]),
    "format from the future": ("robot: ella", "robot: ella\nlissom: 9", [":2:", "lissom = 9", "write lissom: 1"]),
    # start
    "start as a list": (START, "start: [0, 1]", [":3:", "start", "must be a mapping, not a list", "by joint"]),
    "start as text": (START, "start: {elbow: bent}", [":3:", "start.elbow = 'bent'", "number, not text"]),
    "start of an unknown joint": (START, "start: {elbo: 0.2}", [":3:", "'elbo'", "did you mean 'elbow'"]),
    "too many start values": (START, "start: {elbow: [1, 2]}", [":3:", "start", "elbow", "1 finite number"]),
    "start as another word": (START, "start: equilibirum", [":3:", "start = ", "did you mean 'equilibrium'"]),
    "hold as another word": (
        START,
        "hold: motor",
        [":3:", "hold = 'motor'", "did you mean 'motors'", "list of joints"],
    ),
    "hold as a number": (START, "hold: 3", [":3:", "hold = 3", "not a number", "joints or motors"]),
    "hold of an unknown joint": (START, "hold: [elbo]", [":3:", "hold", "'elbo'", "did you mean 'elbow'"]),
    # control
    "control as text": (
        GOOD[GOOD.index("control:") : GOOD.index("method")],
        "control: pd\n",
        [":4:", "control = 'pd'"],
    ),
    "no type of control": ("  type: pd\n", "", [":4:", "control.type: missing", "pd"]),
    "unknown control": ("type: pd", "type: pdd", [":5:", "control.type = 'pdd'", "did you mean 'pd'"]),
    "unknown field of control": (
        "type: pd",
        "type: pd\n  gain: 3",
        [":6:", "control.gain = 3", "did you mean 'gains'"],
    ),
    "no gains": (f"  {GAINS}\n", "", [":4:", "control.gains: missing", "{joint: {p: ..., d: ...}}"]),
    "negative gain": ("p: 600", "p: -600", [":6:", "control.gains.elbow", "-600", "not be negative"]),
    "gains of an unknown joint": ("elbow: {p", "elbw: {p", [":6:", "'elbw'", "did you mean 'elbow'"]),
    "unknown reference": ("type: quintic", "type: cubic", [":8:", "control.reference.type = 'cubic'", "quintic"]),
    "goal of an unknown joint": (TO, "to: {wrist: 1}", [":9:", "control.reference.to", "'wrist'", "elbow"]),
    "no time for the motion": ("    duration: 0.4\n", "", ["control.reference.duration: missing", "seconds"]),
    "missing CSV": (
        f"type: quintic\n    {TO}\n    duration: 0.4",
        "type: csv\n    path: no.csv",
        ["control.reference", "no.csv"],
    ),
    # prescribed motion
    "motion as a number": ("method: auto", "motion: {elbow: 1}", [":11:", "motion.elbow = 1", "must be a mapping"]),
    "motion of an unknown joint": ("method: auto", f"motion: {{hip: {QUINTIC}}}", [":11:", "'hip'", "its joints are"]),
    "motion without type": ("method: auto", "motion: {elbow: {to: 1}}", [":11:", "motion.elbow.type: missing"]),
    "motion that jumps": (
        "method: auto",
        "motion: {elbow: {type: step, to: 1}}",
        [":11:", "motion.elbow.type = 'step'", "infinite torque", "quintic"],
    ),
    "spin-up without speed": (
        "method: auto",
        "motion: {elbow: {type: spin-up, duration: 1}}",
        [":11:", "motion.elbow.speed: missing", "final speed"],
    ),
    "load on no link": (
        "method: auto",
        "loads: [{link: arm, force: [0, 0, 1]}]",
        [":11:", "loads[0].link = 'arm'", "not a link", "name a link"],
    ),
    "load beyond its link": (
        "method: auto",
        "loads: [{link: upper, at: 3, force: [0, 0, 1]}]",
        [":11:", "loads[0].at = 3", "beyond the end", "in metres"],
    ),
    "payload of no link": (
        "method: auto",
        "payloads: [{link: arm, mass: 1}]",
        [":11:", "payloads[0].link = 'arm'", "link"],
    ),
    "control of a prescribed joint": (
        "method: auto",
        f"motion: {{elbow: {QUINTIC}}}",
        ["control.gains", "'elbow'", "is prescribed", "no controller"],
    ),
}
