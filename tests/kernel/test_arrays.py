"""Tables of a compiled model: their axes are data that the tables themselves obey."""

import numpy as np
import pytest

import lissom
from lissom.kernel.compile import Struct, kernel
from lissom.kernel.data import arrays
from lissom.kernel.data.arrays import Arrays, Axis
from lissom.kernel.data.table_operations import layout, mapped, tables, with_bodies
from lissom.model.io.robot_files import builtin_names

PARTS = [name for name, (_, axes) in layout(Arrays).items() if not axes]


@pytest.mark.parametrize("name", builtin_names())
def test_every_table_has_the_axes_and_the_number_type_it_declares(name):
    made = lissom.load(name).compile().arrays
    sizes = {}
    for part in (getattr(made, name) for name in PARTS):
        for field, (kind, axes) in layout(type(part)).items():
            table = getattr(part, field)
            assert table.dtype == (kind or np.float64) and table.ndim == len(axes), field
            for size, axis in zip(table.shape, axes, strict=True):
                assert size == (axis if isinstance(axis, int) else sizes.setdefault(axis, size)), field
    assert set(sizes) == set(Axis)
    assert sizes[Axis.START] == sizes[Axis.BODY] + 1
    assert sizes[Axis.COUPLING] == 12 * sizes[Axis.MODE]


@pytest.mark.parametrize("name", builtin_names())
def test_couplings_that_are_not_listed_do_not_change(name):
    own = lissom.load(name).compile().arrays.inertia
    for i, by_eta in enumerate(own.coupling_eta.copy()):
        rows = own.coupled[own.coupled_start[i] : own.coupled_start[i + 1]]
        assert len(np.unique(rows, axis=0)) == len(rows)  # each once
        by_eta[tuple(rows.T)] = 0
        assert not by_eta.any()


def test_further_bodies_have_no_mass_and_list_no_rows():
    before = lissom.load("ella").compile().arrays
    after = with_bodies(before, 2)
    n = len(before.tree.parent)
    assert np.all(after.inertia.mass[n:] == 0)
    assert np.all(after.joints.dofs[n:] == 0)
    assert after.strain.cubic_start.tolist() == [*before.strain.cubic_start, *2 * [before.strain.cubic_start[-1]]]
    for (name, old), (_, new) in zip(tables(before), tables(after), strict=True):
        grown = len(new) - len(old)
        assert np.array_equal(new[: len(old)], old) and grown == (2 if len(old) in (n, n + 1) else 0), name


def test_a_function_reaches_every_table():
    doubled = mapped(lambda table: 2 * table, lissom.load("ella").compile().arrays)
    assert isinstance(doubled, Arrays)
    assert isinstance(doubled.tree, arrays.Tree)
    for (_, two), (_, one) in zip(tables(doubled), tables(lissom.load("ella").compile().arrays), strict=True):
        assert np.array_equal(two, 2 * one)


def test_a_kernel_reads_tables_within_tables_at_their_place():
    made = lissom.load("ella").compile().arrays

    @kernel
    def read(model, out):
        gears = model.gears
        out[0], out[1] = model.tree.parent[-1], model.inertia.mass[1]
        out[2], out[3] = gears.inertia.shape[0], model.gravity[2]

    compiled, python = np.empty(4), np.empty(4)
    read(Struct(made), compiled)
    read.py_func(made, python)
    expected = [made.tree.parent[-1], made.inertia.mass[1], len(made.gears.inertia), made.gravity[2]]
    assert compiled.tolist() == python.tolist() == expected
