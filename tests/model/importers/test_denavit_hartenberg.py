"""Denavit-Hartenberg tables, standard and modified, against the products of matrices they stand for."""

import json

import numpy as np
import pytest

import lissom
from lissom import theory
from lissom.model.importers.denavit_hartenberg import DhFile

ROWS = [
    {"theta": 0.1, "d": 0.4, "a": 0.05, "alpha": -np.pi / 2},
    {"theta": -0.3, "d": 0.02, "a": 0.5, "alpha": 0.2},
    {"theta": 0.0, "d": 0.3, "a": 0.0, "alpha": 0.7, "joint": "prismatic"},
    {"theta": 0.5, "d": 0.1, "a": 0.2, "alpha": 0.0},
]
BODY = {"mass": 1.5, "com": [-0.1, 0.02, 0.03], "inertia": [0.02, 0.03, 0.025]}
BEAM = {
    "section": {"rhoA": 1.0, "EIy": 1e3, "EIz": 1e3, "EA": 1e6, "GJ": 1e3, "Jx": 1e-3},
    "modes": {"y": 1, "z": 1},
}


def turn(axis, angle):
    T, (i, j) = np.eye(4), [(1, 2), None, (0, 1)][axis]
    T[i, i] = T[j, j] = np.cos(angle)
    T[j, i], T[i, j] = np.sin(angle), -np.sin(angle)
    return T


def shift(axis, length):
    T = np.eye(4)
    T[axis, 3] = length
    return T


def frames(rows, q, convention):
    """Frame of every row in the world, straight from the definition."""
    T, out = np.eye(4), []
    for row, x in zip(rows, q, strict=True):
        slides = row.get("joint") == "prismatic"
        theta, d = row["theta"] + (0 if slides else x), row["d"] + (x if slides else 0)
        z, x_ = turn(2, theta) @ shift(2, d), turn(0, row["alpha"]) @ shift(0, row["a"])
        T = T @ (z @ x_ if convention == "standard" else x_ @ z)
        out.append(T)
    return out


def robot(convention, rows=ROWS, **more):
    rows = [{"name": f"link{k}", "body": BODY, **row} for k, row in enumerate(rows)]
    data = {"lissom": 1, "name": "table", "dh": {"convention": convention, "rows": rows}, **more}
    return DhFile.model_validate(data).robot()


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_links_are_where_the_table_puts_them(convention):
    made = robot(convention)
    model, q = made.compile(), np.array([0.3, -0.5, 0.12, 0.8])
    for k, frame in enumerate(frames(ROWS, q, convention)):
        np.testing.assert_allclose(lissom.tip_pose(model, q, f"link{k}")[:3, 3], frame[:3, 3], atol=1e-12)


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("tip", [None, [0.1, 0.2, 0.3]])
def test_the_tip_of_an_arm_is_the_last_frame_of_its_table(convention, tip):
    """With alpha of the last row, which turns no other link."""
    rows = [{"name": f"link{k}", "body": BODY, **row} for k, row in enumerate(ROWS[:3])]
    last = ROWS[3] | {"name": "last", "alpha": 0.7, "body": BODY | ({} if tip is None else {"tip": tip})}
    made = DhFile.model_validate({"name": "t", "dh": {"convention": convention, "rows": [*rows, last]}}).robot()
    model, q = made.compile(), np.array([0.3, -0.5, 0.12, 0.8])
    expected = frames([*ROWS[:3], last], q, convention)[-1]
    found = lissom.tip_pose(model, q)
    np.testing.assert_allclose(found[:3, :3], expected[:3, :3], atol=1e-12)
    np.testing.assert_allclose(found[:3, 3], (expected @ [*(tip or [0, 0, 0]), 1.0])[:3], atol=1e-12)
    for name in theory.names():
        np.testing.assert_allclose(theory.build(name, model).tip(q), found, atol=1e-12)


def test_the_last_frame_of_a_beam_is_that_of_its_end():
    rows = [{"name": "base", "body": BODY}, {"name": "boom", "a": 0.5, "alpha": 0.3, "beam": BEAM}]
    with pytest.raises(lissom.LissomError, match=r"dh.rows\[1\].alpha = 0.3: turns the last frame against the beam"):
        DhFile.model_validate({"name": "t", "dh": {"rows": rows}}).robot()


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_kinetic_energy_is_that_of_the_bodies_in_the_frames_of_the_table(convention):
    rows = [*ROWS[:3], ROWS[3] | {"alpha": 0.4}]
    model = robot(convention, rows).compile()
    rng = np.random.default_rng(3)
    q, v, h = rng.uniform(-1, 1, 4), rng.uniform(-1, 1, 4), 1e-6
    before, after = (frames(rows, q + s * h * v, convention) for s in (-1, 1))
    kinetic = 0.0
    for A, B in zip(before, after, strict=True):
        com = [(T @ np.append(BODY["com"], 1.0))[:3] for T in (A, B)]
        velocity = (com[1] - com[0]) / (2 * h)
        W = A[:3, :3].T @ (B[:3, :3] - A[:3, :3]) / (2 * h)
        omega = np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2
        kinetic += 0.5 * BODY["mass"] * velocity @ velocity + 0.5 * omega @ (BODY["inertia"] * omega)
    assert lissom.energy(model, q, v).kinetic == pytest.approx(kinetic, rel=1e-8)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_a_beam_reaches_from_joint_to_joint(convention):
    rows = [dict(ROWS[0]), dict(ROWS[1]), dict(ROWS[3])]
    table = [
        {"name": f"link{k}", **row, **({"beam": BEAM} if k == 1 else {"body": BODY})} for k, row in enumerate(rows)
    ]
    made = DhFile.model_validate({"name": "t", "dh": {"convention": convention, "rows": table}}).robot()
    model = made.compile()
    q = model.neutral()
    joints = [model.coordinates.index(f"link{k}") for k in range(3)]
    q[joints] = [0.3, -0.5, 0.8]
    last = frames(rows, [0.3, -0.5, 0.8], convention)[-1]
    np.testing.assert_allclose(lissom.tip_pose(model, q, "link2")[:3, 3], last[:3, 3], atol=1e-12)


def test_a_table_in_plain_data_is_that_of_a_file():
    rows = [{"name": "upper", "a": 0.5, "body": {"mass": 2}}, {"name": "fore", "a": 0.4, "body": {"mass": 1}}]
    made = lissom.Robot.from_dict({"lissom": 1, "name": "planar", "dh": rows})
    tip = lissom.tip_pose(made.compile(), np.array([0.0, np.pi / 2]))
    np.testing.assert_allclose(tip[:3, 3], [0.5, 0.4, 0], atol=1e-12)
    with pytest.raises(lissom.LissomError, match=r"dh.*did you mean 'alpha'"):
        lissom.Robot.from_dict({"lissom": 1, "name": "planar", "dh": [rows[0] | {"alph": 1.0}]})


def test_a_table_in_a_file(tmp_path):
    file = tmp_path / "arm.yaml"
    file.write_text(
        "lissom: 1\nname: planar\ngravity: [0, -9.81, 0]\n"
        "dh:\n"
        "  - {name: upper, a: 0.5, body: {mass: 2, com: [-0.25, 0, 0]}}\n"
        "  - {name: fore, a: 0.4, joint: {transmission: {stiffness: 1e4, rotor_inertia: 0.1}},"
        " body: {mass: 1, com: [-0.2, 0, 0]}}\n"
    )
    made = lissom.load(file)
    assert made.compile().coordinates == ("upper", "fore", "fore.rotor")
    tip = lissom.tip_pose(made.compile(), np.zeros(3))
    np.testing.assert_allclose(tip[:3, 3], [0.9, 0, 0], atol=1e-12)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"name": "a", "joint": "universal"}, "choose revolute or prismatic"),
        ({"name": "a", "joint": {"type": "revolute", "axis": [1, 0, 0]}}, "is z; remove axis"),
        ({"name": "a", "alfa": 1.0}, "unknown field (did you mean 'alpha'?)"),
        ({"name": "a", "a": "long"}, "dh.rows[0].a = 'long': must be a number"),
        ({"name": "a", "beam": {}}, "has no length"),
        ({"name": "a", "a": 1.0, "beam": {}, "body": {"mass": 1}}, "give one of them"),
        ({"name": "a", "a": 1.0, "beam": {}}, "section: missing"),
    ],
)
def test_a_wrong_row_is_told_by_its_field(tmp_path, row, message):
    file = tmp_path / "arm.yaml"
    file.write_text(json.dumps({"lissom": 1, "name": "t", "dh": [row]}))
    with pytest.raises(lissom.LissomError) as caught:
        lissom.load(file)
    assert message in str(caught.value)
    assert "arm.yaml" in str(caught.value)
