"""A library serves the sources it was made of, whatever their comments say, and no others."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from places import ROOT

from lissom.kernel.compile.libraries import fingerprint
from lissom.kernel.compile.translate import Catalogue, Unit, find

MODULE = '''
"""Kernels."""
from lissom.kernel.compile import kernel

FACTOR = 2.0

@kernel
def double(x):
    """Twice x."""
    return FACTOR * x  # a comment
'''


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("  # a comment", "", True),
        ("Twice x.", "The double of x.", True),
        ('"""Kernels."""', '"""Other\nkernels."""\n\n', True),
        ("FACTOR * x", "(FACTOR) * x", True),
        ("FACTOR * x", "x * FACTOR", False),
        ("2.0", "2.5", False),
        ("@kernel", "@kernel\n@kernel", False),
    ],
)
def test_comments_docstrings_and_layout_do_not_count(tmp_path, old, new, same):
    file = tmp_path / "kernels.py"
    file.write_text(MODULE)
    known = fingerprint.digests(tmp_path, [file])
    assert fingerprint.is_unchanged(tmp_path, known)
    file.write_text(MODULE.replace(old, new, 1))
    fingerprint._means_the_same.cache_clear()
    assert fingerprint.is_unchanged(tmp_path, known) is same


@pytest.mark.parametrize("content", [None, "def broken(:", "\0"])
def test_a_file_that_is_gone_or_no_python_has_changed(tmp_path, content):
    file = tmp_path / "kernels.py"
    file.write_text(MODULE)
    known = fingerprint.digests(tmp_path, [file])
    file.unlink() if content is None else file.write_text(content)
    assert not fingerprint.is_unchanged(tmp_path, known)


@pytest.mark.parametrize(
    ("kernel", "modules"),
    [
        (
            "lissom.kernel.algorithms.articulated_body.forward_dynamics",
            "kernel.algorithms.articulated_body kernel.kinematics.forward_kinematics kernel.maths.algebra "
            "kernel.data.arrays kernel.maths.row_sums kernel.links.body_inertia",
        ),
        (
            "lissom.simulation.integrators.radau.radau_steps.march",
            "simulation.integrators.radau.radau_steps simulation.integrators.radau.radau_tableau "
            "control.laws.control_kernel kernel.maths.chart",
        ),
        ("lissom.theory.lie_group.passes.newton_euler", "theory.screw_algebra"),
    ],
)
def test_a_unit_knows_the_modules_it_was_made_of(all_needs, kernel, modules):
    module, _, name = kernel.rpartition(".")
    need = next(each for each in all_needs if (each.module, each.name) == (module, name))
    unit = Unit(find(need), need.kinds, Catalogue({}))
    assert {f"lissom.{each}" for each in modules.split()} <= unit.sources.modules
    assert "lissom.results.files.table_files" not in unit.sources.modules


@pytest.fixture(scope="module")
def all_needs():
    from lissom.cli.aot_workload import all_work

    return all_work().needs


PACKAGE_EDITS = [
    ("kernel/maths/algebra.py", r"(def cross\(.*\):\n)", r"\1    # as in a textbook\n", True),
    ("kernel/algorithms/articulated_body.py", r'"""', '"""On articulated bodies. ', True),
    ("results/files/table_files.py", r"import ", "import sys, ", True),  # no kernel is made of it
    ("kernel/data/arrays.py", r"ROW_WIDTH = 4", "ROW_WIDTH = 8", False),  # a constant that kernels import
    ("kernel/maths/algebra.py", r"a\[1\] \* b\[2\] - a\[2\] \* b\[1\]", "-a[2] * b[1] + a[1] * b[2]", False),
    ("kernel/compile/translate/prelude.h", r"a\.re \+ b\.re", "b.re + a.re", False),
    ("kernel/compile/translate/values.py", r'"\+", "add"', '"-", "add"', False),
    ("kernel/compile/libraries/toolchain.py", r'"-O3"', '"-O2"', False),
]


def test_an_edit_of_the_package_leaves_or_ends_its_library(tmp_path):
    """A copy of the package with a table of its sources tells after each edit whether the table is still its own."""
    package = tmp_path / "lissom"
    shutil.copytree(ROOT / "src" / "lissom", package, ignore=shutil.ignore_patterns("__pycache__", "built"))
    files = [package / name for name, *_ in PACKAGE_EDITS if name != "results/files/table_files.py"]
    known = fingerprint.digests(package, dict.fromkeys(files))
    shaping = {path.relative_to(ROOT / "src" / "lissom").as_posix() for path in fingerprint.translator_files()}
    assert {name for name, *_ in PACKAGE_EDITS if "compile" in name} <= shaping
    for name, old, new, same in PACKAGE_EDITS:
        text = (package / name).read_text()
        changed, count = re.subn(old, new, text, count=1)
        assert count == 1, f"{old} is not in {name}"
        (package / name).write_text(changed)
        fingerprint._means_the_same.cache_clear()
        assert fingerprint.is_unchanged(package, known) is same, name
        (package / name).write_text(text)


CALL = """
import sys
import numpy as np
import caller
print(caller.outer(np.array([1.0, 2.0, 3.0])))
"""
CALLER = """
from lissom.kernel.compile import kernel
from factor import FACTOR

@kernel
def outer(x):
    return FACTOR * x[2]
"""


def test_a_constant_of_another_module_is_never_served_from_old_code(tmp_path):
    (tmp_path / "caller.py").write_text(CALLER)
    environment = {**os.environ, "LISSOM_BUILD": "off", "LISSOM_CACHE_KERNELS": str(tmp_path / "kernels")}
    environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), *sys.path])
    for factor in ("2.0", "5.000"):
        (tmp_path / "factor.py").write_text(f"FACTOR = {factor}\n")
        done = subprocess.run([sys.executable, "-c", CALL], env=environment, capture_output=True, text=True)
        assert done.stdout.strip() == str(3.0 * float(factor)), done.stderr


def test_names_of_kernels_do_not_hang_on_their_order(all_needs):
    some = dict(list(all_needs.items())[:40])
    names = Catalogue(some).entries
    assert Catalogue(dict(reversed(some.items()))).entries == names
    assert len({name for name, _ in names.values()}) == len(names)
