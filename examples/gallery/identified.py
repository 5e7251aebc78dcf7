"""From two measured frequencies to the stiffness and the tip mass of a boom.

Measurement
"""

import lissom
from lissom.identify import fit

boom = lissom.Robot.from_yaml("""
lissom: 1
name: boom
materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7850}}
links:
  - name: boom
    parent: world
    joint: {type: fixed}
    beam: {length: 2 m, material: steel, section: {shape: tube, outer: 60 mm, thickness: 3 mm}, masses: [{mass: 5}]}
""")
true = {"materials.steel.E": 195e9, "links.boom.beam.masses.0.mass": 6.5}
real = boom.with_values(true.items())
hz = lissom.natural_modes(real, locked=True).frequencies
measured = [{"frequency": hz[k], "mode": k + 1, "deviation": 1e-3 * hz[k]} for k in (0, 2)]  # one of each pair
found = fit(boom, dict.fromkeys(true), frequencies=measured, progress=False)
print(found)
for path, value in true.items():
    assert abs(found.values[path] / value - 1) < 1e-3
figure = found.plot()
