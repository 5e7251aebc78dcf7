"""How results are shown to people: in which units, what of them is nothing but noise, what a report says besides.

`Presentation` is what tables, figures, pages and exports ask; a scenario or the user's settings choose it.
"""
