"""Six slow modes of the arm of a space station, and what moves in each.

Space
"""

import lissom

arm = lissom.load("canadarm2")
modes = lissom.natural_modes(arm, locked=True, number=6)
print(modes)
assert (modes.frequencies[1:] >= modes.frequencies[:-1]).all() and 0 < modes.frequencies[0] < 5
run = lissom.simulate(arm, 1.0, progress=False)
