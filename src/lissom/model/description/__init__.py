"""The robot and its parts but for links that bend: joints, bodies, frames, loops, elements, contacts, sensors.

Users meet these classes as `lissom.model.Robot`, `Joint`, ...; other layers may read their fields.
"""
