"""Settings that every test shares."""

import os
import sys
from pathlib import Path

import claims
import pytest
from browser import browser, page, window  # noqa: F401
from hypothesis import settings

from lissom.kernel.compile.libraries import first_use, library

# The same examples on every machine, and no time limit per example: no failure by luck or load.
settings.register_profile("lissom", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("lissom")

# Reductions of finite-element links are made anew, not read from the user's cache.
os.environ["LISSOM_CACHE_LINKS"] = "off"


def pytest_configure(config):
    """Before all tests run, machine code is made once for all workers; a few tests compile what they call."""
    tests = [(config.rootpath / path).resolve() for path in config.getini("testpaths")]
    whole = {Path(path).resolve() for path in config.args} >= set(tests) and not hasattr(config, "workerinput")
    if whole and first_use.make(library.tables(), library.PACKAGE, rarer=True):
        print("compiled all kernels for the tests")
    os.environ["LISSOM_BUILD"] = "off"


def pytest_terminal_summary(terminalreporter):
    """Tell what makes tests slow, above all those that start commands."""
    if not library.is_complete():
        terminalreporter.write_line("kernels were compiled one by one: `lissom build --all` beforehand saves minutes")


@pytest.fixture(autouse=True)
def expected_failure(request):
    """A claim of a test that is expected to fail is a known limit, with the mark's reason."""
    mark = request.node.get_closest_marker("xfail")
    claims.known_limit = None if mark is None else mark.kwargs["reason"]


@pytest.fixture(autouse=True)
def close_figures():
    """Figures of a test end with it, wherever it drew them."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
