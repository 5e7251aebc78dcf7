"""The test that comes with the code: every function beside numbers from Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from lissom.dynamics import integrate
from lissom.dynamics.closing import closed_configuration, closed_velocity
from lissom.export.c.task import Signature, Task, Values, with_arrays
from lissom.kernel.arrays import mapped
from lissom.model.compiled import Model

SAMPLES = 3
TOLERANCE = 1e-12  # relative to the largest number of an output
SOLVED = ("forward_dynamics", "derivatives")  # they solve with the mass matrix, which may hold fewer digits
UNSURE = 4.0  # times what changes of last bits do to their results, which then may differ
NUDGES = 3
EPSILON = float(np.finfo(float).eps)
LIVELY = 0.05  # J per kg in each mode: enough that every term of the dynamics counts

CHECK = """/* Compares every function of {name}.c with numbers that lissom computed in Python. */
#include "{name}.h"

#include <math.h>
#include <stdio.h>

{data}

static int compare(const char *name, const double *found, const double *wanted, int count, double tolerance,
                   double largest)
{{
    double error = 0.0;
    for (int k = 0; k < count; k++) {{
        largest = fmax(largest, fabs(wanted[k]));
        error = isfinite(found[k]) ? fmax(error, fabs(found[k] - wanted[k])) : INFINITY;
    }}
    const int wrong = !(error <= tolerance * largest);
    printf("%s %-40s %8.1e\\n", wrong ? "WRONG" : "ok   ", name, largest > 0.0 ? error / largest : error);
    return wrong;
}}

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


def random_inputs(task: Task, seed: int = 0) -> list[Values]:
    """States in motion, with forces, for comparisons."""
    rng = np.random.default_rng(seed)
    return [_values(task, rng) for _ in range(SAMPLES)]


def lively_state(model: Model, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A random configuration and velocity; every mode holds about the same energy for the mass of its link."""
    u, v = 0.5 * rng.normal(size=model.nv), rng.normal(size=model.nv)
    arrays = model.arrays
    for row, body in enumerate(model.bodies, start=1):
        energy = LIVELY * max(float(arrays.inertia.mass[row]), 1e-3)
        for j, at in enumerate(range(body.modes_v.start, body.modes_v.stop)):
            stiffness, mass = arrays.strain.stiffness[row, j, j], arrays.inertia.modal_mass[row, j, j]
            u[at] *= np.sqrt(2 * energy / stiffness) if stiffness > 0 else 0.02
            v[at] *= np.sqrt(2 * energy / mass) if mass > 0 else 0.1
    return integrate(model, model.neutral(), u), v


def _values(task: Task, rng: np.random.Generator) -> Values:
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


def check_program(task: Task, chosen: Sequence[Signature]) -> str:
    samples = random_inputs(task)
    data, calls = input_tables(task, chosen, samples), []
    for each in chosen:
        wanted = [_results(each, values) for values in samples]
        unsure = _unsure(task, each, samples, wanted)
        for k, out in enumerate(each.outputs):
            data.append(_table(f"{each.name}_{out.name}", out.size, [results[k] for results in wanted]))
        names = [f"found_{out.name}" for out in each.outputs]
        lines = [f"double {name}[{out.size}];" for name, out in zip(names, each.outputs)]
        arguments = [f"{value.name}[sample]" for value in each.inputs] + names
        lines.append(f"{task.name}_{each.name}({', '.join(arguments)});")
        for name, out, least in zip(names, each.outputs, unsure):
            tolerance = max(TOLERANCE, UNSURE * least)
            shown = f'"{each.name} {out.name}", {name}, {each.name}_{out.name}[sample]'
            lines.append(f"wrong += compare({shown}, {out.size}, {tolerance:.1e}, {out.unit!r});")
        calls.append("        {\n" + "\n".join(f"            {line}" for line in lines) + "\n        }")
    return CHECK.format(name=task.name, data="\n".join(data), calls="\n".join(calls), samples=SAMPLES)


def _results(signature: Signature, values: Values) -> list[np.ndarray]:
    return [np.asarray(part, float).ravel() for part in signature.python(values)]


def _unsure(
    task: Task, signature: Signature, samples: Sequence[Values], wanted: Sequence[list[np.ndarray]]
) -> list[float]:
    """How much, relative to its largest number, each output changes with the last bits of the robot's own numbers.

    Where masses differ by ten orders of magnitude, accelerations are that unsure whoever computes them.
    """
    worst = [0.0] * len(signature.outputs)
    for seed in range(NUDGES) if signature.name in SOLVED else ():
        other = replace(task, model=_nudged(task.model, seed), parameters=None).signatures[signature.name]
        for values, results in zip(samples, wanted, strict=True):
            for k, (one, two) in enumerate(zip(results, _results(other, values), strict=True)):
                worst[k] = max(worst[k], float(np.abs(one - two).max() / max(np.abs(one).max(), 1e-300)))
    return worst


def _nudged(model: Model, seed: int) -> Model:
    """The model with the last bits of its tables changed at random."""
    rng = np.random.default_rng(seed)

    def changed(table: np.ndarray) -> np.ndarray:
        return table * (1.0 + rng.choice([-EPSILON, 0.0, EPSILON], table.shape)) if table.dtype == float else table

    return with_arrays(model, mapped(changed, model.arrays))


def input_tables(task: Task, chosen: Sequence[Signature], samples: Sequence[Values]) -> list[str]:
    used = {value.name: value for each in chosen for value in each.inputs}
    return [_table(value.name, value.size, [values[value.name] for values in samples]) for value in used.values()]


def _table(name: str, size: str, rows: Iterable[np.ndarray]) -> str:
    if not size:
        return f"static const double {name}[{SAMPLES}] = {{{', '.join(repr(float(row[0])) for row in rows)}}};"
    lines = [_row(row) for row in rows]
    return f"static const double {name}[{SAMPLES}][{size}] = {{\n" + ",\n".join(lines) + "};"


def _row(values: np.ndarray) -> str:
    texts = [repr(float(value)) for value in values]
    lines = [", ".join(texts[k : k + 5]) for k in range(0, len(texts), 5)]
    return "    {" + ",\n     ".join(lines) + "}"
