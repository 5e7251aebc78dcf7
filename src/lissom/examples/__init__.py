"""Worked examples: `lissom example NAME` runs the `main` of the module of that name."""
