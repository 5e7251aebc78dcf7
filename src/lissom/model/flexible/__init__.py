"""Links that bend, as a person describes them: beams, sections, stations, materials, finite elements.

Each class knows how to build its counterpart in `lissom.beam` or `lissom.fem`.
"""
