"""The saturating tanh: right in every number type, finite with its derivatives at every finite number."""

import math

import numpy as np
import pytest

from lissom.kernel.algorithms.complex_step import STEP
from lissom.kernel.compile import kernel
from lissom.kernel.maths.elementary_functions import tanh
from lissom.kernel.numbers.operation_counter import ELEMENTARY as COUNTED
from lissom.kernel.numbers.operation_counter import Counted, Tally

VALUES = [0.0, 1e-300, -1e-8, 0.3, -1.0, 19.0, -354.0, 355.5, -711.0, 1e6, -1e300, 8e307]


@kernel
def compiled_tanh(x):
    return tanh(x)


@pytest.mark.parametrize("x", VALUES)
def test_the_complex_step_gives_the_derivative_however_far_the_function_has_settled(x):
    """1/cosh^2, by an exponential that cannot overflow."""
    e = math.exp(-2 * abs(x))
    value = compiled_tanh(complex(x, STEP))
    assert value.real == pytest.approx(math.tanh(x), rel=1e-15)
    assert value.imag / STEP == pytest.approx(4 * e / (1 + e) ** 2, rel=1e-14, abs=3e-16)


def test_far_from_the_real_axis_it_is_still_tanh():
    rng = np.random.default_rng(3)
    for z in rng.normal(size=200) * 2 + 1j * rng.normal(size=200) * 2:
        assert compiled_tanh(z) == pytest.approx(np.tanh(z), rel=1e-13)


@pytest.mark.parametrize("x", VALUES)
def test_floats_and_counters_saturate(x):
    assert compiled_tanh(x) == pytest.approx(math.tanh(x), rel=3e-16)
    assert tanh(x) == pytest.approx(math.tanh(x), rel=3e-16)
    assert COUNTED["tanh"](Counted(x, Tally())).value == pytest.approx(math.tanh(x), rel=3e-16)


@pytest.mark.parametrize("x", VALUES)
def test_symbols_saturate_with_their_derivatives(x):
    casadi = pytest.importorskip("casadi")
    from lissom.kernel.numbers.casadi_symbol import ELEMENTARY, Symbol

    symbol = casadi.SX.sym("x")
    function = casadi.Function("tanh", [symbol], [ELEMENTARY["tanh"](Symbol(symbol)).sx])
    e = math.exp(-2 * abs(x))
    assert float(function(x)) == pytest.approx(math.tanh(x), rel=1e-15)
    assert float(function.jacobian()(x, 0)) == pytest.approx(4 * e / (1 + e) ** 2, rel=1e-14, abs=3e-16)
