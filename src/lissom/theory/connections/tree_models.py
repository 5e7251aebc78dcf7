"""Of one compiled robot, the tree without what joins it, and the frames without the tree."""

from __future__ import annotations

import numpy as np

from lissom.kernel.data.arrays import Axis
from lissom.kernel.data.table_operations import mapped, restricted, with_bodies
from lissom.model.model import Compiled, Model

NOTHING = {Axis.LOOP: 0, Axis.ROW: 0, Axis.ELEMENT: 0, Axis.CONTACT: 0, Axis.LOAD: 0}


def tree_of(model: Model) -> Model:
    """Return the same links and coordinates without loops, elements, contacts, loads and prescribed joints."""
    count = len(model.bodies) + 1
    arrays = restricted(model.arrays, NOTHING | {Axis.BODY: count, Axis.START: count + 1})
    free = arrays.velocities._replace(prescribed=np.zeros_like(arrays.velocities.prescribed))
    robot = model.robot.model_copy(update={"loops": (), "elements": (), "contacts": ()})
    arrays = mapped(np.ascontiguousarray, arrays._replace(velocities=free))
    return Model(robot, arrays, dict(model.flexible), model.bodies)


def without_forces(model: Model) -> Model:
    """Return the same links, coordinates and loops without springs, ropes, cylinders driven by force, and contacts."""
    held = tuple(element for element in model.robot.elements if element.held() is not None)
    robot = model.robot.model_copy(update={"elements": held, "contacts": ()})
    return Model(robot, model.arrays, dict(model.flexible), model.bodies, model.frames)


def frames_of(model: Model) -> Compiled:
    """Return the frames of a model as bodies on the world, and what acts between them."""
    links, part = len(model.bodies), restricted(model.arrays, {Axis.BODY: 1, Axis.START: 2})
    arrays = mapped(np.array, with_bodies(part, len(model.frames)))
    arrays.tree.frame[1:] = 1
    arrays.loops.common[:] = 0
    for table, names in (
        (arrays.loops, ("first", "second")),
        (arrays.elements, ("first", "second")),
        (arrays.contacts, ("sphere", "surface")),
        (arrays.loads, ("row",)),
    ):
        for name in names:
            getattr(table, name)[:] -= links
    return Compiled(arrays)
