"""lissom build: machine code before it is needed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from lissom.cli.printing.command_wrapper import command, say
from lissom.errors import LissomError
from lissom.progress import Progress


@command
def build(
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", show_default=False, help="Where to, the user's cache unless given.")
    ] = None,
    level: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="x86-64-v4, -v3 or -v2; this processor's unless given.")
    ] = None,
    target: Annotated[
        str | None, typer.Option(metavar="PLATFORM", help="Another platform, as zig names it; needs --folder.")
    ] = None,
    whole: Annotated[bool, typer.Option("--all", help="What few commands need, too: loops, formulations.")] = False,
    lines: Annotated[bool, typer.Option("--lines", hidden=True, help="Tell every step, for another program.")] = False,
) -> None:
    """Compile the kernels of the usual work, or all, into a shared library, so that no command waits for a compiler."""
    from lissom import cache
    from lissom.cli import aot_workload
    from lissom.kernel.compile.libraries import first_use, library, toolchain
    from lissom.kernel.compile.libraries.library_build import build as make_library
    from lissom.kernel.compile.libraries.toolchain import Target

    # what is asked for, and whether it is there already
    kept = cache.folder("kernels")
    if kept is None:
        raise LissomError("LISSOM_CACHE=off keeps no machine code, so that a library cannot be made")
    if target is not None and folder is None:
        raise LissomError(
            "is another platform, whose library needs a folder of its own; give --folder", ("target",), target
        )
    targets = toolchain.targets_of(target) if target else (toolchain.own_target(),)
    if level:
        targets = tuple(Target(each, target or "") for each in level)
    if folder is None and level is None and first_use.is_current(library.tables(), library.PACKAGE, whole):
        say("all kernels of these sources are compiled", "white")
        return
    if toolchain.compiler() is None:
        raise LissomError("there is no C compiler; install gcc or clang, or: pip install lissom[compiler]")
    # trace which kernels the work calls, and compile them
    name = library.own_name("{level}") if folder is None else "library-{level}"
    began = time.monotonic()
    with Progress("compiling all kernels", unit="functions", show=not lines) as progress:

        def report(done: int, total: int) -> None:
            progress.reach(done, total)
            if lines:
                print(f"{done} of {total}", flush=True)

        needs = (aot_workload.all_work if whole else aot_workload.usual_work)().needs
        tables = make_library(needs, targets, folder or kept, name, report, kept, whole, aot_workload.__name__)
    if not lines:
        say(f"{len(needs)} functions in {time.monotonic() - began:.0f} s:", "white")
        for table in tables:
            say(f"  {table}", "white")
