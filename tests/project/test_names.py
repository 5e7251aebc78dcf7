"""One word, one thing: classes of equal name are listed here, each with the reason."""

import ast
from collections import defaultdict

import pytest
from places import ROOT

SOURCE = ROOT / "src" / "lissom"
# Formulations and reproductions speak the languages of their papers.
OWN_WORDS = ("theory", "reproductions")
# The two translators to C, of kernels for any robot and of one robot's functions, are built alike.
TRANSLATORS = ("kernel/compile", "export/c")

SAME_THING = {  # what a person describes or a beam works out, and its table in the kernel or its counterpart below
    "Axis", "Bow", "Element", "Gain", "Inertia", "Loops", "Material", "Sections", "Surface",
}  # fmt: skip
SHARED_WORDS = {  # words of two fields
    "Arrays": "of a model's tables; of a translator's statements on arrays",
    "Deflection": "of a tip at rest; the sensor that reads it",
    "Frame": "a place with axes; a structure of bars, as the finite elements call it",
    "Matrices": "6 x 6 of a section; mass and stiffness of a mesh, by their keys in a file",
    "Number": "the check of a field; the kind of an argument",
    "Payload": "what an arm picks up; its controls on the live page",
    "Place": "along a link; on a mesh",
    "Record": "measured; of a run, as kernels write it",
    "Table": "of Denavit and Hartenberg; an argument of a kernel",
    "Unit": "of measurement; of translation",
}


def classes():
    """The files, below the package, of every public class at the top of a module."""
    found = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path.relative_to(SOURCE).as_posix())
    return found


def several(files):
    """The files that share a name without a reason by where they are."""
    files = [file for file in files if not file.startswith(OWN_WORDS)]
    return [] if all(file.startswith(TRANSLATORS) for file in files) else files


def test_classes_of_one_name_are_one_thing_or_listed():
    shared = {name for name, files in classes().items() if len(several(files)) > 1}
    assert shared == SAME_THING | set(SHARED_WORDS)


@pytest.mark.parametrize(
    "package", ["", ".model", ".control", ".analysis", ".simulation", ".results", ".view", ".study"]
)
def test_public_names_of_a_package_stand_once(package):
    stub = SOURCE.joinpath(*package.split(".")) / "__init__.pyi"
    names = [
        alias.asname for node in ast.parse(stub.read_text()).body if hasattr(node, "names") for alias in node.names
    ]
    assert names
    assert len(names) == len(set(names))
