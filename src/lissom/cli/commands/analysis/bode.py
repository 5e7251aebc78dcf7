"""lissom bode."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lissom.cli.printing.command_wrapper import assignment, command
from lissom.cli.printing.pose_options import Pose, read_pose
from lissom.cli.printing.shared_options import EXAMPLE, Anything, Json, Settings, out
from lissom.errors import LissomError, check_choice
from lissom.terminal import screen

if TYPE_CHECKING:
    from lissom.analysis import FrequencyResponse, LinearModel

KINDS = ("bode", "nyquist", "root-locus", "step")
PEAKS = 8  # resonances in the table


@command
def bode(
    robot: Anything,
    source: Annotated[
        str | None,
        typer.Option(
            "--input",
            metavar="NAME",
            show_default=False,
            help="A motor, or a tip such as forearm.tip.y that a force acts on; the first motor unless given.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            metavar="NAME",
            show_default=False,
            help="What answers: elbow, elbow.rate, forearm.tip.y, upper.deflection.z; the input's own unless given.",
        ),
    ] = None,
    pose: Pose = None,
    kind: Annotated[str, typer.Option("--kind", metavar="KIND", help="bode, nyquist, root-locus or step.")] = "bode",
    loop: Annotated[
        bool, typer.Option("--loop", help="Of a scenario: its controller's loop, cut at the motor of --input.")
    ] = False,
    low: Annotated[float | None, typer.Option("--from", metavar="HZ", min=0, show_default=False, help="Least.")] = None,
    high: Annotated[
        float | None, typer.Option("--to", metavar="HZ", min=0, show_default=False, help="Largest.")
    ] = None,
    to: Annotated[Path | None, out("File of the figure; out/NAME/KIND.png unless given.")] = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Frequency response, root locus or step response of small motions, with resonances and margins.

    The linear model is made about the equilibrium at the pose, where motors hold the weight; of a scenario, where it
    starts. With --loop margins of gain, phase and delay are told, and the step is that of the closed loop.
    """
    check_choice("--kind", kind, KINDS)
    from lissom.analysis import linearise, static_equilibrium
    from lissom.cli.builtin_entries import robot_of

    changed, scenario = robot_of(robot, [assignment(text, EXAMPLE) for text in settings or ()])
    model = changed.compile()
    q: Any = read_pose(model, pose)
    if loop:
        linear = _loop(scenario, changed, source, q or None)
    else:
        if scenario is not None and not q:
            q = scenario.with_value("robot", changed).prepare().start[0]
        motor = source or (model.coordinates[model.actuated[0]] if len(model.actuated) else None)
        if motor is None:
            raise LissomError(f"{changed.name} has no motor; give --input, such as a tip: LINK.tip.z", ("--input",))
        seen = output or motor.removesuffix(".rotor")
        linear = linearise(model, static_equilibrium(model, q), outputs=[seen], inputs=[motor])
    _show(linear, kind, low, high, to, changed.name, as_json, loop)


def _loop(scenario: Any, robot: Any, source: str | None, q: Any) -> LinearModel:
    from lissom.control import open_loop

    if scenario is None:
        raise LissomError("needs a scenario, whose controller closes the loop", ("--loop",))
    prepared = scenario.with_value("robot", robot).prepare()
    return open_loop(prepared.model, prepared.controller, prepared.start[0] if q is None else q, motor=source)


def _show(
    linear: LinearModel, kind: str, low: float | None, high: float | None, to: Path | None, name: str, as_json: bool,
    loop: bool,
) -> None:  # fmt: skip
    from lissom.analysis.linear_models.frequency_grid import frequency_grid
    from lissom.cli.printing.figure_files import png
    from lissom.files import write_whole

    response = linear.bode(frequencies=frequency_grid(linear, low or None, high))
    single = len(linear.inputs) == len(linear.outputs) == 1
    margins = linear.margins() if single else None
    if as_json:
        typer.echo(json.dumps(_data(linear, response, margins), indent=2))
        return
    path = to or Path("out") / name / f"{kind}.png"
    import matplotlib

    matplotlib.use("Agg")
    if kind == "root-locus":
        if not single:
            raise LissomError(f"has {len(linear.outputs)} outputs; a root locus takes one", ("--output",))
        figure = linear.root_locus().plot(high)
    elif kind == "step":
        figure = (linear.feedback() if loop else linear).step_response(linear.inputs[0]).plot()
    else:
        figure = response.plot(kind)  # type: ignore[arg-type]  # checked above
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, png(figure))
    if kind == "step":
        screen().print((linear.feedback() if loop else linear).step_response(linear.inputs[0]).table())
    else:
        screen().print(_table(response))
    if margins is not None and loop:
        screen().print(margins.table())
    screen().print(f"figure: {path}")


def _peaks(response: FrequencyResponse) -> list[tuple[str, str, float, float]]:
    """Return resonances, the largest first: input, output, Hz, magnitude."""
    sizes = response.magnitude.reshape(len(response.frequencies), len(response.outputs), len(response.inputs))
    found = []
    for i, output in enumerate(response.outputs):
        for k, source in enumerate(response.inputs):
            one = sizes[:, i, k]
            for at in 1 + (one[1:-1] > one[:-2]).nonzero()[0]:
                if one[at] >= one[at + 1]:
                    found.append((source, output, float(response.frequencies[at]), float(one[at])))
    return sorted(found, key=lambda peak: -peak[3])


def _table(response: FrequencyResponse) -> Any:
    import numpy as np

    from lissom.printing import table

    made = table("output", "input", "Hz", "magnitude", "dB", title="resonances")
    for source, output, frequency, size in _peaks(response)[:PEAKS]:
        made.add_row(output, source, f"{frequency:.5g}", f"{size:.4g}", f"{20 * np.log10(size):.2f}")
    return made


def _data(linear: LinearModel, response: FrequencyResponse, margins: Any) -> dict[str, Any]:
    import math

    def number(value: float) -> float | None:
        return float(value) if math.isfinite(value) else None

    shape = (len(response.frequencies), len(response.outputs), len(response.inputs))
    values = response.response.reshape(shape)
    data: dict[str, Any] = {
        "model": linear.name,
        "frequencies": response.frequencies.tolist(),
        "responses": [
            {"output": o, "input": u, "real": values[:, i, k].real.tolist(), "imaginary": values[:, i, k].imag.tolist()}
            for i, o in enumerate(response.outputs)
            for k, u in enumerate(response.inputs)
        ],
        "resonances": [
            {"output": o, "input": u, "frequency": f, "magnitude": m} for u, o, f, m in _peaks(response)[:PEAKS]
        ],
    }
    if margins is not None:
        names = ("gain", "gain_frequency", "phase", "phase_frequency", "delay", "distance", "distance_frequency")
        data["margins"] = {"stable": margins.stable, **{name: number(getattr(margins, name)) for name in names}}
    return data
