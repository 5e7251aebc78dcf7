"""Scenarios as FMUs: blocks for Simulink, Modelica and other tools, by the machine code that lissom itself runs.

`to_fmu` is public.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import zipfile
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

from lissom.control.laws.sampled_control import Sampled
from lissom.errors import LissomError, check_choice, within
from lissom.files import check_goal, write_whole
from lissom.scenario.prepare import Prepared
from lissom.scenario.scenario_schema import Scenario

VERSIONS = ("2.0", "3.0")
KINDS = ("both", "co-simulation", "model-exchange")
Kind = Literal["both", "co-simulation", "model-exchange"]


def to_fmu(
    scenario: str | os.PathLike[str] | Scenario | Prepared,
    to: str | os.PathLike[str],
    *,
    version: str = "2.0",
    kind: Kind = "both",
    wrenches: Sequence[str] | None = None,
    parameters: Sequence[str] = (),
    name: str | None = None,
    platforms: Sequence[str] = (),
) -> Path:
    """Write a scenario as an FMU for this kind of machine, with all its C sources.

    >>> lissom.export.to_fmu("ella", "ella.fmu")

    Parameters
    ----------
    scenario : str or os.PathLike or Scenario or Prepared
        A built-in name, a path, a Scenario, or what `Scenario.prepare` gives.
    to : str or path
        The file, which ends in .fmu.
    version : str
        Of FMI, "2.0" or "3.0".
    kind : Kind
        "co-simulation", "model-exchange" or "both".
    wrenches : sequence of str, optional
        Links on whose tips forces and torques from outside act; those that carry no other unless given.
    parameters : sequence of str
        Numbers of the robot that a tool may change, beside gains and gravity: "links.forearm.body.mass".
    name : str, optional
        Of the model, the scenario's unless given.
    platforms : sequence of str
        Other machines that it is to run on, too: "win64", "linux64", "darwin64", "aarch64-linux",
        "aarch64-darwin" or "all"; needs the package ziglang.
    """
    from lissom.export.fmu import (
        fmu_build as build,
    )
    from lissom.export.fmu import (
        fmu_source as source,
    )
    from lissom.export.fmu import (
        frozen_run as frozen,
    )
    from lissom.export.fmu import (
        model_description as description,
    )
    from lissom.export.fmu.fmu_parameters import find_parameters
    from lissom.export.fmu.fmu_platforms import chosen
    from lissom.export.fmu.fmu_variables import Inputs, Variables
    from lissom.export.fmu.kernel_closure import KernelClosure
    from lissom.kernel.compile.libraries.toolchain import OPTIONS

    check_choice("version", version, VERSIONS)
    check_choice("kind", kind, KINDS)
    machines = chosen(platforms, version)
    check_goal(to)
    prepared, title = _prepare(scenario)
    title = name or title
    frozen.check(prepared)
    sampled = isinstance(prepared.controller, Sampled)
    if kind == "model-exchange" and (prepared.model.loops or prepared.model.states or sampled):
        why = "a controller takes samples between" if sampled else "loops would drift open in"
        why = "drives of actuators are part of" if prepared.model.states else why
        raise LissomError(f"{why} the steps of a tool's integrator; export co-simulation", ("kind",), kind)
    fed = tuple(prepared.model.ends if wrenches is None else wrenches)
    for link in fed:
        prepared.model.row(link)
    inputs = Inputs(prepared.model, prepared.controller, fed)
    gains = 0 if sampled else 2 * len(inputs.channels)
    own = frozen.own_memory(prepared, len(inputs), gains + 3 + len(dict.fromkeys(parameters)))
    run = frozen.freeze(prepared, fed, own)
    image = run.image(own)
    with within("parameters"):
        tuned = find_parameters(run, image, parameters, inputs.channels)
    own.parameters[:] = [each.value for each in tuned]
    variables = Variables(run, own, image, inputs, tuned)
    kernels = KernelClosure([*map(source.code_of, run.calls), *(code for _, code in image.calls)])
    identifier = re.sub(r"\W", "_", title)
    identifier = f"_{identifier}" if identifier[:1].isdigit() else identifier
    token = _token(image.content(), [each.name for each in variables], version)
    about = description.About(
        name=title,
        identifier=identifier,
        token=token,
        text=f"{prepared.model.robot.name} by lissom",
        duration=prepared.settings.duration,
        step=1.0 / prepared.settings.rate,
        tolerance=prepared.settings.rtol,
        exchange=kind != "co-simulation" and not (prepared.model.loops or prepared.model.states or sampled),
        simulation=kind != "model-exchange",
        sources=build.source_names(version, kernels.units),
    )
    texts = {
        "model.h": source.header(run, own, image, variables, inputs),
        "model.c": source.source(run, own, image, variables, inputs, tuned, token, kernels),
    }
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "modelDescription.xml").write_bytes(description.describe(version, about, variables))
        sources, binaries = folder / "sources", folder / "binaries"
        build.write_sources(sources, version, kernels.units, texts)
        if version == "3.0":
            (sources / "buildDescription.xml").write_bytes(description.describe_build(about, OPTIONS))
        goals = {binaries / each.folder(version) / f"{identifier}{each.target.suffix}": each for each in machines}
        build.compile_libraries(sources, version, kernels.units, goals)
        return _zipped(folder, Path(to))


def _prepare(scenario: Any) -> tuple[Prepared, str]:
    """Return what to export, and its name."""
    from lissom.scenario.scenario_files import find

    if isinstance(scenario, Prepared):
        return scenario, scenario.model.robot.name
    if isinstance(scenario, Scenario):
        return scenario.prepare(), scenario.name or scenario.load_robot().name
    found = find(scenario)
    try:
        return found.scenario.prepare(), found.name
    except LissomError as error:
        raise found.located(error) from None


def _token(content: bytes, names: Sequence[str], version: str) -> str:
    """Return the fingerprint of a model in the form that FMI 2.0 asks for."""
    digest = hashlib.sha256(content + "\n".join([version, *names]).encode()).hexdigest()
    return f"{{{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}}}"


def _zipped(folder: Path, to: Path) -> Path:
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder).as_posix())
    write_whole(to, content.getvalue())
    return to
