"""A boom carries a concrete pipe: 30 kg/m that weigh and do not stiffen. Its sag is the textbook's.

Cranes and machines
"""

import lissom

boom = lissom.Robot.from_yaml("""
lissom: 1
name: boom
materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7850}}
links:
  - name: boom
    parent: world
    joint: {type: fixed}
    beam:
      length: 8 m
      material: steel
      shear: none
      section: {shape: box, width: 250 mm, height: 400 mm, thickness: 8 mm, added_mass: 30 kg/m}
""")
rest = lissom.static_equilibrium(boom)
sag = -rest.deflections["boom"].displacement[2]

steel, inertia = 0.25 * 0.4 - 0.234 * 0.384, (0.25 * 0.4**3 - 0.234 * 0.384**3) / 12
textbook = 9.81 * (7850 * steel + 30) * 8**4 / (8 * 210e9 * inertia)
print(f"it sags by {1e3 * sag:.2f} mm, by the textbook {1e3 * textbook:.2f} mm")
assert abs(sag / textbook - 1) < 1e-3
run = lissom.simulate(boom, 0.5, progress=False)  # let go: it swings about that
