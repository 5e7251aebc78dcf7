"""A robot as a folder of C code."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from lissom.dynamics.symbolic import need_casadi
from lissom.errors import LissomError, check_choice
from lissom.export.c.export_task import ABOUT, ExportTask, c_name, has_step, point_of
from lissom.export.c.sources.table_parameters import Parameters
from lissom.files import make_folder, write_whole
from lissom.model.any_robot import AnyRobot, as_model
from lissom.model.model import Model

MAKEFILE = """# make: the library; make test: compare it with Python; make time: time and stack of every function{about}
CC ?= cc
CFLAGS ?= -O2 -Wall -Wextra -Wpedantic -Wconversion
override CFLAGS += -std=c99

lib{name}.a: {name}.o
	$(AR) rcs $@ $^

{name}.o: {name}.c {name}.h
	$(CC) $(CFLAGS) -c {name}.c

check: check.c {name}.o
	$(CC) $(CFLAGS) check.c {name}.o -lm -o $@

clock: clock.c {name}.o
	$(CC) $(CFLAGS) -pthread clock.c {name}.o -lm -o $@

test: check
	$(EMULATOR) ./check

time: clock
	$(EMULATOR) ./clock
{loop}
clean:
	rm -f lib{name}.a check clock realtime *.o

.PHONY: test time loop clean
"""
LOOP = """
realtime: loop.c {name}.o
	$(CC) $(CFLAGS) loop.c {name}.o -lm -o $@

loop: realtime
	$(EMULATOR) ./realtime
"""


@dataclass(frozen=True)
class CExport:
    """What was written: where, what C names begin with; operations and way ("straight line", "loops") by function."""

    folder: Path
    name: str
    operations: dict[str, int]
    ways: dict[str, str]


def to_c(
    robot: AnyRobot,
    folder: str | Path,
    functions: Iterable[str] | None = None,
    points: Sequence[str] | None = None,
    wrenches: Sequence[str] = (),
    name: str | None = None,
    parameters: Sequence[str] = (),
    backend: Literal["auto", "straight", "loops"] = "auto",
) -> CExport:
    """Write C99 code for a robot's dynamics: source, header, Makefile, README and a test against Python.

    Parameters
    ----------
    folder : str or Path
        Where the files go; it is made. Files of the same names are overwritten.
    functions : sequence of str, optional
        Those wanted, by name; all that the robot can have unless given.
    points : sequence of str, optional
        For point_pose and jacobian: links ("forearm", its tip) or sections ("upper@0.4", metres along the
        beam); the links that carry no other unless given.
    wrenches : sequence of str
        Links that carry an external wrench, which is then an argument.
    name : str, optional
        What C names begin with; from the robot's name unless given.
    parameters : sequence of str
        Numbers of the robot that become an argument, by their paths: "links.payload.body.mass".
    backend : Literal
        "straight" writes every function as a list of assignments, "loops" as loops over tables, translated
        from the kernel; "auto" takes the first where the list is short and CasADi is installed.
    """
    from lissom.export.c.checks.real_time_program import loop_program
    from lissom.export.c.checks.test_program import check_program
    from lissom.export.c.checks.timing_program import clock_program
    from lissom.export.c.sources.c_files import code
    from lissom.export.c.sources.readme import readme

    model = as_model(robot)
    check_choice("backend", backend, ("auto", "straight", "loops"))
    if backend == "straight":
        need_casadi("straight-line C code needs", "or take the backend 'loops'")
    elif backend == "auto" and find_spec("casadi") is None:
        backend = "loops"
        text = "without CasADi all functions are written as loops; short ones run faster with it"
        warnings.warn(f'{text}: pip install "lissom[symbolic]"', stacklevel=2)
    for link in wrenches:
        model.row(link)
    task = ExportTask(
        model,
        c_name(name or model.robot.name),
        tuple(point_of(model, each) for each in (model.ends if points is None else points)),
        tuple(wrenches),
        Parameters(model.robot, parameters) if parameters else None,
    )
    chosen = task.choose(_choose_functions(model, functions))
    to = Path(folder)
    new = not to.exists()
    make_folder(to)  # before work that takes a while
    try:
        written = code(task, chosen, backend)
    except LissomError:
        if new:
            to.rmdir()
        raise
    steps = any(each.name == "step" for each in chosen)
    files = {
        f"{task.name}.h": written.header,
        f"{task.name}.c": written.source,
        "check.c": check_program(task, chosen),
        "clock.c": clock_program(task, chosen),
        "Makefile": MAKEFILE.format(
            name=task.name,
            about="; make loop: the closed loop in real time" if steps else "",
            loop=LOOP.format(name=task.name) if steps else "",
        ),
        "README.md": readme(task, chosen, written),
    }
    if steps:
        files["loop.c"] = loop_program(task)
    for file, text in files.items():
        write_whole(to / file, text)
    return CExport(to, task.name, written.operations, written.ways)


def _choose_functions(model: Model, functions: Iterable[str] | None) -> list[str]:
    """Return the functions to write: those asked for, or all that the model can have."""
    if functions is None:
        return [each for each in ABOUT if each != "step" or has_step(model)]
    wanted = [functions] if isinstance(functions, str) else list(functions)
    if not wanted:
        raise LissomError(f"names no function; there are {', '.join(ABOUT)}", ("functions",))
    return wanted
