"""Settings that every test shares."""

from hypothesis import settings

# Same examples on every machine and no time limit per example: a failure is a fact, not a matter of luck or load.
settings.register_profile("lissom", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("lissom")
