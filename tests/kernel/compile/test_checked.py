"""Builds that look: a checked one stops where Python would raise, a sanitized one where C is undefined."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lissom.kernel.compile import checked

ROOT = Path(__file__).parents[3]
KERNELS = """
import sys
import numpy as np
from lissom.kernel.compile import kernel
from lissom.kernel.compile.checked import first_not_finite, forget

@kernel
def entry(a, k):
    return a[k]

@kernel
def row(a, k):
    return a[0, k]

@kernel
def part(a, k):
    return a[1:k][0]

@kernel
def copied(a, b):
    a[:] = b

@kernel
def added(a, b):
    c = a + b
    a[0] = c[0]

@kernel
def unpacked(a):
    x, y = a
    return x + y

@kernel
def over(n, k):
    return n // k

@kernel
def share(n, k):
    return n / k

@kernel
def product(n, k):
    return n * k

@kernel
def whole(x):
    return int(x)

@kernel
def inverse(a, out):
    for k in range(len(a)):
        out[k] = 1.0 / a[k]
    out[0] = 2.0 * out[1]

@kernel
def filled(a, out):
    out[:] = a * 2.0

a = np.arange(1.0, 5.0)
"""
STOPS = {
    "entry(a, 4)": ("return a[k]", "entry 4 of 4"),
    "entry(a, -1)": ("return a[k]", "entry -1 of 4"),
    "row(np.zeros((2, 3)), 3)": ("return a[0, k]", "entry 3 of 3"),
    "part(a, 5)": ("return a[1:k][0]", "entries 1 to 5 of 4"),
    "part(a, 0)": ("return a[1:k][0]", "entries 1 to 0 of 4"),
    "copied(a, np.zeros(3))": ("a[:] = b", "axes of 4 and 3 entries"),
    "added(a, np.zeros(1))": ("c = a + b", "axes of 4 and 1 entries"),
    "unpacked(a)": ("x, y = a", "axes of 4 and 2 entries"),
    "over(3, 0)": ("return n // k", "divided by zero"),
    "share(3, 0)": ("return n / k", "divided by zero"),
    "whole(1e300)": ("return int(x)", "1e+300 as a whole number"),
}
PYTEST = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
DYNAMICS = [f"tests/dynamics/test_{name}.py" for name in ("joint_wrenches", "forward_batch")]
# Nothing here loads CasADi, whose way of loading libraries (RTLD_DEEPBIND) sanitizers do not allow.
WATCHED_BEFORE = """
import numpy as np
import lissom
model, rng = lissom.load("ella").compile(), np.random.default_rng(0)
q, v, tau = model.neutral() + 0.01 * rng.normal(size=model.nq), rng.normal(size=model.nv), rng.normal(size=model.nv)
"""
WATCHED = {
    "dynamics": """
a = lissom.forward_dynamics(model, q, v, tau)
assert np.allclose(lissom.inverse_dynamics(model, q, v, a), tau, atol=1e-6 * np.abs(tau).max())
lissom.mass_matrix(model, q), lissom.energy(model, q, v)
print("done")
""",
    "complex numbers": """
step = lissom.forward_dynamics(model, q + 1e-20j, v, tau).imag
assert np.isfinite(step).all() and step.any()
print("done")
""",
    "packs": """
many = lissom.forward_dynamics_batch(model, np.tile(q, (9, 1)), np.tile(v, (9, 1)), np.tile(tau, (9, 1)), cores=1)
assert np.allclose(many, lissom.forward_dynamics(model, q, v, tau), rtol=1e-9)
print("done")
""",
    "a run": """
assert lissom.simulate(model, 0.02, method="dopri5", progress=False).q.shape[0] > 1
print("done")
""",
}
SILENT = """
out = np.zeros(4)
assert first_not_finite() is None
inverse(a, out)
assert entry(a, 3) == 4.0 and part(a, 2) == 2.0 and over(-7, 2) == -4 and first_not_finite() is None
inverse(a - 2.0, out)
print(first_not_finite())
forget()
assert first_not_finite() is None
filled(a * np.inf, out)
print(first_not_finite())
"""


def run(arguments, cwd=ROOT, **environment):
    whole = {**os.environ, "LISSOM_BUILD": "off", **environment}
    return subprocess.run([sys.executable, *arguments], env=whole, capture_output=True, text=True, cwd=cwd)


@pytest.fixture
def program(tmp_path):
    def write(more):
        path = tmp_path / "looked_at.py"
        path.write_text(KERNELS + more)
        return path

    return write


def line_of(text):
    return 1 + (KERNELS + SILENT).splitlines().index("    " + text)


@pytest.mark.parametrize("call", STOPS)
def test_a_checked_build_stops_with_file_line_and_numbers(program, call):
    done = run([program(call)], LISSOM_KERNELS="checked")
    text, said = STOPS[call]
    assert done.returncode != 0
    assert done.stderr.splitlines()[0] == f"lissom: looked_at.py:{line_of(text)}: {said}"


def test_the_first_number_that_is_not_finite_is_told(program):
    done = run([program(SILENT)], LISSOM_KERNELS="checked")
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout.split() == [
        f"looked_at.py:{line_of(text)}" for text in ("    out[k] = 1.0 / a[k]", "out[:] = a * 2.0")
    ]


def test_other_builds_note_nothing():
    assert checked.first_not_finite() is None
    checked.forget()


@pytest.mark.slow
def test_dynamics_pass_in_a_checked_build():
    done = run([*PYTEST, *DYNAMICS], LISSOM_KERNELS="checked")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


@pytest.mark.slow
@pytest.mark.parametrize("work", WATCHED)
def test_what_most_runs_do_passes_in_a_sanitized_build(work, tmp_path):
    """Kernels are compiled as they are called: the library of all of them takes minutes with sanitizers."""
    environment = checked.preload()
    if not environment:
        pytest.skip("this compiler has no sanitizers")
    path = tmp_path / "watched.py"
    path.write_text(WATCHED_BEFORE + WATCHED[work])
    done = run([path], **environment)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert done.stdout == "done\n"


def test_a_sanitized_build_finds_what_no_check_names(program):
    environment = checked.preload()
    if not environment:
        pytest.skip("this compiler has no sanitizers")
    beyond = run([program("entry(a, 400)")], **environment)
    assert beyond.returncode != 0
    assert "AddressSanitizer: heap-buffer-overflow" in beyond.stderr
    wide = run([program("product(2**62, 2)")], **environment)
    assert wide.returncode != 0
    assert "runtime error: signed integer overflow" in wide.stderr
