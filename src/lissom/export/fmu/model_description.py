"""modelDescription.xml of FMI 2.0 and 3.0."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from lissom.export.fmu.fmu_variables import FmuVariable
from lissom.version import __version__

BASE = {"kg": "kg", "m": "m", "s": "s", "rad": "rad", "A": "A"}
DERIVED = {
    "N": {"kg": 1, "m": 1, "s": -2},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "Hz": {"s": -1},
}
CAUSALITY = {
    "time": ("independent", "continuous", None),
    "input": ("input", "continuous", None),
    "parameter": ("parameter", "tunable", None),
    "switch": ("parameter", "tunable", None),
    "state": ("output", "continuous", "exact"),
    "derivative": ("local", "continuous", "calculated"),
    "output": ("output", "continuous", "calculated"),
}


@dataclass(frozen=True)
class About:
    """What a description says of the model as a whole."""

    name: str
    identifier: str
    token: str
    text: str
    duration: float
    step: float  # s, of communication, as a proposal
    tolerance: float
    exchange: bool  # whether it offers model exchange
    simulation: bool  # and co-simulation
    sources: list[str]  # names of C files


def exponents(unit: str) -> dict[str, int]:
    """Return powers of the base units of a unit such as N m/rad or rad/s2."""
    total: dict[str, int] = {}
    above, *below = unit.split("/")
    for text, sign in [(above, 1), *((part, -1) for part in below)]:
        for name, power in re.findall(r"([a-zA-Z]+)(\d*)", text):
            parts = DERIVED.get(name) or {BASE[name]: 1}
            for base, times in parts.items():
                total[base] = total.get(base, 0) + sign * times * int(power or 1)
    return {base: power for base, power in total.items() if power}


def describe(version: str, about: About, variables: list[FmuVariable]) -> bytes:
    """Return the description as XML."""
    return _text((_describe2 if version == "2.0" else _describe3)(about, variables))


def describe_build(about: About, options: Sequence[str]) -> bytes:
    """Return how FMI 3.0 says what the sources are compiled with; the options are those of gcc and clang."""
    root = Element("fmiBuildDescription", fmiVersion="3.0")
    build = SubElement(root, "BuildConfiguration", modelIdentifier=about.identifier)
    _sources(SubElement(build, "SourceFileSet", language="C11", compilerOptions=" ".join(options)), "SourceFile", about)
    SubElement(build, "Library", name="m", external="true")
    return _text(root)


def _text(root: Element) -> bytes:
    indent(root)
    made: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return made


def _sources(root: Element, tag: str, about: About) -> None:
    for name in about.sources:
        SubElement(root, tag, name=name)


def _root(version: str, about: About, token: str) -> Element:
    shared = {"modelName": about.name, token: about.token, "description": about.text}
    tool = {"generationTool": f"lissom {__version__}", "variableNamingConvention": "structured"}
    return Element("fmiModelDescription", {"fmiVersion": version, **shared, **tool})


def _experiment(root: Element, about: About) -> None:
    SubElement(
        root, "DefaultExperiment", startTime="0", stopTime=f"{about.duration!r}", stepSize=f"{about.step!r}",
        tolerance=f"{about.tolerance!r}",
    )  # fmt: skip


def _units(root: Element, variables: list[FmuVariable]) -> None:
    names = sorted({each.unit for each in variables} - {"", "1"})
    if names:
        definitions = SubElement(root, "UnitDefinitions")
        for name in names:
            unit = SubElement(definitions, "Unit", name=name)
            SubElement(unit, "BaseUnit", {base: str(power) for base, power in exponents(name).items()})


def _describe2(about: About, variables: list[FmuVariable]) -> Element:
    root = _root("2.0", about, "guid")
    flags = {"canGetAndSetFMUstate": "true", "canSerializeFMUstate": "true", "providesDirectionalDerivative": "true"}
    common = {"modelIdentifier": about.identifier, **flags}
    if about.exchange:
        part = SubElement(root, "ModelExchange", common | {"completedIntegratorStepNotNeeded": "true"})
        _sources(SubElement(part, "SourceFiles"), "File", about)
    if about.simulation:
        part = SubElement(root, "CoSimulation", common | {"canHandleVariableCommunicationStepSize": "true"})
        _sources(SubElement(part, "SourceFiles"), "File", about)
    _units(root, variables)
    _experiment(root, about)
    listed = SubElement(root, "ModelVariables")
    index = {each.name: str(k) for k, each in enumerate(variables, start=1)}
    for k, each in enumerate(variables):
        outer = SubElement(listed, "ScalarVariable", _common(k, each))
        SubElement(outer, "Boolean" if each.role == "switch" else "Real", _number(each, index))
    structure = SubElement(root, "ModelStructure")
    _structure2(structure, "Outputs", variables, lambda each: each.role in ("output", "state"), index)
    _structure2(structure, "Derivatives", variables, lambda each: each.role == "derivative", index)
    _structure2(structure, "InitialUnknowns", variables, lambda each: each.role in ("output", "derivative"), index)
    return root


def _structure2(
    root: Element,
    name: str,
    variables: list[FmuVariable],
    belongs: Callable[[FmuVariable], bool],
    index: dict[str, str],
) -> None:
    found = [each for each in variables if belongs(each)]
    if found:
        part = SubElement(root, name)
        for each in found:
            SubElement(part, "Unknown", index=index[each.name])


def _describe3(about: About, variables: list[FmuVariable]) -> Element:
    root = _root("3.0", about, "instantiationToken")
    flags = {"canGetAndSetFMUState": "true", "canSerializeFMUState": "true", "providesDirectionalDerivatives": "true"}
    common = {"modelIdentifier": about.identifier, **flags}
    if about.exchange:
        SubElement(root, "ModelExchange", common)
    if about.simulation:
        SubElement(root, "CoSimulation", common | {"canHandleVariableCommunicationStepSize": "true"})
    _units(root, variables)
    _experiment(root, about)
    listed = SubElement(root, "ModelVariables")
    index = {each.name: str(k) for k, each in enumerate(variables)}
    for k, each in enumerate(variables):
        attributes = _common(k, each) | _number(each, index)
        SubElement(listed, "Boolean" if each.role == "switch" else "Float64", attributes)
    structure = SubElement(root, "ModelStructure")
    for name, roles in (
        ("Output", ("output", "state")),
        ("ContinuousStateDerivative", ("derivative",)),
        ("InitialUnknown", ("output", "derivative")),
    ):
        for each in variables:
            if each.role in roles:
                SubElement(structure, name, valueReference=index[each.name])
    return root


def _common(k: int, each: FmuVariable) -> dict[str, Any]:
    causality, variability, initial = CAUSALITY[each.role]
    found = {"name": each.name, "valueReference": str(k), "causality": causality, "variability": variability}
    return found | ({"description": each.text} if each.text else {}) | ({"initial": initial} if initial else {})


def _number(each: FmuVariable, index: dict[str, str]) -> dict[str, str]:
    """Return what is said of its value: unit, range, start, and the state that it derives."""
    found = {} if each.unit in ("", "1") else {"unit": each.unit}
    found |= _limits(each)
    if each.role in ("input", "parameter", "switch", "state"):
        found["start"] = _value(each)
    if each.role == "derivative":
        found["derivative"] = index[each.of]
    return found


def _limits(each: FmuVariable) -> dict[str, str]:
    return {} if each.limits is None else {"min": repr(each.limits[0]), "max": repr(each.limits[1])}


def _value(each: FmuVariable) -> str:
    return ("true" if each.start else "false") if each.role == "switch" else repr(float(each.start))
