"""Commands that analyse a robot about a pose: natural modes, frequency responses.

Named in `COMMANDS` of `lissom.cli`, as all commands are.
"""
