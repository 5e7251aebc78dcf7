"""Tables of the table back end that parameters change: polynomials of these, evaluated at the begin of a function."""

from __future__ import annotations

import numpy as np

from lissom.export.c.export_task import ExportTask
from lissom.export.c.sources.memory_text import table_text
from lissom.export.c.sources.table_parameters import Parameters
from lissom.export.c.translation.operators import Value
from lissom.export.c.translation.value_kinds import Record, Varying, shape_in_c
from lissom.kernel.data.arrays import Arrays
from lissom.kernel.data.table_operations import tables
from lissom.model.compilation.tip_frames import with_points
from lissom.model.description.robot import Robot

GRAVITY = "gravity"  # lies in the workspace
Entries = dict[str, tuple[np.ndarray, np.ndarray]]  # by table: flat indices, and coefficients of each by monomial


class VaryingTables:
    """The models of a task, by what C names of their tables begin with: that of its robot, that with its points."""

    def __init__(self, task: ExportTask) -> None:
        self.task = task
        self._found: dict[str, tuple[Arrays, Entries]] = {}

    def value(self, name: str, arrays: Arrays) -> Value:
        """Return the tables of a model, as kernels take them."""
        parameters = self.task.parameters
        if parameters is None:
            return Value(Record(name, arrays, const=True), "")
        if name not in self._found:
            self._found[name] = arrays, parameters.coefficients(lambda robot: self._tabulate(robot, name))
        changed = frozenset(_c_name(name, table) for table in self._entries(name) if table != GRAVITY)
        varying = Varying(f"{name}tables", changed) if changed else None
        return Value(Record(name, arrays, const=True, varying=varying), "&tables")

    def lines(self, name: str) -> list[str]:
        """Return what a function that reads the tables begins with."""
        if name not in self._found:
            return []
        found = []
        if self._entries(name).keys() - {GRAVITY}:
            found += [f"struct {name}tables tables;", f"set_{name}tables(p, &tables);"]
        if GRAVITY in self._entries(name):
            found.append(f"set_{name}gravity(p, work.gravity);")
        return found or ["(void)p;"]

    def texts(self) -> list[str]:
        """Return structs, and the functions that fill them."""
        found = []
        for name, (arrays, entries) in self._found.items():
            values = dict(tables(arrays))
            own = {table: each for table, each in entries.items() if table != GRAVITY}
            if own:
                found += self._struct(name, own, values)
            if GRAVITY in entries:
                lines = self._assign_entries("gravity", *entries[GRAVITY], (3,))
                found.append(self._function(f"set_{name}gravity(const double *p, double *gravity)", lines))
        return found

    def _tabulate(self, robot: Robot, name: str) -> Arrays:
        model = robot.compile(prescribed=self.task.model.prescribed)
        if name == "model_":
            return model.arrays
        return with_points(model, [(p.link, p.x, None) for p in self.task.points])

    def _entries(self, name: str) -> Entries:
        return self._found[name][1]

    def _struct(self, name: str, entries: Entries, values: dict[str, np.ndarray]) -> list[str]:
        members, usual, lines = [], [], []
        for table, found in entries.items():
            own, shape = _c_name(name, table), values[table].shape
            members.append(f"    double {own}{''.join(f'[{size}]' for size in shape_in_c(shape))};")
            usual.append(table_text(f"usual_{own}", values[table]))
            lines.append(f"memcpy(tables->{own}, usual_{own}, sizeof tables->{own});")
            lines += self._assign_entries(f"tables->{own}", *found, shape)
        head = f"set_{name}tables(const double *p, struct {name}tables *tables)"
        return ["\n".join([f"struct {name}tables {{", *members, "};", ""]), *usual, self._function(head, lines)]

    def _function(self, head: str, lines: list[str]) -> str:
        """Write a function of x = p / scale."""
        parameters = self.task.parameters
        assert parameters is not None
        count, scales = len(parameters.paths), ", ".join(repr(float(each)) for each in parameters.scale)
        begin = [f"static const double scales[{count}] = {{{scales}}};", f"double x[{count}];"]
        begin += [f"for (int k = 0; k < {count}; k++) {{", "    x[k] = p[k] / scales[k];", "}"]
        return "\n".join([f"static void {head}", "{", *(f"    {line}" for line in (*begin, *lines)), "}", ""])

    def _assign_entries(
        self, array: str, entries: np.ndarray, coefficients: np.ndarray, shape: tuple[int, ...]
    ) -> list[str]:
        """Return assignments of the entries that change."""
        parameters, lines = self.task.parameters, []
        assert parameters is not None
        for entry, row in zip(entries.tolist(), coefficients, strict=True):
            at = "".join(f"[{k}]" for k in np.unravel_index(entry, shape))
            lines.append(f"{array}{at} = {_polynomial(parameters, row)};")
        return lines


def _c_name(name: str, table: str) -> str:
    return f"{name}{table.replace('.', '_')}"


def _polynomial(parameters: Parameters, row: np.ndarray) -> str:
    terms = [
        " * ".join([repr(float(c)), *(f"x[{k}]" for k in monomial)])
        for c, monomial in zip(row.tolist(), parameters.monomials, strict=True)
        if c != 0.0
    ]
    return " + ".join(terms).replace("+ -", "- ") or "0.0"
