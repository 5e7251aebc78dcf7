"""What public functions of the table back end call kernels with: tables, working memory, arrays."""

from __future__ import annotations

from typing import Any

from lissom.export.c.checks.backend_costs import Counts
from lissom.export.c.export_task import ExportTask
from lissom.export.c.sources.varying_tables import VaryingTables
from lissom.export.c.translation.c_file import Unit
from lissom.export.c.translation.operators import Value
from lissom.export.c.translation.value_kinds import REAL, Array, Record
from lissom.kernel.algorithms import newton_euler
from lissom.kernel.data.workspace import workspace
from lissom.model.compilation.tip_frames import with_points

MEMORY = ("work", "local", "factors", "schur", "closure")  # structs of a public function, which kernels take by pointer


class Calls:
    """Calls of kernels on the tables of a task."""

    def __init__(self, task: ExportTask) -> None:
        self.task, self.unit = task, Unit()
        model = task.model
        self.arrays = model.arrays
        self.pointed = with_points(model, [(p.link, p.x, None) for p in task.points])
        self.varying = VaryingTables(task)
        self.model = self.varying.value("model_", self.arrays)
        self.work = Value(Record("workspace", workspace(self.arrays)), "work")
        self.count = Counts(model, self.pointed)
        self.counts: dict[str, int] = {}

    def call(self, kernel: Any, *arguments: Value) -> str:
        """Return the C of a call of a kernel."""
        name, _ = self.unit.function(kernel, list(arguments))
        handed = [each.text for each in arguments if not each.is_silent]
        return f"{name}({', '.join(f'&{each}' if each in MEMORY else each for each in handed)});"

    def q(self) -> Value:
        """Return the configuration as an argument of kernels."""
        return Value(Array(REAL, (self.task.model.nq,), True), "q")

    def vector(self, name: str, const: bool = True) -> Value:
        """Return a vector (nv,) as an argument of kernels."""
        return Value(Array(REAL, (self.task.model.nv,), const), name)

    def begin(self, record: str = "workspace", model: str = "model_") -> list[str]:
        """Return working memory, and tables at the parameters."""
        return [f"struct {record} work;", f"begin_{record}(&work);", *self.varying.lines(model)]

    def still(self) -> list[str]:
        """Declare velocities of zero."""
        return [f"static const double still[{self.task.upper}_NV] = {{0.0}};"]

    def rows(self) -> Value:
        """Return external wrenches on all rows."""
        return Value(Array(REAL, (self.task.model.rows, 6), False), "rows")

    def no_rows(self) -> str:
        """Declare external wrenches of zero on all rows."""
        return f"double rows[{self.task.model.rows}][6] = {{{{0.0}}}};"

    def loaded_rows(self) -> list[str]:
        """Set external wrenches on all rows, those that are given included."""
        index = [self.task.model.row(link) for link in self.task.wrenches]
        if not index:
            return [self.no_rows()]
        return [
            self.no_rows(),
            f"static const int loaded[{len(index)}] = {{{', '.join(map(str, index))}}};",
            f"for (int k = 0; k < {len(index)}; k++) {{",
            "    for (int c = 0; c < 6; c++) {",
            "        rows[loaded[k]][c] = wrenches[6 * k + c];",
            "    }",
            "}",
        ]

    def newton_euler(self, v: str, a: str, tau: str = "tau") -> str:
        """Call the recursive Newton-Euler inverse dynamics."""
        arguments = (self.q(), self.vector(v), self.vector(a), self.rows(), self.vector(tau, False))
        return self.call(newton_euler.inverse_dynamics, self.model, self.work, *arguments)

    def set_given(self, name: str, index: str = "k", lift: str = "") -> list[str]:
        """Return accelerations before forward dynamics: those of prescribed joints."""
        value = f"given[{index}]" if self.task.model.prescribed else "0.0"
        return [
            f"for (int {index} = 0; {index} < {self.task.upper}_NV; {index}++) {{",
            f"    {name}[{index}] = {f'{lift}({value})' if lift else value};",
            "}",
        ]
