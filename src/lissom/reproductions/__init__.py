"""Manoeuvres and figures of papers, and a link from its drawing; `lissom example NAME` runs the `main` of a module."""
