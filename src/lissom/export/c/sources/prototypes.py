"""The header of exported code: sizes, coordinates with their units, what every function takes and gives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap

from lissom.export.c.export_task import ExportTask, Signature
from lissom.model.description.joint_kinds import FORCE
from lissom.results.quantity_names import position_columns, velocity_columns
from lissom.version import __version__

KEPT = "\0"  # a space at which no line ends


def prototype(task: ExportTask, signature: Signature, static: str = "") -> str:
    """Return the prototype, `void ella_mass_matrix(const double q[ELLA_NQ], double M[ELLA_NV * ELLA_NV])`."""
    arguments = [
        f"const double {each.name}[{each.size}]" if each.size else f"double {each.name}" for each in signature.inputs
    ]
    arguments += [f"double {each.name}[{each.size}]" for each in signature.outputs]
    first = f"{static}void {task.name}_{signature.name}("
    text = first + ", ".join(each.replace(" ", KEPT) for each in arguments) + ")"
    lines = wrap(text, 108, break_long_words=False, break_on_hyphens=False)
    return "\n    ".join(lines).replace(KEPT, " ")


def in_comment(text: str) -> str:
    """Return a text as it may stand in a comment, which names of robots and joints must not end."""
    return text.replace("*/", "* /")


def header(task: ExportTask, chosen: Sequence[Signature]) -> str:
    """Return the header: sizes, coordinates with their units, the functions with what they mean."""
    guard = f"{task.upper}_H"
    sizes = "\n".join(f"#define {task.upper}_{name} {count}" for name, count in task.sizes.items())
    functions = "\n\n".join(f"{_comment(each)}\n{prototype(task, each)};" for each in chosen)
    robot = in_comment(task.model.robot.name)
    return f"""/* Dynamics of {robot}, written by lissom {__version__}. C99; needs libm, nothing else.

   SI units, radians. Twists are (angular, linear), wrenches (torque, force). Matrices are row by row. No function
   allocates, keeps a state or touches anything but its arguments, so that any number of threads may call them.
   Outputs must not overlap inputs. Quaternions in q (w, x, y, z) have unit length.

{in_comment(_coordinates(task))}
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


def _coordinates(task: ExportTask) -> str:
    model = task.model
    q, v = position_columns(model), velocity_columns(model)
    lines = ["   q, the configuration:"]
    lines += _columns(model.q_names, q.units)
    moved = v.units[: model.moving]  # states of actuators have units of their own
    lines += ["   v, a and tau; forces in " + ", ".join(f"{FORCE[u]} for {u}" for u in dict.fromkeys(moved)) + ":"]
    return "\n".join(lines + _columns(model.coordinates, [*(f"{unit}/s" for unit in moved), *v.units[model.moving :]]))


def _columns(names: Sequence[str], units: Iterable[str]) -> list[str]:
    entries = [f"[{k}] {name} ({unit})" for k, (name, unit) in enumerate(zip(names, units, strict=True))]
    width = max((len(each) for each in entries), default=0) + 2
    across = max(1, 100 // width)
    rows = (entries[k : k + across] for k in range(0, len(entries), across))
    return ["     " + "".join(each.ljust(width) for each in row).rstrip() for row in rows]


def _comment(signature: Signature) -> str:
    lines = [signature.about]
    for label, arguments in (("in", signature.inputs), ("out", signature.outputs)):
        for each in arguments:
            lines += wrap(f"{label:>6}  {each.name}: {each.about}", 112, subsequent_indent=" " * 10)
    return "/* " + "\n   ".join(lines) + " */"
