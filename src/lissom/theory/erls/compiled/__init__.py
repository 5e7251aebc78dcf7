"""Compiled equations of the equivalent rigid-link system."""
