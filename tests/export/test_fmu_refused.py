"""What an FMU cannot be or hold is refused by name."""

import pytest
from fmus import SWING

from lissom.errors import LissomError
from lissom.export import to_fmu
from lissom.export.fmu.fmu_platforms import PLATFORMS, chosen
from lissom.kernel.compile import decorators
from lissom.kernel.compile.libraries import toolchain
from lissom.scenario import load
from lissom.scenario.scenario_files import parse

CONTACT = """
  contacts:
    - {name: floor, sphere: {link: left, radius: 0.05}, surface: {link: world, shape: plane}, stiffness: 1.0e5}
duration: 0.4"""
PAYLOAD = "links.forearm.beam.masses.0.mass"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fmus")


BROKEN = [
    ({"version": "1.0"}, "version = '1.0': must be '2.0' or '3.0'"),
    ({"kind": "co"}, "kind = 'co': must be 'both', 'co-simulation' or 'model-exchange'"),
    ({"wrenches": ["hand"]}, "ella has no link 'hand'"),
]


@pytest.mark.parametrize(("options", "text"), BROKEN, ids=[str(options) for options, _ in BROKEN])
def test_wrong_arguments_are_refused(folder, options, text):
    with pytest.raises(LissomError, match=text):
        to_fmu("ella", folder / "none.fmu", **options)


@pytest.mark.parametrize(
    ("platforms", "version", "text"),
    [
        (["win32"], "2.0", "platforms = 'win32': must be 'win64', "),
        (["darwin64", "aarch64-darwin"], "2.0", "platforms = 'aarch64-darwin': FMI 2.0 has one folder darwin64"),
    ],
)
def test_platforms_that_an_fmu_cannot_name(folder, monkeypatch, platforms, version, text):
    monkeypatch.setattr(toolchain, "zig", lambda: ("zig", "cc"))
    with pytest.raises(LissomError, match=text):
        to_fmu("ella", folder / "none.fmu", version=version, platforms=platforms)


def test_what_compiles_it_is_named_where_it_is_missing(folder, monkeypatch):
    monkeypatch.setattr(toolchain, "zig", lambda: None)
    with pytest.raises(LissomError, match=r"platforms = 'aarch64-linux': needs .* pip install lissom.compiler"):
        to_fmu("ella", folder / "none.fmu", platforms=["aarch64-linux"])
    monkeypatch.setattr(toolchain, "compiler", lambda: None)
    with pytest.raises(LissomError, match="an FMU needs a C compiler: install gcc"):
        to_fmu("ella", folder / "none.fmu")


def test_kernels_that_run_as_python_are_told(folder, monkeypatch):
    monkeypatch.setattr(decorators, "AS_PYTHON", True)
    with pytest.raises(LissomError, match="unset LISSOM_KERNELS=python"):
        to_fmu("ella", folder / "none.fmu")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (("payloads", [{"link": "forearm", "mass": 1.0, "pick": 0.1}]), "payloads.0.* cannot pick up and drop"),
        (("method", "cvode-bdf"), "method = 'cvode-bdf': .*radau"),
    ],
)
def test_what_needs_python_is_refused_by_name(folder, change, text):
    with pytest.raises(LissomError, match=text):
        to_fmu(load("ella").with_value(*change), folder / "none.fmu")


def test_loops_are_for_co_simulation(folder):
    with pytest.raises(LissomError, match="kind = 'model-exchange': loops would drift open"):
        to_fmu("five-bar", folder / "none.fmu", kind="model-exchange")


@pytest.mark.parametrize(
    ("paths", "text"),
    [
        (["links.forearm.name"], "parameters.links.forearm.name = 'forearm': is not a number"),
        (["links.forearm.joint.damping"], "parameters.links.forearm.joint.damping = 0: is not a number other than 0"),
        (["links.forearm.joint.axis.2"], r"joint.axis.2 = 1: changes nothing"),
        (["materials.steel.density"], "parameters.materials.steel.density: unknown"),
        ([PAYLOAD, "links.forearm.beam.length"], "multiplies links.forearm.beam.length|otherwise|smoothly"),
    ],
)
def test_parameters_that_an_fmu_cannot_change(folder, paths, text):
    with pytest.raises(LissomError, match=text):
        to_fmu(load("ella"), folder / "none.fmu", parameters=paths)


def test_contacts_are_refused_by_name(folder):
    text = SWING.replace("JOINT", "revolute").replace("duration: 0.4", CONTACT.strip("\n"))
    with pytest.raises(LissomError, match=r"contacts\[0\] = 'floor': an FMU cannot look for the times"):
        to_fmu(parse(text, "touching.yaml").scenario, folder / "none.fmu")


@pytest.mark.parametrize(("to", "text"), [("nowhere/ella.fmu", "there is no folder"), (".", "it is a folder")])
def test_a_place_that_cannot_be_written_is_told_before_the_work(folder, monkeypatch, to, text):
    monkeypatch.setattr("lissom.export.fmu._prepare", lambda *_: pytest.fail("prepared"))
    with pytest.raises(LissomError, match=f"cannot write .*{text}"):
        to_fmu("ella", folder / to)


@pytest.mark.skipif(toolchain.zig() is None, reason="needs the package ziglang")
@pytest.mark.parametrize(("version", "count"), [("2.0", 4), ("3.0", 5)])
def test_all_platforms_are_one_for_each_folder(version, count):
    folders = [each.folder(version) for each in chosen(["all"], version)]
    assert len(folders) == len(set(folders)) == count
    assert {each.folder(version) for each in PLATFORMS.values()} == set(folders)
