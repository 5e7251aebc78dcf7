"""C with loops over the model's tables, translated from the kernel's source: no longer for a large robot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom.export.c.export_task import MUCH, Signature
from lissom.export.c.sources import real_time_step
from lissom.export.c.sources.constrained_functions import add_reactions, closed_motion, closure_lines, closure_records
from lissom.export.c.sources.dual_functions import DualFunctions
from lissom.export.c.sources.memory_text import struct_text, table_text
from lissom.export.c.sources.prototypes import prototype
from lissom.export.c.translation import dual_numbers
from lissom.export.c.translation.operators import Value
from lissom.export.c.translation.value_kinds import INT, REAL, Array, Record, tuple_definition
from lissom.kernel.algorithms import articulated_body, body_energies, composite_body, newton_euler
from lissom.kernel.data.workspace import workspace
from lissom.kernel.kinematics import forward_kinematics, frame_jacobian


class Tables(DualFunctions):
    """The translation of a task: a unit of C functions, and the public functions that call them."""

    def source(self, chosen: Sequence[tuple[Signature, str]]) -> list[str]:
        """Return the code of functions, each public or static."""
        public = [self._public(each, static) for each, static in chosen]
        functions = self.unit.find_called(public)
        text = "\n".join(functions)
        parts = [dual_numbers.prelude(text)] if "dual" in text else []
        parts.append("\n".join(map(tuple_definition, self.unit.tuples.values())) + "\n")
        parts += dual_numbers.lifts(text)
        parts += self.varying.texts()
        parts += [table_text(name, values) for name, values in sorted(self.unit.tables.items())]
        parts += [struct_text(record, used, self.arrays.gravity) for record, used in self.unit.memory.values()]
        return [*parts, *functions, *public]

    def _public(self, signature: Signature, static: str) -> str:
        head, name = prototype(self.task, signature, static), signature.name
        for k, point in enumerate(self.task.points):
            row = len(self.arrays.tree.parent) + k
            if name == f"point_pose_{point.name}":
                return _function(head, self._pose(name, row))
            if name == f"jacobian_{point.name}":
                return _function(head, self._jacobian(name, row))
        return _function(head, getattr(self, f"of_{name}")())

    def of_forward_dynamics(self) -> list[str]:
        """Write forward dynamics by articulated bodies."""
        self.counts["forward_dynamics"] = self.count.dynamics(articulated_body.forward_dynamics) + self.count.closing()
        state = self.q(), self.vector("v"), self.vector("tau"), self.rows(), self.vector("a", False)
        lines = [*self.begin(), *self.loaded_rows(), *self.set_given("a")]
        if not self.task.model.loops:
            return [*lines, self.call(articulated_body.forward_dynamics, self.model, self.work, *state)]
        assert isinstance(self.work.kind, Record)
        records = closure_records(self.task.model, self.work.kind, "", np.float64)
        closure, lam = Value(records["closure"], "closure"), self._multipliers(False)
        call = self.call(closed_motion, self.model, self.work, closure, *state, lam)
        return [*lines, *closure_lines(records), call]

    def of_inverse_dynamics(self) -> list[str]:
        """Write inverse dynamics by the recursive Newton-Euler method."""
        self.counts["inverse_dynamics"] = self.count.dynamics(newton_euler.inverse_dynamics)
        return [*self.begin(), *self.loaded_rows(), self.newton_euler("v", "a")]

    def of_joint_wrenches(self) -> list[str]:
        """Write the wrenches of all joints, which inverse dynamics leave behind."""
        self.counts["joint_wrenches"] = self.count.dynamics(newton_euler.inverse_dynamics)
        return [
            *self.begin(),
            f"double tau[{self.task.upper}_NV];",
            *self.loaded_rows(),
            *(self._reactions() if self.task.model.loops else []),
            self.newton_euler("v", "a"),
            f"for (int k = 0; k < {self.task.upper}_JOINTS; k++) {{",
            "    for (int c = 0; c < 6; c++) {",
            "        wrench[6 * k + c] = work.wrench[k + 1][c];",
            "    }",
            "}",
        ]

    def _reactions(self) -> list[str]:
        """Return wrenches in loops, added to what acts on the rows."""
        on = Value(Array(REAL, (self.task.sizes["LOOPS"], 6), False), "(double (*)[6])loop_wrench")
        arguments = self.q(), self.vector("still"), self._multipliers(True), on, self.rows()
        return [*self.still(), self.call(add_reactions, self.model, self.work, *arguments)]

    def _multipliers(self, const: bool) -> Value:
        return Value(Array(REAL, (self.task.sizes["ROWS"],), const), "multipliers")

    def of_bias(self) -> list[str]:
        """Write the bias h(q, v): inverse dynamics without accelerations."""
        self.counts["bias"] = self.count.dynamics(newton_euler.inverse_dynamics)
        return [*self.still(), *self.begin(), self.no_rows(), self.newton_euler("v", "still")]

    def of_gravity(self) -> list[str]:
        """Write gravity's part of the bias, by its linearity."""
        self.counts["gravity"] = 2 * self.count.dynamics(newton_euler.inverse_dynamics)
        n = f"{self.task.upper}_NV"
        return [
            *self.still(),
            f"const double much = {float(MUCH)!r}; /* beside so much gravity elastic forces round nothing away */",
            *self.begin(),
            self.no_rows(),
            f"double weightless[{n}];",
            "for (int k = 0; k < 3; k++) {",
            "    work.gravity[k] *= much;",
            "}",
            self.newton_euler("still", "still"),
            "work.gravity[0] = work.gravity[1] = work.gravity[2] = 0.0;",
            self.newton_euler("still", "still", "weightless"),
            f"for (int k = 0; k < {n}; k++) {{",
            "    tau[k] = (tau[k] - weightless[k]) / much;",
            "}",
        ]

    def of_mass_matrix(self) -> list[str]:
        """Write the mass matrix by composite bodies."""
        n = self.task.model.nv
        self.counts["mass_matrix"] = self.count.of_state(composite_body.mass_matrix, np.zeros((n, n)))
        M = Value(Array(REAL, (n, n), False), f"(double (*)[{n}])M")
        call = self.call(composite_body.mass_matrix, self.model, self.work, self.q(), self.vector("still"), M)
        return [*self.still(), *self.begin(), call]

    def of_energy(self) -> list[str]:
        """Write kinetic and potential energies."""
        self.counts["energy"] = self.count.of_state(body_energies.energies, np.zeros(5))
        parts = Value(Array(REAL, (5,), False), "parts")
        return [
            *self.begin(),
            "double parts[5];",
            self.call(body_energies.energies, self.model, self.work, self.q(), self.vector("v"), parts),
            "energy[0] = parts[0];",
            "energy[1] = parts[1] + parts[2] + parts[3] + parts[4];",
        ]

    def _frames(self) -> tuple[Value, Value, list[str]]:
        """Return tables with points, working memory, and the lines that place all frames."""
        model = self.varying.value("points_", self.pointed)
        work = Value(Record("point_workspace", workspace(self.pointed)), "work")
        place = self.call(forward_kinematics.forward_kinematics, model, work, self.q(), self.vector("still"))
        lines = [*self.still(), *self.begin("point_workspace", "points_"), place]
        return model, work, [*lines, self.call(forward_kinematics.world_frames, model, work)]

    def _pose(self, name: str, row: int) -> list[str]:
        self.counts[name] = self.count.frames()
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
        self.counts[name] = self.count.frames() + 60 * n
        model, work, lines = self._frames()
        own = Value(Array(REAL, (6, n), False), "own")
        return [
            *lines,
            f"double own[6][{n}];",
            self.call(frame_jacobian.frame_jacobian, model, work, Value(INT, str(row)), own),
            "for (int r = 0; r < 3; r++) {",
            f"    const double *R = work.world_rotation[{row}][r];",
            f"    for (int c = 0; c < {n}; c++) {{",
            f"        J[{n} * r + c] = R[0] * own[0][c] + R[1] * own[1][c] + R[2] * own[2][c];",
            f"        J[{n} * (3 + r) + c] = R[0] * own[3][c] + R[1] * own[4][c] + R[2] * own[5][c];",
            "    }",
            "}",
        ]

    def of_step(self) -> list[str]:
        """Write one implicit step of the closed loop."""
        model, n = self.task.model, self.task.model.nv
        forward_count, inverse_count = map(
            self.count.dynamics, (articulated_body.forward_dynamics, newton_euler.inverse_dynamics)
        )
        # a factorisation is half of the forward dynamics, a solve less than a tenth, the stiffness of links the rest
        self.counts["step"] = real_time_step.ITERATIONS * inverse_count + forward_count
        _, local, factors = real_time_step.memory(model, self.work.kind)
        memory = [Value(Record(name, fields), name) for name, fields in (("local", local), ("factors", factors))]
        state = [self.q(), *(self.vector(name) for name in ("v", "a", "s", "tau", "kp", "kd", "target", "rate"))]
        scratch = [self.vector("u", False), self.vector("r", False)]
        after = [Value(Array(REAL, (model.nq,), False), "q1"), *(self.vector(f"{x}1", False) for x in "vas")]
        after.append(Value(Array(REAL, (1,), False), "left"))
        given = *memory, *state, Value(REAL, "h"), self.rows(), *scratch, *after
        return [
            *self.begin(),
            "struct local local;",
            "struct factors factors;",
            "begin_local(&local);",
            "begin_factors(&factors);",
            "local.work = &work;",
            *self.loaded_rows(),
            f"double u[{n}], r[{n}];",
            self.call(real_time_step.step, self.model, self.work, *given),
        ]


def _function(prototype: str, lines: Sequence[str]) -> str:
    return f"{prototype}\n{{\n" + "\n".join(f"    {line}" for line in lines) + "\n}\n"
