"""What C would do otherwise than Python is refused, by file, line, function and statement."""

import inspect
import re

import numpy as np
import pytest

from lissom.kernel.compile import called_back, inline, kernel, shared
from lissom.kernel.compile.kinds import kinds
from lissom.kernel.compile.translate import Catalogue, Refused, Unit

A, Z, N = np.zeros(4), np.zeros(4, complex), np.zeros(4, np.int64)
CASES = []
TABLE = np.ones(3)
NAMES = {"one": 1.0}


def case(said, *arguments, statement=None):
    """A function that must be refused for such arguments with a message like `said`."""

    def note(function):
        CASES.append(pytest.param(function, arguments, said, statement, id=function.__name__))
        return function

    return note


@inline
def push(a):
    a[0] = a[0] + 1.0
    return a[0]


@called_back
def python(a):
    a[0] = 1.0


@case("may be negative and is no literal", A, 2, statement="return a[-k]")
def negative_index(a, k):
    return a[-k]


@case("no number|as an index", A, 2.0, statement="return a[x]")
def real_index(a, x):
    return a[x]


@case("as an index", A, 2.0, statement="return a[x > 0]")
def truth_as_index(a, x):
    return a[x > 0]


@case("a slice beyond the 3 entries of the axis, which Python clips", 1)
def clipped(x):
    a = np.zeros(3)
    return a[1:5][0] + x


@case("a slice beyond the 3 entries of the axis, which Python clips", 1)
def clipped_at_its_begin(x):
    a = np.zeros(3)
    return a[-5:][0] + x


@case("ends before it begins", A)
def backwards(a):
    return a[3:1].shape[0]


@case("a slice with a step", A, statement="return a[::2][0]")
def stepped(a):
    return a[::2][0]


@case("entry 3 of 3", 1)
def beyond(x):
    a = np.zeros(3)
    return a[3] + x


@case("None as an index", A)
def new_axis(a):
    b = a[None]
    return b[0, 0]


@case("3 indices of an array of 1 axes", A)
def too_many_indices(a):
    return a[0, 1, 2]


@case("the counter i of a loop is read after the loop", 3)
def counter_after(n):
    for i in range(n):
        pass
    return i


@case("the counter i of a loop is changed inside it", 3)
def counter_changed(n):
    for i in range(n):
        i += 1
    return n


@case("the counter i of a loop is changed inside it", 3)
def counter_shared(n):
    for i in range(n):
        for i in range(2):
            n += i
    return n


@case(r"'push\(a\) > 0' is not always computed in Python", A, statement="return a[1] > 0 and push(a) > 0")
def and_with_an_effect(a):
    return a[1] > 0 and push(a) > 0


@case("is not always computed in Python", A)
def or_with_an_effect(a):
    if a[1] > 0 or push(a) > 0:
        return 1.0
    return 2.0


@case("is not always computed in Python", A)
def either_with_an_effect(a):
    return push(a) if a[0] > 1 else 0.0


@case("is not always computed in Python", A)
def comparison_with_an_effect(a):
    return 0 < a[0] < push(a)


@case("is not always computed in Python", A)
def array_that_is_not_always_made(a):
    return a[0] > 0 and (a + 1.0)[0] > 2.0


@case("beside and/or where the value counts", 1, 2)
def or_as_a_value(a, b):
    return a or b


@case("beside and/or where the value counts", 1.0, 2)
def and_as_a_value(a, b):
    c = b > 0 and a
    return c


@case("memory is read before a call that changes memory, in one expression", A, statement="return a[0] + push(a)")
def read_before_a_change(a):
    return a[0] + push(a)


@case("memory is read before a call that changes memory", A)
def read_by_a_call_before_a_change(a):
    return first(a) + push(a)


@case("memory is read before a call that changes memory", A)
def changed_twice(a):
    return push(a) * a[0] + push(a)


@case("memory is read before a call that changes memory", A)
def augmented_by_a_change(a):
    a[0] += push(a)


@inline
def first(a):
    return a[0]


@case("x is read and then changed in one statement", 1.0)
def read_and_changed(x):
    y = 0.0
    while y < 10:
        y += x + (x := x + 2.0)
    return x


@case("a power with an exponent that is not a whole number from 1 to 8", 2, 3)
def whole_power(a, n):
    return a**n


@case("a power with an exponent", 2)
def whole_power_of_none(a):
    return a**0


@case("a power with an exponent", 2)
def whole_power_below_zero(a):
    return a**-1


@case("a power with an exponent", 1j, 2.5)
def complex_power(a, n):
    return abs(a**n)


@case("has more than 64 bits", 1)
def huge(n):
    return n + 2**63


@case("has more than 64 bits", 1)
def huge_product(n):
    return n + 10**10 * 10**10


@case("division by zero", 1)
def over_nothing(n):
    return n / 0


@case("division by zero", 1)
def floor_over_nothing(n):
    return n // 0


@case("division by zero", 1)
def rest_over_nothing(n):
    return n % 0


@case("1.0 and|Result too large|Numerical result", 1)
def too_large(n):
    return 1e300**2 + n


@case(r"\(ListComp\)", 3)
def comprehension(n):
    return sum([k for k in range(n)])


@case(r"\(GeneratorExp\)", 3)
def generator(n):
    return max(k for k in range(n))


@case(r"\(Lambda\)", 3)
def closure(n):
    f = lambda x: x + n  # noqa: E731
    return f(1)


@case(r"\(FunctionDef\)", 3)
def inner_function(n):
    def f(x):
        return x + n

    return f(1)


@case(r"\(Try\)", 3)
def exceptions(n):
    try:
        return 1 / n
    except ZeroDivisionError:
        return 0.0


@case(r"\(Raise\)", 3)
def raising(n):
    if n > 2:
        raise ValueError
    return n


@case(r"\(Assert\)", 3)
def asserting(n):
    assert n > 2
    return n


@case(r"\(With\)", 3)
def managed(n):
    with np.errstate():
        n += 1
    return n


@case(r"\(Global\)", 3)
def globally(n):
    global TABLE
    return n


@case(r"\(Delete\)", A)
def deleting(a):
    del a


@case(r"\(Dict\)", 3)
def dictionary(n):
    return {1: n}[1]


@case(r"\(List\)", 3)
def listed(n):
    return [n, 1][0]


@case("arguments by name", A)
def by_name(a):
    return push(a=a)


@case("arguments by a star", A)
def by_star(a):
    return push(*(a,))


@case("takes 1 arguments, not 2", A)
def too_many(a):
    return push(a, a)


@case("plain arguments alone", 1)
def with_a_star(n, *rest):
    return n


@case("plain arguments alone", 1)
def with_a_key(n, *, k=1):
    return n + k


@case("Add of 'a', which is no number", 1)
def strings(n):
    s = "a" + "b"
    return n if s else 0


@case(r"\(JoinedStr\)", 1)
def format_string(n):
    s = f"{n}"
    return len(s)


@case("comparing 'a', which is no number", 1)
def strings_compared(n):
    return "a" == "b"


@case("what f is depends on a branch", 1.0, statement="return f(x)")
def function_by_branch(x):
    if x > 0:
        f = np.sin
    else:
        f = np.cos
    return f(x)


@case("what f is changes from turn to turn", 3)
def function_by_turn(n):
    f, x = np.sin, 1.0
    for _ in range(n):
        x = f(x)
        f = np.cos
    return x


@case("what x is changes from turn to turn|what x is depends", 3)
def kind_by_turn(n):
    x, s = 1.0, 0.0
    for _ in range(n):
        s += 1.0 if x is None else 2.0
        x = None
    return s


@case("what f is depends on a branch", 3)
def function_by_break(n):
    f = np.sin
    for k in range(n):
        if k == 1:
            f = np.cos
            break
    return f(1.0)


@case("not on all ways to its end", 1.0)
def returns_sometimes(x):
    if x > 0:
        return x


@case("not on all ways to its end", 1.0)
def returns_nothing_first(x):
    if x > 0:
        return
    return x


@case("returns .* here and something else elsewhere", 1.0, A)
def returns_other_kinds(x, a):
    if x > 0:
        return x
    return a


@case("calls itself", 3)
def factorial(n):
    return n * factorial(n - 1) if n > 1 else 1


@case("no function that kernels have", A)
def foreign(a):
    return np.dot(a, a)


@case("no function that kernels have", A)
def foreign_module(a):
    return np.linalg.norm(a)


@case("stays Python: kernels reach it through a Pointer", A)
def calls_python(a):
    python(a)


@case("whether two values are the same thing", A, A)
def identity(a, b):
    return a is b


@case("an order of complex numbers", 1j, 2j)
def complex_order(a, b):
    return a < b


@case("numbers that have no order", 1j, 2j)
def complex_extreme(a, b):
    return abs(max(a, b))


@case("of numbers that are not real", 1j)
def complex_floor(a):
    return abs(a // 2)


@case("does not fit into a number of float64", A, 1j)
def complex_into_reals(a, z):
    a[0] = z


@case("a real number where a whole one is stored", N, 1.5)
def real_into_whole(a, x):
    a[0] = x


@case("a real number where a whole one is stored", N)
def quotient_into_whole(a):
    a[0] /= 2


@case("an array where one number is stored", A, A)
def array_into_entry(a, b):
    a[0] = b


@case("an array of 2 axes where one of 1 is", A)
def more_axes(a):
    a[:] = np.zeros((2, 4))


@case("axes of 3 and 4 entries", 1)
def unequal(n):
    a = np.zeros(3)
    a[:] = np.zeros(4)
    return a[0] + n


@case("axes of 3 and 2 entries", 1)
def unpacked_into_fewer(n):
    x, y = np.zeros(3)
    return x + y + n


@case("2 values for 3 names", 1)
def fewer_values(n):
    x, y, z = n, 2
    return x + y + z


@case("a name with a star", 1)
def starred(n):
    x, *y = n, 2, 3
    return x + y[0]


@case("only entries of arrays can be assigned", 1)
def tuple_entry(n):
    t = (n, 2)
    t[0] = 3
    return t[0]


@case("only variables and entries of arrays", A)
def attribute(a):
    a.flags = 1


@case("an array of a module is written", 1.0)
def module_array(x):
    TABLE[0] = x


@case("a slice of a tuple that ends at n, which is not known", 1)
def tuple_slice(n):
    return (1, 2, 3)[:n][0]


@case("item 3 of 3", 1)
def tuple_item(n):
    return (n, 1, 2)[3]


@case("several kinds by a number that is not known", 1, A)
def mixed_item(n, a):
    t = (1.0, a)
    return t[n]


@case("arithmetic of two truth values", 1.0, 2.0)
def truth_sum(x, y):
    return (x > 0) + (y > 0)


@case("arithmetic of int32, which wraps in NumPy", np.zeros(2, np.int32))
def narrow(a):
    return a[0] + a[1]


@case("round of 2 arguments", 1.25)
def rounded(x):
    return round(x, 1)


@case("log of 2 arguments", 2.0)
def logarithm(x):
    import_free = np.log(x, x)
    return import_free


@case("sin of", A)
def sine_of_an_array(a):
    return np.sin(a)[0]


@case("an argument of float32, which kernels do not take", np.zeros(3, np.float32))
def short_numbers(a):
    return a[0] + 1.0


@case("tan of|atan2 of", 1j)
def complex_angle(z):
    return abs(np.arctan2(z, z))


@case("as a whole number", 1)
def whole_infinity(n):
    return n + int(np.inf)


@case("a step that is not known, or zero", 3, 2)
def unknown_step(n, k):
    for i in range(0, n, k):
        n += i
    return n


@case("an else of a loop", 3)
def loop_with_else(n):
    while n > 0:
        n -= 1
    else:
        n = 5
    return n


@case("a loop with an else or with several counters", A)
def several_counters(a):
    for i, x in enumerate(a):
        a[i] = x


@case("the items of a.at|which is no tuple", A)
def over_an_array(a):
    s = 0.0
    for x in a:
        s += x
    return s


@case("a jump out of a loop over the items of a tuple", 1.0)
def break_from_items(x):
    for y in (x, 2.0):
        if y > 1:
            break
    return x


@case("MatMult", A)
def matrix_product(a):
    return a @ a


@case("BitAnd", 3)
def bits(n):
    return n & 1


@case("Invert", 3)
def inverted(n):
    return ~n


@case("a new array of float32", 3)
def single_precision(n):
    a = np.zeros(n, np.float32)
    return a[0]


@case("a new array is asked for by its shape", 3)
def fortran_order(n):
    a = np.zeros((n, n), order="F")
    return a[0, 0]


@case("copy with other arguments", A)
def copy_in_order(a):
    return a.copy("F")[0]


@case("which is no number|does not fit", Z)
def complex_to_real(z):
    return z.astype(float)[0]


@case("a kernel gives numbers, tuples of them or nothing", A)
def gives_an_array(a):
    return a, 2.0


@case("the name a__b", 1.0)
def translators_name(a__b):
    return a__b


@case("has no value here", 1.0)
def unknown_name(x):
    return x + undefined  # noqa: F821


@case("the entry 'two' of", 1.0)
def unknown_entry(x):
    return x + NAMES["two"]


@case("has no field|shape_of", A)
def unknown_attribute(a):
    return a.shape_of


@pytest.mark.parametrize(("function", "arguments", "said", "statement"), CASES)
def test_refused_by_place_and_statement(function, arguments, said, statement):
    with pytest.raises(Refused) as found:
        Unit(kernel(function), kinds(arguments), Catalogue({}))
    text = str(found.value)
    assert re.search(said, text), text
    first = function.__code__.co_firstlineno
    place = re.match(rf"test_translate_refused\.py:(\d+), {function.__name__}: ", text)
    inner = re.match(r"test_translate_refused\.py:\d+, \w+: ", text)
    assert inner, text
    if place:
        assert first <= int(place[1]) < first + len(inspect.getsource(function).splitlines())
    if statement:
        assert text.endswith(f": {statement}")


def test_a_function_without_text_is_refused():
    made = eval("lambda x: x + 1")
    with pytest.raises(Refused, match="only a function with `def` in a file can be a kernel"):
        Unit(kernel(made), kinds((1.0,)), Catalogue({}))


@shared
def outer_part(a):
    return (a[0], a[-len(a)])[1]


def test_the_place_is_that_of_the_part_at_fault():
    @kernel
    def calls(a):
        return outer_part(a) + 1.0

    with pytest.raises(Refused, match=r"outer_part: the index .* is no literal"):
        Unit(calls, kinds((A,)), Catalogue({}))
