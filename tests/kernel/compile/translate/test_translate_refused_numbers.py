"""Numbers and arrays that C would compute otherwise are refused by file, line and statement."""

import numpy as np
import pytest
from machine import Cases, refused_by_place

CASES = Cases()
A, Z, N = np.zeros(4), np.zeros(4, complex), np.zeros(4, np.int64)


@CASES.refused("a power with an exponent that is not a whole number from 1 to 8", 2, 3)
def whole_power(a, n):
    return a**n


@CASES.refused("a power with an exponent", 2)
def whole_power_of_none(a):
    return a**0


@CASES.refused("a power with an exponent", 2)
def whole_power_below_zero(a):
    return a**-1


@CASES.refused("a power with an exponent", 1j, 2.5)
def complex_power(a, n):
    return abs(a**n)


@CASES.refused("has more than 64 bits", 1)
def huge(n):
    return n + 2**63


@CASES.refused("has more than 64 bits", 1)
def huge_product(n):
    return n + 10**10 * 10**10


@CASES.refused("division by zero", 1)
def over_nothing(n):
    return n / 0


@CASES.refused("division by zero", 1)
def floor_over_nothing(n):
    return n // 0


@CASES.refused("division by zero", 1)
def rest_over_nothing(n):
    return n % 0


@CASES.refused("1.0 and|Result too large|Numerical result", 1)
def too_large(n):
    return 1e300**2 + n


@CASES.refused("whether two values are the same thing", A, A)
def identity(a, b):
    return a is b


@CASES.refused("an order of complex numbers", 1j, 2j)
def complex_order(a, b):
    return a < b


@CASES.refused("numbers that have no order", 1j, 2j)
def complex_extreme(a, b):
    return abs(max(a, b))


@CASES.refused("of numbers that are not real", 1j)
def complex_floor(a):
    return abs(a // 2)


@CASES.refused("does not fit into a number of float64", A, 1j)
def complex_into_reals(a, z):
    a[0] = z


@CASES.refused("a real number where a whole one is stored", N, 1.5)
def real_into_whole(a, x):
    a[0] = x


@CASES.refused("a real number where a whole one is stored", N)
def quotient_into_whole(a):
    a[0] /= 2


@CASES.refused("an array where one number is stored", A, A)
def array_into_entry(a, b):
    a[0] = b


@CASES.refused("an array of 2 axes where one of 1 is", A)
def more_axes(a):
    a[:] = np.zeros((2, 4))


@CASES.refused("axes of 3 and 4 entries", 1)
def unequal(n):
    a = np.zeros(3)
    a[:] = np.zeros(4)
    return a[0] + n


@CASES.refused("arithmetic of two truth values", 1.0, 2.0)
def truth_sum(x, y):
    return (x > 0) + (y > 0)


@CASES.refused("arithmetic of int32, which wraps in NumPy", np.zeros(2, np.int32))
def narrow(a):
    return a[0] + a[1]


@CASES.refused("round of 2 arguments", 1.25)
def rounded(x):
    return round(x, 1)


@CASES.refused("log of 2 arguments", 2.0)
def logarithm(x):
    import_free = np.log(x, x)
    return import_free


@CASES.refused("sin of", A)
def sine_of_an_array(a):
    return np.sin(a)[0]


@CASES.refused("an argument of float32, which kernels do not take", np.zeros(3, np.float32))
def short_numbers(a):
    return a[0] + 1.0


@CASES.refused("tan of|atan2 of", 1j)
def complex_angle(z):
    return abs(np.arctan2(z, z))


@CASES.refused("as a whole number", 1)
def whole_infinity(n):
    return n + int(np.inf)


@CASES.refused("MatMult", A)
def matrix_product(a):
    return a @ a


@CASES.refused("BitAnd", 3)
def bits(n):
    return n & 1


@CASES.refused("Invert", 3)
def inverted(n):
    return ~n


@CASES.refused("a new array of float32", 3)
def single_precision(n):
    a = np.zeros(n, np.float32)
    return a[0]


@CASES.refused("a new array is asked for by its shape", 3)
def fortran_order(n):
    a = np.zeros((n, n), order="F")
    return a[0, 0]


@CASES.refused("copy with other arguments", A)
def copy_in_order(a):
    return a.copy("F")[0]


@CASES.refused("which is no number|does not fit", Z)
def complex_to_real(z):
    return z.astype(float)[0]


@pytest.mark.parametrize(("function", "arguments", "said", "statement"), CASES)
def test_refused_by_place_and_statement(function, arguments, said, statement):
    refused_by_place(function, arguments, said, statement)
