"""The dynamics as CasADi functions: symbolic expressions, sparse derivatives, C code, optimal control.

Each function here runs the kernel's own source on symbols and returns a `casadi.Function`:

    f = symbolic.forward_dynamics(model)     # (q, v, tau) -> a
    f(q, v, tau)                             # numbers, SX or MX
    f.jacobian()                             # exact, sparse
    symbolic.c_code([f, f.jacobian()], "arm.c")

Inputs and outputs have the order of `model.q_names` and `model.coordinates`; quaternions in q have unit
length. CasADi is the extra `symbolic`: pip install "lissom[symbolic]".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import LissomError, check_choice
from lissom.messages import suggestion
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.compilation.tip_frames import probe
from lissom.model.model import Compiled, Model

if TYPE_CHECKING:
    from casadi import SX, Function

    from lissom.dynamics.kinematics import Frame
    from lissom.kernel.data.workspace import Workspace


def forward_dynamics(robot: AnyRobot, wrenches: Sequence[str] = ()) -> Function:
    """Return a function (q, v, tau) -> a, the accelerations under the forces `tau`.

    If the model has prescribed joints, a last input `given` (nv,) holds their accelerations; its other
    entries are ignored.

    Parameters
    ----------
    wrenches : sequence of str
        Links that carry an external wrench. They add the input `wrenches` (6, len(wrenches)): one column (torque,
        force) per link, at its origin in its axes.
    """
    model = as_model(robot)
    if model.loops:
        raise LissomError(
            f"{model.robot.name} has loops: its accelerations follow from an implicit system; take closed_dynamics, "
            "with accelerations and multipliers as unknowns"
        )
    from lissom.kernel.algorithms import articulated_body

    run = SymbolicRun(model)
    q, v, tau = run.input("q", model.nq), run.input("v", model.nv), run.input("tau", model.nv)
    rows = run.wrenches(model, wrenches)
    a = np.full(model.nv, 0.0, dtype=object)
    if np.any(model.arrays.velocities.prescribed):
        given = run.input("given", model.nv)
        a = np.where(model.arrays.velocities.prescribed == 1, given, a)
    run.kernel(articulated_body.forward_dynamics, q, v, tau, rows, a)
    return run.function("forward_dynamics", a=a)


def closed_dynamics(robot: AnyRobot, wrenches: Sequence[str] = ()) -> Function:
    """Return a function (q, v, tau, a, multipliers) -> (force, rows) of a robot with loops, a system of index 1.

    `force` (nv,) is what the forces leave unbalanced, `rows` (rows,) how fast the loops would open: both are zero at
    the accelerations and multipliers that `lissom.closed_loops` finds. `wrenches` as in `forward_dynamics`.
    """
    model = as_model(robot)
    from lissom.kernel.algorithms import newton_euler
    from lissom.kernel.constraints import loop_constraints

    run = SymbolicRun(model)
    q, v, tau, a = (run.input("q", model.nq), *(run.input(name, model.nv) for name in ("v", "tau", "a")))
    count = len(model.arrays.loops.hold)
    multipliers = run.input("multipliers", count)
    force = np.empty(model.nv, object)
    rows, G = np.full(count, 0.0, dtype=object), np.full((count, model.nv), 0.0, dtype=object)
    run.kernel(newton_euler.inverse_dynamics, q, v, a, run.wrenches(model, wrenches), force)
    run.kernel(loop_constraints.loop_rows, G)
    run.kernel(loop_constraints.loop_accelerations, a, np.full((count, 3), 0.0, dtype=object), rows)
    return run.function("closed_dynamics", force=force - tau - G.T.dot(multipliers), rows=rows)


def loop_gaps(robot: AnyRobot) -> Function:
    """Return a function q -> gaps (rows,), how far the loops are from closed; its Jacobian is that of the rows."""
    model = as_model(robot)
    from lissom.kernel.constraints import loop_constraints

    run = SymbolicRun(model)
    count = len(model.arrays.loops.hold)
    q = run.input("q", model.nq)
    run.frames(q, np.full(model.nv, 0.0, dtype=object))
    gaps = np.full(count, 0.0, dtype=object)
    run.kernel(loop_constraints.loop_values, q, np.full((count, 3), 0.0, dtype=object), gaps)
    return run.function("loop_gaps", gaps=gaps)


def inverse_dynamics(robot: AnyRobot, wrenches: Sequence[str] = ()) -> Function:
    """Return a function (q, v, a) -> tau, the forces that produce `a`; `wrenches` as in `forward_dynamics`."""
    model = as_model(robot)
    from lissom.kernel.algorithms import newton_euler

    run = SymbolicRun(model)
    q, v, a = run.input("q", model.nq), run.input("v", model.nv), run.input("a", model.nv)
    tau = np.empty(model.nv, object)
    run.kernel(newton_euler.inverse_dynamics, q, v, a, run.wrenches(model, wrenches), tau)
    return run.function("inverse_dynamics", tau=tau)


def joint_wrenches(robot: AnyRobot) -> Function:
    """Return a function (q, v, a) -> W (6, joints), the wrench of the parent on the child in every joint.

    In the child's axes about the joint's point, in the order of `model.joints`: `lissom.joint_wrenches` on symbols.
    """
    model = as_model(robot)
    if model.robot.loops:
        raise LissomError(f"{model.robot.name} has loops, whose reactions act on its joints; none are known here")
    from lissom.kernel.algorithms import newton_euler

    run = SymbolicRun(model)
    q, v, a = run.input("q", model.nq), run.input("v", model.nv), run.input("a", model.nv)
    run.kernel(newton_euler.inverse_dynamics, q, v, a, run.wrenches(model, ()), np.empty(model.nv, object))
    return run.function("joint_wrenches", W=run.work.wrench[1 : len(model.links) + 1].T)


def mass_matrix(robot: AnyRobot) -> Function:
    """Return a function q -> M, the mass matrix (nv, nv)."""
    model = as_model(robot)
    from lissom.kernel.algorithms import composite_body

    run = SymbolicRun(model)
    M = np.empty((model.nv, model.nv), object)
    run.kernel(composite_body.mass_matrix, run.input("q", model.nq), np.full(model.nv, 0.0, dtype=object), M)
    return run.function("mass_matrix", M=M)


def energy(robot: AnyRobot) -> Function:
    """Return a function (q, v) -> (kinetic, potential) in joule."""
    model = as_model(robot)
    from lissom.kernel.algorithms import body_energies

    run = SymbolicRun(model)
    parts = np.empty(5, object)
    run.kernel(body_energies.energies, run.input("q", model.nq), run.input("v", model.nv), parts)
    return run.function("energy", kinetic=parts[:1], potential=np.array([sum(parts[1:])], object))


def tip_pose(robot: AnyRobot, link: str | None = None) -> Function:
    """Return a function q -> T (4, 4), the pose of the tip of `link` (the last link unless given) in the world."""
    model = as_model(robot)
    return _pose("tip_pose", model, link or model.links[-1], None, None)


def point_pose(robot: AnyRobot, link: str, x: float | None = None, offset: ArrayLike | None = None) -> Function:
    """Return a function q -> T (4, 4), the pose T_world_point of a point of `link`; see `lissom.point_pose`."""
    model = as_model(robot)
    return _pose("point_pose", model, link, x, offset)


def tip_deflection(robot: AnyRobot, link: str) -> Function:
    """Return a function q -> displacement (3,) of a flexible link's tip from where it is unbent, in link axes."""
    model = as_model(robot)
    if link not in model.flexible:
        raise LissomError(f"does not bend; {suggestion(link, tuple(model.flexible))}", ("link",), link)
    run = SymbolicRun(_point(model, link, None, (0, 0, 0)))
    run.frames(run.input("q", model.nq), np.full(model.nv, 0.0, dtype=object))
    row, work, beam = model.row(link), run.work, model.flexible[link]
    reach = work.world_rotation[row].T.dot(work.world_position[-1] - work.world_position[row])
    return run.function("tip_deflection", displacement=reach - np.real(beam.position(beam.length)))


def point_velocity(
    robot: AnyRobot,
    link: str,
    x: float | None = None,
    offset: ArrayLike | None = None,
    frame: Frame = "world",
) -> Function:
    """Return a function (q, v) -> twist (6,) = (omega, v) of a point of `link`, in world axes or its own."""
    model = as_model(robot)
    check_choice("frame", frame, ("world", "local"))
    run = SymbolicRun(_point(model, link, x, offset))
    run.frames(run.input("q", model.nq), run.input("v", model.nv))
    twist = np.concatenate([run.work.omega[-1], run.work.velocity[-1]])
    if frame == "world":
        R = run.work.world_rotation[-1]
        twist = np.concatenate([R.dot(twist[:3]), R.dot(twist[3:])])
    return run.function("point_velocity", twist=twist)


def configuration_rate(robot: AnyRobot) -> Function:
    """Return a function (q, v) -> dq/dt (nq,): v but for quaternions and the position of floating bodies.

    A Jacobian by q times its Jacobian by v is one along velocity coordinates, as `lissom.derivatives` gives
    it.
    """
    from lissom.kernel.maths import chart

    model = as_model(robot)

    run = SymbolicRun(model)
    q, v = run.input("q", model.nq), run.input("v", model.nv)
    rate = np.empty(model.nq, object)
    run.python(chart.configuration_rate)(run.arrays, q, v, rate)
    return run.function("configuration_rate", qdot=rate)


def c_code(functions: Function | Iterable[Function], path: str | Path, **options: Any) -> Path:
    """Write C code that evaluates the functions, with a header beside it, and return the path of the C file.

    The code needs no CasADi. Compiled to a shared library (`gcc -O2 -shared -fPIC arm.c -o arm.so -lm`), it
    can also be called from Python: `casadi.external("forward_dynamics", "./arm.so")`.

    Parameters
    ----------
    functions : Function or iterable of them
        One or several, of different names; f.jacobian() is one like any other.
    path : str or Path
        File to write, "arm.c"; the stem names symbols, so it has letters, digits and underscores.
    options : object
        Those of casadi.CodeGenerator, such as `main=True` or `casadi_real="float"`.
    """
    casadi = need_casadi()
    path = Path(path)
    if path.suffix != ".c" or not path.stem.isidentifier():
        raise LissomError("give the C file a name such as arm.c (letters, digits, underscores)", ("path",), str(path))
    if not path.parent.is_dir():
        raise LissomError(f"there is no folder {path.parent}; make it first", ("path",), str(path))
    generator = casadi.CodeGenerator(path.stem, {"with_header": True} | options)
    several: Any = [functions] if isinstance(functions, casadi.Function) else functions
    for function in several:
        generator.add(function)
    generator.generate(str(path.parent) + "/")
    return path


def need_casadi(needing: str = "symbolic functions need", other: str = "") -> Any:
    """Import CasADi, or say what needs it, how to get it and, if there is one, another way."""
    try:
        import casadi
    except ImportError:
        rest = other and f"; {other}"
        raise LissomError(f'{needing} CasADi: pip install "lissom[symbolic]"{rest}') from None
    return casadi


def _point(model: Model, link: str, x: float | None, offset: ArrayLike | None) -> Compiled:
    return probe(model, link, x, None if offset is None else tuple(np.asarray(offset).tolist()))


def _pose(name: str, model: Model, link: str, x: float | None, offset: ArrayLike | None) -> Function:
    run = SymbolicRun(_point(model, link, x, offset))
    run.frames(run.input("q", model.nq), np.full(model.nv, 0.0, dtype=object))
    T = np.full((4, 4), 0.0, dtype=object)
    T[:3, :3], T[:3, 3], T[3, 3] = run.work.world_rotation[-1], run.work.world_position[-1], 1.0
    return run.function(name, T=T)


class SymbolicRun:
    """One symbolic evaluation: the model's arrays with structural zeros, scratch memory, named inputs."""

    def __init__(self, model: Compiled) -> None:
        need_casadi()
        from lissom.kernel.data.workspace import workspace
        from lissom.kernel.numbers.rebind import object_arrays, structural_zeros

        if np.iscomplexobj(model.arrays.inertia.mass):
            raise LissomError("symbolic functions need a real model: this one was compiled with a complex parameter")
        self.arrays = object_arrays(structural_zeros(model.arrays), float)
        self.work: Workspace = workspace(self.arrays, object)
        self.inputs: dict[str, SX] = {}

    def input(self, name: str, *shape: int) -> np.ndarray:
        """Return a new input, as an object array (n,) of symbols; a matrix column by column."""
        from casadi import SX

        from lissom.kernel.numbers.casadi_symbol import symbols

        self.inputs[name] = SX.sym(name, *shape)
        return symbols(self.inputs[name])

    def wrenches(self, model: Model, links: Sequence[str]) -> np.ndarray:
        """Return rows (bodies + 1, 6) of external wrenches: an input for `links`, zero elsewhere."""
        if isinstance(links, str):
            raise LissomError(f"must be a list of link names; write [{links!r}]", ("wrenches",), links)
        rows = np.full((model.rows, 6), 0.0, dtype=object)
        index = [model.row(link) for link in links]
        if len(set(index)) < len(index):
            raise LissomError(f"wrenches names a link twice: {', '.join(links)}")
        if index:
            rows[index] = self.input("wrenches", 6, len(index)).reshape(-1, 6)
        return rows

    def python(self, kernel: Any) -> Any:
        """Return the kernel's source for symbols."""
        from lissom.kernel.numbers.casadi_symbol import ELEMENTARY
        from lissom.kernel.numbers.rebind import retarget

        return retarget(kernel, ELEMENTARY)

    def kernel(self, kernel: Any, *arguments: np.ndarray) -> None:
        """Run a kernel on symbols, with the model and its workspace before the arguments."""
        self.python(kernel)(self.arrays, self.work, *arguments)

    def frames(self, q: np.ndarray, v: np.ndarray) -> None:
        """Compute outward pass and the frames in the world."""
        from lissom.kernel.kinematics import forward_kinematics

        self.kernel(forward_kinematics.forward_kinematics, q, v)
        self.kernel(forward_kinematics.world_frames)

    def function(self, name: str, **outputs: np.ndarray) -> Function:
        """Return the function of all inputs so far that gives the outputs."""
        from casadi import Function

        from lissom.kernel.numbers.casadi_symbol import matrix_of

        results = [matrix_of(values) for values in outputs.values()]
        return Function(name, [*self.inputs.values()], results, [*self.inputs], [*outputs])
