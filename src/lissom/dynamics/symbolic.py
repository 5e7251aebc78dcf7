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

from lissom.errors import LissomError
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.compiled import Compiled, Model
from lissom.model.probe import probe

if TYPE_CHECKING:
    from casadi import SX, Function

    from lissom.dynamics.kinematics import Frame
    from lissom.kernel.workspace import Workspace


def forward_dynamics(robot: AnyRobot, wrenches: Sequence[str] = ()) -> Function:
    """Function (q, v, tau) -> a, the accelerations under the forces `tau`.

    If the model has prescribed joints, a last input `given` (nv,) holds their accelerations; its other
    entries are ignored.

    Args:
        wrenches: links that carry an external wrench. They add the input `wrenches` (6, len(wrenches)): one
            column (torque, force) per link, at its origin in its axes.
    """
    model = as_model(robot)
    from lissom.kernel import forward

    run = _Run(model)
    q, v, tau = run.input("q", model.nq), run.input("v", model.nv), run.input("tau", model.nv)
    rows = run.wrenches(model, wrenches)
    a = np.full(model.nv, 0.0, dtype=object)
    if np.any(model.arrays.velocities.prescribed):
        given = run.input("given", model.nv)
        a = np.where(model.arrays.velocities.prescribed == 1, given, a)
    run.kernel(forward.forward_dynamics, q, v, tau, rows, a)
    return run.function("forward_dynamics", a=a)


def inverse_dynamics(robot: AnyRobot, wrenches: Sequence[str] = ()) -> Function:
    """Function (q, v, a) -> tau, the forces that produce `a`; `wrenches` as in `forward_dynamics`."""
    model = as_model(robot)
    from lissom.kernel import inverse

    run = _Run(model)
    q, v, a = run.input("q", model.nq), run.input("v", model.nv), run.input("a", model.nv)
    tau = np.empty(model.nv, object)
    run.kernel(inverse.inverse_dynamics, q, v, a, run.wrenches(model, wrenches), tau)
    return run.function("inverse_dynamics", tau=tau)


def mass_matrix(robot: AnyRobot) -> Function:
    """Function q -> M, the mass matrix (nv, nv)."""
    model = as_model(robot)
    from lissom.kernel import mass_matrix as kernel

    run = _Run(model)
    M = np.empty((model.nv, model.nv), object)
    run.kernel(kernel.mass_matrix, run.input("q", model.nq), np.full(model.nv, 0.0, dtype=object), M)
    return run.function("mass_matrix", M=M)


def energy(robot: AnyRobot) -> Function:
    """Function (q, v) -> (kinetic, potential) in joule."""
    model = as_model(robot)
    from lissom.kernel import energy as kernel

    run = _Run(model)
    parts = np.empty(4, object)
    run.kernel(kernel.energies, run.input("q", model.nq), run.input("v", model.nv), parts)
    return run.function("energy", kinetic=parts[:1], potential=np.array([parts[1] + parts[2] + parts[3]], object))


def tip_pose(robot: AnyRobot, link: str | None = None) -> Function:
    """Function q -> T (4, 4), the pose of the tip of `link` (the last link unless given) in the world."""
    model = as_model(robot)
    return _pose("tip_pose", model, link or model.links[-1], None, (0, 0, 0))


def point_pose(robot: AnyRobot, link: str, x: float | None = None, offset: ArrayLike = (0, 0, 0)) -> Function:
    """Function q -> T (4, 4), the pose T_world_point of a point of `link`; see `lissom.point_pose`."""
    model = as_model(robot)
    return _pose("point_pose", model, link, x, offset)


def point_velocity(
    robot: AnyRobot,
    link: str,
    x: float | None = None,
    offset: ArrayLike = (0, 0, 0),
    frame: Frame = "world",
) -> Function:
    """Function (q, v) -> twist (6,) = (omega, v) of a point of `link`, in world axes or its own."""
    model = as_model(robot)
    if frame not in ("world", "local"):
        raise LissomError(f"frame must be 'world' or 'local', got {frame!r}")
    run = _Run(_point(model, link, x, offset))
    run.frames(run.input("q", model.nq), run.input("v", model.nv))
    twist = np.concatenate([run.work.omega[-1], run.work.velocity[-1]])
    if frame == "world":
        R = run.work.world_rotation[-1]
        twist = np.concatenate([R.dot(twist[:3]), R.dot(twist[3:])])
    return run.function("point_velocity", twist=twist)


def configuration_rate(robot: AnyRobot) -> Function:
    """Function (q, v) -> dq/dt (nq,): equal to v but for quaternions and the position of floating bodies.

    A Jacobian by q times its Jacobian by v is one along velocity coordinates, as `lissom.derivatives` gives
    it.
    """
    from lissom.kernel import chart

    model = as_model(robot)

    run = _Run(model)
    q, v = run.input("q", model.nq), run.input("v", model.nv)
    rate = np.empty(model.nq, object)
    run.python(chart.configuration_rate)(run.arrays, q, v, rate)
    return run.function("configuration_rate", qdot=rate)


def c_code(functions: Function | Iterable[Function], path: str | Path, **options: Any) -> Path:
    """Write C code that evaluates the functions, with a header beside it, and return the path of the C file.

    The code needs no CasADi. Compiled to a shared library (`gcc -O2 -shared -fPIC arm.c -o arm.so -lm`), it
    can also be called from Python: `casadi.external("forward_dynamics", "./arm.so")`.

    Args:
        functions: one or several, of different names; f.jacobian() is one like any other.
        path: file to write, "arm.c"; the stem names symbols, so it has letters, digits and underscores.
        options: those of casadi.CodeGenerator, such as `main=True` or `casadi_real="float"`.
    """
    casadi = _casadi()
    path = Path(path)
    if path.suffix != ".c" or not path.stem.isidentifier():
        raise LissomError(f"path = {str(path)!r}: give the C file a name such as arm.c (letters, digits, underscores)")
    if not path.parent.is_dir():
        raise LissomError(f"path = {str(path)!r}: there is no directory {path.parent}; create it first")
    generator = casadi.CodeGenerator(path.stem, {"with_header": True} | options)
    several: Any = [functions] if isinstance(functions, casadi.Function) else functions
    for function in several:
        generator.add(function)
    generator.generate(str(path.parent) + "/")
    return path


def _casadi() -> Any:
    try:
        import casadi
    except ImportError:
        raise LissomError('symbolic functions need CasADi: pip install "lissom[symbolic]"') from None
    return casadi


def _point(model: Model, link: str, x: float | None, offset: ArrayLike) -> Compiled:
    return probe(model, link, x, tuple(np.asarray(offset).tolist()))


def _pose(name: str, model: Model, link: str, x: float | None, offset: ArrayLike) -> Function:
    run = _Run(_point(model, link, x, offset))
    run.frames(run.input("q", model.nq), np.full(model.nv, 0.0, dtype=object))
    T = np.full((4, 4), 0.0, dtype=object)
    T[:3, :3], T[:3, 3], T[3, 3] = run.work.world_rotation[-1], run.work.world_position[-1], 1.0
    return run.function(name, T=T)


class _Run:
    """One symbolic evaluation: the model's arrays with structural zeros, scratch memory, named inputs."""

    def __init__(self, model: Compiled) -> None:
        _casadi()
        from lissom.kernel.retarget import object_arrays, structural_zeros
        from lissom.kernel.workspace import workspace

        if np.iscomplexobj(model.arrays.inertia.mass):
            raise LissomError("symbolic functions need a real model: this one was compiled with a complex parameter")
        self.arrays = object_arrays(structural_zeros(model.arrays), float)
        self.work: Workspace = workspace(self.arrays, object)
        self.inputs: dict[str, SX] = {}

    def input(self, name: str, *shape: int) -> np.ndarray:
        """A new input, as an object array (n,) of symbols; a matrix column by column."""
        from casadi import SX

        from lissom.kernel.symbol import symbols

        self.inputs[name] = SX.sym(name, *shape)
        return symbols(self.inputs[name])

    def wrenches(self, model: Model, links: Sequence[str]) -> np.ndarray:
        """Rows (bodies + 1, 6) of external wrenches: an input for `links`, zero elsewhere."""
        if isinstance(links, str):
            raise LissomError(f"wrenches must be a list of link names, got {links!r}; write [{links!r}]")
        rows = np.full((len(model.bodies) + 1, 6), 0.0, dtype=object)
        index = [model.row(link) for link in links]
        if len(set(index)) < len(index):
            raise LissomError(f"wrenches names a link twice: {', '.join(links)}")
        if index:
            rows[index] = self.input("wrenches", 6, len(index)).reshape(-1, 6)
        return rows

    def python(self, kernel: Any) -> Any:
        """The kernel's source for symbols."""
        from lissom.kernel.retarget import retarget
        from lissom.kernel.symbol import ELEMENTARY

        return retarget(kernel, ELEMENTARY)

    def kernel(self, kernel: Any, *arguments: np.ndarray) -> None:
        self.python(kernel)(self.arrays, self.work, *arguments)

    def frames(self, q: np.ndarray, v: np.ndarray) -> None:
        """Outward pass and the frames in the world."""
        from lissom.kernel import energy, kinematics

        self.kernel(kinematics.outward, q, v)
        self.kernel(energy.world_frames)

    def function(self, name: str, **outputs: np.ndarray) -> Function:
        from casadi import Function

        from lissom.kernel.symbol import matrix_of

        results = [matrix_of(values) for values in outputs.values()]
        return Function(name, [*self.inputs.values()], results, [*self.inputs], [*outputs])
