"""Layers: a file imports from its own layer and from those before it, inside functions and for types too."""

import ast
import re

import pytest
from places import ROOT

SOURCE = ROOT / "src" / "lissom"
LAYERS = (
    "lie", "beam", "fem", "kernel", "model", "dynamics", "analysis", "control", "simulation", "theory", "scenario",
    "study", "identify", "optimise", "export", "view", "reproductions", "cli",
)  # fmt: skip
FOLDERS = sorted(path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists())
BELOW = sorted(path.stem for path in SOURCE.glob("*.py") if path.stem not in ("__init__", "__main__"))
WHOLE = "lissom"  # the package itself offers what stands up to `view`: for reproductions and commands alone
NAMED = re.compile(r"lissom(\.\w+)+(:\w+)?")  # modules named in text are loaded by name


def rank(name):
    """Place in the order: the modules beside the folders are below all layers."""
    if name in BELOW:
        return -1
    return LAYERS.index("view") + 0.5 if name == WHOLE else LAYERS.index(name)


def imported(path):
    """(line, layer or WHOLE) of everything of lissom that a file imports anywhere."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: write the whole name of what is imported"
            names = [f"{node.module}.{alias.name}" for alias in node.names] if node.module else []
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and NAMED.fullmatch(node.value):
            names = [node.value]
        for name in names:
            first, *inner = name.split(".")
            if first == "lissom":
                yield node.lineno, inner[0] if inner and inner[0] in (*LAYERS, *BELOW) else WHOLE


def upward(own, files):
    """Imports that lead to a later layer, as text."""
    found = [(file, *place) for file in files for place in imported(file)]
    return [f"{file.relative_to(SOURCE)}:{line} imports {name}" for file, line, name in found if rank(name) > rank(own)]


def test_every_folder_is_a_layer():
    assert set(FOLDERS) <= set(LAYERS)


@pytest.mark.parametrize("layer", FOLDERS)
def test_a_layer_imports_from_itself_and_those_before_it(layer):
    files = sorted((SOURCE / layer).rglob("*.py"))
    assert files and not upward(layer, files)


def test_modules_beside_the_folders_import_no_layer():
    assert not upward(BELOW[0], [SOURCE / f"{name}.py" for name in BELOW])


def test_an_upward_import_is_seen_wherever_it_stands(tmp_path):
    file = tmp_path / "sly.py"
    for text in (
        "from lissom.view.plots import plot",
        "import lissom.cli.run",
        "from lissom import theory",
        "def f():\n    from lissom.scenario import load",
        "if TYPE_CHECKING:\n    from lissom.simulation import Trajectory",
        "import_module('lissom.view.film')",
        "import lissom",
    ):
        file.write_text(text)
        assert any(rank(name) > rank("model") for _, name in imported(file)), text
    file.write_text("from lissom import lie\nfrom lissom.errors import LissomError\nfrom lissom import version")
    assert all(rank(name) <= rank("lie") for _, name in imported(file))


def test_the_picture_of_the_layers_shows_each_in_its_place():
    drawn = (ROOT / "docs" / "images" / "layers.svg").read_text(encoding="utf-8")
    named = re.findall(r'font-weight="bold"[^>]*>(\w+)<', drawn)
    assert named == [layer for layer in reversed(LAYERS) if layer in FOLDERS]
