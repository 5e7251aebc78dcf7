"""The part of an FMU's C source that belongs to one model: its tables, its calls of machine code, its image."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from lissom.export.fmu.fmu_parameters import FmuParameter
from lissom.export.fmu.fmu_variables import ROLES, Inputs, Variables, prescribed_coordinates
from lissom.export.fmu.frozen_run import Call, Frozen, OwnMemory, Scalar
from lissom.export.fmu.kernel_closure import KernelClosure, KernelCode
from lissom.export.fmu.memory_image import Image
from lissom.kernel.compile.argument_kinds import kinds
from lissom.kernel.compile.translate.types import Types
from lissom.kernel.compile.translate.unit import prototype
from lissom.simulation.status.run_limits import HOPELESS, RACING, WHOLE_TURN, deflection_map

ROW = 8  # words of a line of the image


def code_of(call: Call) -> KernelCode:
    """Return the kernel that a call needs."""
    examples = (a.example if isinstance(a, Scalar) else a for a in call.arguments)
    return KernelCode(call.kernel, kinds(examples))


def header(frozen: Frozen, own: OwnMemory, image: Image, variables: Variables, inputs: Inputs) -> str:
    """Write model.h: where the parts of the run's memory lie, and their sizes."""
    run, law = frozen.memory, frozen.memory.system.law.fields
    model, control = frozen.model, frozen.control
    if control is not None:
        law = control.law.arrays
    places = {
        "CLOCK": run.state.clock, "STATE_Q": run.state.q, "STATE_V": run.state.v, "STATE_A": run.state.a,
        "CONTINUED": run.state.flags, "WRITTEN": run.record.next, "LATEST": run.system.latest,
        "HELD": run.system.held, "LOAD_HELD": run.system.load_held,
        "ENDS": run.segments.ends, "JUMPS": run.segments.jumps,
        "BREAKS": law.breaks, "COEFFICIENTS": law.coefficients, "INPUTS": own.inputs, "SWITCHES": own.switches,
        "PARAMETERS": own.parameters, "OWN_Q": own.q, "OWN_V": own.v, "OWN_A": own.a, "OWN_RATE": own.rate,
        "ACTING": own.acting, "WAITING": own.waiting, "SAMPLED": own.counts,
    }  # fmt: skip
    step, duration = run.step, run.duration
    loads = 6 * len(frozen.fed)
    numbers = {
        "STATES_COUNT": sum(each.role == "state" for each in variables),
        "NQ": model.nq, "NV": model.nv, "ROWS": len(model.arrays.loops.hold), "FIXED": int(frozen.method.fixed),
        "LOADS_FIRST": len(run.loads.row) - loads, "LOADS_COUNT": loads, "COEFFICIENTS_COUNT": law.coefficients.size,
        **{f"{name}_COUNT": places[name].size for name in ("ENDS", "JUMPS", "BREAKS")},
        **{f"{name.upper()}_COUNT": len(table) for name, table in tables(frozen, inputs).items()},
    }  # fmt: skip
    lines = [f"#define {name} {image.offset(array)}" for name, array in places.items()]
    lines += [f"#define {name} {value}" for name, value in numbers.items()]
    lines += [f"#define WATCHED_COUNT {len(tip_maps(frozen)) // 3}", f"#define RACING {RACING!r}"]
    rate, delay = (1.0, 0.0) if control is None else (control.rate, control.delay)
    lines += [f"#define CONTROLLED {len(own.acting)}", f"#define WAITING_ROWS {len(own.waiting)}"]
    lines += [f"#define SAMPLE_RATE {rate!r}", f"#define SAMPLE_DELAY {delay!r}"]
    lines += ["extern const int32_t controlled[];", "void control(unsigned char *memory, double t, double *u);"]
    lines += [f"#define LONGEST {step or 0.1 * duration!r}", f"#define AFTER_JUMP {1e-3 * duration!r}"]
    lines += [f"extern const int32_t {name}[];" for name in tables(frozen, inputs)]
    lines += ["extern const uint32_t states[], derivatives[];", "extern const double tip_maps[];"]
    lines += ["void use_parameters(unsigned char *memory);"]
    hidden = "#pragma GCC visibility push(hidden)", "#pragma GCC visibility pop"
    return "\n".join(["#include <stdint.h>", hidden[0], *lines, hidden[1], ""])


def tables(frozen: Frozen, inputs: Inputs) -> dict[str, Sequence[int]]:
    """Return tables of small numbers."""
    velocities = frozen.model.arrays.velocities
    given_q, given_v = prescribed_coordinates(frozen.model)
    return {
        "torques": inputs.torques,
        "channels": inputs.channels,
        "coordinate": velocities.coordinate.tolist(),
        "group_axis": velocities.group_axis.tolist(),
        "given_q": sorted(given_q),
        "given_v": sorted(given_v),
    }


def tip_maps(frozen: Frozen) -> np.ndarray:
    """Return the maps (3 links, nq) from the configuration to deflections of tips, in the largest that makes sense."""
    flexible = [body.link for body in frozen.model.bodies if body.link in frozen.model.flexible]
    limits = [WHOLE_TURN if frozen.model.flexible[link].stiffening == "exact" else HOPELESS for link in flexible]
    return np.asarray(deflection_map(frozen.model) / np.repeat(limits, 3)).T


def source(
    frozen: Frozen,
    own: OwnMemory,
    image: Image,
    variables: Variables,
    inputs: Inputs,
    tuned: Sequence[FmuParameter],
    token: str,
    kernels: KernelClosure,
) -> str:
    """Write model.c."""
    states = [each for each in variables if each.role == "state"]
    moving = {each.of: each.at for each in variables if each.role == "derivative"}
    rows = ", ".join(
        f"{{{each.at}, {ROLES.index(each.role)}, {each.sign}, {low!r}, {high!r}}}"
        for each in variables
        for low, high in [each.limits or (-1e300, 1e300)]
    )
    parts = [
        '#include "prelude.h"\n#include "run.h"\n#include "model.h"\n#include <string.h>\n',
        f'const char *const token = "{token}";',
        _declarations(frozen, image, kernels),
        f"const size_t image_size = {image.size};",
        f"const uint32_t variable_count = {len(variables)};",
        f"const Variable variables[] = {{{rows}}};",
        _table("uint32_t", "states", (each.at for each in states)),
        _table("uint32_t", "derivatives", (moving[each.name] for each in states)),
        _table("double", "tip_maps", tip_maps(frozen).ravel().tolist()),
        *(_table("int32_t", name, values) for name, values in tables(frozen, inputs).items()),
        _links(image, kernels),
        "#define AT(offset) ((void *)(memory + (offset)))",
        *(_call(image, call, kernels) for call in frozen.calls),
        _parameters(image, own, tuned),
        _sense(frozen, image),
        _control(frozen, own, image),
        _image(image),
    ]
    return "\n".join(parts) + "\n"


def _table(kind: str, name: str, values: Iterable[float]) -> str:
    return f"const {kind} {name}[] = {{{', '.join(map(str, [*values, 0]))}}};"  # C has no empty arrays


def _declarations(frozen: Frozen, image: Image, kernels: KernelClosure) -> str:
    """Return the kernels that this file names, and the types of what they take."""
    types = Types()
    needed = dict.fromkeys([*map(code_of, frozen.calls), *(code for _, code in image.calls)])
    units = {code: kernels.unit(code) for code in needed}
    declared = [prototype(types, unit.pointer, code.kinds, unit.result) for code, unit in units.items()]
    return "\n".join([types.text(), *declared])


def _links(image: Image, kernels: KernelClosure) -> str:
    """Return the function that writes addresses into a copy of the image."""
    calls = ", ".join(f"{{{at}, (Code){kernels.unit(code).pointer}}}" for at, code in image.calls)
    links = ", ".join(f"{{{at}, {to}}}" for at, to in image.links)
    return f"""typedef void (*Code)(void);
static const uint32_t links[][2] = {{{links}}};
static const struct {{ uint32_t at; Code code; }} pointers[] = {{{calls}}};
void link_memory(unsigned char *memory) {{
    for (size_t k = 0; k < {len(image.links)}; k++) {{
        unsigned char *target = memory + links[k][1];
        memcpy(memory + links[k][0], &target, sizeof target);
    }}
    for (size_t k = 0; k < {len(image.calls)}; k++) memcpy(memory + pointers[k].at, &pointers[k].code, sizeof(Code));
}}"""


def _parameters(image: Image, own: OwnMemory, tuned: Sequence[FmuParameter]) -> str:
    """Write the function that puts changed parameters into effect: series of their changes are added."""
    places = sorted({int(place) for each in tuned for place in each.places})
    effects = [(k, int(place)) for k, each in enumerate(tuned) for place in each.places]
    series = [number for each in tuned for row in each.series.tolist() for number in row]
    scales = [1.0 if np.isinf(each.half) else 1.0 / each.half for each in tuned]
    return f"""{_table("uint32_t", "tuned", places)}
{_table("double", "usual", (each.value for each in tuned))}
{_table("double", "middles", (each.middle for each in tuned))}
{_table("double", "scales", scales)}
{_table("int32_t", "terms", (each.series.shape[1] for each in tuned))}
{_table("int32_t", "effect_of", (k for k, _ in effects))}
{_table("uint32_t", "effect_at", (at for _, at in effects))}
{_table("double", "series", series)}
void use_parameters(unsigned char *memory) {{
    const double *values = (const double *)(memory + {image.offset(own.parameters)}), *row = series;
    for (size_t k = 0; k < {len(places)}; k++) memcpy(memory + tuned[k], IMAGE + tuned[k], sizeof(double));
    for (size_t k = 0; k < {len(effects)}; k++) {{
        int which = effect_of[k];
        double x = (values[which] - middles[which]) * scales[which], b = 0.0, c = 0.0;
        for (int j = terms[which] - 1; j > 0; j--) {{ /* Clenshaw */
            double next = row[j] + 2.0 * x * b - c;
            c = b;
            b = next;
        }}
        if (values[which] != usual[which]) *(double *)(memory + effect_at[k]) += row[0] + x * b - c;
        row += terms[which];
    }}
}}"""


def _sense(frozen: Frozen, image: Image) -> str:
    """Return the function that lets ideal sensors look, under what acts on the links."""
    if frozen.senses is None:
        return "void sense(unsigned char *memory) { (void)memory; }"
    observed = next(call for call in frozen.calls if call.name == "observe").arguments
    acting = next(a for a in observed if isinstance(a, np.ndarray) and a.shape[0] > 1 and a.shape[1:] == (6,))
    size = 8 * 6 * frozen.model.rows
    return f"""void sense(unsigned char *memory) {{
    memcpy(memory + {image.offset(frozen.senses.wrench)}, memory + {image.offset(acting)}, {size});
    sense_forces(memory);
    sense_places(memory);
}}"""


def _control(frozen: Frozen, own: OwnMemory, image: Image) -> str:
    """Return the function that takes a sample of the controller: u (na,) from what is measured at the time t."""
    one = frozen.control
    if one is None:
        return f"""{_table("int32_t", "controlled", [])}
void control(unsigned char *memory, double t, double *u) {{ (void)memory, (void)t, (void)u; }}"""
    arrays, na = one.law.arrays, len(one.law.names)
    places = one.places(frozen, image)
    force = [int(k) for k in one.law.force]
    more = ""
    if one.law.added is not None:
        added, size = image.offset(own.added), own.added.nbytes
        more = f"""    memset(memory + {added}, 0, {size});
    added_torques(memory, t);
    for (int k = 0; k < {na}; k++)
        ((double *)(memory + {image.offset(arrays.model)}))[k] = ((double *)(memory + {added}))[controlled[k]];
"""
    return f"""{_table("int32_t", "controlled", force)}
{_table("uint32_t", "measured", places)}
void control(unsigned char *memory, double t, double *u) {{
    double *y = (double *)(memory + {image.offset(arrays.y)});
    for (int k = 0; k < {len(places)}; k++) y[k] = *(double *)(memory + measured[k]);
    digital_reference(memory, t);
{more}    digital_sample(memory);
    memcpy(u, memory + {image.offset(arrays.u)}, {na} * sizeof(double));
}}"""


def _call(image: Image, call: Call, kernels: KernelClosure) -> str:
    """Return A C function that calls a kernel on the memory of a run."""
    code, types, takes, given = code_of(call), Types(), ["unsigned char *memory"], []
    for argument, kind in zip(call.arguments, code.kinds, strict=True):
        if isinstance(argument, Scalar):
            takes.append(f"{types.name(kind)} {argument.name}")
            given.append(argument.name)
        elif isinstance(argument, int):
            given.append(str(argument))
        elif isinstance(argument, np.ndarray):
            strides = [] if argument.flags.c_contiguous else [each // argument.itemsize for each in argument.strides]
            words = ", ".join(map(str, (*argument.shape, *strides)))
            given.append(f"({types.name(kind)}){{AT({image.offset(argument)}), {words}}}")
        else:
            given.append(f"AT({image.offset(argument)})")
    unit = kernels.unit(code)
    back = "" if unit.result is None else "return "
    return f"""{types.name(unit.result)} {call.name}({", ".join(takes)}) {{
    {back}{unit.pointer}({", ".join(given)});
}}"""


def _image(image: Image) -> str:
    """Return the run's memory before its first step, as words in hexadecimal, of which all others are zero."""
    rows = np.frombuffer(image.content(), np.uint64).reshape(-1, ROW)
    lines = [
        f"    [{ROW * k}] = {', '.join(map(hex, rows[k].tolist()))},\n" for k in np.flatnonzero(rows.any(1)).tolist()
    ]
    return f"const uint64_t image_words[{rows.size}] = {{\n{''.join(lines)}}};"
