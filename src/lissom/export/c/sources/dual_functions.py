"""Exact derivatives in the table back end: kernels on dual numbers, along one coordinate after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom.export.c.sources.constrained_functions import closed_motion, closure_lines, closure_records
from lissom.export.c.sources.kernel_calls import Calls
from lissom.export.c.translation.operators import Value
from lissom.export.c.translation.value_kinds import DUAL, INT, Array, Record
from lissom.kernel.algorithms import articulated_body, complex_step, newton_euler
from lissom.kernel.data.workspace import workspace


class DualFunctions(Calls):
    """Public functions that derive."""

    def of_inverse_derivatives(self) -> list[str]:
        """Derive inverse dynamics by duals: one pass for each coordinate and each velocity."""
        passes = self.task.model.nv
        self.counts["inverse_derivatives"] = 2 * passes * self.count.dual_dynamics(newton_euler.inverse_dynamics)
        x = self._arguments()
        names = ("q", "v", "a", "rows", "tau")
        call = self.call(newton_euler.inverse_dynamics, self.model, self._work(), *(x[k] for k in names))
        return [
            *self._begin(("q", "v", "a"), "tau"),
            *self._along([call], "tau_q", "tau", "q", self._turn_seeds(x["q"])),
            *self._along([call], "tau_v", "tau", "v", ["v_[k].d = 1.0;"]),
        ]

    def of_derivatives(self) -> list[str]:
        """Derive by the articulated pass on duals: more accurate than to solve with the mass matrix."""
        model, n, x, work = self.task.model, self.task.model.nv, self._arguments(), self._work()
        names, more = ("q", "v", "tau", "rows", "a"), []
        if model.loops:
            assert isinstance(work.kind, Record)
            records = closure_records(model, work.kind, "dual_", np.complex128)
            more = [*closure_lines(records), f"dual lam_[{self.task.sizes['ROWS']}];"]
            lam = Value(Array(DUAL, (self.task.sizes["ROWS"],), False), "lam_")
            closure = Value(records["closure"], "closure")
            call = self.call(closed_motion, self.model, work, closure, *(x[k] for k in names), lam)
        else:
            call = self.call(articulated_body.forward_dynamics, self.model, work, *(x[k] for k in names))
        each = self.count.dual_dynamics(articulated_body.forward_dynamics) + 4 * self.count.closing()
        self.counts["derivatives"] = 3 * n * each
        calls, free = [*self.set_given("a_", "j", "lift"), call], ["tau_[k].d = 1.0;"]
        if model.prescribed:
            self.unit.tables["model_velocities_prescribed"] = model.arrays.velocities.prescribed
            free = ["tau_[k].d = model_velocities_prescribed[k] ? 0.0 : 1.0;"]
        return [
            *self._begin(("q", "v", "tau"), "a"),
            *more,
            *self._along(calls, "a_q", "a", "q", self._turn_seeds(x["q"])),
            *self._along(calls, "a_v", "a", "v", ["v_[k].d = 1.0;"]),
            *self._along(calls, "a_tau", "a", "tau", free),
            f"for (int j = 0; j < {n}; j++) {{",
            "    a[j] = a_[j].x;",
            "}",
        ]

    def _work(self) -> Value:
        return Value(Record("dual_workspace", workspace(self.arrays, np.complex128)), "work")

    def _arguments(self) -> dict[str, Value]:
        model = self.task.model
        shapes = {"q": (model.nq,), "rows": (model.rows, 6)} | dict.fromkeys(("v", "a", "tau"), (model.nv,))
        return {name: Value(Array(DUAL, shape, False), f"{name}_") for name, shape in shapes.items()}

    def _turn_seeds(self, q: Value) -> list[str]:
        """Return seeds along the configuration: turns about body axes where it has quaternions."""
        step = self.call(complex_step.tangent_step, self.model, Value(INT, "k"), q, Value(DUAL, "seed"))
        return ["const dual seed = {0.0, 1.0};", step]

    def _size(self, name: str) -> int:
        return self.task.model.nq if name == "q" else self.task.model.nv

    def _begin(self, inputs: Sequence[str], out: str) -> list[str]:
        arrays = ", ".join(f"{name}_[{self._size(name)}]" for name in (*inputs, out))
        rows = self.task.model.rows
        return [
            *self.begin("dual_workspace"),
            *self.loaded_rows(),
            f"dual {arrays}, rows_[{rows}][6];",
            *(self._lift(name) for name in inputs),
            f"for (int j = 0; j < {rows}; j++) {{",
            "    for (int c = 0; c < 6; c++) {",
            "        rows_[j][c] = lift(rows[j][c]);",
            "    }",
            "}",
        ]

    def _lift(self, name: str) -> str:
        return f"for (int j = 0; j < {self._size(name)}; j++) {{ {name}_[j] = lift({name}[j]); }}"

    def _along(self, calls: list[str], to: str, out: str, moved: str, seed: list[str]) -> list[str]:
        """Return derivatives along all coordinates, one at a time; what was seeded is made plain again after each."""
        n = self.task.model.nv
        return [
            f"for (int k = 0; k < {n}; k++) {{",
            *(f"    {line}" for line in (*seed, *calls)),
            f"    for (int j = 0; j < {n}; j++) {{",
            f"        {to}[{n} * j + k] = {out}_[j].d;",
            "    }",
            f"    {self._lift(moved)}",
            "}",
        ]
