"""Commands load only what they use: what a person waits for at every call."""

import os
import subprocess
import sys

import pytest

PLOTTING = {"matplotlib"}
LABELS = {"xarray", "pandas", "dask", "distributed"}
FILES = {"h5py", "h5netcdf"}
NUMBERS = {"scipy", *(f"lissom.kernel.compile.{name}" for name in ("build", "on_demand", "translate"))}
RARE = {  # parts that a file may have and that of ella has not
    f"lissom.{name}"
    for name in (
        "control.schema.pose_motions",
        "control.schema.time_series_schema",
        "dynamics.sensing",
        "model.description.force_elements",
        "model.flexible.finite_elements",
        "model.description.sensor",
        "simulation.inputs.loads",
        "simulation.inputs.payload",
    )
}
COMPUTING = {"lissom.simulation.stepping.time_loop", "lissom.simulation.stepping.run_memory", "lissom.analysis"}
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


def loaded(folder, *arguments, **environment):
    """Modules that a command has imported by its end, and what it said on standard error."""
    command = [sys.executable, "-c", CODE, *arguments]
    done = subprocess.run(command, cwd=folder, env=os.environ | environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.rpartition("LOADED")[2].split()), done.stderr


@pytest.mark.parametrize(
    ("command", "unused"),
    [
        ("--version", PLOTTING | LABELS | FILES | NUMBERS | {"numpy", "lissom.kernel"}),
        ("list", PLOTTING | LABELS | FILES | NUMBERS | {"numpy", "lissom.kernel"}),
        (
            "check ella",
            PLOTTING | LABELS | FILES | NUMBERS | COMPUTING | RARE | {"lissom.theory", "lissom.view"},
        ),
        (
            "describe ella",
            PLOTTING | LABELS | FILES | NUMBERS | RARE | {"lissom.analysis", "lissom.scenario.scenario_schema"},
        ),
        ("modes ella", PLOTTING | LABELS | FILES | {"lissom.results.trajectory", "lissom.view"}),
        ("run ella --no-figures --duration 0.01", PLOTTING | LABELS | {"lissom.view", "lissom.theory"}),
        ("run ella --duration 0.01", LABELS | {"lissom.theory"}),
        ("compare ella --with kernel --duration 0.01", LABELS),
        ("example", PLOTTING | LABELS | FILES | NUMBERS | {"numpy"}),
    ],
)
def test_a_command_loads_only_what_it_uses(tmp_path, monkeypatch, command, unused):
    """One that computes nothing does not even look for a place for machine code."""
    monkeypatch.delenv("LISSOM_CACHE_KERNELS", raising=False)
    (tmp_path / "file").touch()
    nowhere = {"LISSOM_CACHE": "file"} if unused >= NUMBERS else {}
    found, said = loaded(tmp_path, *command.split(), **nowhere)
    assert not unused & found
    assert said == "" or not nowhere
