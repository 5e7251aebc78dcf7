"""Commands load only what they use: what a person waits for at every call."""

import subprocess
import sys

import pytest

PLOTTING = {"matplotlib"}
LABELS = {"xarray", "pandas", "dask", "distributed"}
FILES = {"h5py", "h5netcdf"}
NUMBERS = {"scipy", "numba", "llvmlite"}
COMPUTING = {"lissom.simulation.run", "lissom.simulation.memory", "lissom.analysis"}
CODE = """
import sys
from lissom.cli import main
sys.argv = ["lissom", *sys.argv[1:]]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print("LOADED", *sys.modules)
"""


def loaded(folder, *arguments):
    """Modules that a command has imported by its end."""
    done = subprocess.run([sys.executable, "-c", CODE, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.rpartition("LOADED")[2].split())


@pytest.mark.parametrize(
    ("command", "unused"),
    [
        ("list", PLOTTING | LABELS | FILES | NUMBERS | {"numpy", "lissom.kernel"}),
        (
            "check ella",
            PLOTTING | LABELS | FILES | NUMBERS | COMPUTING | {"lissom.theory", "lissom.view"},
        ),
        ("describe ella", PLOTTING | LABELS | FILES | NUMBERS | {"lissom.analysis", "lissom.scenario.schema"}),
        ("modes ella", PLOTTING | LABELS | FILES | {"lissom.simulation.trajectory", "lissom.view"}),
        ("run ella --no-figures --duration 0.01", PLOTTING | LABELS | {"lissom.view", "lissom.theory"}),
        ("run ella --duration 0.01", LABELS | {"lissom.theory"}),
        ("compare ella --with kernel --duration 0.01", LABELS),
        ("example", PLOTTING | LABELS | FILES | NUMBERS | {"numpy"}),
    ],
)
def test_a_command_loads_only_what_it_uses(tmp_path, command, unused):
    assert not unused & loaded(tmp_path, *command.split())
