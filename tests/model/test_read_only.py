"""The tables of a model are nobody's to change: not a user's, not a batch's."""

import copy
import pickle

import numpy as np
import pytest

import lissom
from lissom.kernel.compile import Struct
from lissom.kernel.data.arrays import leaves, mapped

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
