"""`python -m lissom` is the `lissom` command."""

from lissom.cli import main

main()
