"""Rigid trees against Pinocchio, compiled with all that its templates allow: dynamics, mass matrix and derivatives.

    python benchmarks/rigid_race.py [--chains 7 32 100] [--free] [arm.urdf ...]

Needs the packages `pin` and `cmeel-eigen`, whose headers it compiles (`rigid_race.cpp`, -O3 -march=native, some
minutes, once; or a library made so is given by `--library`). Both work on the same numbers in loops of machine code, in
turns on the thread's own processor time. Of Pinocchio's conventions the faster counts. Ratios are Pinocchio's time over
lissom's: above 1 lissom is faster.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from sheet import Sheet
from timing import Race

import lissom
from lissom.dynamics.state_derivatives import derivative_memory
from lissom.kernel.algorithms.articulated_body import forward_dynamics
from lissom.kernel.algorithms.newton_euler import inverse_dynamics
from lissom.kernel.compile import kernel
from lissom.kernel.data.arrays import JointMotion
from lissom.kernel.derivatives.forward_dynamics_derivatives import (
    differentiate_forward_dynamics,
    differentiate_inverse_dynamics,
)
from lissom.kernel.derivatives.mass_columns import mass_by_columns
from lissom.model import Model

HERE = Path(__file__).parent
AGREEMENT = 1e-8
KINDS = {JointMotion.TURN: 1, JointMotion.SLIDE: 2, JointMotion.FLOAT: 3}
TASKS = {
    "forward dynamics": ("forward", "forward_local"),
    "inverse dynamics": ("inverse",),
    "mass matrix": ("mass_matrix", "mass_matrix_local"),
    "derivatives of forward dynamics": ("differentiate_forward_dynamics",),
    "derivatives of inverse dynamics": ("fill_derivative_columns",),
}


@kernel
def _forward(n, model, work, q, v, tau, wrench, a):
    for _ in range(n):
        forward_dynamics(model, work, q, v, tau, wrench, a)


@kernel
def _inverse(n, model, work, q, v, a, wrench, tau):
    for _ in range(n):
        inverse_dynamics(model, work, q, v, a, wrench, tau)


@kernel
def _mass(n, model, work, columns, q, v, M):
    for _ in range(n):
        mass_by_columns(model, work, columns, q, v, M)


@kernel
def _differentiate_forward(n, model, work, columns, solution, q, v, tau, wrench, a, scratch, by_q, by_v, by_tau):
    for _ in range(n):
        differentiate_forward_dynamics(
            model, work, columns, solution, q, v, tau, wrench, a, scratch, by_q, by_v, by_tau
        )


@kernel
def _differentiate_inverse(n, model, work, columns, q, v, a, wrench, tau, by_q, by_v, by_a):
    for _ in range(n):
        differentiate_inverse_dynamics(model, work, columns, q, v, a, wrench, tau, by_q, by_v, by_a)


class Case:
    """A rigid tree at a random state, in both libraries."""

    def __init__(self, model: Model, library: ctypes.CDLL) -> None:
        self.model, self.library = model, library
        rng = np.random.default_rng(1)
        nv = model.nv
        self.q = model.neutral()
        plain = model.arrays.velocities.group_axis < 0
        self.q[model.arrays.velocities.coordinate[plain]] = rng.normal(size=plain.sum())
        self.v, self.a, self.tau = rng.normal(size=(3, nv))
        self.order = self._build()

    def _build(self) -> np.ndarray:
        """Hand the tree over, depth first; return the velocity coordinates in Pinocchio's order."""
        arrays = self.model.arrays
        tree, n = arrays.tree, len(self.model.bodies)
        carried: list[list[int]] = [[] for _ in range(n + 1)]
        for i in range(1, n + 1):
            carried[tree.parent[i]].append(i)
        rows, ahead = [0], carried[0][::-1]
        while ahead:
            rows.append(ahead.pop())
            ahead += carried[rows[-1]][::-1]
        place = {row: k for k, row in enumerate(rows)}
        parent = np.array([place[tree.parent[i]] for i in rows], np.int32)
        kind = np.array(
            [KINDS[JointMotion(arrays.joints.motion[i, 0])] if arrays.joints.steps[i] else 0 for i in rows], np.int32
        )
        has = arrays.joints.has_origin[rows] == 1
        rotation = np.where(has[:, None, None], arrays.joints.origin_rotation[rows], np.eye(3))
        position = arrays.sections.position[rows] + has[:, None] * arrays.joints.origin_position[rows]
        screw = arrays.joints.screw[rows, 0]
        axis = np.where((kind == 2)[:, None], screw[:, 3:], screw[:, :3])
        mass = arrays.inertia.mass[rows]
        com = arrays.inertia.moment[rows] / np.where(mass > 0, mass, 1.0)[:, None]
        second = arrays.inertia.second_moment[rows] - mass[:, None, None] * com[:, :, None] * com[:, None, :]
        about = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
        reals = (np.ascontiguousarray(x, float) for x in (rotation, position, axis, mass, com, about, arrays.gravity))
        self.library.build(n, parent.ctypes, kind.ctypes, *(_pointer(x) for x in reals))
        order = np.concatenate([np.arange(tree.joint_v[i], tree.joint_v[i] + arrays.joints.dofs[i]) for i in rows])
        order = np.concatenate([_linear_first(part) for part in np.split(order, [6])]) if kind[1] == 3 else order
        self.names = order
        coordinate = arrays.velocities.coordinate[order]
        q = self.q[coordinate] if kind[1] != 3 else np.r_[self.q[4:7], self.q[1:4], self.q[0], self.q[coordinate[6:]]]
        self.library.state(
            *(_pointer(np.ascontiguousarray(x)) for x in (q, *(x[order] for x in (self.v, self.a, self.tau))))
        )
        return order

    def runs(self) -> dict[str, Callable[[int], object]]:
        """What takes turns, by name."""
        model, nv = self.model, self.model.nv
        struct, work = model.struct, model.workspace()
        state = self.q, self.v
        a, tau, spare, scratch = self.a, self.tau, np.empty(nv), np.empty(nv)
        M = [np.empty((nv, nv)) for _ in range(3)]
        wrench = np.zeros((model.rows, 6))
        columns, solution = derivative_memory(model)
        return {
            "forward dynamics": lambda n: _forward(n, struct, work, *state, tau, wrench, spare),
            "inverse dynamics": lambda n: _inverse(n, struct, work, *state, a, wrench, spare),
            "mass matrix": lambda n: _mass(n, struct, work, columns, *state, M[0]),
            "derivatives of forward dynamics": lambda n: _differentiate_forward(
                n, struct, work, columns, solution, *state, tau, wrench, spare, scratch, *M
            ),
            "derivatives of inverse dynamics": lambda n: _differentiate_inverse(
                n, struct, work, columns, *state, a, wrench, spare, *M
            ),
        } | {name: getattr(self.library, name) for names in TASKS.values() for name in names}

    def disagreement(self) -> float:
        """Largest relative difference of accelerations, forces and derivatives."""
        nv, order = self.model.nv, self.order
        found = np.empty(nv), np.empty(nv), np.empty((nv, nv))
        self.library.results(*map(_pointer, found))
        own = lissom.derivatives(self.model, self.q, self.v, self.tau)
        force = lissom.inverse_dynamics(self.model, self.q, self.v, self.a)
        pairs = zip(found, (own.a[order], force[order], own.q[np.ix_(order, order)]), strict=True)
        return max(float(np.abs(x - y).max() / np.abs(y).max()) for x, y in pairs)


def _linear_first(part: np.ndarray) -> np.ndarray:
    """Return the velocities of a free body as Pinocchio has them, of other joints as they are."""
    return np.r_[part[3:6], part[:3]] if len(part) == 6 else part


def _pointer(array: np.ndarray) -> Any:
    return array.ctypes.data_as(ctypes.c_void_p)


def chain(n: int) -> Model:
    """n links of 0.5 m, hinges about skew axes in turn."""
    rng = np.random.default_rng(n)
    axes = ([0, 0, 1], [0, 1, 0], [1, 0, 0])
    links = [
        {
            "name": f"link{k}",
            "origin": {"xyz": [0.5 * (k > 0), 0.0, 0.0], "rpy": [float(x) for x in rng.normal(size=3)]},
            "joint": {"name": f"joint{k}", "type": "revolute", "axis": axes[k % 3]},
            "body": {"mass": 1.0, "com": [0.25, 0.02, 0.01], "inertia": [0.01, 0.03, 0.03]},
        }
        for k in range(n)
    ]
    return lissom.Robot.from_dict({"lissom": 1, "name": f"chain of {n}", "links": links}).compile()


def compiled(folder: Path) -> Path:
    """Compile Pinocchio's templates."""
    import pinocchio

    include = Path(pinocchio.__file__).parents[4] / "include"
    library = folder / "rigid_race.so"
    options = ["-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-fPIC", "-shared", "-DBOOST_MPL_LIMIT_LIST_SIZE=30"]
    options += ["-DBOOST_MPL_LIMIT_VECTOR_SIZE=30", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12"]
    options += ["-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", f"-I{include}", f"-I{include / 'eigen3'}"]
    subprocess.run(["g++", *options, str(HERE / "rigid_race.cpp"), "-o", str(library)], check=True)
    return library


def measure(models: Sequence[Model], library: ctypes.CDLL, turns: int = 200) -> list[dict[str, Any]]:
    """Microseconds and ratios of every task, tree by tree."""
    rows = []
    for model in models:
        case = Case(model, library)
        error = case.disagreement()
        if error > AGREEMENT:
            raise SystemExit(f"{model.robot.name}: lissom and Pinocchio differ by {error:.1e}")
        race = Race(case.runs(), turns)
        for task, names in TASKS.items():
            rival = min(names, key=lambda name: race.timing(name).best)
            times = [1e6 * race.timing(name).best for name in (task, rival)]
            ratio = race.ratio(rival, task)
            rows.append({"tree": model.robot.name, "joints": model.nv, "task": task, "us": times, "ratio": vars(ratio)})
    return rows


def table(rows: Sequence[dict[str, Any]]) -> Sheet:
    """Times and ratios."""
    lines = [
        [row["tree"], str(row["joints"]), row["task"], *(f"{x:.2f}" for x in row["us"]),
         f"{row['us'][1] / row['us'][0]:.2f}", f"{row['ratio']['median']:.2f}"]
        for row in rows
    ]  # fmt: skip
    columns = ("tree", "coordinates", "task", "lissom us", "Pinocchio us", "ratio of best", "median ratio")
    return Sheet("Rigid trees against Pinocchio", "Ratios above 1: lissom is faster.", columns, lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("urdf", nargs="*")
    parser.add_argument("--chains", type=int, nargs="*", default=[7, 32, 100])
    parser.add_argument("--library", type=Path, help="rigid_race.cpp compiled beforehand")
    parser.add_argument("--turns", type=int, default=200)
    arguments = parser.parse_args()
    trees = [lissom.load(path).compile() for path in arguments.urdf] + [chain(n) for n in arguments.chains]
    with tempfile.TemporaryDirectory() as temporary:
        made = arguments.library or compiled(Path(temporary))
        sheet = table(measure(trees, ctypes.CDLL(str(made)), arguments.turns))
    sheet.show(Console(width=140))
    sys.exit(0)
