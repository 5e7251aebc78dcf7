"""Indices, loops, branches and changes of memory that C would do otherwise are refused by file, line and statement."""

import numpy as np
import pytest
from machine import Cases, refused_by_place

from lissom.kernel.compile import inline

CASES = Cases()
A = np.zeros(4)


@inline
def push(a):
    a[0] = a[0] + 1.0
    return a[0]


@CASES.refused("may be negative and is no literal", A, 2, statement="return a[-k]")
def negative_index(a, k):
    return a[-k]


@CASES.refused("no number|as an index", A, 2.0, statement="return a[x]")
def real_index(a, x):
    return a[x]


@CASES.refused("as an index", A, 2.0, statement="return a[x > 0]")
def truth_as_index(a, x):
    return a[x > 0]


@CASES.refused("a slice beyond the 3 entries of the axis, which Python clips", 1)
def clipped(x):
    a = np.zeros(3)
    return a[1:5][0] + x


@CASES.refused("a slice beyond the 3 entries of the axis, which Python clips", 1)
def clipped_at_its_begin(x):
    a = np.zeros(3)
    return a[-5:][0] + x


@CASES.refused("ends before it begins", A)
def backwards(a):
    return a[3:1].shape[0]


@CASES.refused("a slice with a step", A, statement="return a[::2][0]")
def stepped(a):
    return a[::2][0]


@CASES.refused("entry 3 of 3", 1)
def beyond(x):
    a = np.zeros(3)
    return a[3] + x


@CASES.refused("None as an index", A)
def new_axis(a):
    b = a[None]
    return b[0, 0]


@CASES.refused("3 indices of an array of 1 axes", A)
def too_many_indices(a):
    return a[0, 1, 2]


@CASES.refused("the counter i of a loop is read after the loop", 3)
def counter_after(n):
    for i in range(n):
        pass
    return i


@CASES.refused("the counter i of a loop is changed inside it", 3)
def counter_changed(n):
    for i in range(n):
        i += 1
    return n


@CASES.refused("the counter i of a loop is changed inside it", 3)
def counter_shared(n):
    for i in range(n):
        for i in range(2):
            n += i
    return n


@CASES.refused(r"'push\(a\) > 0' is not always computed in Python", A, statement="return a[1] > 0 and push(a) > 0")
def and_with_an_effect(a):
    return a[1] > 0 and push(a) > 0


@CASES.refused("is not always computed in Python", A)
def or_with_an_effect(a):
    if a[1] > 0 or push(a) > 0:
        return 1.0
    return 2.0


@CASES.refused("is not always computed in Python", A)
def either_with_an_effect(a):
    return push(a) if a[0] > 1 else 0.0


@CASES.refused("is not always computed in Python", A)
def comparison_with_an_effect(a):
    return 0 < a[0] < push(a)


@CASES.refused("is not always computed in Python", A)
def array_that_is_not_always_made(a):
    return a[0] > 0 and (a + 1.0)[0] > 2.0


@CASES.refused("beside and/or where the value counts", 1, 2)
def or_as_a_value(a, b):
    return a or b


@CASES.refused("beside and/or where the value counts", 1.0, 2)
def and_as_a_value(a, b):
    c = b > 0 and a
    return c


@CASES.refused(
    "memory is read before a call that changes memory, in one expression", A, statement="return a[0] + push(a)"
)
def read_before_a_change(a):
    return a[0] + push(a)


@CASES.refused("memory is read before a call that changes memory", A)
def read_by_a_call_before_a_change(a):
    return first(a) + push(a)


@CASES.refused("memory is read before a call that changes memory", A)
def changed_twice(a):
    return push(a) * a[0] + push(a)


@CASES.refused("memory is read before a call that changes memory", A)
def augmented_by_a_change(a):
    a[0] += push(a)


@inline
def first(a):
    return a[0]


@CASES.refused("x is read and then changed in one statement", 1.0)
def read_and_changed(x):
    y = 0.0
    while y < 10:
        y += x + (x := x + 2.0)
    return x


@CASES.refused("what f is depends on a branch", 1.0, statement="return f(x)")
def function_by_branch(x):
    if x > 0:
        f = np.sin
    else:
        f = np.cos
    return f(x)


@CASES.refused("what f is changes from turn to turn", 3)
def function_by_turn(n):
    f, x = np.sin, 1.0
    for _ in range(n):
        x = f(x)
        f = np.cos
    return x


@CASES.refused("what x is changes from turn to turn|what x is depends", 3)
def kind_by_turn(n):
    x, s = 1.0, 0.0
    for _ in range(n):
        s += 1.0 if x is None else 2.0
        x = None
    return s


@CASES.refused("what f is depends on a branch", 3)
def function_by_break(n):
    f = np.sin
    for k in range(n):
        if k == 1:
            f = np.cos
            break
    return f(1.0)


@CASES.refused("not on all ways to its end", 1.0)
def returns_sometimes(x):
    if x > 0:
        return x


@CASES.refused("not on all ways to its end", 1.0)
def returns_nothing_first(x):
    if x > 0:
        return
    return x


@CASES.refused("returns .* here and something else elsewhere", 1.0, A)
def returns_other_kinds(x, a):
    if x > 0:
        return x
    return a


@CASES.refused("a step that is not known, or zero", 3, 2)
def unknown_step(n, k):
    for i in range(0, n, k):
        n += i
    return n


@CASES.refused("an else of a loop", 3)
def loop_with_else(n):
    while n > 0:
        n -= 1
    else:
        n = 5
    return n


@CASES.refused("a loop with an else or with several counters", A)
def several_counters(a):
    for i, x in enumerate(a):
        a[i] = x


@CASES.refused("the items of a.at|which is no tuple", A)
def over_an_array(a):
    s = 0.0
    for x in a:
        s += x
    return s


@CASES.refused("a jump out of a loop over the items of a tuple", 1.0)
def break_from_items(x):
    for y in (x, 2.0):
        if y > 1:
            break
    return x


@pytest.mark.parametrize(("function", "arguments", "said", "statement"), CASES)
def test_refused_by_place_and_statement(function, arguments, said, statement):
    refused_by_place(function, arguments, said, statement)
