"""The test of an exported controller: its samples beside those of Python."""

from __future__ import annotations

import numpy as np

from lissom.control.design.input_shaping import Impulses
from lissom.control.laws.digital_kernel import digital_step
from lissom.control.laws.digital_law import DigitalLaw

SAMPLES = 40
TOLERANCE = 1e-9

PROGRAM = """/* Compares every function with numbers from Python. */
#include <math.h>
#include <stdio.h>

#include "{name}.h"

enum {{ SAMPLES = {samples}, M = {m}, NA = {na} }};
static const double y[SAMPLES][M] = {y};
static const double r[SAMPLES][3][NA] = {r};
static const double f[SAMPLES][NA] = {f};
static const double wanted[SAMPLES][NA] = {wanted};
{tables}
static int wrong = 0;

static void compare(const char *what, int k, const double *found, const double *right, double size) {{
    for (int j = 0; j < NA; j++)
        if (!(fabs(found[j] - right[j]) <= {tolerance} * size)) {{
            printf("%s: sample %d, number %d is %.17g, not %.17g\\n", what, k, j, found[j], right[j]);
            wrong = 1;
        }}
}}

int main(void) {{
    {name}_state s;
    double u[NA];
    {name}_reset(&s);
    for (int k = 0; k < SAMPLES; k++) {{
        {name}_sample(&s, y[k], r[k][0], r[k][1], r[k][2], f[k], u);
        compare("sample", k, u, wanted[k], {size});
    }}
{more}    printf(wrong ? "WRONG\\n" : "all equal\\n");
    return wrong;
}}
"""


def check_controller(law: DigitalLaw, own: str, rate: float, modelled: str, shaper: Impulses | None) -> str:
    """Return the C program that compares samples of a controller with those of Python."""
    rng = np.random.default_rng(0)
    arrays, m, na = law.arrays, len(law.arrays.y), len(law.names)
    scale = 1e-2 * (1 + np.abs(arrays.y0).max(initial=0.0))
    begin, end = law.poses[0], law.poses[-1]
    share = np.linspace(-0.1, 1.1, SAMPLES)[:, None]
    r = np.zeros((SAMPLES, 3, na))
    r[:, 0] = begin + share * (end - begin) + 1e-3 * rng.normal(size=(SAMPLES, na))
    r[:, 1:] = 0.1 * rng.normal(size=(SAMPLES, 2, na))
    y = arrays.y0[0] + scale * np.cumsum(0.1 * rng.normal(size=(SAMPLES, m)), axis=0)
    f = rng.normal(size=(SAMPLES, na))
    law.reset()
    wanted = np.zeros((SAMPLES, na))
    for k in range(SAMPLES):
        arrays.y[:], arrays.r[:], arrays.model[:] = y[k], r[k], f[k]
        digital_step(law.struct)
        wanted[k] = arrays.u
    law.reset()
    arrays.model[:] = 0.0
    tables, more = "", ""
    if modelled:
        torques = _model_torques(law, modelled, y, r)
        tables += f"static const double torques[SAMPLES][NA] = {braces(torques)};\n"
        takes = "r[k][0], r[k][1], r[k][2]" if modelled == "feedforward" else "y[k]"
        more += f"""    for (int k = 0; k < SAMPLES; k++) {{
        {own}_{modelled}({takes}, u);
        compare("{modelled}", k, u, torques[k], {float(np.abs(torques).max()) + 1e-6!r});
    }}
"""
    if shaper is not None:
        shaped = _shaped(shaper, r, rate)
        tables += f"static const double shaped[SAMPLES][3][NA] = {braces(shaped)};\n"
        more += f"""    {own}_shaper h;
    {own}_shaper_reset(&h);
    for (int k = 0; k < SAMPLES; k++) {{
        double now[3][NA];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < NA; j++) now[i][j] = r[k][i][j];
        {own}_shape(&h, now[0], now[1], now[2]);
        for (int i = 0; i < 3; i++) compare("shape", k, now[i], shaped[k][i], {float(np.abs(r).max())!r});
    }}
"""
    return PROGRAM.format(
        name=own, samples=SAMPLES, m=m, na=na, y=braces(y), r=braces(r), f=braces(f), wanted=braces(wanted),
        tables=tables, tolerance=TOLERANCE, size=repr(float(np.abs(wanted).max()) + 1e-6), more=more,
    )  # fmt: skip


def _model_torques(law: DigitalLaw, modelled: str, y: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Return what the rigid arm needs at every sample, by Python's inverse dynamics."""
    from lissom.dynamics import inverse_dynamics

    added = law.added
    assert added is not None, "called where there is one"
    assert added.twin is not None, "which computes with one"
    twin, part = added.twin, added.parts[0]
    out = np.zeros((len(y), len(law.names)))
    for k in range(len(y)):
        q, v, a = twin.neutral(), np.zeros(twin.nv), np.zeros(twin.nv)
        if modelled == "feedforward":
            q[part.twin_at], v[part.twin_index], a[part.twin_index] = r[k]
        else:
            q[part.twin_at] = y[k, : len(law.names)]
        out[k] = inverse_dynamics(twin, q, v, a)[part.twin_index]
    return out


def _shaped(shaper: Impulses, r: np.ndarray, rate: float) -> np.ndarray:
    """Return the shaped reference by interpolation of the samples, at rest before the first."""
    out = np.zeros_like(r)
    samples = np.arange(len(r), dtype=float)
    for time, amplitude in zip(shaper.times.tolist(), shaper.amplitudes.tolist(), strict=True):
        at = samples - time * rate
        for i in range(3):
            for j in range(r.shape[2]):
                before = r[0, 0, j] if i == 0 else 0.0
                padded = np.concatenate([[before], r[:, i, j]])
                out[:, i, j] += amplitude * np.interp(at, np.arange(-1.0, len(r)), padded)
    return out


def braces(table: np.ndarray) -> str:
    """Return a table as C's initialiser."""
    if table.ndim == 0:
        return repr(float(table))
    return "{" + ", ".join(map(braces, table)) + "}"
