"""Published formulations of the same physics on one manoeuvre: they agree.

Research and teaching
"""

import numpy as np

import lissom
from lissom.view.figures.comparison_figures import plot_comparison

found = lissom.compare("dual-screw-arm", duration=0.2, progress=False)
print(found)
away = [np.nanmax(result.distance) for name, result in found.results.items() if name != found.baseline]
assert len(away) >= 2 and max(away) < 1e-3  # m between their tips
figure = plot_comparison(found)
