"""Programs that come with the code: one compares every function with numbers from Python, one measures time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from lissom.dynamics import integrate
from lissom.export.c.task import Signature, Task, Values
from lissom.model.compiled import Model

SAMPLES = 3
TOLERANCE = 1e-12  # relative to the largest number of an output
LIVELY = 0.05  # J per kg in each mode: enough that every term of the dynamics counts

CHECK = """/* Compares every function of {name}.c with numbers that lissom computed in Python. */
#include "{name}.h"

#include <math.h>
#include <stdio.h>

{data}

static int compare(const char *name, const double *found, const double *wanted, int count)
{{
    double largest = 0.0, error = 0.0;
    for (int k = 0; k < count; k++) {{
        largest = fmax(largest, fabs(wanted[k]));
        error = isfinite(found[k]) ? fmax(error, fabs(found[k] - wanted[k])) : INFINITY;
    }}
    const int wrong = !(error <= {tolerance} * largest);
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

CLOCK = """/* Median, 99 % and worst time of every function, in microseconds. Reads POSIX's monotonic clock. */
#define _POSIX_C_SOURCE 199309L
#include "{name}.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {{ CALLS = 1000 }};

{data}

static double now(void)
{{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}}

static double times[CALLS];

static int compare(const void *a, const void *b)
{{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}}

static void report(const char *name)
{{
    qsort(times, CALLS, sizeof times[0], compare);
    printf("%-40s %10.2f %10.2f %10.2f\\n", name, times[CALLS / 2], times[CALLS * 99 / 100], times[CALLS - 1]);
}}

int main(void)
{{
    double sum = 0.0;
    printf("%-40s %10s %10s %10s  us\\n", "", "median", "99 %", "worst");
{calls}
    return sum == 0.12345; /* keeps the results alive */
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
    tau, a, given = rng.normal(size=(3, task.model.nv))
    kp, kd, target, rate = np.abs(rng.normal(size=(4, task.model.nv)))
    own = {"s": a + 0.1 * tau, "kp": 50 * kp, "kd": kd, "target": target, "rate": rate, "h": np.array([1e-3])}
    named = {"q": q, "v": v, "tau": tau, "a": a, "given": given, "wrenches": rng.normal(size=6 * len(task.wrenches))}
    if task.parameters:
        own["p"] = task.parameters.scale * rng.uniform(0.7, 1.3, size=len(task.parameters.paths))
    return named | own


def check_program(task: Task, chosen: Sequence[Signature]) -> str:
    samples = random_inputs(task)
    data, calls = _inputs(task, chosen, samples), []
    for each in chosen:
        wanted = [[np.asarray(part, float).ravel() for part in each.python(values)] for values in samples]
        for k, out in enumerate(each.outputs):
            data.append(_table(f"{each.name}_{out.name}", out.size, [results[k] for results in wanted]))
        names = [f"found_{out.name}" for out in each.outputs]
        lines = [f"double {name}[{out.size}];" for name, out in zip(names, each.outputs)]
        arguments = [f"{value.name}[sample]" for value in each.inputs] + names
        lines.append(f"{task.name}_{each.name}({', '.join(arguments)});")
        for name, out in zip(names, each.outputs):
            lines.append(
                f'wrong += compare("{each.name} {out.name}", {name}, {each.name}_{out.name}[sample], {out.size});'
            )
        calls.append("        {\n" + "\n".join(f"            {line}" for line in lines) + "\n        }")
    return CHECK.format(
        name=task.name, data="\n".join(data), calls="\n".join(calls), samples=SAMPLES, tolerance=TOLERANCE
    )


def clock_program(task: Task, chosen: Sequence[Signature]) -> str:
    data, calls = _inputs(task, chosen, random_inputs(task)), []
    for each in chosen:
        results = "\n".join(f"        double {out.name}_[{out.size}];" for out in each.outputs)
        arguments = [f"{value.name}[k % {SAMPLES}]" for value in each.inputs] + [f"{out.name}_" for out in each.outputs]
        calls.append(
            f"""    {{
{results}
        for (int k = -20; k < CALLS; k++) {{
            const int sample = (k + 20) % {SAMPLES};
            const double begin = now();
            {task.name}_{each.name}({", ".join(arguments).replace(f"k % {SAMPLES}", "sample")});
            const double taken = now() - begin;
            sum += {each.outputs[0].name}_[0];
            if (k >= 0) {{
                times[k] = taken;
            }}
        }}
        report("{each.name}");
    }}"""
        )
    return CLOCK.format(name=task.name, data="\n".join(data), calls="\n".join(calls))


def _inputs(task: Task, chosen: Sequence[Signature], samples: Sequence[Values]) -> list[str]:
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
