"""A space-station arm falls: sweeps of the joints' rotors and springs; the tip's sensitivity, checked by differences.

A short form of `lissom example canadarm2`.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import lissom
from lissom.examples import canadarm2

DURATION = 0.2
(light, heavy), (soft, stiff), exact = canadarm2.main(Path(mkdtemp()), DURATION, (2.0, 15.0), (0.6e6, 5e6))

# heavier rotors hold the joints back more: more torsion; a soft joint turns more than a stiff one
assert np.abs(heavy.torsion[:, 0]).max() > 2 * np.abs(light.torsion[:, 0]).max()
assert np.abs(soft.torsion[:, 0]).max() > np.abs(stiff.torsion[:, 0]).max()

# the exact sensitivity to the bending stiffness of boom 1 against differences of two simulations
path, robot = canadarm2.PARAMETERS[2], lissom.load("canadarm2")
value, change = robot.value(path), 3e4
tips = [
    lissom.simulate(robot.with_value(path, value + d), DURATION, start=canadarm2.START, rtol=1e-10, atol=1e-13)
    for d in (-change, change)
]
difference = (tips[1].tip()[-1] - tips[0].tip()[-1]).values / (2 * change)
assert np.abs(exact.output[2, -1] - difference).max() < 1e-3 * np.abs(difference).max()
