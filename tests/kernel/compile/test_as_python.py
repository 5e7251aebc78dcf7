"""LISSOM_KERNELS=python runs every kernel as the Python it is written in: same numbers, and a debugger stops inside."""

import json
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import lissom
from lissom.kernel.compile.argument_kinds import kinds
from lissom.kernel.data.arrays import JointMotion
from lissom.kernel.packs import covers

COMMON = "import json, sys, bdb, numpy as np, lissom\n"


def in_python(code, **environment):
    """What a program prints, as JSON, where kernels run as Python."""
    program = COMMON + textwrap.dedent(code)
    whole = {**os.environ, "LISSOM_KERNELS": "python", **environment}
    done = subprocess.run([sys.executable, "-c", program], env=whole, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_ella_moves_as_she_does_by_machine_code():
    found = in_python("""
        run = lissom.simulate("ella", 0.01, progress=False)
        print(json.dumps({name: np.asarray(getattr(run, name)).tolist() for name in ("time", "q", "v")}))
    """)
    run = lissom.simulate("ella", 0.01, progress=False)
    for name, values in found.items():
        own = np.asarray(getattr(run, name))
        assert np.abs(np.asarray(values) - own).max() <= 1e-11 * np.abs(own).max(), name


def test_a_breakpoint_in_forward_dynamics_is_hit():
    found = in_python("""
        from lissom.kernel.algorithms import articulated_body as forward

        class Debugger(bdb.Bdb):
            seen = []

            def user_line(self, frame):
                if self.break_here(frame):
                    self.seen.append([frame.f_code.co_name, len(frame.f_locals["q"])])
                self.set_continue()

        model = lissom.load("ella").compile()
        source = forward.forward_dynamics.py_func
        debugger = Debugger()
        lines = sorted({line for *_, line in source.__code__.co_lines() if line})
        debugger.set_break(source.__code__.co_filename, lines[2])
        q, v = model.neutral(), np.zeros(model.nv)
        debugger.runcall(lissom.forward_dynamics, model, q, v)
        print(json.dumps([debugger.seen, model.nq]))
    """)
    seen, size = found
    assert seen
    assert seen[0] == ["forward_dynamics", size]


@pytest.mark.parametrize("code", [
    """
    model = lissom.load("ella").compile()
    q = np.tile(model.neutral(), (9, 1))
    v = np.linspace(-1.0, 1.0, 9 * model.nv).reshape(9, -1)
    out = lissom.forward_dynamics_batch(model, q, v)
    """,
    """
    model = lissom.load("canadarm2").compile()
    q, v = model.neutral(), np.linspace(-0.1, 0.1, model.nv)
    out = [lissom.forward_dynamics(model, q.astype(complex), v).real, lissom.inverse_dynamics(model, q, v, v)]
    """,
    """
    model = lissom.load("five-bar").compile()
    out = lissom.forward_dynamics(model, lissom.dynamics.close_loops(model), np.zeros(model.nv))
    """,
    """
    run = lissom.simulate("ella", 2e-3, method="radau", controller=lambda t, q, v: {"elbow": 0.1 * np.sin(t)})
    out = [run.q[-1], run.v[-1]]
    """,
])  # fmt: skip
def test_other_functions_give_the_same_numbers(code):
    scope = {"np": np, "lissom": lissom}
    exec(textwrap.dedent(code), scope)
    found = in_python(textwrap.dedent(code) + "\nprint(json.dumps(np.asarray(out).tolist()))")
    assert np.abs(np.asarray(found) - np.asarray(scope["out"])).max() <= 1e-9 * np.abs(scope["out"]).max()


def test_runs_are_not_taken_together_in_lanes_which_python_does_not_have():
    code = """
        from lissom.kernel.packs import covers
        print(json.dumps(covers(lissom.load("ella").compile().arrays)))
    """
    assert covers(lissom.load("ella").compile().arrays)
    assert in_python(code) is False


def test_a_member_of_an_enumeration_is_a_whole_number():
    """Integrators return one: were it no kind, the library would leave them out."""
    assert kinds((JointMotion(0),)) == kinds((0,))
