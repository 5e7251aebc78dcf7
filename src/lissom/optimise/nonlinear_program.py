"""Nonlinear programs from small functions at many places, with exact sparse derivatives, solved by IPOPT.

A `Term` is a CasADi expression of few variables z and the places where it holds: each place reads its z linearly from
the unknowns. Derivatives are made once for the small function and carried over to the unknowns by the matrix of places,
so that they cost little to make and to evaluate, however many places there are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from casadi import SX

SETTINGS = {
    "print_level": 0,
    "sb": "yes",
    "nlp_scaling_method": "none",  # terms are scaled by whoever makes them
    "mu_init": 1e-2,  # a start that keeps the dynamics lets the barrier begin low
    # Where rounding hides the slopes of stiff terms, an objective that stands still is the end.
    "acceptable_tol": 1e-2,
    "acceptable_constr_viol_tol": 1e-7,
    "acceptable_compl_inf_tol": 1e-5,
    "acceptable_obj_change_tol": 1e-9,
    "acceptable_iter": 3,
}


@dataclass(frozen=True)
class Term:
    """Bounded rows g(z) and a share cost(z) of the objective, at every place.

    Parameters
    ----------
    z
        Symbols (nz,).
    g
        Rows (ng,), which shall lie between `lower` and `upper` (ng,).
    cost
        What is added to the objective, weighted by `weights` (places,).
    places
        (places nz, unknowns), z of all places one after the other.
    """

    z: SX
    g: SX
    cost: SX
    places: sparse.csr_matrix
    lower: np.ndarray
    upper: np.ndarray
    weights: np.ndarray

    @property
    def count(self) -> int:
        """The number of places."""
        return self.places.shape[0] // self.z.numel()


@dataclass(frozen=True)
class Optimum:
    """Where IPOPT stopped."""

    w: np.ndarray
    objective: float
    success: bool
    status: str
    iterations: int


class Program:
    """Minimise the cost of all terms over w within their bounds; w is scaled by `scale` for the solver."""

    def __init__(self, terms: list[Term], scale: np.ndarray) -> None:
        self.scale = scale
        self.terms = [_Placed(term, scale) for term in terms]
        self.lower = np.concatenate([np.tile(term.lower, term.count) for term in terms])
        self.upper = np.concatenate([np.tile(term.upper, term.count) for term in terms])

    def solve(
        self,
        start: np.ndarray,
        lower: np.ndarray,
        upper: np.ndarray,
        tell: Callable[[int], None] = lambda iteration: None,
        most: int = 500,
        tolerance: float = 1e-6,
        **options: Any,
    ) -> Optimum:
        """Solve from `start` with `lower` <= w <= `upper`."""
        import casadi as ca

        w, lam_f, lam_g = ca.MX.sym("w", len(start)), ca.MX.sym("lam_f"), ca.MX.sym("lam_g", len(self.lower))
        none = ca.MX.sym("p", 0)
        rows, cost = [], ca.MX(0)
        for term in self.terms:
            g, f = term.values(w)
            rows.append(g)
            cost += f
        g = ca.vertcat(*rows)
        jacobian = ca.vertcat(*(term.jacobian(w) for term in self.terms))
        gradient = sum(term.gradient(w) for term in self.terms)
        hessian, first = ca.MX(len(start), len(start)), 0
        for term in self.terms:
            last = first + term.rows
            hessian += term.hessian(w, lam_f, lam_g[first:last])
            first = last
        watch = _watch(tell, len(start), len(self.lower))
        settings = {
            "jac_g": ca.Function("nlp_jac_g", [w, none], [g, jacobian]),
            "grad_f": ca.Function("nlp_grad_f", [w, none], [cost, gradient]),
            "hess_lag": ca.Function("nlp_hess_l", [w, none, lam_f, lam_g], [ca.triu(hessian)]),
            "iteration_callback": watch,
            "print_time": False,
            "error_on_fail": False,
            "ipopt": SETTINGS | {"max_iter": most, "tol": tolerance} | options,
        }
        solver = ca.nlpsol("solver", "ipopt", {"x": w, "f": cost, "g": g}, settings)
        s = self.scale
        found = solver(x0=start / s, lbx=lower / s, ubx=upper / s, lbg=self.lower, ubg=self.upper)
        said = solver.stats()
        return Optimum(
            np.array(found["x"]).ravel() * s,
            float(found["f"]),
            bool(said["success"]),
            said["return_status"],
            said["iter_count"],
        )


class _Placed:
    """A term with its derivatives, over the whole of the unknowns."""

    def __init__(self, term: Term, scale: np.ndarray) -> None:
        import casadi as ca

        z, g, cost = term.z, term.g, term.cost
        self.count, self.nz, self.rows = term.count, z.numel(), term.count * g.numel()
        self.places = _matrix(term.places @ sparse.diags(scale))
        self.weights = ca.DM(term.weights).T
        lam, weight = ca.SX.sym("lam", g.numel()), ca.SX.sym("weight")
        lagrangian = ca.dot(lam, g) + weight * cost
        self._values = ca.Function("values", [z], [g, cost]).map(self.count)
        self._jacobian = _blocks("jacobian", [z], ca.jacobian(g, z), self.count)
        self._gradient = ca.Function("gradient", [z], [ca.gradient(cost, z)]).map(self.count)
        self._hessian = _blocks("hessian", [z, lam, weight], ca.hessian(lagrangian, z)[0], self.count)

    def at(self, w: Any) -> Any:
        """Return z of every place as columns (nz, places)."""
        import casadi as ca

        return ca.reshape(self.places @ w, self.nz, self.count)

    def values(self, w: Any) -> tuple[Any, Any]:
        import casadi as ca

        g, cost = self._values(self.at(w))
        return ca.vec(g), ca.sum2(cost * self.weights)

    def jacobian(self, w: Any) -> Any:
        return self._jacobian(self.at(w)) @ self.places

    def gradient(self, w: Any) -> Any:
        import casadi as ca

        return self.places.T @ ca.vec(ca.densify(self._gradient(self.at(w))) * ca.repmat(self.weights, self.nz, 1))

    def hessian(self, w: Any, lam_f: Any, lam_g: Any) -> Any:
        import casadi as ca

        lam = ca.reshape(lam_g, self.rows // self.count, self.count)
        return self.places.T @ self._hessian(self.at(w), lam, lam_f * self.weights) @ self.places


def _blocks(name: str, inputs: list[Any], block: Any, count: int) -> Callable[..., Any]:
    """Return the block at every place, as one matrix with these blocks on its diagonal."""
    import casadi as ca

    function = ca.Function(name, inputs, [block]).map(count)
    diagonal = ca.diagcat(*[block.sparsity()] * count)
    return lambda *arguments: ca.sparsity_cast(function(*arguments), diagonal)


def _matrix(matrix: sparse.spmatrix) -> Any:
    import casadi as ca

    return ca.DM(sparse.csc_matrix(matrix))


def _watch(tell: Callable[[int], None], unknowns: int, rows: int) -> Any:
    """Note the progress; IPOPT calls it after every iteration."""
    import casadi as ca

    sizes = {"x": unknowns, "f": 1, "g": rows, "lam_x": unknowns, "lam_g": rows, "lam_p": 0}

    class Watch(ca.Callback):
        def __init__(self) -> None:
            ca.Callback.__init__(self)
            self.iteration = 0
            self.construct("watch", {})

        def get_n_in(self) -> int:
            return ca.nlpsol_n_out()

        def get_n_out(self) -> int:
            return 1

        def get_name_in(self, i: int) -> str:
            return ca.nlpsol_out(i)

        def get_sparsity_in(self, i: int) -> Any:
            return ca.Sparsity.dense(sizes[ca.nlpsol_out(i)], 1) if sizes[ca.nlpsol_out(i)] else ca.Sparsity(0, 0)

        def eval(self, arguments: Any) -> list[int]:
            self.iteration += 1
            tell(self.iteration)
            return [0]

    return Watch()
