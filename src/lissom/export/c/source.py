"""The C files of a task: header and source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap

from lissom.export.c import straight
from lissom.export.c.expressions import Statements
from lissom.export.c.tables import Tables
from lissom.export.c.task import Argument, Signature, Task
from lissom.simulation.dataset import FORCE, position_columns, velocity_columns
from lissom.version import __version__

NEEDS = {"derivatives": ("forward_dynamics", "mass_matrix", "inverse_derivatives")}  # functions that others call

LINEAR = """
/* Cholesky factor of the free part of A (n rows of n) in its lower triangle; fixed rows become unit rows. */
static void cholesky(double *A, const int *fixed, int n)
{
    for (int j = 0; j < n; j++) {
        for (int k = 0; k <= j; k++) {
            if (fixed[j] || fixed[k]) {
                A[j * n + k] = j == k ? 1.0 : 0.0;
            }
        }
        for (int k = 0; k <= j; k++) {
            double s = A[j * n + k];
            for (int c = 0; c < k; c++) {
                s -= A[j * n + c] * A[k * n + c];
            }
            A[j * n + k] = k < j ? s / A[k * n + k] : sqrt(s);
        }
    }
}

/* Overwrite X (n rows of n) with the solution of L L^T X = X. */
static void cholesky_solve(const double *L, double *X, int n)
{
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++) {
            for (int c = 0; c < n; c++) {
                X[j * n + c] -= L[j * n + k] * X[k * n + c];
            }
        }
        for (int c = 0; c < n; c++) {
            X[j * n + c] /= L[j * n + j];
        }
    }
    for (int j = n - 1; j >= 0; j--) {
        for (int k = j + 1; k < n; k++) {
            for (int c = 0; c < n; c++) {
                X[j * n + c] -= L[k * n + j] * X[k * n + c];
            }
        }
        for (int c = 0; c < n; c++) {
            X[j * n + c] /= L[j * n + j];
        }
    }
}
"""

DERIVATIVES = """{{
    enum {{ N = {upper}_NV }};
    static const int fixed[N] = {{{fixed}}};
    double L[N * N];
    {name}_forward_dynamics(q, v, tau, {more}a);
    {name}_inverse_derivatives(q, v, a, {loads}a_q, a_v);
    {name}_mass_matrix(q, L);
    cholesky(L, fixed, N);
    for (int j = 0; j < N; j++) {{
        for (int k = 0; k < N; k++) {{
            a_q[j * N + k] = fixed[j] ? 0.0 : -a_q[j * N + k];
            a_v[j * N + k] = fixed[j] ? 0.0 : -a_v[j * N + k];
            a_tau[j * N + k] = j == k && !fixed[j] ? 1.0 : 0.0;
        }}
    }}
    cholesky_solve(L, a_q, N);
    cholesky_solve(L, a_v, N);
    cholesky_solve(L, a_tau, N);
}}"""


@dataclass
class Code:
    """A whole export: the two files and how many operations each function takes."""

    header: str
    source: str
    operations: dict[str, int]
    ways: dict[str, str]  # straight line or loops, by function


def code(task: Task, chosen: Sequence[Signature], backend: str = "auto") -> Code:
    """Header and source of the chosen functions; what these call besides is static."""
    public = {each.name for each in chosen}
    solves = backend != "loops" and not task.parameters and straight.solves_well(task)
    needs = NEEDS if solves else {}
    names = dict.fromkeys(name for each in chosen for name in (*needs.get(each.name, ()), each.name))
    counts: dict[str, int] = {}
    texts: list[str] = []
    tables = Tables(task)
    looped: list[Signature] = []
    composed: list[str] = []
    for signature in (task.signatures[name] for name in names):
        static = "" if signature.name in public else "static "
        if signature.name == "derivatives" and solves:
            composed += [LINEAR, f"{prototype(task, signature)}\n{_derivatives(task)}\n"]
            continue
        found = None if backend == "loops" else straight.function_for(task, signature, backend == "auto")
        if found is None:
            looped.append(signature)
            continue
        body, counts[signature.name] = straight.body(signature, found)
        texts.append(_function(task, signature, body, static))
    if looped:
        texts += tables.source([(each, "" if each.name in public else "static ") for each in looped])
        counts |= tables.counts
    if composed:
        n = task.model.nv
        counts["derivatives"] = sum(counts[each] for each in NEEDS["derivatives"]) + n**3 // 3 + 6 * n**3
    title = f"/* Dynamics of {task.model.robot.name}. What the functions do is in {task.name}.h. */"
    extra = [SIGN] if any("sign_of(" in text for text in texts) else []
    heads = ["#include <math.h>", *(["#include <string.h>"] if looped else [])]
    source = "\n".join([title, "", f'#include "{task.name}.h"', "", *heads, "", *extra, *texts, *composed])
    ways = {each.name: "loops" if each in looped else "straight line" for each in chosen}
    return Code(header(task, chosen), source, {each.name: counts[each.name] for each in chosen}, ways)


SIGN = """static double sign_of(double x)
{
    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;
}
"""


def prototype(task: Task, signature: Signature, static: str = "") -> str:
    """`void ella_mass_matrix(const double q[ELLA_NQ], double M[ELLA_NV * ELLA_NV])`."""
    arguments = [
        f"const double {each.name}[{each.size}]" if each.size else f"double {each.name}" for each in signature.inputs
    ]
    arguments += [f"double {each.name}[{each.size}]" for each in signature.outputs]
    first = f"{static}void {task.name}_{signature.name}("
    return "\n    ".join(wrap(first + ", ".join(arguments) + ")", 108))


def header(task: Task, chosen: Sequence[Signature]) -> str:
    """The header: sizes, coordinates with their units, the functions with what they mean."""
    guard = f"{task.upper}_H"
    sizes = "\n".join(f"#define {task.upper}_{name} {count}" for name, count in task.sizes.items())
    functions = "\n\n".join(f"{_comment(each)}\n{prototype(task, each)};" for each in chosen)
    return f"""/* Dynamics of {task.model.robot.name}, written by lissom {__version__}. C99; needs libm, nothing else.

   SI units, radians. Twists are (angular, linear), wrenches (torque, force). Matrices are row by row. No function
   allocates, keeps a state or touches anything but its arguments, so that any number of threads may call them.
   Outputs must not overlap inputs. Quaternions in q (w, x, y, z) have unit length.

{_coordinates(task)}
*/
#ifndef {guard}
#define {guard}

{sizes}

#ifdef __cplusplus
extern "C" {{
#endif

{functions}

#ifdef __cplusplus
}}
#endif

#endif
"""


def _coordinates(task: Task) -> str:
    model = task.model
    q, v = position_columns(model), velocity_columns(model)
    lines = ["   q, the configuration:"]
    lines += _columns(model.q_names, q.units)
    lines += ["   v, a and tau; forces in " + ", ".join(f"{FORCE[u]} for {u}" for u in dict.fromkeys(v.units)) + ":"]
    return "\n".join(lines + _columns(model.coordinates, [f"{unit}/s" for unit in v.units]))


def _columns(names: Sequence[str], units: Iterable[str]) -> list[str]:
    entries = [f"[{k}] {name} ({unit})" for k, (name, unit) in enumerate(zip(names, units, strict=True))]
    width = max((len(each) for each in entries), default=0) + 2
    across = max(1, 100 // width)
    rows = (entries[k : k + across] for k in range(0, len(entries), across))
    return ["     " + "".join(each.ljust(width) for each in row).rstrip() for row in rows]


def _comment(signature: Signature) -> str:
    lines = [signature.about]
    for label, arguments in (("in", signature.inputs), ("out", signature.outputs)):
        lines += [f"{label:>6}  {each.name}: {each.about}" for each in arguments]
    return "/* " + "\n   ".join(lines) + " */"


def _function(task: Task, signature: Signature, body: Statements, static: str) -> str:
    """A C function of one part, or of several that hand numbers on in `w`."""
    arguments = (*signature.inputs, *signature.outputs)
    head = prototype(task, signature, static)
    if len(body.parts) == 1:
        unused = [f"(void){each.name};" for each in signature.inputs if not _mentions(body.parts[0], each.name)]
        return f"{head}\n{{\n{_indented([*unused, *body.parts[0]])}\n}}\n"
    texts, calls = [], []
    inputs = {each.name for each in signature.inputs}
    for k, lines in enumerate(body.parts):
        names = [each.name for each in arguments if _mentions(lines, each.name)]
        takes = [f"const double *{each}" if each in inputs else f"double *{each}" for each in names]
        if _mentions(lines, "w"):
            written = any(line.startswith("w[") for line in lines)
            names, takes = [*names, "w"], [*takes, "double *w" if written else "const double *w"]
        own = f"{signature.name}_part{k + 1}"
        texts.append(f"static void {own}({', '.join(takes)})\n{{\n{_indented(lines)}\n}}\n")
        calls.append(f"{own}({', '.join(names)});")
    whole = "".join(call for call in calls)
    unused = [f"(void){each.name};" for each in signature.inputs if not _called(whole, each)]
    memory = [f"double w[{body.shared}];"] if body.shared else []
    return "\n".join([*texts, f"{head}\n{{\n{_indented([*memory, *unused, *calls])}\n}}\n"])


def _called(calls: str, argument: Argument) -> bool:
    return any(f"{before}{argument.name}{after}" in calls for before in ("(", ", ") for after in (",", ")"))


def _mentions(lines: Sequence[str], name: str) -> bool:
    return any(f"{before}{name}[" in line for line in lines for before in (" ", "(", "-")) or any(
        line.startswith(f"{name}[") for line in lines
    )


def _indented(lines: Iterable[str]) -> str:
    return "\n".join(f"    {line}" for line in lines)


def _derivatives(task: Task) -> str:
    loads = "".join(f"{each.name}, " for each in task.loads)
    given = "given, " if task.model.prescribed else ""
    fixed = ", ".join(str(int(each)) for each in task.model.arrays.velocities.prescribed)
    return DERIVATIVES.format(upper=task.upper, name=task.name, fixed=fixed, more=given + loads, loads=loads)
