"""Robots at the edge: numbers near the ends of the floats, very many links, very many mistakes."""

import copy
import math
from fractions import Fraction

import numpy as np
import pytest

import lissom
from lissom.errors import LissomError, RobotError

TURN = {"type": "revolute", "axis": [0, 0, 1]}


def chain(count, joint="fixed", **more):
    """Links one on the other; the first turns."""
    links = [
        {
            "name": f"l{k}",
            "parent": f"l{k - 1}" if k else "world",
            "joint": joint if k else TURN,
            "origin": {"xyz": [0.1, 0, 0]},
            "body": {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]},
        }
        for k in range(count)
    ]
    return {"lissom": 1, "name": "chain", "links": links} | more


def numbers(data, path=()):
    """Places of all numbers in a description."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        if isinstance(value, dict | list):
            yield from numbers(value, (*path, key))
        elif isinstance(value, float | int) and not isinstance(value, bool):
            yield (*path, key)


def changed(data, path, value):
    made = copy.deepcopy(data)
    place = made
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return made


EDGES = (1e155, -1e155, 1e-320, 10**400, 1e300, 1e-100, -0.0, 5e-324, 1.7e308, 1e19, 1e-29, math.nan, math.inf)


def geared():
    """A robot with every kind of field."""
    data = lissom.load("ella").to_dict()
    gear = {"gear": 100.0, "rotor_inertia": 1e-4, "stiffness": 1e4, "damping": 1.0}
    data["links"][1]["joint"] = {"type": "revolute", "axis": [0.0, 0.0, 1.0], "name": "shoulder", "transmission": gear}
    return data


def positive_definite(matrix):
    """Whether all pivots are positive, in fractions: eigenvalues of such matrices are as small as rounding."""
    rows = [[Fraction(float(value)) for value in row] for row in matrix]
    while rows and rows[0][0] > 0:
        (pivot, *first), *below = rows
        rows = [[value - row[0] * of / pivot for value, of in zip(row[1:], first, strict=True)] for row in below]
    return not rows


@pytest.mark.parametrize("edge", EDGES, ids=lambda edge: str(edge)[:9])
def test_every_number_at_the_edge_of_floats_is_refused_or_makes_a_sound_model(edge):
    data = geared()
    for path in numbers(data):
        try:
            model = lissom.Robot.from_dict(changed(data, path, edge)).compile()
        except LissomError as error:
            assert str(error)
            continue
        matrix = lissom.mass_matrix(model, model.neutral())
        assert np.all(np.isfinite(matrix)), path
        assert positive_definite(matrix), path


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("links", 1, "beam", "length"), 1e155, "links.upper.beam.length"),
        (("links", 1, "beam", "length"), 1e-320, "below any physical size"),
        (("links", 0, "body", "mass"), 10**400, "links.hub.body.mass"),
        (("links", 1, "joint", "transmission", "gear"), 1e300, "links.upper.joint.transmission.gear"),
        (("links", 1, "joint", "transmission", "rotor_inertia"), 1e-100, "rotor_inertia"),
        (("links", 1, "beam", "length"), 1e-29, "links.upper"),
    ],
)
def test_the_message_names_link_and_field(path, value, message):
    with pytest.raises(RobotError, match=message):
        lissom.Robot.from_dict(changed(geared(), path, value)).compile()


def test_numbers_that_are_each_allowed_but_not_together_are_refused_by_link():
    """The check in compile: products of fields, which no check of one field sees."""
    from lissom.kernel.data.arrays import Arrays
    from lissom.model.compilation.array_checks import check

    model = lissom.load("ella").compile()
    names = [body.link for body in model.bodies]
    check(model.arrays, names)
    for change, message in (
        (lambda part: part._replace(mass=part.mass * [1, np.inf, 1, 1]), r"links.hub.*inertia.mass is not finite"),
        (lambda part: part._replace(modal_mass=-part.modal_mass), r"links.upper.*not positive"),
        (lambda part: part._replace(second_moment=-part.second_moment), r"links.* not positive"),
    ):
        with pytest.raises(RobotError, match=message):
            check(Arrays(**(model.arrays._asdict() | {"inertia": change(model.arrays.inertia)})), names)


@pytest.mark.parametrize("backwards", [False, True])
def test_thousands_of_welded_links_make_a_robot(backwards):
    """No recursion, and no time that grows with the square of the number."""
    data = chain(3000)
    if backwards:
        data["links"].reverse()
    robot = lissom.Robot.from_dict(data)
    assert [link.name for link in robot.bodies][:3] == ["l0", "l1", "l2"] or backwards
    assert len(robot.compile().links) == 3000


def test_thousands_of_unknown_parents_are_one_message_of_bearable_length():
    data = chain(4000)
    for k, link in enumerate(data["links"]):
        link["parent"] = f"x{k}"
    with pytest.raises(RobotError, match="has 4000 problems") as found:
        lissom.Robot.from_dict(data)
    assert len(str(found.value).splitlines()) == 52
    assert "and 3950 more" in str(found.value)


def test_a_long_cycle_is_told_in_short():
    data = chain(4000)
    data["links"][0]["parent"] = "l3999"
    with pytest.raises(RobotError, match=r"links.l0.parent = 'l3999': makes a cycle: l0 -> l3999 .* -> l0") as found:
        lissom.Robot.from_dict(data)
    assert len(str(found.value)) < 400


def test_links_keep_their_order_but_for_parents_that_come_late():
    from lissom.model.description.robot_checks import sort_links

    data = chain(6)
    data["links"] = [data["links"][k] for k in (1, 3, 0, 2, 5, 4)]
    robot = lissom.Robot.from_dict(data)
    placed = {"world"}
    for link in sort_links(robot.links):
        assert link.parent in placed
        placed.add(link.name)
    assert [link.name for link in sort_links(robot.links)] == ["l0", "l1", "l2", "l3", "l4", "l5"]
