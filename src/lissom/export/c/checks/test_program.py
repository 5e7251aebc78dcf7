"""The test that comes with the code: every function beside numbers from Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from lissom.dynamics import integrate
from lissom.dynamics.kinematic_loops.loop_closing import closed_configuration, closed_velocity
from lissom.export.c.checks.output_comparison import DIFFERENCE, TOLERANCE, UNSOLVED, groups
from lissom.export.c.checks.residual_equations import EQUATIONS
from lissom.export.c.export_task import ExportTask, Signature, Values
from lissom.model.model import Model

SAMPLES = 3
LIVELY = 0.05  # J per kg in each mode: enough that every term of the dynamics counts

CHECK = """/* Compares every function of {name}.c with numbers that lissom computed in Python.

   Printed are differences, relative to the largest number of an output; of accelerations and their derivatives also
   the share by which numbers of the equations that they solve would have to differ. One of both has to be small: where
   masses differ by orders of magnitude, accelerations hold fewer digits, whoever computes them. */
#include "{name}.h"

#include <math.h>
#include <stdio.h>

#define TOLERANCE {tolerance!r}

{data}
{functions}
int main(void)
{{
    int wrong = 0;
    for (int sample = 0; sample < {samples}; sample++) {{
{calls}
    }}
    printf(wrong ? "%d results differ from Python\\n" : "all results equal those of Python\\n", wrong);
    return wrong != 0;
}}
"""


def random_inputs(task: ExportTask, seed: int = 0) -> list[Values]:
    """Return states in motion, with forces, for comparisons."""
    rng = np.random.default_rng(seed)
    return [_values(task, rng) for _ in range(SAMPLES)]


def lively_state(model: Model, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return a random configuration and velocity; every mode holds about the same energy for the mass of its link."""
    u, v = 0.5 * rng.normal(size=model.nv), rng.normal(size=model.nv)
    arrays = model.arrays
    for row, body in enumerate(model.bodies, start=1):
        energy = LIVELY * max(float(arrays.inertia.mass[row]), 1e-3)
        for j, at in enumerate(range(body.modes_v.start, body.modes_v.stop)):
            stiffness, mass = arrays.strain.stiffness[row, j, j], arrays.inertia.modal_mass[row, j, j]
            u[at] *= np.sqrt(2 * energy / stiffness) if stiffness > 0 else 0.02
            v[at] *= np.sqrt(2 * energy / mass) if mass > 0 else 0.1
    return integrate(model, model.neutral(), u), v


def _values(task: ExportTask, rng: np.random.Generator) -> Values:
    q, v = lively_state(task.model, rng)
    if task.model.loops:
        q = closed_configuration(task.model, q, set())
        v = closed_velocity(task.model, q, v, set())
    tau, a, given = rng.normal(size=(3, task.model.nv))
    kp, kd, target, rate = np.abs(rng.normal(size=(4, task.model.nv)))
    own = {"s": a + 0.1 * tau, "kp": 50 * kp, "kd": kd, "target": target, "rate": rate, "h": np.array([1e-3])}
    named = {"q": q, "v": v, "tau": tau, "a": a, "given": given, "wrenches": rng.normal(size=6 * len(task.wrenches))}
    named["multipliers"] = rng.normal(size=len(task.model.arrays.loops.hold))
    if task.parameters:
        own["p"] = task.parameters.scale * rng.uniform(0.7, 1.3, size=len(task.parameters.paths))
    return named | own


def check_program(task: ExportTask, chosen: Sequence[Signature]) -> str:
    """Write the program that compares what C computes with what Python has computed."""
    samples = random_inputs(task)
    tables, calls, functions = input_tables(task, chosen, samples), [], DIFFERENCE
    for each in chosen:
        results = [[np.asarray(part, float).ravel() for part in each.python(values)] for values in samples]
        solves = EQUATIONS.get(each.name)
        equations = [solves(task.model_at(values), values["q"]) for values in samples] if solves else []
        functions = DIFFERENCE + UNSOLVED if solves else functions
        parts, found, lines = groups(each, equations), [], []
        for group in parts:
            wanted = [np.concatenate([row.pop(0) for _ in group.outputs]) for row in results]
            tables |= {name: _table(name, *given) for name, given in group.tables(wanted).items()}
            found += group.places(f"found_{group.name}")
            lines += group.lines()
        arguments = [f"{value.name}[sample]" for value in each.inputs] + found
        begin = [f"double found_{group.name}[{group.size}];" for group in parts]
        lines = [*begin, f"{task.name}_{each.name}({', '.join(arguments)});", *lines]
        calls.append("        {\n" + "\n".join(f"            {line}" for line in lines) + "\n        }")
    written = {"data": "\n".join(tables.values()), "calls": "\n".join(calls), "functions": functions}
    return CHECK.format(name=task.name, samples=SAMPLES, tolerance=TOLERANCE, **written)


def input_tables(task: ExportTask, chosen: Sequence[Signature], samples: Sequence[Values]) -> dict[str, str]:
    """Return states and whatever else the functions take, by name."""
    used = {value.name: value.size for each in chosen for value in each.inputs}
    return {name: _table(name, size, [values[name] for values in samples]) for name, size in used.items()}


def _table(name: str, size: str, rows: Iterable[np.ndarray]) -> str:
    if not size:
        return f"static const double {name}[{SAMPLES}] = {{{', '.join(repr(float(row[0])) for row in rows)}}};"
    lines = [_row(row) for row in rows]
    return f"static const double {name}[{SAMPLES}][{size}] = {{\n" + ",\n".join(lines) + "};"


def _row(values: np.ndarray) -> str:
    texts = [repr(float(value)) for value in values]
    lines = [", ".join(texts[k : k + 5]) for k in range(0, len(texts), 5)]
    return "    {" + ",\n     ".join(lines) + "}"
