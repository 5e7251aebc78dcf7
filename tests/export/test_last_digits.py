"""How many digits accelerations hold: the compiled kernel and C-like doubles beside the kernel in extended precision.

`canadarm2` and the multipliers of `two-arms-one-beam` differ between Python and C by more than 1e-12. There the last
bits of the tables and of the state do as much. On `five-bar` they do not: the sums of squares that are the inertias of
its links lose the digits, docs/howto/c-code.md.
"""

import numpy as np
import pytest
from extended import apart, last_bits, motion

import lissom
from lissom.dynamics.kinematic_loops.loop_closing import closed_configuration, closed_velocity
from lissom.export.c.checks.test_program import lively_state

pytestmark = pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="needs numbers longer than doubles")
DRAWS = 4


def states(model, count=3):
    """Those of the test that comes with exported code."""
    rng = np.random.default_rng(0)
    for _ in range(count):
        q, v = lively_state(model, rng)
        if model.loops:
            q = closed_configuration(model, q, set())
            v = closed_velocity(model, q, v, set())
        yield q, v, rng.normal(size=model.nv)


def errors(name):
    """Of Python, of doubles step by step, and what last bits do: of accelerations and multipliers, worst of states."""
    model, rng = lissom.load(name).compile(), np.random.default_rng(1)
    found = []
    for q, v, tau in states(model):
        true = motion(model, q, v, tau)
        closed = lissom.closed_loops(model, q, v, tau) if model.loops else None
        python = (closed.a, closed.multipliers) if closed else (lissom.forward_dynamics(model, q, v, tau), true[1])
        doubles = motion(model, q, v, tau, np.float64)
        bits = []
        for _ in range(DRAWS):
            arrays, *state = last_bits(model, q, v, tau, rng)
            bits.append(motion(model, *state, arrays=arrays))
        each = [[python], [doubles], bits]
        found.append([[max(apart(x[k], true[k]) for x in xs) if true[k].size else 0.0 for k in (0, 1)] for xs in each])
    return np.max(found, axis=0)


def test_extended_numbers_agree_where_nothing_is_lost():
    """On a robot whose equations are well conditioned all three are the same to a few units of the last bit."""
    python, doubles, _ = errors("rigid-7-axis")
    assert max(python[0], doubles[0]) < 1e-13


@pytest.mark.slow
@pytest.mark.parametrize(("name", "which"), [("canadarm2", 0), ("two-arms-one-beam", 1)])
def test_the_last_bits_of_what_is_given_do_more(name, which):
    """A whole unit of the last place, twice of what was tried, moves the truth further than either is away from it."""
    python, doubles, bits = (each[which] for each in errors(name))
    print(f"{name}: Python {python:.1e}, doubles {doubles:.1e}, half a unit of the last place {bits:.1e}")
    assert max(python, doubles) < 2 * bits


@pytest.mark.slow
def test_five_bar_loses_digits_that_its_tables_hold():
    python, doubles, bits = (each[0] for each in errors("five-bar"))
    print(f"Python {python:.1e}, doubles {doubles:.1e}, half a unit of the last place {bits:.1e}")
    assert bits < 1e-13 < 1e-12 < max(python, doubles) < 1e-11
