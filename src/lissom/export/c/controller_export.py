"""Controllers as C99: one function that takes a sample, with the states of filters and integrals in a struct."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from lissom.control.design.input_shaping import Impulses
from lissom.control.laws.digital_law import DigitalLaw, as_digital
from lissom.control.laws.law_kinds import FEEDFORWARD, GRAVITY
from lissom.control.laws.sampled_control import Sampled
from lissom.errors import LissomError
from lissom.export.c.controller_check import braces, check_controller
from lissom.export.c.export_task import ExportTask, c_name
from lissom.files import make_folder, write_whole
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.model import Model

MAKEFILE = """# make: the library; make test: compare it with Python
CC ?= cc
CFLAGS ?= -O2 -Wall -Wextra -Wpedantic
override CFLAGS += -std=c99

lib{name}.a: {objects}
	$(AR) rcs $@ $^

%.o: %.c
	$(CC) $(CFLAGS) -c $<

check: check.c {objects}
	$(CC) $(CFLAGS) check.c {objects} -lm -o $@

test: check
	$(EMULATOR) ./check

clean:
	rm -f lib{name}.a check *.o

.PHONY: test clean
"""

HEADER = """/* {title} of {robot}, {rate:g} samples per second, by lissom. C99, no allocation, no global state. */
#ifndef {upper}_H
#define {upper}_H

enum {{
    {upper}_MEASURED = {m}, /* {measured} */
    {upper}_COORDINATES = {na}, /* {names} */
    {upper}_DESIGNS = {d},
    {upper}_STATES = {n}
}};
#define {upper}_RATE {rate!r} /* samples per second */

typedef struct {{
    double x[{d}][{states}]; /* filters, integrals, estimates */
    int fresh;               /* 1 before the first sample */
}} {name}_state;

/* Begin anew. */
void {name}_reset({name}_state *s);

/* One sample: what is measured, the reference with its rate and acceleration, torques to add (all of them in the order
   above, in rad, m, N m, N); the torques go to u. */
void {name}_sample({name}_state *s, const double *y, const double *r, const double *rd, const double *rdd,
                   const double *f, double *u);
{more}
#endif
"""

SOURCE = """#include "{name}.h"

#include <string.h>
{includes}
enum {{ M = {m}, NA = {na}, D = {d}, N = {n}, W = M + 3 * NA, NX = {states} }};
#define LARGE 1e300 /* no limit */

{tables}

static double limited(double x, double low, double high) {{ return x < low ? low : x > high ? high : x; }}

/* Weights of the designs: by the point of the path of their poses that is nearest to the reference. */
static void blend(const double *r, double *weight) {{
    double best = -1.0;
    for (int k = 0; k < D; k++) weight[k] = D == 1 ? 1.0 : 0.0;
    for (int k = 0; k + 1 < D; k++) {{
        double along = 0.0, length = 0.0, distance = 0.0;
        for (int j = 0; j < NA; j++) {{
            double way = poses[k + 1 < D ? k + 1 : k][j] - poses[k][j];
            along += (r[j] - poses[k][j]) * way;
            length += way * way;
        }}
        double share = limited(along / length, 0.0, 1.0);
        for (int j = 0; j < NA; j++) {{
            double off = r[j] - poses[k][j] - share * (poses[k + 1 < D ? k + 1 : k][j] - poses[k][j]);
            distance += off * off;
        }}
        if (best < 0.0 || distance < best) {{
            best = distance;
            for (int i = 0; i < D; i++) weight[i] = 0.0;
            weight[k] = 1.0 - share;
            weight[k + 1 < D ? k + 1 : k] = share;
        }}
    }}
}}

static void relative(int k, const double *y, const double *r, const double *rd, const double *rdd, double *w) {{
    for (int j = 0; j < M; j++) w[j] = y[j] - y0[k][j];
    for (int j = 0; j < NA; j++) {{
        w[M + j] = r[j] - r0[k][j];
        w[M + NA + j] = rd[j];
        w[M + 2 * NA + j] = rdd[j];
    }}
}}

void {name}_reset({name}_state *s) {{
    memset(s->x, 0, sizeof s->x);
    s->fresh = 1;
}}

void {name}_sample({name}_state *s, const double *y, const double *r, const double *rd, const double *rdd,
                   const double *f, double *u) {{
    double w[W], weight[D], next[NX];
    blend(r, weight);
    for (int i = 0; i < NA; i++) u[i] = f[i];
    for (int k = 0; k < D; k++) {{
        relative(k, y, r, rd, rdd, w);
        if (s->fresh)
            for (int i = 0; i < N; i++) {{
                s->x[k][i] = 0.0;
                for (int j = 0; j < W; j++) s->x[k][i] += first[k][i][j] * w[j];
            }}
        for (int i = 0; i < NA; i++) {{
            double sum = hold[k][i];
            for (int j = 0; j < N; j++) sum += C[k][i][j] * s->x[k][j];
            for (int j = 0; j < W; j++) sum += Dw[k][i][j] * w[j];
            u[i] += weight[k] * sum;
        }}
    }}
    for (int i = 0; i < NA; i++) u[i] = limited(u[i], lower[i], upper[i]);
    for (int k = 0; k < D; k++) {{ /* with what acts, so that nothing winds up */
        relative(k, y, r, rd, rdd, w);
        for (int i = 0; i < N; i++) {{
            double sum = 0.0;
            for (int j = 0; j < N; j++) sum += A[k][i][j] * s->x[k][j];
            for (int j = 0; j < W; j++) sum += B[k][i][j] * w[j];
            for (int j = 0; j < NA; j++) sum += E[k][i][j] * (u[j] - f[j] - hold[k][j]);
            next[i] = sum;
        }}
        if (N > 0) memcpy(s->x[k], next, N * sizeof(double));
    }}
    s->fresh = 0;
}}
{more}"""

FEEDFORWARD_ABOUT = (
    "\n/* Torques f that the rigid arm needs to move as the reference does, joint friction included. */\n"
)
GRAVITY_ABOUT = "\n/* Torques f that hold the rigid arm where the first measured numbers say its joints are. */\n"

SHAPER_TYPES = """
/* The shaper of the reference: delayed copies whose vibrations cancel. It makes a motion {longer:.4g} s longer. */
typedef struct {{
    double past[{length}][{width}]; /* the reference of the last samples: r, rd, rdd */
    int at, fresh;
}} {name}_shaper;
void {name}_shaper_reset({name}_shaper *s);

/* One sample: the reference as it is planned, then the reference to follow. r, rd, rdd in place. */
void {name}_shape({name}_shaper *s, double *r, double *rd, double *rdd);
"""

SHAPER = """
enum {{ COPIES = {copies}, LENGTH = {length} }};
static const int whole[COPIES] = {{{whole}}}; /* samples of delay */
static const double part[COPIES] = {{{part}}}; /* and a part of one */
static const double amplitude[COPIES] = {{{amplitude}}};

void {name}_shaper_reset({name}_shaper *s) {{
    s->at = 0;
    s->fresh = 1;
}}

void {name}_shape({name}_shaper *s, double *r, double *rd, double *rdd) {{
    double now[3 * NA];
    for (int j = 0; j < NA; j++) {{
        now[j] = r[j];
        now[NA + j] = rd[j];
        now[2 * NA + j] = rdd[j];
    }}
    if (s->fresh) /* it rested there before */
        for (int k = 0; k < LENGTH; k++)
            for (int j = 0; j < 3 * NA; j++) s->past[k][j] = j < NA ? now[j] : 0.0;
    s->fresh = 0;
    s->at = (s->at + 1) % LENGTH;
    memcpy(s->past[s->at], now, sizeof now);
    for (int j = 0; j < 3 * NA; j++) {{
        double sum = 0.0;
        for (int k = 0; k < COPIES; k++) {{
            int a = (s->at + LENGTH - whole[k]) % LENGTH, b = (a + LENGTH - 1) % LENGTH;
            sum += amplitude[k] * ((1.0 - part[k]) * s->past[a][j] + part[k] * s->past[b][j]);
        }}
        if (j < NA) r[j] = sum;
        else if (j < 2 * NA) rd[j - NA] = sum;
        else rdd[j - 2 * NA] = sum;
    }}
}}
"""


def controller_to_c(
    robot: AnyRobot,
    controller: Any,
    folder: str | Path,
    *,
    name: str | None = None,
    shaper: Impulses | None = None,
) -> Path:
    """Write a sampled controller as C99: header, source, Makefile, and a test that compares it with Python.

    >>> law = control.pid("ella", {"elbow": {"p": 600.0, "i": 900.0, "d": 40.0}}, 0.3, notches={"elbow": 15.0})
    >>> lissom.export.controller_to_c("ella", law, "elbow-pid")

    Parameters
    ----------
    robot : str, Robot or Model
        What is controlled.
    controller : Sampled
        Of `pid`, `lqr`, `lqg` or `schedule`, or a sampled law of `pd`. Gravity compensation and inverse dynamics come
        with the code of the rigid arm.
    folder : str or path
        Where the files go; it is made.
    name : str, optional
        What C names begin with; from the robot's name unless given.
    shaper : Impulses, optional
        Of `control.shaper`: the code then shapes references, sample by sample.

    Returns
    -------
    Path
        The folder.
    """
    model = as_model(robot)
    if not isinstance(controller, Sampled):
        text = "must be sampled to become C; take pid, lqr or lqg, or control.Sampled(law, rate)"
        raise LissomError(text, ("controller",), controller)
    law = as_digital(controller.function, model)
    if law is None:
        text = "is a function in Python; take pid, lqr, lqg, schedule, or a sampled law of pd"
        raise LissomError(text, ("controller",), controller)
    law.reset()
    own = c_name(name or f"{model.robot.name} controller")
    files = {f"{own}.h": "", f"{own}.c": ""}
    objects, more_header, more_source, includes = [f"{own}.o"], "", "", ""
    modelled = _model_kind(law)
    if modelled:
        header, source, text = _model_code(law, own, modelled)
        files |= {f"{own}_model.h": header, f"{own}_model.c": source}
        objects.append(f"{own}_model.o")
        includes = f'\n#include "{own}_model.h"\n'
        about = FEEDFORWARD_ABOUT if modelled == "feedforward" else GRAVITY_ABOUT
        more_header += about + text.split(" {", 1)[0].strip() + ";\n"
        more_source += text
    if shaper is not None:
        written = _shaper_code(shaper, own, controller.rate, len(law.names))
        more_header, more_source = more_header + written[0], more_source + written[1]
    d, n, _ = law.arrays.B.shape
    m, na = len(law.arrays.y), len(law.names)
    sizes: dict[str, Any] = {"name": own, "upper": own.upper(), "m": m, "na": na, "d": d, "n": n, "states": max(n, 1)}
    files[f"{own}.h"] = HEADER.format(
        title=law.name, robot=model.robot.name, rate=controller.rate, measured=", ".join(law.measured),
        names=", ".join(law.names), more=more_header, **sizes,
    )  # fmt: skip
    files[f"{own}.c"] = SOURCE.format(tables=_tables(law), includes=includes, more=more_source, **sizes)
    files["check.c"] = check_controller(law, own, controller.rate, modelled, shaper)
    files["Makefile"] = MAKEFILE.format(name=own, objects=" ".join(objects))
    to = Path(folder)
    make_folder(to)
    for file, text in files.items():
        write_whole(to / file, text)
    return to


def _model_kind(law: DigitalLaw) -> str:
    """Return what the rigid arm is asked for: "feedforward", "gravity" or nothing."""
    kind = None if law.added is None else law.added.parts[0].kind
    return "feedforward" if kind is FEEDFORWARD else "gravity" if kind is GRAVITY else ""


def _tables(law: DigitalLaw) -> str:
    """Return the designs as constants; C has no empty arrays."""
    arrays = law.arrays
    named = {
        "A": arrays.A, "B": arrays.B, "E": arrays.E, "C": arrays.C, "Dw": arrays.D, "first": arrays.first,
        "hold": arrays.hold, "y0": arrays.y0, "r0": arrays.r0, "poses": arrays.poses, "lower": arrays.lower,
        "upper": arrays.upper,
    }  # fmt: skip
    lines = []
    for name, table in named.items():
        shape = "".join(f"[{max(size, 1)}]" for size in table.shape)
        full = np.zeros([max(size, 1) for size in table.shape])
        full[tuple(slice(size) for size in table.shape)] = np.clip(table, -1e300, 1e300)
        lines.append(f"static const double {name}{shape} = {braces(full)};")
    return "\n".join(lines)


def _model_code(law: DigitalLaw, own: str, kind: str) -> tuple[str, str, str]:
    """Return header and source of the rigid arm, and the function that calls it."""
    from lissom.export.c.sources.c_files import code

    added = law.added
    assert added is not None, "called where there is one"
    twin, part = added.twin, added.parts[0]
    assert isinstance(twin, Model), "these laws compute with one"
    task = ExportTask(twin, f"{own}_model", ())
    backend = "loops" if find_spec("casadi") is None else "auto"
    written = code(task, task.choose(["inverse_dynamics"]), backend)
    takes = "const double *r, const double *rd, const double *rdd" if kind == "feedforward" else "const double *y"
    lines = [f"    double q[{twin.nq}] = {braces(twin.neutral())}, v[{twin.nv}] = {{0}};"]
    lines += [f"    double a[{twin.nv}] = {{0}}, tau[{twin.nv}];"]
    for k, (at, index) in enumerate(zip(part.twin_at.tolist(), part.twin_index.tolist(), strict=True)):
        lines.append(f"    q[{at}] = {'r' if kind == 'feedforward' else 'y'}[{k}];")
        if kind == "feedforward":
            lines += [f"    v[{index}] = rd[{k}];", f"    a[{index}] = rdd[{k}];"]
    lines.append(f"    {own}_model_inverse_dynamics(q, v, a, tau);")
    lines += [f"    f[{k}] = tau[{index}];" for k, index in enumerate(part.twin_index.tolist())]
    body = "\n".join(lines)
    return written.header, written.source, f"\nvoid {own}_{kind}({takes}, double *f) {{\n{body}\n}}\n"


def _shaper_code(shaper: Impulses, own: str, rate: float, na: int) -> tuple[str, str]:
    delays = shaper.times * rate
    whole = np.floor(delays + 1e-9).astype(int)
    part = np.maximum(delays - whole, 0.0)
    length = int(whole.max()) + 2
    sizes = {"name": own, "length": length, "width": 3 * na}
    tables = {
        "copies": len(whole), "whole": ", ".join(map(str, whole.tolist())), "part": ", ".join(map(repr, part.tolist())),
        "amplitude": ", ".join(map(repr, shaper.amplitudes.tolist())),
    }  # fmt: skip
    return SHAPER_TYPES.format(longer=shaper.duration, **sizes), SHAPER.format(**sizes, **tables)
