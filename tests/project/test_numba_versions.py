"""The smoke suite on the oldest and the newest Numba that pyproject.toml allows, each in a fresh environment.

Each builds the library of the usual kernels first, as a user's first command does, and calls it.
It takes some minutes for each.
"""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from places import HELPERS, ROOT


def allowed():
    """Oldest release and the bound that newer ones stay below."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return re.search(r'"numba>=([\d.]+),<([\d.]+)"', text).groups()


def smoke(python, **more):
    environment = {**os.environ, **more}
    environment.pop("LISSOM_BUILD", None)  # tests compile kernels one by one otherwise
    if python != sys.executable:
        environment.pop("PYTHONPATH", None)  # what is installed there counts
    done = subprocess.run([python, HELPERS / "smoke.py"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def here():
    return smoke(sys.executable)


@pytest.mark.slow
@pytest.mark.parametrize("which", ["oldest", "newest"])
def test_smoke_suite(which, here, tmp_path):
    oldest, below = allowed()
    release = f"numba=={oldest}.*" if which == "oldest" else f"numba<{below}"
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", release, str(ROOT)], check=True)
    there = smoke(python, LISSOM_CACHE=str(tmp_path / "cache"))
    assert set(there) == set(here)
    for name, numbers in here.items():
        scale = np.abs(numbers).max()
        assert np.allclose(there[name], numbers, rtol=0, atol=1e-9 * scale), name
