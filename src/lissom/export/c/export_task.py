"""What is to become C: a model, the functions wanted, and what their arguments are called."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

import lissom.dynamics as dynamics
from lissom.dynamics.coordinates import along_coordinates
from lissom.dynamics.kinematic_loops.loop_kinematics import closed_loops, loop_reactions, loop_rows
from lissom.errors import LissomError
from lissom.export.c.sources.table_parameters import Parameters
from lissom.kernel.algorithms.complex_step import STEP
from lissom.messages import suggestion
from lissom.model.io.robot_paths import unit_of
from lissom.model.model import Model

Values = dict[str, np.ndarray]


class Argument(NamedTuple):
    """An array of doubles that a C function takes, matrices row by row; without a size a number."""

    name: str
    size: str  # as C says it
    numbers: int
    about: str
    unit: float = 0.0  # of an output: size below which it counts as nothing


Arguments = tuple[Argument, ...]


@dataclass(frozen=True)
class Signature:
    """A C function seen from outside, and the Python function that knows its results."""

    name: str
    about: str
    inputs: Arguments
    outputs: Arguments
    python: Callable[[Values], Sequence[Any]]


class ExportPoint(NamedTuple):
    """A point whose pose and Jacobian are wanted."""

    name: str  # in C
    link: str
    x: float | None  # section of a beam, metres; the tip unless given


ABOUT = {
    "forward_dynamics": "Accelerations under the forces tau.",
    "inverse_dynamics": "Forces that produce the accelerations a.",
    "joint_wrenches": "Wrench in every joint, the parent's on the child, at the child's origin in the child's axes.",
    "mass_matrix": "Mass matrix.",
    "bias": "Forces at zero acceleration: gravity, centrifugal and Coriolis, elastic, friction.",
    "gravity": "Forces that hold the robot against gravity alone.",
    "energy": "Kinetic and potential energy.",
    "point_pose": "Pose of a point in the world: rotation and position, a 4 x 4 matrix.",
    "jacobian": "Twist (angular, linear) of a point in world axes per velocity coordinate.",
    "inverse_derivatives": "Exact derivatives of inverse_dynamics; by q along velocity coordinates.",
    "step": "One step of the closed loop by generalised-alpha, fixed in time and in number of iterations.",
    "derivatives": "Accelerations and their exact derivatives; by q along velocity coordinates.",
}
MUCH = 2**20  # times gravity, in finding what is proportional to it; a power of two rounds nothing
BY_POINT = ("point_pose", "jacobian")


def c_name(text: str) -> str:
    """Return `text` as a C name: letters, digits and underscores."""
    name = re.sub(r"\W", "_", text, flags=re.ASCII).strip("_").lower()
    if not name:
        raise LissomError("has no letter or digit that C could take; give another name", ("name",), text)
    return name if name[0].isalpha() else f"robot_{name}"


def has_step(model: Model) -> bool:
    """Return whether the closed loop's step can be had."""
    return not (model.prescribed or model.loops or model.states)


def point_of(model: Model, text: str) -> ExportPoint:
    """Return the point called `forearm` (a link's tip) or `upper@0.4` (a section of a beam, metres from its root)."""
    link, at, place = text.partition("@") if isinstance(text, str) else (text, "", "")
    model.row(link)
    if not at:
        return ExportPoint(c_name(link), link, None)
    try:
        return ExportPoint(c_name(text), link, float(place))
    except ValueError:
        raise LissomError("must be a link or link@metres, such as upper@0.4", ("points",), text) from None


@dataclass(frozen=True)
class ExportTask:
    """A model with all that its C functions depend on."""

    model: Model
    name: str  # what C names begin with
    points: tuple[ExportPoint, ...]
    wrenches: tuple[str, ...] = ()  # links that carry external wrenches
    parameters: Parameters | None = None  # numbers of the robot that are arguments

    @property
    def upper(self) -> str:
        """The name in capitals, as macros have it."""
        return self.name.upper()

    def argument(self, name: str, about: str, size: str = "NV", factor: int = 0) -> Argument:
        """Return an argument of a named size, or of `factor` times that."""
        count = self.sizes[size] * (factor or 1)
        text = f"{self.upper}_{size}"
        return Argument(name, f"{factor} * {text}" if factor else text, count, about)

    def square(self, name: str, about: str) -> Argument:
        """Return an argument of nv x nv numbers."""
        return Argument(name, f"{self.upper}_NV * {self.upper}_NV", self.model.nv**2, about)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The named sizes of arrays."""
        sizes = {"NQ": self.model.nq, "NV": self.model.nv, "JOINTS": len(self.model.joints)}
        sizes |= {"LOOPS": len(self.model.loops), "ROWS": len(self.model.arrays.loops.hold)} if self.model.loops else {}
        sizes |= {"WRENCHES": len(self.wrenches)} if self.wrenches else {}
        return sizes | ({"PARAMETERS": len(self.parameters.paths)} if self.parameters else {})

    @cached_property
    def loads(self) -> Arguments:
        """The argument of external wrenches, where functions take some."""
        if not self.wrenches:
            return ()
        about = f"external wrenches (torque, force) on {', '.join(self.wrenches)}: at their origins in their axes"
        return (self.argument("wrenches", about, "WRENCHES", 6),)

    def _loads(self, x: Values) -> dict[str, np.ndarray] | None:
        return dict(zip(self.wrenches, x["wrenches"].reshape(-1, 6))) if self.wrenches else None

    @cached_property
    def signatures(self) -> dict[str, Signature]:
        """Everything that can be had, by name."""
        model = self.model
        q = self.argument("q", "configuration", "NQ")
        v, a = self.argument("v", "velocities"), self.argument("a", "accelerations")
        tau = self.argument("tau", "forces applied")
        M = self.square("M", "rows of the mass matrix")
        given: Arguments = ()
        if model.prescribed:
            given = (self.argument("given", "accelerations of prescribed joints; other entries are not read"),)
        forward, inverse = (q, v, tau, *given, *self.loads), (q, v, a, *self.loads)

        def accelerations(x: Values) -> Any:
            return dynamics.forward_dynamics(model, x["q"], x["v"], x["tau"], self._loads(x), x.get("given"))

        def derivatives(x: Values) -> Any:
            """Derive by complex steps through the articulated pass, which keeps more digits than solving with M."""

            def along(name: str) -> np.ndarray:
                steps = (STEP * 1j * row for row in np.eye(model.nv))
                return np.stack([np.imag(accelerations(x | {name: x[name] + each})) / STEP for each in steps], axis=1)

            a, by_q = accelerations(x), along_coordinates(model, x["q"], lambda q: accelerations(x | {"q": q}))
            free = model.arrays.velocities.prescribed == 0
            return (a, *(np.where(free[:, None], part, 0.0) for part in (by_q, along("v"), along("tau"))))

        def inverse_derivatives(x: Values) -> Any:
            return dynamics.inverse_derivatives(model, x["q"], x["v"], x["a"], self._loads(x))

        def forces(x: Values) -> Any:
            return (dynamics.inverse_dynamics(model, x["q"], x["v"], x["a"], self._loads(x)),)

        def gravity(x: Values) -> Any:
            """Find gravity's part by its linearity: of much gravity, beside which elastic forces round to nothing."""

            def held(field: np.ndarray) -> np.ndarray:
                return dynamics.bias(model.with_arrays(model.arrays._replace(gravity=field)), x["q"], still)

            still, much = np.zeros(model.nv), MUCH * model.arrays.gravity
            return ((held(much) - held(0.0 * much)) / MUCH,)

        def energy(x: Values) -> Any:
            kinetic, *stored = dynamics.energy(model, x["q"], x["v"])
            return ([kinetic, sum(stored)],)

        def wrench(x: Values) -> Any:
            return (dynamics.joint_wrenches(model, x["q"], x["v"], x["a"], self._loads(x)),)

        def make(name: str, inputs: Arguments, outputs: Arguments, python: Callable[[Values], Any]) -> None:
            found[name] = Signature(name, ABOUT[name], inputs, outputs, python)

        of_joints = self.argument("wrench", "(torque, force) of each joint", "JOINTS", 6)
        joule = Argument("energy", "2", 2, "kinetic and potential, joule")
        tau_q, tau_v = self.square("tau_q", "d tau / d q"), self.square("tau_v", "d tau / d v")
        by = self.square("a_q", "d a / d q"), self.square("a_v", "d a / d v"), self.square("a_tau", "d a / d tau")
        found: dict[str, Signature] = {}
        make("forward_dynamics", forward, (a,), lambda x: (accelerations(x),))
        make("inverse_dynamics", inverse, (tau,), forces)
        make("joint_wrenches", inverse, (of_joints,), wrench)
        make("mass_matrix", (q,), (M,), lambda x: (dynamics.mass_matrix(model, x["q"]),))
        make("bias", (q, v), (tau,), lambda x: (dynamics.bias(model, x["q"], x["v"]),))
        make("gravity", (q,), (tau,), gravity)
        make("energy", (q, v), (joule,), energy)
        make("inverse_derivatives", inverse, (tau_q, tau_v), lambda x: inverse_derivatives(x)[1:3])
        make("derivatives", forward, (a, *by), derivatives)
        if model.loops:
            self._close_loops(make, forward, inverse, a, of_joints)
        if has_step(model):
            self._step(make, q, v, a, tau)
        for point in self.points:
            found |= self._of_point(point, q)
        if self.parameters:
            found = {name: self._with_parameters(each) for name, each in found.items()}
        return found

    def model_at(self, x: Values) -> Model:
        """Return the model with the parameters that are among the values."""
        if self.parameters is None:
            return self.model
        return self.parameters.at(x["p"].tolist()).compile(prescribed=self.model.prescribed)

    def _with_unit(self, path: str) -> str:
        unit = unit_of(self.model.robot, path)
        return f"{path} ({unit})" if unit else path

    def _with_parameters(self, signature: Signature) -> Signature:
        """Return a signature with the robot's numbers as a last argument."""
        given = self.parameters
        assert given is not None
        p = self.argument("p", "parameters: " + ", ".join(map(self._with_unit, given.paths)), "PARAMETERS")

        def python(x: Values) -> Sequence[Any]:
            return replace(self, model=self.model_at(x), parameters=None).signatures[signature.name].python(x)

        return replace(signature, inputs=(*signature.inputs, p), python=python)

    def _step(self, make: Callable[..., None], *state: Argument) -> None:
        q, v, a, tau = state
        s = self.argument("s", "the method's own accelerations; equal to a at the start")
        law = (
            self.argument("kp", "gains on positions; not read where a quaternion turns"),
            self.argument("kd", "gains on velocities"),
            self.argument("target", "positions for kp, in the order of v"),
            self.argument("rate", "velocities for kd"),
        )
        h = Argument("h", "", 1, "the step, seconds")

        def step_in_python(x: Values) -> Any:
            from lissom.export.c.sources import real_time_step

            rows = np.zeros((self.model.rows, 6))
            for link, wrench in zip(self.wrenches, x["wrenches"].reshape(-1, 6), strict=True):
                rows[self.model.row(link)] = wrench
            names = ("q", "v", "a", "s", "tau", *(each.name for each in law))
            return real_time_step.step_in_python(self.model, rows, float(x["h"][0]), *(x[name] for name in names))

        after = tuple(each._replace(name=f"{each.name}1", about=f"{each.about}, after") for each in (q, v, a, s))
        about = "what the last iteration changed, share of a1; if not small, take a shorter step"
        left = Argument("left", "1", 1, about, 1.0)
        make("step", (q, v, a, s, tau, *law, h, *self.loads), (*after, left), step_in_python)

    def _no_step(self) -> str:
        if self.model.loops:
            return f"{self.model.robot.name} has loops, which steps of C code do not keep closed"
        return "joints that are prescribed have no step"

    def _close_loops(self, make: Any, forward: Arguments, inverse: Arguments, a: Argument, wrench: Argument) -> None:
        """Close loops: accelerations come with the multipliers of what the loops hold."""
        model = self.model
        about = f"reactions in {', '.join(loop_rows(model))}, N or N m"
        lam = self.argument("multipliers", about, "ROWS")
        loops = ", ".join(loop.name for loop in model.loops)
        on = self.argument("loop_wrench", f"(torque, force) in {loops}, on the second frame in its axes", "LOOPS", 6)

        def motion(x: Values) -> Any:
            return closed_loops(model, x["q"], x["v"], x["tau"], self._loads(x), x.get("given"))[:2]

        def wrenches(x: Values) -> Any:
            state = x["q"], x["v"], x["a"], self._loads(x)
            rows = dynamics.joint_wrenches(model, *state, multipliers=x["multipliers"])
            return rows, loop_reactions(model, x["q"], x["multipliers"])

        make("forward_dynamics", forward, (a, lam), motion)
        make("joint_wrenches", (*inverse[:3], lam, *inverse[3:]), (wrench, on), wrenches)

    def _of_point(self, point: ExportPoint, q: Argument) -> dict[str, Signature]:
        model, link, x = self.model, point.link, point.x
        T = Argument("T", "16", 16, "rows of the pose")
        J = self.argument("J", "rows of the Jacobian", "NV", 6)
        where = f"the tip of {link}" if x is None else f"{link} at {x} m"
        return {
            f"point_pose_{point.name}": Signature(
                f"point_pose_{point.name}",
                f"Pose of {where} in the world.",
                (q,),
                (T,),
                lambda v: (dynamics.point_pose(model, v["q"], link, x),),
            ),
            f"jacobian_{point.name}": Signature(
                f"jacobian_{point.name}",
                f"Twist (angular, linear) of {where}, world axes, per velocity.",
                (q,),
                (J,),
                lambda v: (dynamics.jacobian(model, v["q"], link, x),),
            ),
        }

    def choose(self, functions: Sequence[str]) -> list[Signature]:
        """Return the signatures of the functions named; point_pose and jacobian stand for those of all points."""
        found: dict[str, Signature] = {}
        for name in functions:
            if name in BY_POINT:
                found |= {f"{name}_{p.name}": self.signatures[f"{name}_{p.name}"] for p in self.points}
            elif name in self.signatures:
                found[name] = self.signatures[name]
            else:
                if name == "step" and not has_step(self.model):
                    raise LissomError(f"{self._no_step()}; leave it out", ("functions",), name)
                known = (*ABOUT, *self.signatures)
                raise LissomError(f"there is no such function; {suggestion(name, known)}", ("functions",), name)
        return list(found.values())
