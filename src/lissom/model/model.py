"""Model: a compiled robot. Constant; states are separate arrays, algorithms free functions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.beam.constants import freeze
from lissom.errors import LissomError
from lissom.kernel.data.arrays import Arrays, Loads
from lissom.kernel.data.table_operations import alike, leaves, mapped, read_only, writable
from lissom.messages import suggestion

if TYPE_CHECKING:
    from lissom.beam import FlexibleLink
    from lissom.kernel.data.workspace import Workspace
    from lissom.model.compilation.actuator_tables import StateNames
    from lissom.model.description.frame import Frame
    from lissom.model.description.kinematic_loop import Loop
    from lissom.model.description.robot import Robot


@dataclass
class BodyNames:
    """Where one body's coordinates stand in q and v, and what they are called."""

    link: str
    joint: str
    joint_q: slice
    joint_v: slice
    modes_q: slice
    modes_v: slice
    q_names: tuple[str, ...]
    v_names: tuple[str, ...]
    rotor_q: int | None = None
    rotor_v: int | None = None

    @property
    def motor_q(self) -> slice:
        """Where its motor stands, which a prescribed motion moves: the rotor behind an elastic gear, else the joint."""
        return self.joint_q if self.rotor_q is None else slice(self.rotor_q, self.rotor_q + 1)

    @property
    def motor_v(self) -> slice:
        """Where the velocity of its motor stands in v."""
        return self.joint_v if self.rotor_v is None else slice(self.rotor_v, self.rotor_v + 1)


OF_PROCESS = ("_local", "_idle", "memory", "struct")  # what of a model belongs to a process


def parts(arrays: Arrays) -> list[tuple[np.ndarray, ...]]:
    """Return the tables, subject by subject."""
    return [part if isinstance(part, tuple) else (part,) for part in arrays]


class Compiled:
    """Arrays with what kernels need around them: the packed struct and scratch memory of each thread.

    `arrays` are read-only: models of similar robots share tables.
    """

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = read_only(arrays)
        self._local = threading.local()
        self._idle: dict[Any, Any] = {}
        self._alone = False  # whether nobody else has any of its tables

    def __getstate__(self) -> dict[str, Any]:
        """Return all but memory for kernels, which belongs to a process."""
        return {key: value for key, value in vars(self).items() if key not in OF_PROCESS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _local=threading.local(), _idle={})
        self.arrays = read_only(self.arrays)

    @cached_property
    def memory(self) -> Arrays:
        """The arrays as whoever has made them may write to them, and kernels know them."""
        return mapped(writable, self.arrays)

    @cached_property
    def struct(self) -> Any:
        """The arrays as kernels take them."""
        from lissom.kernel.compile import Struct

        return Struct(self.memory)

    def scratch(self, number: type = np.float64) -> Workspace:
        """Return this thread's scratch memory for the number type."""
        return self._scratch(number)[0]

    def workspace(self, number: type = np.float64) -> Any:
        """Return the same memory as kernels take it."""
        return self._scratch(number)[1]

    def new_workspace(self, number: type = np.float64) -> Any:
        """Return scratch memory that nobody else uses, as kernels take it."""
        from lissom.kernel.compile import Struct
        from lissom.kernel.data.workspace import workspace
        from lissom.kernel.forces.actuator_forces import compile_actuators, has_actuators
        from lissom.kernel.forces.external_forces import compile_external_forces, has_elements_or_contacts

        packed = Struct(workspace(self.arrays, number))
        if np.any(self.arrays.tree.nodes):
            from lissom.kernel.links.exact_link import compile_exact

            compile_exact(self.struct, packed, packed.fields.indirect, number)
        if has_actuators(self.arrays):
            compile_actuators(self.struct, packed, number)
        if has_elements_or_contacts(self.arrays):
            compile_external_forces(self.struct, packed, number)
        return packed

    def _scratch(self, number: type) -> tuple[Workspace, Any]:
        return self.cached(number, lambda: ((packed := self.new_workspace(number)).fields, packed))

    def cached(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what this thread keeps under `key`, made when first asked for; no call relies on its content."""
        store: dict[Any, Any] = self._local.__dict__
        if key not in store:
            store[key] = make()
        return store[key]

    def forget(self, key: Any) -> None:
        """Drop what this thread keeps under `key`."""
        self._local.__dict__.pop(key, None)

    def borrow(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return memory that is the caller's until `give_back`: one that lies idle, or a new one."""
        idle = self._idle.pop(key, None)
        return make() if idle is None else idle

    def take_over(self, other: Compiled) -> None:
        """Go on in the memory of `other`, which is not used any more, where both are laid out alike.

        Kernels then find their memory ready, which takes longer to make than a short run. Tables that further models
        may share stay as they are: the first of many gets copies, which those after it take over.
        """
        if not alike(self.arrays, other.arrays):
            return
        self._local, self._idle = other._local, other._idle
        if other._alone:
            for mine, theirs, place in zip(*map(leaves, (self.arrays, other.arrays, other.memory)), strict=True):
                if mine is not theirs:
                    place[...] = mine
            vars(self).update({key: vars(other)[key] for key in ("arrays", "memory")}, struct=other.struct)
        else:
            self.arrays = read_only(mapped(np.copy, self.arrays))
            for key in ("memory", "struct"):
                vars(self).pop(key, None)
        self._alone = True

    def give_back(self, key: Any, memory: Any) -> None:
        """Let the next caller have it."""
        self._idle[key] = memory


class Model(Compiled):
    """A robot ready for computation.

    Configuration `q` has `nq` entries, velocities and forces `nv`: for each body in order its joint
    coordinates, then its modes; then the rotors. They differ only where a joint's rotation is a quaternion.
    """

    def __init__(
        self,
        robot: Robot,
        arrays: Arrays,
        flexible: dict[str, FlexibleLink],
        bodies: tuple[BodyNames, ...],
        frames: tuple[Frame, ...] = (),
        states: tuple[StateNames, ...] = (),
    ) -> None:
        super().__init__(arrays)
        self.robot = robot
        self.flexible = freeze(flexible)
        self.bodies = bodies
        self.states = states  # of actuators, in v after all that moves
        self.frames = frames  # fixed on links, with rows of their own after those of the links

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the links that bend, whose functions cannot be pickled: they follow from the robot."""
        return {key: value for key, value in super().__getstate__().items() if key != "flexible"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.flexible = freeze(self.robot.flexible_links())

    def __repr__(self) -> str:
        return f"<Model {self.robot.name}: {len(self.bodies)} links, {self.nv} degrees of freedom>"

    @cached_property
    def nq(self) -> int:
        """Size of the configuration."""
        return len(self.q_names)

    @cached_property
    def nv(self) -> int:
        """Size of the velocity."""
        return len(self.coordinates)

    @cached_property
    def q_names(self) -> tuple[str, ...]:
        """Names of the configuration coordinates, in order."""
        return tuple(name for body in self.bodies for name in body.q_names) + self._rotor_names

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the velocity coordinates (also those of forces and accelerations), in order."""
        moving = tuple(name for body in self.bodies for name in body.v_names) + self._rotor_names
        return moving + tuple(name for own in self.states for name in own.names)

    @cached_property
    def moving(self) -> int:
        """Number of velocities that are motion: those before the states of actuators."""
        return self.nv - sum(len(own.states) for own in self.states)

    @cached_property
    def _rotor_names(self) -> tuple[str, ...]:
        rotors = sorted((b.rotor_v, f"{b.joint}.rotor") for b in self.bodies if b.rotor_v is not None)
        return tuple(name for _, name in rotors)

    @cached_property
    def links(self) -> tuple[str, ...]:
        """Link names in the order of the kernel's rows, without the world."""
        return tuple(body.link for body in self.bodies)

    @cached_property
    def joints(self) -> tuple[str, ...]:
        """Joint names, one per link, in the same order."""
        return tuple(body.joint for body in self.bodies)

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """What holds frames of the tree together: its loops, then the cylinders whose length is given."""
        return self.robot.closures

    @cached_property
    def held_elements(self) -> np.ndarray:
        """Indices of the elements whose length is given; theirs are the last rows of the loops, one each."""
        return read_only(np.flatnonzero([part.held() is not None for part in self.robot.elements]))

    @cached_property
    def prescribed(self) -> tuple[str, ...]:
        """Joints whose acceleration is an input and force a result; behind an elastic gear those of the motor."""
        given = self.arrays.velocities.prescribed
        return tuple(body.joint for body in self.bodies if np.any(given[body.motor_v]))

    @cached_property
    def actuated(self) -> np.ndarray:
        """Indices of the forces a motor can apply: the rotor where a joint has one, else the joint itself.

        Of a robot whose actuators are described the commands of these, and no others.
        """
        index: list[int] = []
        for body in self.bodies:
            if body.rotor_v is not None:
                index.append(body.rotor_v)
            else:
                index.extend(range(body.joint_v.start, body.joint_v.stop))
        commands = [own.command for own in self.states if own.command is not None]
        return read_only(np.array(commands or index, np.int64))

    @property
    def rows(self) -> int:
        """Rows of the kernel's tables over bodies: the world, the links, the frames."""
        return len(self.bodies) + 1 + len(self.frames)

    def frame_row(self, k: int) -> int:
        """Return kernel row of frame k."""
        return len(self.bodies) + 1 + k

    @property
    def ends(self) -> tuple[str, ...]:
        """Links that carry no other: the end-effectors. The payload of a link is one, the link itself is then none."""
        carriers = {link.parent for link in self.robot.bodies}
        return tuple(name for name in self.links if name not in carriers)

    def row(self, link: str) -> int:
        """Return kernel row of a link."""
        if not isinstance(link, str) or link not in self.links:
            raise self._unknown("link", link, self.links)
        return self.links.index(link) + 1

    def _unknown(self, what: str, name: str, known: tuple[str, ...]) -> LissomError:
        return LissomError(f"{self.robot.name} has no {what} {name!r}; {suggestion(name, known)}")

    def link(self, name: str) -> BodyNames:
        """Return the body whose link is called `name`, which may be the name of another one's joint."""
        for body in self.bodies if isinstance(name, str) else ():
            if body.link == name:
                return body
        raise self._unknown("link", name, self.links)

    def joint(self, name: str) -> BodyNames:
        """Return the body that the joint `name` carries."""
        for body in self.bodies if isinstance(name, str) else ():
            if body.joint == name:
                return body
        raise self._unknown("joint", name, self.joints)

    def function_doubts(self, loads: Sequence[Frame] = ()) -> list[tuple[str, str, float]]:
        """Return link, sentence and share for every place inside a span where functions leave out too much compliance.

        loads: frames on which loads act besides those of the model.
        """
        from lissom.model.compilation.shape_function_checks import check_shape_functions

        return check_shape_functions(self.robot, self.flexible, (*self.frames[len(self.robot.frames) :], *loads))

    def with_masses(self, frames: Sequence[Frame]) -> Model:
        """Return the model with a rigid body fixed at each of the frames, without mass until its rows are filled in."""
        model = self.with_loads(frames, [False] * len(frames))
        model.memory.tree.frame[self.rows :] = 0
        return Model(
            self.robot,
            model.arrays._replace(loads=self.arrays.loads),
            self.flexible,
            self.bodies,
            model.frames,
            self.states,
        )

    def with_loads(self, frames: Sequence[Frame], in_world: Sequence[bool]) -> Model:
        """Return the model with further frames for loads; `in_world`: whose wrenches are given in world axes."""
        if not frames:
            return self
        from lissom.model.compilation.frames_on_links import with_frames

        rows = {"world": 0} | {link: k for k, link in enumerate(self.links, start=1)}
        arrays = with_frames(self.robot, self.arrays, frames, rows, self.flexible)
        loads = Loads(self.rows + np.arange(len(frames)), np.array(in_world, np.int64))
        arrays = arrays._replace(loads=loads)
        return Model(self.robot, arrays, self.flexible, self.bodies, (*self.frames, *frames), self.states)

    def with_arrays(self, arrays: Arrays) -> Model:
        """Return the model with other numbers in its tables."""
        return Model(self.robot, arrays, self.flexible, self.bodies, self.frames, self.states)

    def copy(self) -> Model:
        """Return the same model in memory of its own."""
        return Model(self.robot, mapped(np.copy, self.arrays), self.flexible, self.bodies, self.frames, self.states)

    def neutral(self) -> np.ndarray:
        """Return configuration with every coordinate zero and every quaternion the identity, shape (nq,)."""
        q = np.zeros(self.nq)
        for k, name in enumerate(self.q_names):
            if name.endswith(".qw"):
                q[k] = 1.0
        return q


class Follower:
    """Memory of its own for models that differ from the first in numbers alone, laid out once."""

    def __init__(self, model: Model) -> None:
        self._model = model.copy()
        self._held: list[Any] = parts(model.arrays)  # whose numbers the memory has

    def fits(self, model: Model) -> bool:
        """Return whether a model differs in numbers alone."""
        return alike(model.arrays, self._model.arrays)

    def of(self, model: Model) -> Model:
        """Return the first model with the numbers of another one, until it is asked for the next."""
        for k, (own, part) in enumerate(zip(parts(self._model.memory), parts(model.arrays), strict=True)):
            if part is not self._held[k]:
                self._held[k] = part
                for mine, table in zip(own, part, strict=True):
                    mine[...] = table
        return self._model
