"""Straight-line C: every function a list of assignments, made by running the kernel's source on symbols.

Zeros, constants and whatever the robot does not have are gone before the compiler sees them, which makes this the
fastest code for small and middling arms; its length grows with the robot.
"""

from __future__ import annotations

import casadi
import numpy as np

from lissom.dynamics import mass_matrix
from lissom.dynamics.symbolic import SymbolicRun
from lissom.errors import LissomError
from lissom.export.c.export_task import ExportPoint, ExportTask, Signature
from lissom.export.c.sources.casadi_statements import Statements, operations, statements
from lissom.export.c.sources.table_parameters import Parameters
from lissom.kernel.data.arrays import Arrays
from lissom.kernel.data.table_operations import tables
from lissom.kernel.numbers.casadi_symbol import matrix_of
from lissom.model.compilation.tip_frames import probe
from lissom.model.description.robot import Robot
from lissom.model.model import Compiled, Model

SHORT = 40_000  # operations: beyond, loops over tables are about as fast, and much shorter
DERIVED = 20  # times the operations of a function are those of its derivatives, at least
LOOPED = ("derivatives", "step")  # by solving or with duals; by loops
CLOSED = ("forward_dynamics", "joint_wrenches")  # what loops change
WELL_CONDITIONED = 1e4  # condition of a mass matrix: solving with it loses four digits at most
LARGEST = 150_000  # operations: beyond, a compiler takes minutes


def function_of(task: ExportTask, name: str) -> casadi.Function:
    """Return the CasADi function behind a C function; its outputs are dense, matrices transposed: C wants rows."""
    for point in task.points:
        if name == f"point_pose_{point.name}":
            return _pose(task, point)
        if name == f"jacobian_{point.name}":
            return _jacobian(task, point)
    return BUILDERS[name](task)


def function_for(task: ExportTask, signature: Signature, only_short: bool) -> casadi.Function | None:
    """Return the CasADi function behind a C function; none where its straight line is too long for loops not to pay."""
    name, model = signature.name, task.model
    if name in LOOPED or (model.loops and name in CLOSED):
        return None
    if only_short and name == "inverse_derivatives" and operations(_inverse(task)) > SHORT // DERIVED:
        return None
    function = function_of(task, name)
    count = operations(function)
    if only_short and count > SHORT:
        return None
    if count > LARGEST:
        raise LissomError(
            f"{name} of {model.robot.name} would take {count} operations in straight-line code, which compilers "
            "refuse; take loops",
            ("backend",),
            "straight",
        )
    return function


def solves_well(task: ExportTask) -> bool:
    """Return whether derivatives of accelerations may be had from those of forces by solving with the mass matrix."""
    if task.parameters or task.model.loops or operations(_inverse(task)) > SHORT // DERIVED:
        return False
    return float(np.linalg.cond(mass_matrix(task.model, task.model.neutral()))) < WELL_CONDITIONED


def body(signature: Signature, function: casadi.Function) -> tuple[Statements, int]:
    """Return the code of a function and how many operations it takes."""
    names = [each.name for each in signature.inputs], [each.name for each in signature.outputs]
    return statements(function, *names), operations(function)


class _Symbols(SymbolicRun):
    """A run on the model of a task, or on that with points, with its wrenches and parameters."""

    def __init__(self, task: ExportTask, point: ExportPoint | None = None) -> None:
        compiled: Compiled = task.model if point is None else _at(task.model, point)
        super().__init__(compiled)
        self.model, self.task = task.model, task
        self.q = self.input("q", task.model.nq)
        if task.parameters:
            self._vary(task.parameters, point)

    def _vary(self, parameters: Parameters, point: ExportPoint | None) -> None:
        """Put polynomials of the parameters into the tables."""
        x = self.input("p", len(parameters.paths)) * (1.0 / parameters.scale)

        def tabulate(robot: Robot) -> Arrays:
            model = robot.compile(prescribed=self.model.prescribed)
            return model.arrays if point is None else _at(model, point).arrays

        terms = np.array(parameters.terms(x), dtype=object)
        found = dict(tables(self.arrays))
        for name, (entries, coefficients) in parameters.coefficients(tabulate).items():
            flat = found[name].reshape(-1)
            for entry, row in zip(entries, coefficients.tolist(), strict=True):
                flat[entry] = sum((c * t for c, t in zip(row, terms, strict=True) if c != 0.0), 0.0)

    def function(self, name: str, **outputs: np.ndarray) -> casadi.Function:
        """Return the CasADi function, parameters as its last input."""
        if "p" in self.inputs:
            self.inputs["p"] = self.inputs.pop("p")
        return super().function(name, **outputs)

    def velocities(self, name: str) -> np.ndarray:
        return self.input(name, self.model.nv)

    def still(self) -> np.ndarray:
        return np.full(self.model.nv, 0.0, dtype=object)

    def rows(self) -> np.ndarray:
        return self.wrenches(self.model, self.task.wrenches)

    def no_rows(self) -> np.ndarray:
        return self.wrenches(self.model, ())


def _forward(task: ExportTask) -> casadi.Function:
    from lissom.kernel.algorithms import articulated_body

    model, run = task.model, _Symbols(task)
    v, tau = run.velocities("v"), run.velocities("tau")
    a = run.still()
    if model.prescribed:
        a = np.where(model.arrays.velocities.prescribed == 1, run.velocities("given"), a)
    run.kernel(articulated_body.forward_dynamics, run.q, v, tau, run.rows(), a)
    return run.function("f", a=a)


def _newton_euler(run: _Symbols, v: np.ndarray, a: np.ndarray, rows: np.ndarray) -> np.ndarray:
    from lissom.kernel.algorithms import newton_euler

    tau = run.still()
    run.kernel(newton_euler.inverse_dynamics, run.q, v, a, rows, tau)
    return tau


def _inverse(task: ExportTask) -> casadi.Function:
    run = _Symbols(task)
    return run.function("f", tau=_newton_euler(run, run.velocities("v"), run.velocities("a"), run.rows()))


def _joint_wrenches(task: ExportTask) -> casadi.Function:
    run = _Symbols(task)
    _newton_euler(run, run.velocities("v"), run.velocities("a"), run.rows())
    return run.function("f", wrench=run.work.wrench[1 : len(task.model.links) + 1].T)


def _bias(task: ExportTask) -> casadi.Function:
    run = _Symbols(task)
    return run.function("f", tau=_newton_euler(run, run.velocities("v"), run.still(), run.no_rows()))


def _gravity(task: ExportTask) -> casadi.Function:
    """Return the part of the forces that is proportional to gravity, which enters them linearly."""
    run = _Symbols(task)
    along = matrix_of(run.arrays.gravity)
    run.arrays = run.arrays._replace(gravity=run.input("g", 3))
    tau = matrix_of(_newton_euler(run, run.still(), run.still(), run.no_rows()))
    field = run.inputs.pop("g")
    linear = casadi.substitute(casadi.jtimes(tau, field, along), field, casadi.DM.zeros(3))
    return casadi.Function("f", [*run.inputs.values()], [casadi.densify(linear)])


def _mass_matrix(task: ExportTask) -> casadi.Function:
    from lissom.kernel.algorithms import composite_body

    run = _Symbols(task)
    M = np.empty((task.model.nv, task.model.nv), object)
    run.kernel(composite_body.mass_matrix, run.q, run.still(), M)
    return run.function("f", M=M)


def _energy(task: ExportTask) -> casadi.Function:
    from lissom.kernel.algorithms import body_energies

    run = _Symbols(task)
    parts = np.empty(5, object)
    run.kernel(body_energies.energies, run.q, run.velocities("v"), parts)
    return run.function("f", energy=np.array([parts[0], sum(parts[1:])], object))


def _inverse_derivatives(task: ExportTask) -> casadi.Function:
    """Derive by q along velocity coordinates: the derivative by q times that of the configuration's rate by v."""
    from lissom.dynamics.symbolic import configuration_rate

    function = _inverse(task)
    arguments = function.sx_in()
    tau, (q, v) = function(*arguments), arguments[:2]
    moved = casadi.jacobian(configuration_rate(task.model)(q, v), v)
    by_q, by_v = casadi.mtimes(casadi.jacobian(tau, q), moved), casadi.jacobian(tau, v)
    return casadi.Function("f", arguments, [casadi.densify(by_q.T), casadi.densify(by_v.T)])


def _at(model: Model, point: ExportPoint) -> Compiled:
    return probe(model, point.link, point.x, None)


def _pose(task: ExportTask, point: ExportPoint) -> casadi.Function:
    run = _Symbols(task, point)
    run.frames(run.q, run.still())
    T = np.full((4, 4), 0.0, dtype=object)
    T[:3, :3], T[:3, 3], T[3, 3] = run.work.world_rotation[-1], run.work.world_position[-1], 1.0
    return run.function("f", T=T.T)


def _jacobian(task: ExportTask, point: ExportPoint) -> casadi.Function:
    from lissom.kernel.kinematics import frame_jacobian

    run = _Symbols(task, point)
    run.frames(run.q, run.still())
    local = np.full((6, task.model.nv), 0.0, dtype=object)
    run.python(frame_jacobian.frame_jacobian)(run.arrays, run.work, run.arrays.tree.parent.size - 1, local)
    R = run.work.world_rotation[-1]
    return run.function("f", J=np.concatenate([R.dot(local[:3]), R.dot(local[3:])]).T)


BUILDERS = {
    "forward_dynamics": _forward,
    "inverse_dynamics": _inverse,
    "joint_wrenches": _joint_wrenches,
    "mass_matrix": _mass_matrix,
    "bias": _bias,
    "gravity": _gravity,
    "energy": _energy,
    "inverse_derivatives": _inverse_derivatives,
}
