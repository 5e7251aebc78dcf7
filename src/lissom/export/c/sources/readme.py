"""The page that comes with the code."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom.export.c.export_task import ExportTask, Signature
from lissom.export.c.sources.c_files import Code
from lissom.version import __version__

PAGE = """# {robot} in C

Dynamics of the robot {robot}, written by lissom {version}: C99 that needs nothing but the C library's mathematics.
No function allocates memory, keeps a state or branches on more than its arguments; any number of threads or interrupts
may call them. `{name}.h` lists the coordinates with their units, and what every function takes and gives.

| file | what it is |
|---|---|
| `{name}.h`, `{name}.c` | the code; copy these two into your project |
| `check.c` | compares every function with numbers from Python: `make test` |
| `clock.c` | median and worst time of every function, and the stack that it takes: `make time` |
{loop}| `Makefile` | builds `lib{name}.a` |

For another processor: `make CC=arm-linux-gnueabihf-gcc test EMULATOR="qemu-arm -L /usr/arm-linux-gnueabihf"`.

## A call

```c
#include "{name}.h"

{call}
```

## Functions

| function | operations | written as | what it gives |
|---|---|---|---|
{table}

An operation is an addition, multiplication, division or call of an elementary function. The code has no loop whose
length depends on a value, so that the time of a call does not either. Functions with loops are translated from lissom's
kernel and read the robot's tables; their working memory lies on the stack.
"""

LOOP = "| `loop.c` | the closed loop in real time: worst of a million steps, missed deadlines: `make loop` |\n"


def readme(task: ExportTask, chosen: Sequence[Signature], code: Code) -> str:
    """Write the page that comes with the code: its functions, what they cost, how to use them."""
    rows = [
        f"| `{task.name}_{each.name}` | {code.operations[each.name]} | {code.ways[each.name]} | {each.about} |"
        for each in chosen
    ]
    return PAGE.format(
        robot=task.model.robot.name,
        version=__version__,
        name=task.name,
        loop=LOOP if any(each.name == "step" for each in chosen) else "",
        call=_call(task, chosen[0]),
        table="\n".join(rows),
    )


def _call(task: ExportTask, signature: Signature) -> str:
    turns = np.flatnonzero(task.model.neutral())  # of quaternions, the numbers that are 1 where nothing is turned
    own = {"q": ", ".join(f"[{k}] = 1" for k in turns) or "0"}
    if task.parameters is not None:
        own["p"] = ", ".join(map(repr, task.parameters.values.tolist()))
    lines = [
        f"double {each.name}[{each.size}] = {{{own.get(each.name, 0)}}};" if each.size else f"double {each.name} = 0.0;"
        for each in (*signature.inputs, *signature.outputs)
    ]
    names = ", ".join(each.name for each in (*signature.inputs, *signature.outputs))
    return "\n".join([*lines, f"{task.name}_{signature.name}({names});"])
