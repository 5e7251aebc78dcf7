"""Good files of every task beyond a single run, to be broken by `fuzzing`: mechanisms, whole scenarios, studies, fits,
optimal motions and sizes, and calls that export code."""

import json
import re
from functools import cache

import numpy as np
from places import ROOT
from rich_robots import RICH, rich_robot
from small_study import GIVEN, MASS

import lissom
from lissom.model.io.yaml_reader import read as read_yaml

MECHANISMS = ("five-bar", "slider-crank", "luffing-crane")
SHORT = 1e-3  # s of a run: what is wrong with loads, motions and sensors shows at its start
PIN = {"name": "pin", "type": "revolute", "axis": [0, 1, 0], "damping": 0.1}
CARRIED = {
    "lissom": 1,
    "name": "carried",
    "materials": {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7850}},
    "links": [
        {
            "name": "boom",
            "joint": PIN,
            "beam": {"length": 1.0, "material": "steel", "modes": {"z": 1}}
            | {"section": {"shape": "tube", "outer": 0.05, "thickness": 0.003}},
        },
        {
            "name": "hand",
            "joint": {"name": "wrist", "type": "revolute", "axis": [0, 1, 0]},
            "body": {"mass": 1.0, "com": [0.1, 0, 0], "inertia": [0.01, 0.01, 0.01], "tip": [0.2, 0, 0]},
        },
    ],
}
WHOLE = {
    "lissom": 1,
    "robot": CARRIED,
    "duration": 0.5,
    "start": {"pin": "10 deg", "wrist.rate": 0.1},
    "hold": ["pin"],
    "control": [
        {"type": "pd", "gains": {"pin": {"p": 100, "d": 10}}, "reference": {"type": "step", "to": {"pin": 0.3}}},
        {"type": "torque", "torques": {"wrist": {"type": "steps", "times": [0, 0.1], "points": [0.0, 0.2]}}},
    ],
    "loads": [
        {"link": "boom", "at": 0.5, "force": {"type": "steps", "at": [0, 0.1], "to": [[0, 0, 0], [0, 0, -5]]}},
        {"link": "hand", "torque": {"type": "sine", "amplitude": [0, 1, 0], "frequency": 2}, "frame": "local"},
        {"link": "hand", "force": {"type": "spline", "at": [0, 0.1, 0.2], "to": [[0, 0, 0], [1, 0, 0], [0, 0, 0]]}},
    ],
    "payloads": [{"link": "hand", "mass": 0.5, "com": [0.2, 0, 0], "pick": 0.05, "drop": 0.2}],
    "sensors": [
        {"name": "angle", "type": "encoder", "joint": "pin", "rate": 500, "resolution": 1e-3},
        {"name": "gauge", "type": "strain-gauge", "link": "boom", "at": 0.1, "noise": 1e-6, "low_pass": 50},
        {"name": "imu", "type": "accelerometer", "link": "hand", "origin": {"xyz": [0.1, 0, 0]}, "delay": 0.001},
        {"name": "cell", "type": "force-torque", "joint": "wrist", "bias": [0, 0, 0.1, 0, 0, 0]},
    ],
    "output": {"rate": 200, "audit": True},
}
FIT = {
    "lissom": 1,
    "robot": CARRIED,
    "parameters": {"links.hand.body.mass": {"bounds": [0.2, 3], "prior": {"mean": 1, "deviation": 0.5}}},
    "records": [
        {
            "data": "record.csv",
            "outputs": {"position.pin": {"column": "angle", "unit": "deg", "noise": 0.1}},
            "torques": {"wrist": {"column": "torque", "unit": "N m"}},
            "start": {"pin": 0.1},
            "time": {"column": "t", "unit": "ms"},
        }
    ],
    "frequencies": [{"frequency": 40.0, "mode": 1, "deviation": 0.5}],
    "most": 1,
}
RECORD = "t,angle,torque\n" + "".join(f"{k},{5.7 + 0.01 * k:.3f},{0.1 * np.sin(k):.4f}\n" for k in range(60))
LIFT = "t,shoulder,elbow\n" + "".join(f"{0.1 * k:.1f},{0.2 * k:.3f},{-0.1 * k:.3f}\n" for k in range(9))
MOTION = {
    "lissom": 1,
    "scenario": WHOLE | {"control": WHOLE["control"][0], "loads": [], "payloads": [], "sensors": [], "hold": None},
    "to": {"pin": 0.4, "wrist": -0.2},
    "via": [{"to": {"pin": 0.2, "wrist": 0.1}, "time": 0.4}],
    "duration": 1.0,
    "limits": {"torque": {"pin": 200, "wrist": 30}, "speed": 3.0, "position": {"wrist": [-1, 1]}}
    | {"deflection": {"boom": 0.02}, "wrench": {"pin": {"force": 500}}},
    "intervals": 12,
}
SIZING = {
    "lissom": 1,
    "scenario": MOTION["scenario"],
    "sizes": {"links.boom.beam.section.outer": [0.03, 0.1], "links.boom.beam.section.thickness": [0.001, 0.004]},
    "cases": [{"pose": {"pin": 0.2}, "loads": [{"link": "hand", "force": [0, 0, -50]}], "factor": 1.2}],
    "limits": {"frequency": 5.0, "deflection": {"boom": 0.02}, "stress": {"boom": 1.6e8}, "slenderness": 50},
}
DRAWN = {"vary": {"start.pin": [0.1, 0.2], MASS: {"mean": 1, "deviation": 0.1}}}
STUDIES = [GIVEN, GIVEN | DRAWN | {"sampling": {"type": "latin-hypercube", "runs": 4}}]
EXPORTS = {"functions": ["mass_matrix"], "points": ["hand", "boom@0.5"], "wrenches": ["hand"], "name": "arm"}
EXPORTS |= {"parameters": ["links.hand.body.mass"], "backend": "straight"}


@cache
def good_mechanisms():
    """Loops, elements, contact, stations, gears with play, finite elements, prestress: descriptions as mappings."""
    return [lissom.load(name).to_dict() for name in MECHANISMS] + [rich_robot(name).to_dict() for name in RICH]


def mechanism(data, folder):
    """Compile, close the loops, and see that forces are finite where the mechanism stands."""
    model = lissom.Robot.from_dict(data).compile()
    if model.nv > 60:
        return None
    return lissom.bias(model, lissom.close_loops(model) if model.loops else model.neutral(), np.zeros(model.nv))


@cache
def good_scenarios():
    """Everything a scenario can hold, and all that its page shows."""
    text = (ROOT / "docs" / "reference" / "scenario-files.md").read_text(encoding="utf-8")
    shown = [read_yaml(block, "page").value for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)]
    return [WHOLE] * 10 + [{"robot": "ella", "duration": 0.5} | data for data in shown if isinstance(data, dict)]


def scenario(data, folder):
    """Prepare it, and take the first steps."""
    from lissom.scenario.scenario_files import parse

    (folder / "lift.csv").write_text(LIFT)
    prepared = parse(written(data), "scenario.yaml", folder).scenario.prepare()
    settings = prepared.settings.model_copy(update={"duration": SHORT, "rate": 2 / SHORT})
    given = {
        name: getattr(prepared, name) for name in ("controller", "start", "motion", "loads", "payloads", "sensors")
    }
    return lissom.simulate(prepared.model, settings, **given, progress=False).q


def study(data, folder):
    """All that is known before the first run."""
    from lissom.study import Study

    made = Study.from_dict(data)
    return len(made), made.variations, made.runs


def fit(data, folder):
    """Read it and its records, and look at the model once."""
    from lissom import identify

    (folder / "record.csv").write_text(RECORD)
    (folder / "fit.yaml").write_text(written(data))
    return identify.load(folder / "fit.yaml").run(progress=False)


def optimum(data, folder):
    """A motion up to where the search begins; a sizing as it is read."""
    from lissom import optimise
    from lissom.optimise.motion_task import resolve

    (folder / "task.yaml").write_text(written(data))
    asked = optimise.load(folder / "task.yaml")
    return resolve(asked) if isinstance(asked, optimise.Motion) else asked


def written(data):
    return json.dumps(data, default=str)


def export(options, folder):
    from lissom.export import to_c

    to_c(lissom.Robot.from_dict(CARRIED), folder / "code", **options)


TASKS = {  # what is good, and what is done with it
    "mechanism": (good_mechanisms, mechanism),
    "scenario_run": (good_scenarios, scenario),
    "study": (lambda: STUDIES, study),
    "fit": (lambda: [FIT], fit),
    "optimum": (lambda: [MOTION, SIZING], optimum),
    "export": (lambda: [EXPORTS], export),
}
