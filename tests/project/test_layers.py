"""Layers: a file imports from its own layer and from those before it, inside functions and for types too.

Layers have rooms, the folders inside them, and these have an order of the same kind.
"""

import ast
import re

import pytest
from places import ROOT

SOURCE = ROOT / "src" / "lissom"
LAYERS = (
    "lie", "beam", "fem", "kernel", "model", "dynamics", "analysis", "control", "simulation", "results", "theory",
    "scenario", "study", "identify", "optimise", "export", "view", "reproductions", "cli",
)  # fmt: skip
FOLDERS = sorted(path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists())
BELOW = sorted(path.stem for path in SOURCE.glob("*.py") if path.stem not in ("__init__", "__main__"))
WHOLE = "lissom"  # the package itself offers what stands up to `view`: for reproductions and commands alone
NAMED = re.compile(r"lissom(\.\w+)+(:\w+)?")  # modules named in text are loaded by name

# What returns results stands above `results`, though it is called by the name of the layer below: (file, names).
DOORS = {
    "simulation": ("run_simulation.py", "sensitivity/motion_sensitivity.py", "__init__.pyi"),
}

# Results draw themselves, `run.plot()`: their methods import what draws them.
DRAWN = {
    "results/trajectory.py", "identify/fit_result.py", "study/store/study_results.py",
    "scenario/formulation_comparison.py", "optimise/sizing_result.py", "optimise/motion_result.py",
    "analysis/linear_models/frequency_response.py", "analysis/linear_models/root_locus.py",
    "analysis/linear_models/step_response.py", "analysis/modes/buckling_modes.py",
    "analysis/modes/campbell.py",
}  # fmt: skip

# Rooms and single modules of a layer, the lowest first; a module that is not listed is below all of them.
ROOMS = {
    "kernel": (
        "data", "maths", "links", "kinematics", "forces", "algorithms", "implicit", "derivatives", "constraints",
        "numbers",
    ),
    "beam": (
        "sections", "functions", "displacement_fields", "damping", "flexible_link", "beam_link", "omitted_shapes",
        "field_limits", "fibre_strain", "link_stack",
    ),
    "model": (
        "schema", "description", "actuators", "importers", "io", "flexible", "model", "compilation", "angle_warnings",
        "robot_tables", "any_robot",
    ),
    "dynamics": (
        "state_checks", "coordinates", "kinematic_loops", "plain_call", "forward", "inverse", "joint_space_inertia",
        "state_derivatives", "energies", "forward_batch", "kinematics", "reaching", "operation_counts", "sensor_kinds",
        "sensing", "symbolic",
    ),
    "analysis": ("energy_balance", "equilibrium", "linear_models", "modes"),
    "control": ("references", "laws", "design", "schema"),
    "simulation": (
        "equations", "settings", "integrators", "raw_run", "inputs", "status", "postprocess", "initial_state",
        "stepping", "batch", "run_simulation", "sensitivity",
    ),
    "results": (
        "registry", "fatigue", "run_samples", "presentation", "trajectory", "summaries", "validity", "files", "trust",
    ),
    "study": ("plan", "store", "execution", "search", "agent_observations", "learning"),
    "export": ("c", "fmu"),
    "view": ("figures", "drawing", "films", "pages", "live"),
    "cli": ("aot_workload", "builtin_entries", "printing", "commands"),
}  # fmt: skip
# Rooms whose place is not fixed: how kernels become machine code, and the number types that it compiles.
FREE = {"kernel": {"machine", "compile", "packs"}}
# Classes whose methods do what higher rooms are for; they import inside of methods or for types.
FACES = {
    "model/description/robot.py": "a Robot compiles, describes, reads and writes itself",
    "model/model.py": "a Model places points on its links and says what its functions do not follow",
    "simulation/raw_run.py": "the record of a run holds what every room notes of it",
    "results/trajectory.py": "a Trajectory summarises and saves itself",
    "study/plan/study_schema.py": "a Study runs itself",
}
# Single imports against the order of rooms. The list may only become shorter.
AGAINST = {
    ("beam/functions/ritz.py", "displacement_fields"): "Ritz solutions integrate strains as the field does",
    ("model/description/robot_checks.py", "compilation"): "masses that loops hold are judged when read",
    ("model/io/to_dict.py", "flexible"): "defaults of beams are left out of files",
    ("model/flexible/beam.py", "compilation"): "functions of a beam follow from what holds its ends",
    ("simulation/settings.py", "integrators"): "settings check the name of the integrator",
    ("study/plan/run_plan.py", "execution"): "runs are computed in lanes or in the memory of others",
    ("study/store/zarr_store.py", "execution"): "the size of pieces follows from how they are computed",
    ("view/pages/study_page.py", "live"): "a study is served as the live page is",
}


def sources(layer):
    """The files of a layer, with the stubs that list its public names."""
    return sorted([*(SOURCE / layer).rglob("*.py"), *(SOURCE / layer).rglob("*.pyi")])


def rank(name):
    """Place in the order: the modules beside the folders are below all layers."""
    if name in BELOW:
        return -1
    return LAYERS.index("view") + 0.5 if name == WHOLE else LAYERS.index(name)


def height(file):
    """The rank of a file of the package: that of its layer, but for doors."""
    layer, *_ = file.relative_to(SOURCE).parts
    inside = file.relative_to(SOURCE / layer).as_posix()
    return rank("results") + 0.5 if inside in DOORS.get(layer, ()) else rank(layer)


def modules(path):
    """(line, dotted name below lissom) of everything of lissom that a file imports anywhere."""
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
            first, *inner = re.split(r"[.:]", name)
            if first == "lissom":
                yield node.lineno, inner


def imported(path):
    """(line, layer or WHOLE) of everything of lissom that a file imports anywhere."""
    for line, inner in modules(path):
        yield line, inner[0] if inner and inner[0] in (*LAYERS, *BELOW) else WHOLE


def upward(files):
    """Imports that lead to a later layer, as text."""
    found = [
        (file, *place)
        for file in files
        for place in imported(file)
        if not (place[1] == "view" and file.is_relative_to(SOURCE) and file.relative_to(SOURCE).as_posix() in DRAWN)
    ]
    return [
        f"{file.relative_to(SOURCE)}:{line} imports {name}" for file, line, name in found if rank(name) > height(file)
    ]


def test_every_folder_is_a_layer():
    assert set(FOLDERS) <= set(LAYERS)


@pytest.mark.parametrize("layer", FOLDERS)
def test_a_layer_imports_from_itself_and_those_before_it(layer):
    files = sources(layer)
    assert files
    assert not upward(files)


def test_doors_are_there_and_nothing_below_them_goes_through_one():
    for layer, doors in DOORS.items():
        assert all((SOURCE / layer / door).exists() for door in doors)
        closed = {tuple(door.removesuffix(".py").split("/")) for door in doors} - {("__init__.pyi",)}
        for file in sources(layer):
            if file.relative_to(SOURCE / layer).as_posix() not in doors:
                for line, inner in modules(file):
                    through = inner[:1] == [layer] and any(tuple(inner[1 : 1 + len(door)]) == door for door in closed)
                    assert not through, f"{file.relative_to(SOURCE)}:{line}"


def test_modules_beside_the_folders_import_no_layer():
    found = [place for name in BELOW for place in imported(SOURCE / f"{name}.py")]
    assert all(rank(name) < 0 for _, name in found)


def room_of(layer, inner):
    """Place of a module among the rooms of its layer: -1 below all of them, None where it is not fixed."""
    name = inner[0] if inner else ""
    if name in FREE.get(layer, ()):
        return None
    return ROOMS[layer].index(name) if name in ROOMS[layer] else -1


def against(layer):
    """(file, room) of imports that lead to a later room of the same layer."""
    found = set()
    for file in sources(layer):
        inside = file.relative_to(SOURCE / layer).with_suffix("").parts
        own = room_of(layer, inside)
        name = file.relative_to(SOURCE).as_posix()
        if inside == ("__init__",) or own is None or name in FACES:
            continue
        for _, (first, *inner) in ((line, inner) for line, inner in modules(file) if len(inner) > 1):
            other = room_of(layer, inner) if first == layer else None
            if other is not None and other > own:
                found.add((name, inner[0]))
    return found


@pytest.mark.parametrize("layer", ROOMS)
def test_a_room_imports_from_itself_and_those_before_it(layer):
    known = {(file, room) for file, room in AGAINST if file.split("/")[0] == layer}
    assert against(layer) == known


@pytest.mark.parametrize("layer", ROOMS)
def test_every_room_has_its_place(layer):
    rooms = {path.parent.name for path in (SOURCE / layer).glob("*/__init__.py")}
    assert rooms <= {*ROOMS[layer], *FREE.get(layer, ())}
    modules = {path.stem for path in (SOURCE / layer).glob("*.py")}
    assert set(ROOMS[layer]) <= rooms | modules


def test_an_upward_import_is_seen_wherever_it_stands(tmp_path):
    file = tmp_path / "sly.py"
    for text in (
        "from lissom.view.figures import plot",
        "import lissom.cli.commands",
        "from lissom import theory",
        "def f():\n    from lissom.scenario import load",
        "if TYPE_CHECKING:\n    from lissom.simulation import Trajectory",
        "import_module('lissom.view.films')",
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
