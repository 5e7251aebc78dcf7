"""Figures of models rather than of runs: linear models, systems of equations.

The results that draw themselves call them: `response.plot()`.
"""
