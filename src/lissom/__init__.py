"""lissom: dynamics of robot arms whose links and joints bend.

>>> import lissom
>>> robot = lissom.load("ella")
>>> model = robot.compile()

The public names stand in `__init__.pyi`. They load when they are first used, so that `import lissom` stays light.
"""

from lissom import lazy
from lissom.plot_registry import provide

__getattr__, __dir__, __all__ = lazy.attach(__name__)

provide(
    {
        "run.plot": "lissom.view.figures.plots:plot",
        "run.report": "lissom.view.pages.run_report:save",
        "run.animate": "lissom.view.films.film:film",
        "run.html": "lissom.view.pages.notebook:notebook_html",
        "study.plot": "lissom.view.figures.study_figures:plot_study",
        "study.page": "lissom.view.pages.study_page:save",
        "motion.plot": "lissom.view.figures.motion_figures:plot_motion",
        "sizing.plot": "lissom.view.figures.sizing_figures:plot_sizing",
        "verification.plot": "lissom.view.figures.motion_figures:plot_verification",
        "comparison.plot": "lissom.view.figures.comparison_figures:plot_comparison",
        "fit.plot": "lissom.view.figures.fit_figures:plot_fit",
    }
)
