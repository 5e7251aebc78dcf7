"""Textbook beams described as a user would, without a word about functions: held, buckling, with cylinders."""

import numpy as np
import pytest

import lissom

SECTION = {"rhoA": 1, "EA": 1e6, "EIy": 100, "EIz": 100, "GJ": 80, "Jx": 1e-3}
Y = {"type": "revolute", "axis": [0, 1, 0]}
SLIDE = {"type": "prismatic", "axis": [1, 0, 0]}
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def robot(*links, **fields):
    data = {"lissom": 1, "name": "rod", "gravity": [0, 0, 0], "links": list(links)}
    return lissom.Robot.from_dict(data | fields)


def rod(joint="fixed", **section):
    return {"name": "rod", "joint": joint, "beam": {"length": 1, "section": SECTION | section}}


def held(joint, base="fixed"):
    """A rod whose tip a loop holds at the world."""
    ends = [{"link": "rod"}, {"link": "world", "origin": {"xyz": [1, 0, 0]}}]
    return robot(rod(base), loops=[{"name": "end", "joint": joint, "between": ends}])


@pytest.mark.parametrize(
    ("made", "waves"),
    [
        (held("fixed"), [4.73004, 4.73004, 7.85320, 7.85320, 10.99561]),
        (held(Y), [3.92660, 4.73004, 7.06858, 7.85320, 10.21018]),
        (held(Y, base=Y), [np.pi, 4.73004, 2 * np.pi, 7.85320, 3 * np.pi]),
    ],
    ids=["clamped", "propped", "pinned"],
)
def test_frequencies_of_beams_held_at_both_ends(made, waves):
    found = lissom.natural_modes(made).frequencies
    wanted = np.sort(np.array(waves) ** 2 * 10 / (2 * np.pi))
    nearest = [found[np.argmin(abs(found - f))] for f in wanted]  # among those of torsion
    assert nearest == pytest.approx(wanted, rel=0.01)


@pytest.mark.parametrize(
    ("base", "tip", "factor"),
    [("fixed", None, 0.25), (Y, Y, 1.0), ("fixed", Y, 2.0457), ("fixed", "fixed", 4.0)],
    ids=["free", "pinned", "propped", "clamped"],
)
def test_euler_columns(base, tip, factor):
    load = "rod"
    made = robot(rod(base))
    if tip is not None:
        block = {
            "name": "block",
            "parent": "world",
            "origin": {"xyz": [1, 0, 0]},
            "joint": SLIDE,
            "body": {"mass": 1e-3},
        }
        loop = {"name": "end", "joint": tip, "between": [{"link": "rod"}, {"link": "block"}]}
        made, load = robot(rod(base), block, loops=[loop]), "block"
    critical = factor * np.pi**2 * 100
    stable = [
        lissom.static_equilibrium(made, hold=(), loads={load: [0, 0, 0, -share * critical, 0, 0]}).stable
        for share in (0.99, 1.01)
    ]
    assert stable == [True, False]


def test_lateral_buckling_of_a_strip():
    made = robot(rod(EA=1e7, EIy=1e5, EIz=10, GJ=8))
    critical = 4.0126 * np.sqrt(10 * 8)
    stable = [
        lissom.static_equilibrium(made, loads={"rod": [0, 0, 0, 0, 0, -share * critical]}).stable
        for share in (0.99, 1.01)
    ]
    assert stable == [True, False]


def test_a_follower_load_makes_a_column_flutter():
    """Beck's column: flutter at 20.05 EI/L^2, never divergence."""
    made = robot(rod(EA=1e4, EIy=1, EIz=1, GJ=0.8), {"name": "tip", "joint": "fixed", "body": {"mass": 1e-9}})
    at = [lissom.static_equilibrium(made, wrenches={"tip": [0, 0, 0, -p, 0, 0]}) for p in (19.85, 20.25)]
    assert [rest.stable for rest in at] == [True, False]


def test_a_boom_with_cylinders_inside_its_spans_is_that_split_at_every_lug():
    box = {"shape": "box", "width": 0.2, "height": 0.3, "thickness": 0.01}

    def link(name, length, joint):
        return {"name": name, "joint": joint, "beam": {"length": length, "material": "steel", "section": box}}

    def cylinder(name, length, first, second):
        return {"name": name, "type": "cylinder", "drive": "length", "length": length, "between": [first, second]}

    def lug(link, z, **at):
        return {"link": link, "origin": {"xyz": [0, 0, z]}} | at

    foot = {"link": "world", "origin": {"xyz": [0.5, 0, -1.5]}}
    fields = {"materials": {"steel": {"E": 2.1e11, "nu": 0.3, "rho": 7850}}, "gravity": [0, 0, -9.81]}
    lift = float(np.hypot(1.0, 1.3))
    whole = robot(
        link("boom", 8, Y),
        link("jib", 6, Y),
        elements=[
            cylinder("lift", lift, foot, lug("boom", -0.2, at=1.5)),
            cylinder("fold", 2.5, lug("boom", 0.2, at=6.5), lug("jib", 0.2, at=1.0)),
        ],
        **fields,
    )
    parts = [("b1", 1.5, Y), ("b2", 5, "fixed"), ("b3", 1.5, "fixed"), ("j1", 1, Y), ("j2", 5, "fixed")]
    split = robot(
        *(link(*part) for part in parts),
        elements=[cylinder("lift", lift, foot, lug("b1", -0.2)), cylinder("fold", 2.5, lug("b2", 0.2), lug("j1", 0.2))],
        **fields,
    )
    sags, frequencies = [], []
    for made, tip in ((whole, "jib"), (split, "j2")):
        rest = lissom.static_equilibrium(made, hold=())
        assert not rest.warnings
        sags.append(lissom.point_pose(rest.model, rest.q, tip)[2, 3])
        frequencies.append(lissom.natural_modes(rest.model, rest).frequencies[:3])
    assert sags[0] == pytest.approx(sags[1], rel=2e-3)
    assert frequencies[0] == pytest.approx(frequencies[1], rel=2e-3)
