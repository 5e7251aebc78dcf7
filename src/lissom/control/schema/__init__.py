"""The `control:` and `motion:` blocks of a scenario as checked data, and the controllers built from them.

For the scenario layer; other code builds controllers by `control.laws` and `control.design`.
"""
