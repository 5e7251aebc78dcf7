"""Settings that every test shares."""

from hypothesis import settings

# The same examples on every machine, and no time limit per example: no failure by luck or load.
settings.register_profile("lissom", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("lissom")
