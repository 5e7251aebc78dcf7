"""Searches over variants: the best by an output, its derivatives, and the log of what was asked.

`minimise` is public.
"""
