"""What annotations of tables say is true of their memory, and machine code that relies on it reads the same entries."""

import numpy as np
import pytest
from random_robots import random_robot

import lissom
from lissom.kernel.compile import argument_kinds, kernel
from lissom.kernel.data.table_operations import fixed_sizes, layout
from lissom.kernel.data.workspace import Workspace

JOINTS = ("free", "revolute", "spherical", "prismatic", "universal", "revolute")


@pytest.fixture(scope="module")
def model():
    return random_robot(np.random.default_rng(3), JOINTS).compile()


def parts(model):
    return [*(part for part in model.arrays if isinstance(part, tuple)), model.workspace().fields]


def test_sizes_are_those_of_the_memory(model):
    known = 0
    for part in parts(model):
        for name, (_, axes) in layout(type(part)).items():
            if axes:
                shape = getattr(part, name).shape
                assert len(shape) == len(axes), name
                assert all(size in (0, length) for size, length in zip(fixed_sizes(axes), shape, strict=True)), name
                known += any(fixed_sizes(axes))
    assert known > 60


def test_machine_code_knows_these_sizes(model):
    joints, work = (argument_kinds.table(part) for part in (model.arrays.joints, model.workspace().fields))
    assert dict(joints.fields)["screw"].sizes == (0, 3, 6)
    assert dict(work.fields)["rotation"].sizes == (0, 3, 3)


def test_what_is_called_an_index_is_never_negative(model):
    """C does not count from the end."""
    known = 0
    for part in parts(model):
        for name, (number, _) in layout(type(part)).items():
            if number is np.int64:
                assert np.all(getattr(part, name) >= 0), name
                known += 1
    assert known > 30
    assert np.any(model.arrays.velocities.group_axis < 0)  # a whole number that is no index


@kernel
def read(model, work, out):
    """Entries by one index, by two, of rows and of columns of tables with known sizes."""
    n = model.tree.parent.shape[0]
    for i in range(n):
        screws = model.joints.screw[i]
        motion = model.joints.motion[i]
        out[i, 0] = model.tree.modes[i] + 100 * model.tree.parent[i]
        out[i, 1] = motion[0] + 10 * model.joints.motion[i, 1] + 100 * motion[2]
        out[i, 2] = screws[1, 4] + 10.0 * screws[0, 2]
        out[i, 3] = work.rotation[i, 2, 1] + work.velocity_product[i][5]
    return work.rotation.shape[2], work.articulated_inertia.shape[1], model.velocities.group_axis[0]


def test_machine_code_reads_what_is_there(model):
    rng, arrays, work = np.random.default_rng(0), model.arrays, model.workspace()
    work.fields.rotation[:], work.fields.velocity_product[:] = (
        rng.normal(size=table.shape) for table in (work.fields.rotation, work.fields.velocity_product)
    )
    out = np.zeros((len(arrays.tree.parent), 4))
    assert read(model.struct, work, out) == (3, 8, arrays.velocities.group_axis[0])
    motion, screw = arrays.joints.motion, arrays.joints.screw
    assert np.array_equal(out[:, 0], arrays.tree.modes + 100 * arrays.tree.parent)
    assert np.array_equal(out[:, 1], motion[:, 0] + 10 * motion[:, 1] + 100 * motion[:, 2])
    assert np.allclose(out[:, 2], screw[:, 1, 4] + 10 * screw[:, 0, 2], rtol=1e-15)
    assert np.allclose(out[:, 3], work.fields.rotation[:, 2, 1] + work.fields.velocity_product[:, 5], rtol=1e-15)


def test_a_joint_along_an_oblique_axis_moves_several_entries():
    links = [
        {"name": name, "joint": {"type": kind, "axis": axis}, "body": {"mass": 1, "inertia": [1, 1, 1]}}
        for name, kind, axis in (
            ("about_y", "revolute", [0, 1, 0]),
            ("along_x", "prismatic", [1, 0, 0]),
            ("back", "revolute", [0, 0, -1]),
            ("oblique", "revolute", [0, 0.6, 0.8]),
        )
    ]
    robot = lissom.Robot.from_dict({"lissom": 1, "name": "axes", "links": links})
    assert robot.compile().arrays.joints.axis.tolist() == [6, 1, 3, 6, 6]


def test_the_workspace_has_every_field_annotated():
    assert [name for name, (_, axes) in layout(Workspace).items() if not axes] == ["zero"]
