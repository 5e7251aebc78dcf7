"""One file per command, with its options; `robots` holds the short ones about files.

Named in `COMMANDS` of `lissom.cli`, which imports the one that is called.
"""
