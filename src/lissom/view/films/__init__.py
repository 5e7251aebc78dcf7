"""Pictures and films without a graphics card.

`film.film` is the way in.
"""
