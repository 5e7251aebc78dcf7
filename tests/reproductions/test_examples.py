"""Every example runs, the numbers it asserts hold, and its figures name every axis with its unit."""

import runpy
from importlib import import_module

import pytest
from figures import assert_is_labelled
from places import ROOT

SLOW = ("canadarm2", "ella", "l_mechanism", "spinup_beam")  # whole figures of papers, a minute or so each
EXAMPLES = [
    pytest.param(path, marks=pytest.mark.slow if path.stem in SLOW else (), id=path.stem)
    for path in sorted((ROOT / "examples").glob("*.py"))
]
NEEDS = {"boom_from_mesh": "gmsh"}  # which a bare machine may have, but cannot load without its graphics libraries


@pytest.mark.parametrize("path", EXAMPLES)
def test_example(path, monkeypatch):
    from matplotlib.figure import Figure

    save = Figure.savefig

    def checked(figure, *args, **kwargs):
        assert_is_labelled(figure)
        save(figure, *args, **kwargs)

    monkeypatch.setattr(Figure, "savefig", checked)
    assert "assert " in path.read_text(encoding="utf-8")
    if path.stem in NEEDS:
        try:
            import_module(NEEDS[path.stem])
        except (ImportError, OSError) as error:
            pytest.skip(f"{NEEDS[path.stem]} cannot be loaded: {error}")
    runpy.run_path(str(path), run_name="__main__")
