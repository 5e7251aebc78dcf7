"""lissom build: machine code before it is needed."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lissom.cli.shell import command, say
from lissom.errors import LissomError
from lissom.terminal import screen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lissom.kernel.machine.trace import Trace

# Small, so that its kernels run as Python in no time; machine code does not depend on the robot.
ARM = """
lissom: 1
name: small
materials:
  steel: {E: 2.1e11, nu: 0.3, rho: 7850}
links:
  - name: arm
    joint: {name: hinge, type: revolute, axis: [0, 0, 1], damping: 0.1}
    beam:
      {length: 1, material: steel, section: {shape: circle, diameter: 0.02}, modes: {y: 1}, stiffening: STIFFENING}
"""
ADAPTIVE, FIXED = ("radau", "auto", "dopri5", "generalised-alpha"), ("euler", "rk4")


@command
def build(
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", show_default=False, help="Where to, the user's cache unless given.")
    ] = None,
    level: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="x86-64-v3 or x86-64-v2; this processor's unless given.")
    ] = None,
) -> None:
    """Compile all kernels into a shared library, on all cores, so that no command waits for a compiler."""
    from lissom import cache
    from lissom.kernel.machine import library
    from lissom.kernel.machine.build import build as make_library
    from lissom.kernel.machine.build import compiler

    kept, chosen = cache.folder("kernels"), level or library.levels()[:1]
    if not chosen or compiler() is None:
        raise LissomError("a library needs Linux on an x86-64 processor and a C compiler; kernels compile when called")
    if kept is None:
        raise LissomError("LISSOM_CACHE=off keeps no machine code, so that a library cannot be made")
    needs = everything()
    for one in chosen:
        with _shown(f"compiling for {one}") as report:
            say(f"machine code is in {make_library(needs, kept, one, report, folder)}", "green")


def everything() -> Trace:
    """What the functions of dynamics and analysis and all integrators need."""
    import numpy as np

    import lissom
    from lissom.kernel.machine.trace import tracing
    from lissom.model.files import parse

    with tracing() as needs:
        for stiffening in ("first", "exact"):
            model = parse(ARM.replace("STIFFENING", stiffening), "small").compile()
            q, v = model.neutral(), np.zeros(model.nv)
            for method in ADAPTIVE if stiffening == "first" else ("radau",):
                lissom.simulate(model, 1e-3, method=method, progress=False).summary()
            for method in FIXED if stiffening == "first" else ():
                lissom.simulate(model, 1e-3, method=method, step=1e-3, progress=False)
            for number in (float, complex):
                lissom.forward_dynamics(model, q.astype(number), v, v)
                lissom.inverse_dynamics(model, q.astype(number), v, v)
                lissom.mass_matrix(model, q.astype(number))
            lissom.joint_wrenches(model, q, v, v)
            lissom.energy(model, q, v)
            lissom.tip_pose(model, q, "arm")
            lissom.jacobian(model, q, "arm")
            lissom.derivatives(model, q, v, v)
            lissom.natural_modes(model)
            lissom.static_equilibrium(model)
    return needs


@contextmanager
def _shown(text: str) -> Iterator[Any]:
    """A bar of functions done on a terminal; in a pipe one line before and after."""
    began = time.monotonic()
    if not sys.stderr.isatty():
        say(f"{text} ...", "white")
        last = [0, 0]

        def note(done: int, total: int) -> None:
            last[:] = done, total

        yield note
        say(f"{last[0]} of {last[1]} functions in {time.monotonic() - began:.0f} s", "white")
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("[bold]{task.description}"), BarColumn(bar_width=40), MofNCompleteColumn()
    with Progress(*columns, TextColumn("functions"), TimeRemainingColumn(), console=screen(error=True)) as bar:
        task = bar.add_task(text, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
