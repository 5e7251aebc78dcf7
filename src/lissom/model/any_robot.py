"""A robot in any form that a person has at hand: its name or file, its description, or its compiled model."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from lissom.errors import LissomError
from lissom.model.compilation.attachment_points import attachments, with_attachments
from lissom.model.compilation.compiler import compile_robot
from lissom.model.description.robot import Robot
from lissom.model.io.robot_files import builtin_names, load
from lissom.model.model import Model

AnyRobot: TypeAlias = str | os.PathLike[str] | Robot | Model
"""What every public function takes: a name ("ella"), the path of a robot file, a Robot or a Model."""

KEPT = 32  # models of robots used last


def as_robot(robot: AnyRobot) -> Robot:
    """Return the description of a robot in any form."""
    if isinstance(robot, Robot):
        return robot
    if isinstance(robot, Model):
        return robot.robot
    if isinstance(robot, str | os.PathLike):
        return _builtin(robot) if robot in _builtin_names() else load(robot)
    raise LissomError("must be its name, the path of its file, a Robot or a Model", ("robot",), robot)


def as_model(robot: AnyRobot, prescribed: Iterable[str] | None = None, acted: Iterable[tuple[str, Any]] = ()) -> Model:
    """Return the compiled model of a robot in any form; that of a Robot is made once and kept.

    Parameters
    ----------
    prescribed : iterable of str, optional
        Joints whose motion is given; those of a given model unless said otherwise, none of a robot.
    acted : iterable of tuple
        Places (link, x) at which loads will act: links of a robot, not those of a given model, whose functions
        lissom chooses get those that such loads need.
    """
    if isinstance(robot, Model):
        if prescribed is None or _prescribes(robot, prescribed):
            return robot
        acted = ()
    return _compile(_Same(as_robot(robot)), tuple(prescribed or ()), tuple(acted))


def model_for(robot: AnyRobot, acted: Iterable[tuple[str, Any]], at: Any = None) -> Model:
    """Return the model of a robot with the functions that loads at places (link, x) need.

    at: where it stands: by name, an array q that may have been made for the robot by itself (which is then taken), or
        an equilibrium, whose model may know of more places.
    """
    known = getattr(at, "model", None)
    acted = [*acted, *(attachments(known.robot) if known is not None else ())]
    model = as_model(robot, acted=acted)
    size = None if at is None or isinstance(at, str | Mapping) else np.size(getattr(at, "q", at))
    return model if size is None or size == model.nq else as_model(robot)


def compile(robot: AnyRobot, prescribed: str | Iterable[str] = ()) -> Model:
    """Make a new model of a robot: the flat arrays that dynamics functions take.

    Parameters
    ----------
    robot : str, path, Robot or Model
        The name or file of a robot, a robot, or its model.
    prescribed : str or iterable of str
        Joints whose motion is given, by name: their acceleration is an input, their force a result.

    Returns
    -------
    Model
        Its tables are read-only.

    Examples
    --------
    >>> model = lissom.compile("ella", prescribed="shoulder")
    """
    return compile_robot(as_robot(robot), prescribed)


def _prescribes(model: Model, joints: Iterable[str]) -> bool:
    return {model.joint(name).joint for name in joints} == set(model.prescribed)


class _Same:
    """A key that stands for one object, whatever it is equal to."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot

    def __hash__(self) -> int:
        return id(self.robot)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.robot is other.robot


@lru_cache(maxsize=KEPT)
def _compile(key: _Same, prescribed: tuple[str, ...], acted: tuple[tuple[str, Any], ...]) -> Model:
    robot = with_attachments(key.robot, acted)
    if acted and robot is key.robot:  # nothing new: the model that others share
        return _compile(key, prescribed, ())
    return compile_robot(robot, prescribed)


@lru_cache(maxsize=1)
def _builtin_names() -> frozenset[str]:
    return frozenset(builtin_names())


@lru_cache(maxsize=KEPT)
def _builtin(name: str) -> Robot:
    return load(name)
