"""Natural modes, which parts move in them, and what spectra and decaying oscillations tell of them.

All results here are public by `lissom.analysis`.
"""
