"""The benchmarks' yardstick is the same algorithm as the kernel."""

from __future__ import annotations

import shutil
import sys

import pytest
from places import ROOT

FOLDER = ROOT / "benchmarks"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="the yardstick needs gcc")
def test_the_c_yardstick_gives_the_accelerations_of_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    import forward_dynamics
    from chain import chain

    try:
        assert forward_dynamics.disagreement(chain(2, 8).compile()) < forward_dynamics.AGREEMENT
    finally:
        for name in ("forward_dynamics", "chain", "timing", "yardstick", "compiler"):
            sys.modules.pop(name, None)


def test_the_reduction_benchmark_accounts_for_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    import finite_elements

    told: list[str] = []
    try:
        results = finite_elements.reduce_tube((6, 8, 1), told.append)
    finally:
        sys.modules.pop("finite_elements", None)
    assert abs(sum(results["steps"].values()) - results["processor"]) < 0.1 * results["processor"] + 0.05
    assert "factorising the stiffness matrix" in told
    assert results["error"] < 1e-3
