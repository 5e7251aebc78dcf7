"""The benchmarks' yardstick is the same algorithm as the kernel."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks"


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
