"""Numbers in kernels: machine code computes what Python does, of whole, real and complex numbers."""

import itertools
import math

import numpy as np
import pytest
from machine import ROUNDING, agrees

from lissom.kernel.compile import kernel
from lissom.kernel.maths.elementary_functions import cos, sin, sqrt, tanh

INF, NAN = float("inf"), float("nan")
REALS = [np.float64(x) for x in (0.0, -0.0, 1.5, -2.25, 7.0, -7.0, 1e-300, 3e200, INF, -INF, NAN)]
FINITE = [x for x in REALS if np.isfinite(x)]
WHOLE = [0, 1, -1, 7, -7, 12, 2**40]


def pairs(ones, others):
    return list(itertools.product(ones, others))


@kernel
def arithmetic(a, b, out):
    out[0] = a + b
    out[1] = a - b
    out[2] = a * b
    out[3] = -a
    out[4] = +a
    out[5] = a / b
    out[6] = 2 + a
    out[7] = b - 0.5
    out[8] = 3 * a


@pytest.mark.parametrize(("a", "b"), pairs(REALS, REALS))
def test_real_arithmetic_with_signs_of_zero_infinity_and_nan(a, b):
    agrees(arithmetic, a, b, np.zeros(9))


@pytest.mark.parametrize(("a", "b"), pairs(WHOLE, [1, -1, 7, -12]))
def test_whole_arithmetic(a, b):
    agrees(arithmetic, a, b, np.zeros(9))


@pytest.mark.parametrize("a", [1.5 - 2j, 1j, -3 + 0j])
@pytest.mark.parametrize("b", [0.25 + 1j, -2j, 3.0, 2, 1e-8 - 1e8j])
def test_complex_arithmetic(a, b):
    agrees(arithmetic, a, b, np.zeros(9, complex), rounding=ROUNDING)
    agrees(arithmetic, b, a, np.zeros(9, complex), rounding=ROUNDING)


@kernel
def quotients(a, b, out):
    out[0] = a // b
    out[1] = a % b


@pytest.mark.parametrize(("a", "b"), pairs([*WHOLE, -13, 13], [1, -1, 5, -5, 7, -7, 13]))
def test_floor_division_of_whole_numbers(a, b):
    agrees(quotients, a, b, np.zeros(2, np.int64))


@pytest.mark.parametrize(("a", "b"), pairs(REALS, [1.5, -1.5, 7.0, -7.0, 0.1, 0.0, -0.0, INF, -INF, NAN]))
def test_floor_division_of_reals(a, b):
    agrees(quotients, a, np.float64(b), np.zeros(2))


@kernel
def powers(x, out):
    out[0] = x**1
    out[1] = x**2
    out[2] = x**3
    out[3] = x**8


@kernel
def real_powers(x, y, out):
    out[0] = x**-1
    out[1] = x**-3
    out[2] = x**0
    out[3] = x**0.5
    out[4] = x**y
    out[5] = x**11
    out[6] = 2**x


@kernel
def known_powers(out):
    out[0] = 2**-3
    out[1] = 3**20
    out[2] = 2.0**0.5
    out[3] = (-1) ** 5


@pytest.mark.parametrize("x", [-3, 2, 1.7, -0.3, -0.0, INF, 1 - 2j, 0.1j])
def test_powers(x):
    number = complex if isinstance(x, complex) else float
    agrees(powers, x, np.zeros(4, number), rounding=ROUNDING)
    if number is float:
        agrees(real_powers, np.float64(abs(x)), 1.25, np.zeros(7), rounding=ROUNDING)
    agrees(known_powers, np.zeros(4), rounding=0)


def test_the_root_as_a_power_of_what_has_none():
    agrees(real_powers, np.float64(-0.0), 2.0, np.zeros(7))
    agrees(real_powers, np.float64(-INF), 2.0, np.zeros(7))


@kernel
def whole_square(x):
    return x**2


def test_a_whole_power_stays_whole():
    assert type(agrees(whole_square, 3)) is int
    assert type(agrees(whole_square, 3.0)) is float


@kernel
def logic(a, b, out):
    out[0] = a < b
    out[1] = a <= b
    out[2] = a == b
    out[3] = a != b
    out[4] = a >= b
    out[5] = a > b
    out[6] = 0.0 < a <= b < 8
    out[7] = a in (b, 7.0, 0.0)
    out[8] = a not in (1.5, b)
    out[9] = not a
    out[10] = (a > 0 and b > 0) or not (a < 5 or b == 0.0)
    out[11] = 1 if a and b else 0


@pytest.mark.parametrize(("a", "b"), [*pairs(REALS, REALS), (3, 2.5), (2.5, 3), (True, 1.0)])
def test_comparisons_and_logic(a, b):
    agrees(logic, a, +b, np.zeros(12, bool))  # another object: the same NaN is `in` what holds it


@kernel
def equal(a, b, out):
    out[0] = a == b
    out[1] = a != b


@pytest.mark.parametrize(("a", "b"), pairs([1 + 2j, 1 - 2j, 0j, complex(NAN, 0)], [1 + 2j, 0.0, 1]))
def test_complex_numbers_are_equal_or_not(a, b):
    agrees(equal, a, b, np.zeros(2, bool))


@kernel
def either(a, b):
    return a if a > b else (b if b > 1.0 else 0.5)


@pytest.mark.parametrize(("a", "b"), [(1.0, 2.0), (3.0, 2.0), (0.0, 0.0), (NAN, 1.0), (5, 2.0), (1, 2.0)])
def test_conditional_expressions(a, b):
    agrees(either, a, b)


@kernel
def named(x, out):
    if (y := x * 2) > 3:
        out[0] = y
    while (x := x - 1) > 0:
        out[1] = out[1] + x
    out[2] = (z := x) + 1.0
    out[3] = z


@pytest.mark.parametrize("x", [1.0, 2.5, 9.0])
def test_walrus(x):
    agrees(named, x, np.zeros(4))


@kernel
def built_in(a, b, out):
    out[0] = min(a, b)
    out[1] = max(a, b)
    out[2] = min(a, b, 0.5)
    out[3] = max((a, b, 2.0))
    out[4] = abs(a)
    out[5] = float(b)
    out[6] = bool(a)
    out[7] = np.isfinite(a)


@pytest.mark.parametrize(("a", "b"), pairs(REALS, REALS))
def test_extremes_follow_python_with_nan_and_zeros(a, b):
    agrees(built_in, a, b, np.zeros(8))


@kernel
def whole_parts(x, out):
    out[0] = int(x)
    out[1] = round(x)
    out[2] = min(int(x), 3)
    out[3] = abs(int(x))


@pytest.mark.parametrize("x", [0.5, 1.5, 2.5, -0.5, -1.5, -2.7, 2.7, 1e15 + 0.5, 7, -7, True])
def test_whole_parts(x):
    agrees(whole_parts, x, np.zeros(4, np.int64))


@kernel
def complex_parts(x, y, out):
    z = complex(x, y)
    out[0] = z
    out[1] = complex(x)
    out[2] = z.real
    out[3] = z.imag
    out[4] = abs(z)
    out[5] = (z * z).imag
    out[6] = x.imag


def test_complex_numbers_are_made_and_taken_apart():
    for x, y in pairs([np.float64(0.0), np.float64(-0.0), np.float64(3.5), np.float64(INF)], [2.0, -0.0]):
        agrees(complex_parts, x, y, np.zeros(7, complex), rounding=ROUNDING if np.isfinite(x) else 0)


@kernel
def elementary(x, out):
    out[0] = sin(x)
    out[1] = cos(x)
    out[2] = np.exp(x)
    out[3] = np.log(x)
    out[4] = sqrt(x)
    out[5] = tanh(x)


@kernel
def real_functions(x, y, out):
    out[0] = math.tan(x)
    out[1] = np.arctan2(x, y)
    out[2] = math.atan2(y, x)
    out[3] = np.floor(x)
    out[4] = np.ceil(x)


@pytest.mark.parametrize("x", [*FINITE, 1e5, 1e15, 700.0, -700.0, INF])
def test_elementary_functions(x):
    agrees(elementary, np.float64(x), np.zeros(6), rounding=ROUNDING)
    agrees(real_functions, np.float64(x) if np.isfinite(x) else 1.0, -0.0, np.zeros(5), rounding=ROUNDING)


@pytest.mark.parametrize("size", [1e-12, 1.0, 20.0, 300.0])
def test_complex_elementary_functions(size):
    rng = np.random.default_rng(1)
    for z in size * (rng.normal(size=20) + 1j * rng.normal(size=20) / max(1.0, size / 2)):
        mine, theirs = np.zeros(6, complex), np.zeros(6, complex)
        elementary(complex(z), mine)
        elementary.as_python(np.complex128(z), theirs)
        assert np.all(np.abs(mine - theirs) <= 1e-14 * np.maximum(np.abs(theirs), 1e-12))


@pytest.mark.parametrize("z", [complex(-4, 0.0), complex(-4, -0.0), complex(4, -0.0), complex(0.0, -0.0), 2j, -2j])
def test_branch_cuts_lie_where_those_of_numpy_do(z):
    @kernel
    def roots(z, out):
        out[0] = sqrt(z)
        out[1] = np.log(z) if z.real != 0.0 else z

    mine, theirs = np.zeros(2, complex), np.zeros(2, complex)
    roots(z, mine)
    roots.as_python(np.complex128(z), theirs)
    assert np.allclose(mine, theirs, rtol=1e-15, atol=1e-30)
    assert np.array_equal(np.signbit(mine.imag), np.signbit(theirs.imag))


def test_roots_of_huge_numbers_do_not_overflow():
    out = np.zeros(6, complex)
    with np.errstate(all="ignore"):
        elementary(1e308 + 1e308j, out)
    assert out[4] == pytest.approx(np.sqrt(1e308 + 1e308j), rel=1e-14)


@kernel
def narrow(flag, a, b, out):
    out[0] = (a > 0) * 100000 * 100000
    out[1] = (100000 if flag else 200000) * 100000
    out[2] = int(b[0]) * int(b[1])
    out[3] = 3 - flag


def test_whole_numbers_have_64_bits_everywhere():
    agrees(narrow, True, 1.0, np.array([2**30, 2**30], np.int32), np.zeros(4, np.int64))


@kernel
def kinds_change(x, n):
    y = n
    for k in range(n):
        y = y + x * k
    z = 1
    if n > 2:
        z = 2.5
    n = n / 2
    return y + z + n


@pytest.mark.parametrize("x", [0.5, 2])
@pytest.mark.parametrize("n", [0, 1, 5])
def test_variables_that_change_their_kind(x, n):
    agrees(kinds_change, x, n)
