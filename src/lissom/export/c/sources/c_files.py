"""The C files of a task: header and source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lissom.export.c.export_task import Argument, ExportTask, Signature
from lissom.export.c.sources.prototypes import header, in_comment, prototype
from lissom.export.c.sources.table_backend import Tables

if TYPE_CHECKING:
    from lissom.export.c.sources.casadi_statements import Statements

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


def code(task: ExportTask, chosen: Sequence[Signature], backend: str = "auto") -> Code:
    """Return the header and source of the chosen functions; what these call besides is static."""
    if backend != "loops":
        from lissom.export.c.sources import straight_line  # which needs CasADi
    public = {each.name for each in chosen}
    solves = backend != "loops" and straight_line.solves_well(task)
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
        found = None if backend == "loops" else straight_line.function_for(task, signature, backend == "auto")
        if found is None:
            looped.append(signature)
            continue
        body, counts[signature.name] = straight_line.body(signature, found)
        texts.append(_function(task, signature, body, static))
    if looped:
        texts += tables.source([(each, "" if each.name in public else "static ") for each in looped])
        counts |= tables.counts
    if composed:
        n = task.model.nv
        counts["derivatives"] = sum(counts[each] for each in NEEDS["derivatives"]) + n**3 // 3 + 6 * n**3
    title = f"/* Dynamics of {in_comment(task.model.robot.name)}. What the functions do is in {task.name}.h. */"
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


def _function(task: ExportTask, signature: Signature, body: Statements, static: str) -> str:
    """Return A C function of one part, or of several that hand numbers on in `w`."""
    arguments = (*signature.inputs, *signature.outputs)
    head = prototype(task, signature, static)
    if len(body.parts) == 1:
        unused = [f"(void){each.name};" for each in signature.inputs if not _mentions(body.parts[0], each.name)]
        return f"{head}\n{{\n{_indent([*unused, *body.parts[0]])}\n}}\n"
    texts, calls = [], []
    inputs = {each.name for each in signature.inputs}
    for k, lines in enumerate(body.parts):
        names = [each.name for each in arguments if _mentions(lines, each.name)]
        takes = [f"const double *{each}" if each in inputs else f"double *{each}" for each in names]
        if _mentions(lines, "w"):
            written = any(line.startswith("w[") for line in lines)
            names, takes = [*names, "w"], [*takes, "double *w" if written else "const double *w"]
        own = f"{signature.name}_part{k + 1}"
        texts.append(f"static void {own}({', '.join(takes)})\n{{\n{_indent(lines)}\n}}\n")
        calls.append(f"{own}({', '.join(names)});")
    whole = "".join(call for call in calls)
    unused = [f"(void){each.name};" for each in signature.inputs if not _find_called(whole, each)]
    memory = [f"double w[{body.shared}];"] if body.shared else []
    return "\n".join([*texts, f"{head}\n{{\n{_indent([*memory, *unused, *calls])}\n}}\n"])


def _find_called(calls: str, argument: Argument) -> bool:
    return any(f"{before}{argument.name}{after}" in calls for before in ("(", ", ") for after in (",", ")"))


def _mentions(lines: Sequence[str], name: str) -> bool:
    return any(f"{before}{name}[" in line for line in lines for before in (" ", "(", "-")) or any(
        line.startswith(f"{name}[") for line in lines
    )


def _indent(lines: Iterable[str]) -> str:
    return "\n".join(f"    {line}" for line in lines)


def _derivatives(task: ExportTask) -> str:
    loads = "".join(f"{each.name}, " for each in task.loads)
    given = "given, " if task.model.prescribed else ""
    fixed = ", ".join(str(int(each)) for each in task.model.arrays.velocities.prescribed)
    return DERIVATIVES.format(upper=task.upper, name=task.name, fixed=fixed, more=given + loads, loads=loads)
