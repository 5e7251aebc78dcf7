"""The base of every description: fields with units and ranges, and errors in plain words.

For classes that describe something, here and in the layers above (scenario, control, study).
"""
