"""Figures with Matplotlib: of runs, comparisons, fits, studies, motions and sizings; their style and layout.

`plots.plot` and `figure_style.style` are public.
"""
