"""C with loops over the model's tables, translated from the kernel's source: no longer for a large robot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lissom.export.c import duals, step
from lissom.export.c.kinds import DUAL, INT, REAL, Array, Record, shape_in_c, tuple_definition
from lissom.export.c.operators import Value
from lissom.export.c.task import Signature, Task
from lissom.export.c.translate import Unit
from lissom.kernel import counter, derivatives, energy, forward, inverse, jacobian, kinematics, mass_matrix
from lissom.kernel.workspace import workspace
from lissom.model.probe import with_points

DUAL_ADDITIONS, DUAL_PRODUCTS = 2, 4  # operations in one of a dual


class Tables:
    """The translation of a task: a unit of C functions, and the public functions that call them."""

    def __init__(self, task: Task) -> None:
        self.task, self.unit = task, Unit()
        model = task.model
        self.arrays = model.arrays
        self.pointed = with_points(model, [(p.link, p.x, (0.0, 0.0, 0.0)) for p in task.points])
        self.model = Value(Record("model_", self.arrays, const=True), "")
        self.work = Value(Record("workspace", workspace(self.arrays)), "work")
        self.dual_work = Value(Record("dual_workspace", workspace(self.arrays), DUAL), "work")
        self.counts: dict[str, int] = {}

    def source(self, chosen: Sequence[tuple[Signature, str]]) -> list[str]:
        """The code of functions, each public or static."""
        public = [self._public(each, static) for each, static in chosen]
        functions = self.unit.called(public)
        text = "\n".join(functions)
        parts = [duals.prelude(text)] if "dual" in text else []
        parts.append("\n".join(map(tuple_definition, self.unit.tuples.values())) + "\n")
        parts += duals.lifts(text)
        parts += [_table(name, values) for name, values in sorted(self.unit.tables.items())]
        parts += [self._struct(record, list(used)) for record, used in self.unit.memory.values()]
        return [*parts, *functions, *public]

    # public functions

    def _public(self, signature: Signature, static: str) -> str:
        from lissom.export.c.source import prototype

        name = signature.name
        for k, point in enumerate(self.task.points):
            if name in (f"point_pose_{point.name}", f"jacobian_{point.name}"):
                row = len(self.arrays.tree.parent) + k
                lines = self._pose(name, row) if name.startswith("point_pose") else self._jacobian(name, row)
                return _function(prototype(self.task, signature, static), lines)
        return _function(prototype(self.task, signature, static), getattr(self, f"_{name}")())

    def _call(self, kernel: Any, *arguments: Value) -> str:
        name, _ = self.unit.function(kernel, list(arguments))
        handed = [a.text for a in arguments if not (isinstance(a.kind, Record) and a.kind.const)]
        return f"{name}({', '.join(f'&{a}' if a in ('work', 'local', 'factors') else a for a in handed)});"

    def _q(self) -> Value:
        return Value(Array(REAL, (self.task.model.nq,), True), "q")

    def _vector(self, name: str, const: bool = True) -> Value:
        return Value(Array(REAL, (self.task.model.nv,), const), name)

    def _rows(self) -> tuple[Value, list[str]]:
        """External wrenches on all rows, and the lines that set them."""
        rows = self.task.model.rows
        lines = [f"double rows[{rows}][6] = {{{{0.0}}}};"]
        index = [self.task.model.row(link) for link in self.task.wrenches]
        if index:
            lines += [
                f"static const int loaded[{len(index)}] = {{{', '.join(map(str, index))}}};",
                f"for (int k = 0; k < {len(index)}; k++) {{",
                "    for (int c = 0; c < 6; c++) {",
                "        rows[loaded[k]][c] = wrenches[6 * k + c];",
                "    }",
                "}",
            ]
        return Value(Array(REAL, (rows, 6), False), "rows"), lines

    def _begin(self) -> list[str]:
        return ["struct workspace work;", "begin_workspace(&work);"]

    def _still(self, name: str = "still") -> list[str]:
        return [f"static const double {name}[{self.task.upper}_NV] = {{0.0}};"]

    def _forward_dynamics(self) -> list[str]:
        self.counts["forward_dynamics"] = int(sum(vars(self._tally(forward.forward_dynamics)).values()))
        rows, lines = self._rows()
        out = "given[k]" if self.task.model.prescribed else "0.0"
        call = self._call(
            forward.forward_dynamics,
            self.model,
            self.work,
            self._q(),
            self._vector("v"),
            self._vector("tau"),
            rows,
            self._vector("a", False),
        )
        return [
            *self._begin(),
            *lines,
            f"for (int k = 0; k < {self.task.upper}_NV; k++) {{",
            f"    a[k] = {out};",
            "}",
            call,
        ]

    def _newton_euler(self, v: str, a: str, tau: str = "tau") -> str:
        rows, _ = self._rows()
        return self._call(
            inverse.inverse_dynamics,
            self.model,
            self.work,
            self._q(),
            self._vector(v),
            self._vector(a),
            rows,
            self._vector(tau, False),
        )

    def _inverse_dynamics(self) -> list[str]:
        self.counts["inverse_dynamics"] = self._inverse_count()
        return [*self._begin(), *self._rows()[1], self._newton_euler("v", "a")]

    def _joint_wrenches(self) -> list[str]:
        self.counts["joint_wrenches"] = self._inverse_count()
        return [
            *self._begin(),
            f"double tau[{self.task.upper}_NV];",
            *self._rows()[1],
            self._newton_euler("v", "a"),
            f"for (int k = 0; k < {self.task.upper}_JOINTS; k++) {{",
            "    for (int c = 0; c < 6; c++) {",
            "        wrench[6 * k + c] = work.wrench[k + 1][c];",
            "    }",
            "}",
        ]

    def _bias(self) -> list[str]:
        self.counts["bias"] = self._inverse_count()
        rows = f"double rows[{self.task.model.rows}][6] = {{{{0.0}}}};"
        return [*self._still(), *self._begin(), rows, self._newton_euler("v", "still")]

    def _gravity(self) -> list[str]:
        self.counts["gravity"] = 2 * self._inverse_count()
        call = self._newton_euler("still", "still")
        n = f"{self.task.upper}_NV"
        return [
            *self._still(),
            *self._begin(),
            f"double rows[{self.task.model.rows}][6] = {{{{0.0}}}}, weightless[{n}];",
            call,
            "work.gravity[0] = work.gravity[1] = work.gravity[2] = 0.0;",
            call.replace("tau)", "weightless)"),
            f"for (int k = 0; k < {n}; k++) {{",
            "    tau[k] -= weightless[k];",
            "}",
        ]

    def _mass_matrix(self) -> list[str]:
        n = self.task.model.nv
        self._count("mass_matrix", mass_matrix.mass_matrix, self._numbers("qv"), [np.zeros((n, n))])
        M = Value(Array(REAL, (n, n), False), f"(double (*)[{n}])M")
        return [
            *self._still(),
            *self._begin(),
            self._call(mass_matrix.mass_matrix, self.model, self.work, self._q(), self._vector("still"), M),
        ]

    def _energy(self) -> list[str]:
        self._count("energy", energy.energies, self._numbers("qv"), [np.zeros(5)])
        parts = Value(Array(REAL, (5,), False), "parts")
        return [
            *self._begin(),
            "double parts[5];",
            self._call(energy.energies, self.model, self.work, self._q(), self._vector("v"), parts),
            "energy[0] = parts[0];",
            "energy[1] = parts[1] + parts[2] + parts[3] + parts[4];",
        ]

    def _frames(self) -> tuple[Value, Value, list[str]]:
        model = Value(Record("points_", self.pointed, const=True), "")
        work = Value(Record("point_workspace", workspace(self.pointed)), "work")
        return (
            model,
            work,
            [
                *self._still(),
                "struct point_workspace work;",
                "begin_point_workspace(&work);",
                self._call(kinematics.outward, model, work, self._q(), self._vector("still")),
                self._call(kinematics.world_frames, model, work),
            ],
        )

    def _pose(self, name: str, row: int) -> list[str]:
        self.counts[name] = self._outward_count()
        *_, lines = self._frames()
        return [
            *lines,
            "for (int r = 0; r < 3; r++) {",
            "    for (int c = 0; c < 3; c++) {",
            f"        T[4 * r + c] = work.world_rotation[{row}][r][c];",
            "    }",
            f"    T[4 * r + 3] = work.world_position[{row}][r];",
            "    T[12 + r] = 0.0;",
            "}",
            "T[15] = 1.0;",
        ]

    def _jacobian(self, name: str, row: int) -> list[str]:
        n = self.task.model.nv
        self.counts[name] = self._outward_count() + 60 * n
        model, work, lines = self._frames()
        own = Value(Array(REAL, (6, n), False), "own")
        return [
            *lines,
            f"double own[6][{n}];",
            self._call(jacobian.frame_jacobian, model, work, Value(INT, str(row)), own),
            "for (int r = 0; r < 3; r++) {",
            f"    const double *R = work.world_rotation[{row}][r];",
            f"    for (int c = 0; c < {n}; c++) {{",
            f"        J[{n} * r + c] = R[0] * own[0][c] + R[1] * own[1][c] + R[2] * own[2][c];",
            f"        J[{n} * (3 + r) + c] = R[0] * own[3][c] + R[1] * own[4][c] + R[2] * own[5][c];",
            "    }",
            "}",
        ]

    def _inverse_derivatives(self) -> list[str]:
        passes = self.task.model.nv
        self.counts["inverse_derivatives"] = 2 * passes * self._dual_count(inverse.inverse_dynamics)
        x = self._dual_arguments()
        call = self._call(
            inverse.inverse_dynamics, self.model, self.dual_work, *(x[k] for k in ("q", "v", "a", "rows", "tau"))
        )
        return [
            *self._dual_begin("qva", "tau"),
            *self._along(call, "tau_q", "tau", self._turned(x["q"])),
            *self._along(call, "tau_v", "tau", ["v_[k].d = 1.0;"]),
        ]

    def _derivatives(self) -> list[str]:
        """By the articulated pass on duals: more accurate than to solve with the mass matrix."""
        passes = self.task.model.nv
        self.counts["derivatives"] = 3 * passes * self._dual_count(forward.forward_dynamics)
        x = self._dual_arguments()
        names = ("q", "v", "tau", "rows", "a")
        call = self._call(forward.forward_dynamics, self.model, self.dual_work, *(x[k] for k in names))
        given = "given[j]" if self.task.model.prescribed else "0.0"
        call = f"for (int j = 0; j < {self.task.model.nv}; j++) {{ a_[j] = lift({given}); }}\n        {call}"
        n = self.task.model.nv
        free = ["tau_[k].d = 1.0;"]
        if self.task.model.prescribed:
            fixed = self.task.model.arrays.velocities.prescribed
            self.unit.tables["model_velocities_prescribed"] = fixed
            free = ["tau_[k].d = model_velocities_prescribed[k] ? 0.0 : 1.0;"]
        return [
            *self._dual_begin(("q", "v", "tau"), "a"),
            *self._along(call, "a_q", "a", self._turned(x["q"])),
            *self._along(call, "a_v", "a", ["v_[k].d = 1.0;"]),
            *self._along(call, "a_tau", "a", free),
            f"for (int j = 0; j < {n}; j++) {{",
            "    a[j] = a_[j].x;",
            "}",
        ]

    def _step(self) -> list[str]:
        model, n = self.task.model, self.task.model.nv
        forward_count = int(sum(vars(self._tally(forward.forward_dynamics)).values()))
        # a factorisation is half of the forward dynamics, a solve less than a tenth, the stiffness of links the rest
        self.counts["step"] = step.ITERATIONS * self._inverse_count() + forward_count
        work: Any = self.work.kind
        _, local, factors = step.memory(model, work)
        local_, factors_ = (
            Value(Record(name, fields), name) for name, fields in (("local", local), ("factors", factors))
        )
        rows, lines = self._rows()
        state = [self._q(), *(self._vector(name) for name in ("v", "a", "s", "tau", "kp", "kd", "target", "rate"))]
        scratch = [self._vector("u", False), self._vector("r", False)]
        after = [Value(Array(REAL, (model.nq,), False), "q1"), *(self._vector(f"{x}1", False) for x in "vas")]
        call = self._call(
            step.step, self.model, self.work, local_, factors_, *state, Value(REAL, "h"), rows, *scratch, *after
        )
        return [
            *self._begin(),
            "struct local local;",
            "struct factors factors;",
            "begin_local(&local);",
            "begin_factors(&factors);",
            "local.work = &work;",
            *lines,
            f"double u[{n}], r[{n}];",
            call,
        ]

    def _dual_arguments(self) -> dict[str, Value]:
        model = self.task.model
        shapes = {"q": (model.nq,), "rows": (model.rows, 6)} | dict.fromkeys(("v", "a", "tau"), (model.nv,))
        return {name: Value(Array(DUAL, shape, False), f"{name}_") for name, shape in shapes.items()}

    def _turned(self, q: Value) -> list[str]:
        """Seeds along the configuration: turns about body axes where it has quaternions."""
        step = self._call(derivatives.tangent_step, self.model, Value(INT, "k"), q, Value(DUAL, "seed"))
        return ["const dual seed = {0.0, 1.0};", step]

    def _dual_begin(self, inputs: Sequence[str], out: str) -> list[str]:
        model, lines = self.task.model, self._rows()[1]
        sizes = {"q": model.nq}
        arrays = ", ".join(f"{name}_[{sizes.get(name, model.nv)}]" for name in (*inputs, out))
        return [
            "struct dual_workspace work;",
            "begin_dual_workspace(&work);",
            *lines,
            f"dual {arrays}, rows_[{model.rows}][6];",
            *(
                f"for (int j = 0; j < {sizes.get(name, model.nv)}; j++) {{ {name}_[j] = lift({name}[j]); }}"
                for name in inputs
            ),
            f"for (int j = 0; j < {model.rows}; j++) {{",
            "    for (int c = 0; c < 6; c++) {",
            "        rows_[j][c] = lift(rows[j][c]);",
            "    }",
            "}",
        ]

    def _along(self, call: str, to: str, out: str, seed: list[str]) -> list[str]:
        """Derivatives along all coordinates, one at a time; the seeded argument is made plain again after each."""
        n, moved = self.task.model.nv, "q" if "seed" in seed[0] else seed[0].partition("_[")[0]
        size = self.task.model.nq if moved == "q" else n
        return [
            f"for (int k = 0; k < {n}; k++) {{",
            *(f"    {line}" for line in seed),
            f"    {call}",
            f"    for (int j = 0; j < {n}; j++) {{",
            f"        {to}[{n} * j + k] = {out}_[j].d;",
            "    }",
            f"    for (int j = 0; j < {size}; j++) {{ {moved}_[j] = lift({moved}[j]); }}",
            "}",
        ]

    # sizes and memory

    def _struct(self, record: Record, used: list[str]) -> str:
        """The struct of a record with the fields that are used, and the function that clears it."""
        fields = record.fields
        lines = []
        for name in used:
            if isinstance(getattr(fields, name), Record):
                lines.append(f"    struct {getattr(fields, name).name} *{name};")
                continue
            shape = "".join(f"[{size}]" for size in shape_in_c(getattr(fields, name).shape))
            lines.append(f"    {record.item} {name}{shape};")
        unit = "1.0" if record.item == REAL else "lift(1.0)"
        frames = [name for name in ("rotation", "world_rotation") if name in used and record.name.endswith("workspace")]
        ones = [f"        work->{name}[0][k][k] = {unit};" for name in frames]
        field = [f"        work->gravity[k] = {value};" for value in ("field[k]",)]
        given = ", ".join(repr(float(g)) for g in self.arrays.gravity)
        return "\n".join(
            [
                f"struct {record.name} {{",
                *lines,
                "    double gravity[3];",
                "};",
                "",
                f"static void begin_{record.name}(struct {record.name} *work)",
                "{",
                f"    static const double field[3] = {{{given}}};",
                "    memset(work, 0, sizeof *work);",
                "    for (int k = 0; k < 3; k++) {",
                *field,
                *ones,
                "    }",
                "}",
                "",
            ]
        )

    def _numbers(self, what: str) -> list[np.ndarray]:
        model, rng = self.task.model, np.random.default_rng(0)
        sizes = {
            "q": lambda: model.neutral(),
            "v": lambda: rng.normal(size=model.nv),
            "w": lambda: np.zeros((model.rows, 6)),
        }
        return [sizes[each]() for each in what]

    def _count(self, name: str, kernel: Any, *arguments: Sequence[np.ndarray]) -> Any:
        tally = counter.count(kernel, self.arrays, *(each for part in arguments for each in part))
        self.counts[name] = sum(vars(tally).values())
        return tally

    def _inverse_count(self) -> int:
        return int(sum(vars(self._tally(inverse.inverse_dynamics)).values()))

    def _dual_count(self, kernel: Any) -> int:
        tally = self._tally(kernel)
        others = tally.multiplications + tally.divisions + tally.functions
        return int(DUAL_ADDITIONS * tally.additions + DUAL_PRODUCTS * others)

    def _tally(self, kernel: Any) -> Any:
        return counter.count(kernel, self.arrays, *self._numbers("qvvwv"))

    def _outward_count(self) -> int:
        tally = counter.count(kinematics.outward, self.pointed, *self._numbers("qv"))
        return int(sum(vars(tally).values()))


def _function(prototype: str, lines: Sequence[str]) -> str:
    return f"{prototype}\n{{\n" + "\n".join(f"    {line}" for line in lines) + "\n}\n"


def _table(name: str, values: np.ndarray) -> str:
    """A constant table; C has none without entries."""
    shape = shape_in_c(values.shape)
    full = np.zeros(shape, values.dtype)
    full[tuple(slice(0, size) for size in values.shape)] = values
    item = INT if values.dtype.kind == "i" else REAL
    sizes = "".join(f"[{size}]" for size in shape)
    return f"static const {item} {name}{sizes} = {_nested(full)};\n"


def _nested(values: np.ndarray) -> str:
    if values.ndim == 1:
        texts = [repr(each) for each in values.tolist()]
        lines = [", ".join(texts[k : k + 8]) for k in range(0, len(texts), 8)]
        return "{" + ",\n     ".join(lines) + "}"
    return "{" + ",\n    ".join(map(_nested, values)) + "}"
