from lissom.view.drawing.stress_picture import stress_picture as stress_picture
from lissom.view.figures import plots as plots
from lissom.view.figures.figure_style import style as style
from lissom.view.films.film import film as film
from lissom.view.films.film import still as still
from lissom.view.pages import run_report as run_report
