"""How a run went: how it ended, which limits it reached, and the warnings about it.

`Ending` and `SimulationWarning` are public.
"""
