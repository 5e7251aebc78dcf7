"""The equations of dual screws as expressions, whole or of first order in the deflection, and their operations.

The nonlinear expressions are the kernel's source on symbols. A form of first order follows from them alone: elastic
coordinates, and elastic speeds where the form cuts them, are scaled by a number, and the Taylor series in that number
is cut after its first power. The compiled forms come to the same numbers by dual screws, without the nonlinear model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from lissom.dynamics import symbolic
from lissom.dynamics.operation_counts import OperationCount
from lissom.errors import check_choice
from lissom.model.any_robot import AnyRobot, as_model
from lissom.theory.coverage import LINEAR_LINKS, check_coverage

if TYPE_CHECKING:
    from casadi import SX, Function

    from lissom.model.model import Model

Expressions = Literal["nonlinear", "first-order", "truncated"]
FORMS: tuple[Expressions, ...] = ("nonlinear", "first-order", "truncated")


def symbolic_model(robot: AnyRobot, form: Expressions = "first-order") -> Function:
    """Return a CasADi function (q, v) -> (M, c) of M dv/dt + c = tau.

    Parameters
    ----------
    robot : str, path, Robot or Model
        A tree of rigid and flexible links, as `DualScrew` takes it.
    form : str
        "nonlinear", the whole motion; "first-order" in the deflection, elastic speeds whole; "truncated", of first
        order in elastic speeds too: the names of the forms of `DualScrew`, whose `equations` it equals.

    Examples
    --------
    >>> from lissom.theory.dual_screws.symbolic_model import operation_count, symbolic_model
    >>> operation_count(symbolic_model("dual-screw-arm", "truncated")).total
    """
    ca = symbolic.need_casadi()

    model = as_model(robot)
    check_choice("form", form, FORMS)
    check_coverage(model, "dual_screw", LINEAR_LINKS)
    q, v = ca.SX.sym("q", model.nq), ca.SX.sym("v", model.nv)
    M = symbolic.mass_matrix(model)(q)
    c = symbolic.inverse_dynamics(model)(q, v, ca.SX.zeros(model.nv))
    if form != "nonlinear":
        M, c = (_first_order(model, expression, q, v, form == "truncated") for expression in (M, c))
    outputs = ca.cse([ca.simplify(M), ca.simplify(c)])
    return ca.Function(form.replace("-", "_"), [q, v], outputs, ["q", "v"], ["M", "c"])


def operation_count(function: Function) -> OperationCount:
    """Count the operations in one call of a CasADi function of scalars; a change of sign is nothing."""
    ca = symbolic.need_casadi()

    kinds = {
        "additions": (ca.OP_ADD, ca.OP_SUB),
        "multiplications": (ca.OP_MUL, ca.OP_SQ, ca.OP_TWICE),
        "divisions": (ca.OP_DIV, ca.OP_INV),
        "functions": (ca.OP_SIN, ca.OP_COS, ca.OP_TAN, ca.OP_SQRT, ca.OP_TANH, ca.OP_EXP, ca.OP_ATAN2),
    }
    done = [function.instruction_id(k) for k in range(function.n_instructions())]
    return OperationCount(**{name: sum(each in ids for each in done) for name, ids in kinds.items()})


def _first_order(model: Model, expression: SX, q: SX, v: SX, speeds: bool) -> SX:
    """Return the Taylor series in the deflection, or in deflection and elastic speeds, to first order."""
    ca = symbolic.need_casadi()

    size = ca.SX.sym("size")
    scaled_q, scaled_v = ca.SX(q), ca.SX(v)
    for body in model.bodies:
        if body.link in model.flexible:
            _scale(scaled_q, body.modes_q, size)
            if speeds:
                _scale(scaled_v, body.modes_v, size)
    flat = ca.vec(ca.substitute(expression, ca.vertcat(q, v), ca.vertcat(scaled_q, scaled_v)))
    series = flat + ca.jtimes(flat, size, 1)
    return ca.reshape(ca.substitute(series, size, 0), expression.shape)


def _scale(vector: Any, part: slice, size: SX) -> None:
    for k in range(part.start, part.stop):
        vector[k] = vector[k] * size
