"""Machine code is made again when a source it depends on changes, and only then."""

import json
import os
import re
import shutil
import subprocess
import sys
from compileall import compile_dir
from contextlib import ExitStack
from py_compile import PycInvalidationMode

import pytest
from places import ROOT

if not hasattr(os, "fork"):
    pytest.skip("needs processes that fork", allow_module_level=True)

KERNELS = {
    "kernel": "lissom.kernel.forward:forward_dynamics",
    "chart": "lissom.kernel.chart:move",
    "theory": "lissom.theory.lie_group.passes:newton_euler",
    "simulation": "lissom.simulation.system:acceleration",
    "march": "lissom.simulation.radau:march",
    "lanes": "lissom.simulation.lanes:march",
}
# Answers by a child of its own each, which imports the package as it is then; what the package needs is there already.
STAMPS = """
import json, os, sys
from importlib import import_module
import numpy, pydantic
for line in sys.stdin:
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        if status:
            print("failed", flush=True)
        continue
    from lissom.kernel.compile.stamp import stamp
    found = {}
    for name, path in json.loads(line).items():
        module, kernel = path.split(":")
        found[name] = stamp(getattr(import_module(module), kernel).py_func, name == "lanes")
    print(json.dumps(found), flush=True)
    os._exit(0)
"""
COMPILE = """
import numpy as np
from lissom.kernel.compile import events
from lissom.kernel.mass_matrix import solve_factorised
names = []
with events.listening(lambda name: name and names.append(name)):
    solve_factorised(np.eye(2), np.ones((1, 2)), 2)
print(len(names))
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package that may be edited; its bytecode is used as long as the text is what it was."""
    copy = tmp_path_factory.mktemp("package") / "lissom"
    shutil.copytree(ROOT / "src" / "lissom", copy, ignore=shutil.ignore_patterns("__pycache__"))
    assert compile_dir(copy, quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    return copy


def environment(package):
    return os.environ | {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture(scope="module")
def stamps(package):
    """A function that tells the stamps of the copy as it is."""
    pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", STAMPS], env=environment(package), **pipe) as process:

        def found():
            process.stdin.write(json.dumps(KERNELS) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        yield found
        process.stdin.close()


class Edited:
    """A file of the copy with one change, taken back at the end."""

    def __init__(self, package, file, old, new):
        self.file, self.old, self.new = package / file, old, new

    def __enter__(self):
        self.text = self.file.read_text(encoding="utf-8")
        changed, count = re.subn(self.old, self.new, self.text, count=1)
        assert count == 1, f"{self.old} is not in {self.file}"
        self.file.write_text(changed, encoding="utf-8")

    def __exit__(self, *_):
        self.file.write_text(self.text, encoding="utf-8")


@pytest.fixture(scope="module")
def before(stamps):
    return stamps()


@pytest.mark.parametrize(
    ("file", "old", "new", "changes"),
    [
        ("kernel/chart.py", r"base\[at\] \+ u\[k\]", "u[k] + base[at]", {"chart", "march"}),  # a kernel
        ("kernel/forward.py", r"work\.zero - model\.gravity", "-model.gravity", {"kernel"}),  # a helper beside it
        (
            "kernel/algebra.py",
            r"(def cross\(.*\):\n)",
            r"\1    # as in a textbook\n",
            {"kernel", "chart", "march"},
        ),
        ("kernel/arrays.py", r"LANES = 4", "LANES = 8", {"kernel"}),  # a constant
        ("kernel/rows.py", r"count % 4\b", "count % 2", {"kernel"}),  # a helper of a helper
        ("kernel/lanes.py", r"total \+ scale \* row", "scale * row + total", {"kernel"}),  # what the bridge overloads
        ("theory/screw_algebra.py", r"(def bracket\(.*\):\n)", r"\1    # of screws\n", {"theory"}),
        ("control/kernel.py", r"(@\w+\ndef control_forces\(.*\):\n)", r"\1    # a law\n", {"simulation", "march"}),
        ("kernel/compile/bridge/lanes.py", r"self\.builder\.fadd", "self.builder.fsub", set(KERNELS)),
        ("kernel/compile/jit.py", r'"nsz", ', "", set(KERNELS)),
        ("kernel/packs/number.py", r'"""', '"""Eight at once. ', {"lanes"}),
    ],
)
def test_an_edit_changes_the_stamps_of_all_that_depend_on_it(package, stamps, before, file, old, new, changes):
    with Edited(package, file, old, new):
        after = stamps()
    assert changes <= {name for name in KERNELS if after[name] != before[name]}


def test_edits_to_what_no_kernel_uses_change_no_stamp(package, stamps, before):
    edits = [
        ("simulation/export.py", r'"""', '"""Files. '),
        ("simulation/system.py", r'"""The system as', '"""The whole system as'),
        ("model/describe.py", r'"""', '"""Text. '),
        ("kernel/arrays.py", r"class Axis\(Enum\):", "class Axis(Enum):\n    FURTHER = 'one more'"),
        ("kernel/compile/events.py", r'"""', '"""Listeners. '),
        ("theory/simulate.py", r'"""', '"""Runs. '),
    ]
    with ExitStack() as edited:
        for edit in edits:
            edited.enter_context(Edited(package, *edit))
        assert stamps() == before


def test_a_kernel_compiles_once_and_again_after_an_edit(package, tmp_path):
    def compiled():
        place = environment(package) | {"LISSOM_CACHE_KERNELS": str(tmp_path)}
        done = subprocess.run([sys.executable, "-c", COMPILE], env=place, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    assert compiled() == 1
    assert compiled() == 0
    with Edited(package, "kernel/mass_matrix.py", r"b\[j\] = s / L\[j, j\]", "b[j] = s * (1.0 / L[j, j])"):
        assert compiled() == 1
    with Edited(package, "model/describe.py", r'"""', '"""Text. '):
        assert compiled() == 0
