"""Complex numbers divide as real ones do: exactly enough, and by zero without an exception."""

import subprocess
import sys

import numpy as np

from lissom.kernel.compile import kernel

BEHIND_A_POINTER = """
from typing import Any, NamedTuple
import numpy as np
from lissom.kernel.compile import Pointer, Struct, kernel

class Table(NamedTuple):
    divide: Any

@kernel
def divide(a, b, out):
    out[0] = a[0] / b[0]

@kernel
def call(table, a, b, out):
    table.divide(a, b, out)

one, none, out = np.ones(1, complex), np.zeros(1, complex), np.zeros(1, complex)
call(Struct(Table(Pointer(divide, one, one, out))), one, none, out)
print(np.isnan(out[0]))
"""


@kernel
def quotients(a, b, out):
    for k in range(a.shape[0]):
        out[k] = a[k] / b[k]


def quotient(a, b):
    a, b = (np.atleast_1d(np.array(x, complex)) for x in (a, b))
    out = np.zeros(len(a), complex)
    quotients(a, b, out)
    return out


def test_quotients_of_all_sizes_are_right_to_rounding():
    rng = np.random.default_rng(3)
    a, b = (rng.normal(size=(2, 2000)) * 10.0 ** rng.uniform(-120, 120, (2, 2000)) for _ in range(2))
    a, b = a[0] + 1j * a[1], b[0] + 1j * b[1]
    assert np.abs(quotient(a, b) / (a / b) - 1).max() < 4e-16 * 4


def test_the_derivative_that_a_complex_step_carries_survives():
    step = 1e-40
    x = np.array([0.3, -2.0, 1e150, 1e-150])
    found = quotient(np.ones(4), x + 1j * step * x).imag / step
    assert np.allclose(found, -1 / x, rtol=1e-15, atol=0)


def test_division_by_zero_is_nan():
    assert np.isnan(quotient([1, 0, 1j], [0, 0, 0])).all()


def test_division_by_zero_behind_a_pointer_does_not_end_the_process(tmp_path):
    program = tmp_path / "divides.py"
    program.write_text(BEHIND_A_POINTER)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "True", "")
