"""Outputs of a C function beside those from Python: what is compared, and the lines of C that do it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lissom.export.c.checks.residual_equations import Equations
from lissom.export.c.export_task import Arguments, Signature

TOLERANCE = 1e-12
SHARED = "_equations"  # what the name of the table of a function's equations ends with

DIFFERENCE = """
static double difference(const double *found, const double *wanted, int count, double largest)
{
    double error = 0.0;
    for (int k = 0; k < count; k++) {
        largest = fmax(largest, fabs(wanted[k]));
        error = isfinite(found[k]) ? fmax(error, fabs(found[k] - wanted[k])) : INFINITY;
    }
    return largest > 0.0 ? error / largest : error;
}

static int judged(const char *name, double error, double share)
{
    const int wrong = !(fmin(error, share) <= TOLERANCE);
    printf("%s %-40s %8.1e", wrong ? "WRONG" : "ok   ", name, error);
    if (isfinite(share)) {
        printf(" %8.1e", share);
    }
    printf("\\n");
    return wrong;
}
"""
UNSOLVED = """
/* Oettli and Prager's componentwise error of a solution (n x columns) of equations B x = b, with size |B| |x| + |b|. */
static double unsolved(const double *found, const double *wanted, int n, int columns, const double *B,
                       const double *size, int rows)
{
    double error = 0.0;
    for (int i = 0; i < rows; i++) {
        for (int c = 0; c < columns; c++) {
            double left = 0.0;
            for (int k = 0; k < n; k++) {
                left += B[n * i + k] * (found[columns * k + c] - wanted[columns * k + c]);
            }
            if (left != 0.0) {
                error = isfinite(left) ? fmax(error, fabs(left) / size[i]) : INFINITY;
            }
        }
    }
    return error;
}
"""


@dataclass(frozen=True)
class Group:
    """Outputs of a function that lie in one array, as they solve equations together; most are alone and solve none."""

    function: str
    outputs: Arguments
    equations: tuple[Equations, ...] = ()  # one for each sample

    @property
    def name(self) -> str:
        """The name of the first output."""
        return self.outputs[0].name

    @property
    def size(self) -> str:
        """The number of all outputs, as C."""
        return " + ".join(out.size for out in self.outputs)

    def places(self, array: str) -> list[str]:
        """Return where in such an array each output begins."""
        return [" + ".join([array, *(before.size for before in self.outputs[:k])]) for k in range(len(self.outputs))]

    def tables(self, wanted: Sequence[np.ndarray]) -> dict[str, tuple[str, list[np.ndarray]]]:
        """Return numbers from Python, a row for each sample: by the name of their table, with its size in C."""
        name = f"{self.function}_{self.name}"
        found = {name: (self.size, list(wanted))}
        if self.equations:
            sizes = [each.size(x) for each, x in zip(self.equations, wanted, strict=True)]
            found[f"{self.function}{SHARED}"] = (str(self.equations[0].B.size), [e.B.ravel() for e in self.equations])
            found[f"{name}_sizes"] = (str(len(sizes[0])), sizes)
        return found

    def lines(self) -> list[str]:
        """Return lines of C that judge what was found."""
        found, wanted = f"found_{self.name}", f"{self.function}_{self.name}"
        lines, share = [], "INFINITY"
        if self.equations:
            rows, n = self.equations[0].B.shape
            columns, share = sum(out.numbers for out in self.outputs) // n, f"share_{self.name}"
            given = f"{n}, {columns}, {self.function}{SHARED}[sample], {wanted}_sizes[sample], {rows}"
            lines = [f"const double {share} =", f"    unsolved({found}, {wanted}[sample], {given});"]
        for out, here, there in zip(self.outputs, self.places(found), self.places(f"{wanted}[sample]"), strict=True):
            error = f"difference({here}, {there}, {out.size}, {out.unit!r})"
            lines.append(f'wrong += judged("{self.function} {out.name}", {error}, {share});')
        return lines


def groups(signature: Signature, equations: Sequence[Equations]) -> list[Group]:
    """Return the outputs of a function: with those of the whole motion in one, or each by itself."""
    name, outputs, solved = signature.name, signature.outputs, tuple(equations)
    if solved and len(outputs) > 1 and solved[0].B.shape[1] == sum(out.numbers for out in outputs):
        return [Group(name, outputs, solved)]
    return [Group(name, (out,), solved) for out in outputs]
