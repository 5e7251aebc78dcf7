"""Settings that every test shares."""

import os

import claims
import pytest
from browser import browser, page  # noqa: F401
from hypothesis import settings

# The same examples on every machine, and no time limit per example: no failure by luck or load.
settings.register_profile("lissom", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("lissom")

# Reductions of finite-element links are made anew, not read from the user's cache.
os.environ["LISSOM_CACHE_LINKS"] = "off"


@pytest.fixture(autouse=True)
def expected_failure(request):
    """A claim of a test that is expected to fail is a known limit, with the mark's reason."""
    mark = request.node.get_closest_marker("xfail")
    claims.known_limit = None if mark is None else mark.kwargs["reason"]
