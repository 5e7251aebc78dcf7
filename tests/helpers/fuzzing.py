"""Broken input of every kind, by seed: the same number always gives the same input.

Each kind takes something good, changes it where its structure says that there is something to change, and hands it to
the public function that reads it. What may happen: it is taken, or refused by a LissomError (by TypeError or
ValueError too where Python code was called with the wrong arguments). What may not: any other exception, more than
LIMIT seconds of computing, or a robot whose mass matrix is not finite and positive.
"""

import copy
import math
import random
import signal
import string
import warnings
from contextlib import contextmanager
from functools import cache

import fuzzed_tasks as tasks
import numpy as np
from broken_robots import GOOD
from places import DATA
from sample_runs import ella_run

import lissom
from lissom.errors import LissomError
from lissom.kernel.compile.events import listening
from lissom.model.io.yaml_reader import read as read_yaml

METHODS = ("rk4", "radau", "dop853")
LIMIT = 5.0  # s of processor time, whatever else the machine does

EDGES = [0, -1, 1, 2, 1e-320, 1e-30, 1e-9, 1e9, 1e19, 1e155, 1e300, -1e300, 10**400, math.nan, math.inf, -math.inf]
ODDITIES = [None, True, False, "", " ", "x", "world", "ella", "ü$\\n{}", "a" * 3000, [], {}, [[]], [1], [1, 2, 3]]
ODDITIES += [[1, 2, 3, 4], {"a": 1}, "1,5", "3 m", "0x10", "2024-01-01", "~", "!!python/object:os.system", b"bytes", 1j]


class Hang(BaseException):
    """Took longer than LIMIT."""


@contextmanager
def limited():
    """Raise Hang once the block has computed for LIMIT seconds; what is compiled meanwhile does not count."""
    left = [LIMIT]
    compiling = [0]

    def stop(*_):
        raise Hang

    def heed(name):
        compiling[0] += 1 if name else -1
        if name and compiling[0] == 1:
            left[0] = signal.setitimer(signal.ITIMER_PROF, 0)[0] or left[0]
        elif compiling[0] == 0:
            signal.setitimer(signal.ITIMER_PROF, left[0])

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        with listening(heed):
            yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


# changes


def places(tree, path=()):
    """Every place in nested mappings and lists, the root apart."""
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


def mutated(rng, tree):
    """A tree with one to three changes."""
    tree = copy.deepcopy(tree)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        spots = list(places(tree))
        if not spots:
            break
        path = rng.choice(spots)
        parent = tree
        for key in path[:-1]:
            parent = parent[key]
        _change(rng, tree, parent, path[-1])
    return tree


def _change(rng, tree, parent, key):
    value = parent[key]
    what = rng.randrange(8)
    if what == 0:
        parent[key] = rng.choice(EDGES)
    elif what == 1:
        parent[key] = copy.deepcopy(rng.choice(ODDITIES))
    elif what == 2:
        del parent[key]
    elif what == 3 and isinstance(parent, dict):
        parent[_typo(rng, str(key))] = parent.pop(key)
    elif what == 4 and isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300:
        parent[key] = value * rng.choice((-1, 10.0 ** rng.randint(-40, 40), 1 + 1e-9))
    elif what == 5 and isinstance(parent, list):
        parent.insert(rng.randint(0, len(parent)), copy.deepcopy(value))
    elif what == 6:
        parent[key] = copy.deepcopy(_at(tree, rng.choice(list(places(tree)))))
    elif isinstance(value, str):
        parent[key] = _typo(rng, value)
    else:
        parent[key] = [value] if rng.random() < 0.5 else {"x": value}


def _at(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def _typo(rng, text):
    at = rng.randint(0, len(text))
    return rng.choice((text[:at] + rng.choice(string.printable) + text[at:], text[:at] + text[at + 1 :], text * 2))


def scrambled(rng, text):
    """A text with characters, lines or stretches changed."""
    lines = text.splitlines(keepends=True)
    what = rng.randrange(6)
    if what == 0:
        return "".join(_typo(rng, line) if rng.random() < 2 / len(lines) else line for line in lines)
    if what == 1:
        del lines[rng.randrange(len(lines))]
    elif what == 2:
        lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    elif what == 3:
        return text[: rng.randrange(len(text))]
    elif what == 4:
        at = rng.randrange(len(text))
        return (
            text[:at]
            + rng.choice(("\0", "\t", "&a [*a]", "<<: *x", "{", "]", '"', "\ud800", "\x85", "1e999"))
            + text[at:]
        )
    else:
        for _ in range(3):
            at = rng.randrange(len(lines))
            words = lines[at].split(" ")
            words[rng.randrange(len(words))] = str(rng.choice(EDGES))[:40]
            lines[at] = " ".join(words)
    return "".join(lines)


# kinds of input


@cache
def good_robots():
    names = ("ella", "satellite-two-arm", "rigid-7-axis", "spinup-beam")
    return [lissom.load(name).to_dict() for name in names] + [lissom.Robot.from_yaml(GOOD).to_dict()]


def sound(robot):
    """Compile, and look at the mass matrix."""
    model = robot.compile()
    if model.nv > 60:
        return
    matrix = lissom.mass_matrix(model, model.neutral())
    assert np.all(np.isfinite(matrix)), "mass matrix is not finite"
    scale = 1 / np.sqrt(np.diag(matrix))
    assert np.linalg.eigvalsh(scale[:, None] * matrix * scale)[0] > 0, "mass matrix is not positive"


def robot_tree(rng, folder):
    sound(lissom.Robot.from_dict(mutated(rng, rng.choice(good_robots()))))


def robot_text(rng, folder):
    sound(lissom.Robot.from_yaml(scrambled(rng, GOOD)))


@cache
def good_scenarios():
    from lissom.builtin import SCENARIOS, names, text

    return [read_yaml(text(SCENARIOS, name), name).value for name in names(SCENARIOS)]


def scenario_tree(rng, folder):
    from lissom.scenario.scenario_files import parse

    parse(tasks.written(mutated(rng, rng.choice(good_scenarios()))), "scenario.yaml", folder).scenario.prepare()


def task(good, take):
    """One kind of task: mappings, and what is done with one of them."""

    def kind(rng, folder):
        finite(take(mutated(rng, rng.choice(good())), folder))

    return kind


def urdf(rng, folder):
    text = (DATA / "urdf" / f"{rng.choice(('elbow', 'gantry', 'wrist'))}.urdf").read_text()
    file = folder / "arm.urdf"
    file.write_text(scrambled(rng, text), errors="replace")
    sound(lissom.load(file))


DH = {
    "lissom": 1,
    "name": "table",
    "dh": {
        "convention": "standard",
        "rows": [
            {"name": f"l{k}", "theta": 0.1, "d": 0.4, "a": 0.05, "alpha": -1.5, "joint": kind}
            | {"body": {"mass": 1.5, "com": [-0.1, 0.02, 0.03], "inertia": [0.02, 0.03, 0.025]}}
            for k, kind in enumerate(("revolute", "prismatic", "revolute"))
        ],
    },
}


def dh(rng, folder):
    file = folder / "table.yaml"
    file.write_text(tasks.written(mutated(rng, DH)))
    sound(lissom.load(file))


@cache
def good_mesh(folder):
    import meshio

    points = [[x, y, z] for z in (0.0, 1.0) for y in (0.0, 1.0) for x in (0.0, 1.0)]
    meshio.Mesh(points, [("hexahedron", [[0, 1, 3, 2, 4, 5, 7, 6]])]).write(folder / "good.vtk", binary=False)
    return (folder / "good.vtk").read_text()


def mesh(rng, folder):
    from lissom.fem.solid_mesh import read_mesh

    file = folder / "solid.vtk"
    file.write_text(scrambled(rng, good_mesh(folder)), errors="replace")
    read_mesh(file)


CSV = "time,elbow,wrist\n" + "".join(f"{0.1 * k:.1f},{0.2 * k:.3f},{-0.1 * k:.3f}\n" for k in range(20))


def table(rng, folder):
    from lissom.control.references.reference import Reference

    file = folder / "motion.csv"
    text = scrambled(rng, CSV)
    if rng.random() < 0.1:
        text = text.replace("0.200", "9" * 140_000, 1)
    file.write_text(text, errors="replace")
    options = {"columns": rng.choice((None, ["elbow"], ["wrist", 1], [9], 5, "elbow", [None], [1.5], ["x"]))}
    Reference.from_csv(file, **{name: value for name, value in options.items() if value is not None})


@cache
def good_result(folder):
    ella_run().save(folder / "good.nc")
    return (folder / "good.nc").read_bytes()


def result(rng, folder):
    data = bytearray(good_result(folder))
    for _ in range(rng.choice((1, 1, 5, 100))):
        data[rng.choice((rng.randrange(len(data)), len(data) - 1 - rng.randrange(8000)))] = rng.randrange(256)
    if rng.random() < 0.3:
        del data[rng.randrange(len(data)) :]
    (folder / "run.nc").write_bytes(data)
    back = lissom.Trajectory.load(folder / "run.nc")
    assert back.dataset.identical(ella_run().dataset), "a damaged file was taken for a good one"


@cache
def arm():
    """A model whose every function has run once, so that no limit counts compilation."""
    model = lissom.load("rigid-7-axis").compile()
    still = np.zeros(model.nv)
    for method in METHODS:
        lissom.simulate(model, 0.01, method=method, step=0.01 if method == "rk4" else None, progress=False)
    for call in (lissom.forward_dynamics, lissom.inverse_dynamics, lissom.derivatives, lissom.joint_wrenches):
        call(model, still, still, still)
    lissom.natural_modes(model, still, locked=False)
    lissom.energy(model, still, still)
    return model


def api(rng, folder):
    model = arm()
    n = model.nv
    good = [0.1] * n
    odd = [None, "q", good[:-1], [*good, 0.0], [math.nan] * n, [math.inf] * n, [1e300] * n, [1j] * n, ["a"] * n, 3.0]
    odd += [np.zeros((n, n)), {"elbow": 0.1}, {"nothing": 1.0}, {1: 2}, [[0.1]] * n, object(), [None] * n, [1e-320] * n]
    pick = [rng.choice((good, good, rng.choice(odd))) for _ in range(3)]
    call = rng.choice(
        (
            lambda: lissom.forward_dynamics(model, *pick),
            lambda: lissom.inverse_dynamics(model, *pick),
            lambda: lissom.mass_matrix(model, pick[0]),
            lambda: lissom.energy(model, *pick[:2]),
            lambda: lissom.tip_pose(model, pick[0], rng.choice((None, "hand", 3, "", model.links[-1]))),
            lambda: lissom.derivatives(model, *pick),
            lambda: lissom.natural_modes(model, pick[0], rng.choice((True, False, "motors", "x", 3, ["x"]))),
            lambda: lissom.joint_wrenches(model, *pick),
            lambda: lissom.Robot.from_dict(rng.choice(odd)),
            lambda: lissom.Robot.from_yaml(rng.choice(odd)),
            lambda: lissom.load(rng.choice(odd)),
            lambda: model.robot.compile(prescribed=rng.choice(odd)),
            lambda: model.robot.with_value(rng.choice(("name", "links", "", "links.x", 3)), rng.choice(odd)),
            lambda: lissom.simulate(model, **settings(rng), start=pick[0], controller=controller(rng, n)),
        )
    )
    finite(call())


def settings(rng):
    values = [None, "1", -1.0, 0.0, 1e-12, 0.01, 0.02, math.nan, math.inf, 1e300, True, [1.0], 10**400]
    chosen = {"duration": rng.choice((0.01, 0.01, rng.choice(values))), "progress": False}
    for name in ("step", "rtol", "atol", "rate", "radius", "method", "audit"):
        if rng.random() < 0.2:
            chosen[name] = rng.choice((*values, *METHODS, "nothing"))
    return chosen


def controller(rng, n):
    return rng.choice(
        (
            None,
            None,
            lambda t, q, v: np.zeros(n),
            lambda t: 0.0,
            lambda t, q, v: None,
            lambda t, q, v: "torque",
            lambda t, q, v: [math.nan] * n,
            lambda t, q, v: 1 / 0,
            3.0,
            "pd",
        )
    )


def finite(value):
    """No number that is returned may be NaN."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        assert not np.any(np.isnan(value)), "NaN was returned"


READ = (robot_tree, robot_text, scenario_tree, urdf, dh, mesh, table, result)
KINDS = {kind.__name__: kind for kind in (*READ, api)} | {name: task(*both) for name, both in tasks.TASKS.items()}
CALLS = ("api", "export")  # wrong arguments of Python functions


@cache
def good_things(name, folder):
    """Everything that is read, computed or compiled once, before the clock runs."""
    if name in tasks.TASKS:
        good, take = tasks.TASKS[name]
        for data in good():
            take(data, folder)
        return
    arm() if name == "api" else ella_run()
    for robot in good_robots():
        sound(lissom.Robot.from_dict(robot))


def attempt(name, seed, folder):
    """Try one input; what is wrong with how it was taken, or None."""
    good_things(name, folder)
    allowed = (LissomError, TypeError, ValueError) if name in CALLS else (LissomError,)
    try:
        with warnings.catch_warnings(), limited():
            warnings.simplefilter("ignore")
            KINDS[name](random.Random(f"{name}{seed}"), folder)
    except allowed as error:
        return None if str(error).strip() else "an exception without a word"
    except Hang:
        return f"took more than {LIMIT:g} s"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None
