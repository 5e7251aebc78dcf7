"""Broken input of every kind is taken or refused in words, never by a foreign exception, a hang or a silent NaN."""

from time import process_time

import fuzzing
import pytest
from fuzzing import KINDS, attempt

from lissom.kernel.compile.events import announce

FEW = {"robot_tree": 150, "robot_text": 150, "scenario_tree": 60, "urdf": 120, "dh": 120, "mesh": 120, "table": 200}
FEW |= {
    "result": 60,
    "api": 150,
    "mechanism": 150,
    "scenario_run": 100,
    "study": 100,
    "fit": 40,
    "optimum": 60,
    "export": 30,
}
MANY, PARTS = 12_000, 4  # of each kind that is quick; with the others 105 400 inputs
FEWER = {"scenario_tree": 6_000, "dh": 8_000, "result": 6_000}  # which take ten times as long to read
FEWER |= {"mechanism": 4_000, "scenario_run": 2_000, "study": 4_000, "fit": 1_000, "optimum": 2_000, "export": 400}


def tried(kind, seeds, folder):
    return {seed: wrong for seed in seeds if (wrong := attempt(kind, seed, folder)) is not None}


def compute(seconds):
    """Keep the processor busy for so long."""
    end = process_time() + seconds
    while process_time() < end:
        pass


def test_the_clock_counts_computing_and_not_compiling(monkeypatch):
    monkeypatch.setattr(fuzzing, "LIMIT", 0.2)
    with fuzzing.limited():
        announce("outer")
        announce("inner")
        compute(0.3)
        announce("")
        compute(0.1)
        announce("")
    with pytest.raises(fuzzing.Hang), fuzzing.limited():
        announce("kernel")
        announce("")
        compute(2.0)


@pytest.mark.parametrize("kind", KINDS)
def test_broken_input_is_taken_or_refused_in_words(kind, tmp_path):
    pytest.importorskip("meshio") if kind == "mesh" else None
    assert tried(kind, range(FEW[kind]), tmp_path) == {}


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("kind", KINDS)
def test_a_hundred_thousand_broken_inputs(kind, part, tmp_path):
    pytest.importorskip("meshio") if kind == "mesh" else None
    each = FEWER.get(kind, MANY) // PARTS
    assert tried(kind, range(part * each, (part + 1) * each), tmp_path) == {}
