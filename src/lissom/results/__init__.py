"""Results of runs: every quantity by name with axes and unit, section forces, summaries, files.

`Trajectory` is what users have in hand; it is made of a `RawRun` of the simulation.
"""
