"""Checks of a finished run: energy balance, forces along links, gears, fast turning sections, loads inside spans.

`simulate` calls them and warns; each says what to do.
"""
