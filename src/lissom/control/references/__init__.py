"""What joints should do over time: piecewise polynomials, profiles, waves, tables of files.

`Reference` is public; the rest makes references.
"""
