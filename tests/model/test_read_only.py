"""The tables of a model are nobody's to change: not a user's, not a batch's."""

import copy
import itertools
import pickle
from functools import cached_property
from types import FunctionType, ModuleType

import numpy as np
import pytest
from general_arms import BEAMS, arm
from rich_robots import RICH, rich_robot

import lissom
from lissom.kernel.compile import Struct
from lissom.kernel.data.table_operations import leaves, mapped

MASS, DAMPING = "links.forearm.beam.masses.0.mass", "links.upper.joint.damping"


@pytest.mark.parametrize("name", ["ella", "luffing-crane", "satellite-two-arm"])
def test_nobody_writes_to_the_tables_of_a_model(name):
    model = lissom.load(name).compile()
    inertia = lissom.mass_matrix(model, model.neutral())
    for one in (model, copy.deepcopy(model), pickle.loads(pickle.dumps(model)), model.copy()):
        for table in (*leaves(one.arrays), one.actuated, one.held_elements):
            with pytest.raises(ValueError, match="read-only"):
                table[...] = 1
        np.testing.assert_array_equal(lissom.mass_matrix(one, one.neutral()), inertia)


def test_kernels_know_read_only_tables_as_those_they_were_compiled_for():
    model = lissom.load("ella").compile()
    assert model.struct.kind == Struct(mapped(np.copy, model.arrays)).kind


def test_a_model_that_goes_on_in_the_memory_of_another_leaves_further_ones_as_they_were():
    """Similar models share tables: one that differs in damping has the masses of the one before."""
    robot = lissom.load("ella")
    models = [robot.compile()]
    for path, value in ((MASS, 9.0), (DAMPING, 0.1), (MASS, 14.0), (MASS, 20.0)):
        models.append(models[-1].robot.with_value(path, value).compile(before=models[-1]))
    expected = [lissom.mass_matrix(model, model.neutral()) for model in models]
    models[3].take_over(models[2])
    models[4].take_over(models[3])
    for k in (0, 1, 4):  # the others are not used any more
        np.testing.assert_array_equal(lissom.mass_matrix(models[k], models[k].neutral()), expected[k])


def test_a_batch_leaves_models_as_they_were():
    robot = lissom.load("ella")
    model = lissom.compile(robot)
    q = model.neutral()
    before, shared = lissom.mass_matrix(model, q), lissom.mass_matrix(robot, q)
    for source in (robot, model):
        lissom.simulate_batch(source, {MASS: [5.0, 9.0, 14.0]}, 0.01, outputs=["mass"], cores=1, progress=False)
        np.testing.assert_array_equal(lissom.mass_matrix(model, q), before)
        np.testing.assert_array_equal(lissom.mass_matrix(robot, q), shared)


KERNEL_MEMORY = ("memory", "struct", "_local", "_idle")  # of those who run kernels, as `Compiled.memory` says


def writable_arrays(thing):
    """Places of all arrays that can be reached from `thing` and written to; properties are computed first."""
    found, seen, todo = [], {}, [("", thing)]
    while todo:
        place, one = todo.pop()
        if id(one) in seen or isinstance(one, type | ModuleType | FunctionType | str | int | float | complex):
            continue
        seen[id(one)] = one
        if isinstance(one, np.ndarray):
            found += [place] * one.flags.writeable
        elif isinstance(one, dict):
            todo += [(f"{place}[{key!r}]", value) for key, value in one.items()]
        elif isinstance(one, tuple | list | set | frozenset):
            todo += [(f"{place}[{k}]", value) for k, value in enumerate(one)]
        else:
            kind = type(one)
            bases = [base for base in kind.__mro__ if base.__module__.startswith("lissom")]
            for name in [name for base in bases for name, value in vars(base).items() if _computed(value)]:
                if name not in KERNEL_MEMORY:
                    getattr(one, name)
            held = {name: value for name, value in getattr(one, "__dict__", {}).items() if name not in KERNEL_MEMORY}
            todo += [(f"{place}.{name}", value) for name, value in held.items()]
    return found


def _computed(value):
    return isinstance(value, property | cached_property)


KINDS = {
    **{name: lambda name=name: rich_robot(name) for name in RICH},
    **{
        f"{kind}, {field}": lambda kind=kind, field=field: lissom.Robot.from_dict(arm(kind, field))
        for kind, field in zip(BEAMS, itertools.cycle(("none", "first", "exact")))
    },
    **{name: lambda name=name: lissom.load(name) for name in ("ella", "luffing-crane", "rigid-7-axis")},
}


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_writes_to_what_a_model_holds(kind):
    model = KINDS[kind]().compile()
    q = model.neutral()
    before = lissom.mass_matrix(model, q)
    for link in model.flexible.values():
        section = link.section_map(link.length)
        assert section is not link.section_map(link.length) or writable_arrays(section) == []
    assert writable_arrays(model) == []
    np.testing.assert_array_equal(lissom.mass_matrix(model, q), before)
