"""Forces that act in joints, between frames, in contacts, and from outside.

Each function gives a generalised force or a wrench from the state; the algorithms add them up.
"""
