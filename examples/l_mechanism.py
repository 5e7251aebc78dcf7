"""The L mechanism by the equivalent rigid-link system, in short: rigid row, convergence, frequencies.

`lissom example l-mechanism` runs all three tests of the paper with their tables and figures.
"""

import numpy as np

from lissom.examples.l_mechanism import EXACT, FINE, FREQUENCIES, TABLE_2, Ell, aluminium, convergence

# with six modes the link is rigid; the paper's row is that of five lumped nodes
(rigid,) = convergence(2, "lumped", counts=(6,))
print(f"rigid, 5 lumped nodes: {rigid.values[0]:.3f} deg, printed {TABLE_2[6][0]:.2f} deg")
assert abs(rigid.values[0] - TABLE_2[6][0]) < 0.005

# eighteen modes of a fine mesh: what geometrically exact beams do
few, many = convergence(FINE, "consistent", counts=(8, 18))
for row in (few, many):
    print(f"{row.modes} modes: {row.values[0]:.3f} deg, exact {EXACT[0]:.3f} deg")
assert abs(many.values[0] - EXACT[0]) < 0.01 < abs(few.values[0] - EXACT[0])
assert np.allclose(many.values[1:], EXACT[1:], rtol=0, atol=5e-5)

# the motor-driven L: natural frequencies of a frame finite-element model
ell = Ell.build(aluminium(), FINE, "consistent", internal=12, elbow_mass=0.017, motor=0.005569)
print("frequencies:", ", ".join(f"{f:.2f}" for f in ell.frequencies()[:8]), "Hz")
assert np.allclose(ell.frequencies()[:8], FREQUENCIES, rtol=0.003)
