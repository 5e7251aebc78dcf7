"""What Python has and C has not is refused by file, line and statement."""

import numpy as np
import pytest
from machine import Cases, refused_by_place

from lissom.kernel.compile import called_back, inline, kernel, shared
from lissom.kernel.compile.argument_kinds import kinds
from lissom.kernel.compile.translate import Catalogue, Refused, Unit

CASES = Cases()
A, Z = np.zeros(4), np.zeros(4, complex)
TABLE = np.ones(3)
NAMES = {"one": 1.0}


@inline
def push(a):
    a[0] = a[0] + 1.0
    return a[0]


@called_back
def python(a):
    a[0] = 1.0


@CASES.refused(r"\(ListComp\)", 3)
def comprehension(n):
    return sum([k for k in range(n)])


@CASES.refused(r"\(GeneratorExp\)", 3)
def generator(n):
    return max(k for k in range(n))


@CASES.refused(r"\(Lambda\)", 3)
def closure(n):
    f = lambda x: x + n  # noqa: E731
    return f(1)


@CASES.refused(r"\(FunctionDef\)", 3)
def inner_function(n):
    def f(x):
        return x + n

    return f(1)


@CASES.refused(r"\(Try\)", 3)
def exceptions(n):
    try:
        return 1 / n
    except ZeroDivisionError:
        return 0.0


@CASES.refused(r"\(Raise\)", 3)
def raising(n):
    if n > 2:
        raise ValueError
    return n


@CASES.refused(r"\(Assert\)", 3)
def asserting(n):
    assert n > 2
    return n


@CASES.refused(r"\(With\)", 3)
def managed(n):
    with np.errstate():
        n += 1
    return n


@CASES.refused(r"\(Global\)", 3)
def globally(n):
    global TABLE
    return n


@CASES.refused(r"\(Delete\)", A)
def deleting(a):
    del a


@CASES.refused(r"\(Dict\)", 3)
def dictionary(n):
    return {1: n}[1]


@CASES.refused(r"\(List\)", 3)
def listed(n):
    return [n, 1][0]


@CASES.refused("arguments by name", A)
def by_name(a):
    return push(a=a)


@CASES.refused("arguments by a star", A)
def by_star(a):
    return push(*(a,))


@CASES.refused("takes 1 arguments, not 2", A)
def too_many(a):
    return push(a, a)


@CASES.refused("plain arguments alone", 1)
def with_a_star(n, *rest):
    return n


@CASES.refused("plain arguments alone", 1)
def with_a_key(n, *, k=1):
    return n + k


@CASES.refused("Add of 'a', which is no number", 1)
def strings(n):
    s = "a" + "b"
    return n if s else 0


@CASES.refused(r"\(JoinedStr\)", 1)
def format_string(n):
    s = f"{n}"
    return len(s)


@CASES.refused("comparing 'a', which is no number", 1)
def strings_compared(n):
    return "a" == "b"


@CASES.refused("calls itself", 3)
def factorial(n):
    return n * factorial(n - 1) if n > 1 else 1


@CASES.refused("no function that kernels have", A)
def foreign(a):
    return np.dot(a, a)


@CASES.refused("no function that kernels have", A)
def foreign_module(a):
    return np.linalg.norm(a)


@CASES.refused("stays Python: kernels reach it through a Pointer", A)
def calls_python(a):
    python(a)


@CASES.refused("axes of 3 and 2 entries", 1)
def unpacked_into_fewer(n):
    x, y = np.zeros(3)
    return x + y + n


@CASES.refused("2 values for 3 names", 1)
def fewer_values(n):
    x, y, z = n, 2
    return x + y + z


@CASES.refused("a name with a star", 1)
def starred(n):
    x, *y = n, 2, 3
    return x + y[0]


@CASES.refused("only entries of arrays can be assigned", 1)
def tuple_entry(n):
    t = (n, 2)
    t[0] = 3
    return t[0]


@CASES.refused("only variables and entries of arrays", A)
def attribute(a):
    a.flags = 1


@CASES.refused("an array of a module is written", 1.0)
def module_array(x):
    TABLE[0] = x


@CASES.refused("a slice of a tuple that ends at n, which is not known", 1)
def tuple_slice(n):
    return (1, 2, 3)[:n][0]


@CASES.refused("item 3 of 3", 1)
def tuple_item(n):
    return (n, 1, 2)[3]


@CASES.refused("several kinds by a number that is not known", 1, A)
def mixed_item(n, a):
    t = (1.0, a)
    return t[n]


@CASES.refused("a kernel gives numbers, tuples of them or nothing", A)
def gives_an_array(a):
    return a, 2.0


@CASES.refused("the name a__b", 1.0)
def translators_name(a__b):
    return a__b


@CASES.refused("has no value here", 1.0)
def unknown_name(x):
    return x + undefined  # noqa: F821


@CASES.refused("the entry 'two' of", 1.0)
def unknown_entry(x):
    return x + NAMES["two"]


@CASES.refused("has no field|shape_of", A)
def unknown_attribute(a):
    return a.shape_of


@pytest.mark.parametrize(("function", "arguments", "said", "statement"), CASES)
def test_refused_by_place_and_statement(function, arguments, said, statement):
    refused_by_place(function, arguments, said, statement)


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
