"""A run in a few numbers, and the tables that say them. `Summary` is what `run.summary()` returns."""
