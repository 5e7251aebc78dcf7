"""Displacement fields of a link, linear, of second order and exact, and the integrals of mass and strain that follow.

A link chooses one field; the layers above see its invariants.
"""
