"""Cross sections: stiffness and mass per length, torsion and shear by shape, stresses, change along a link.

`Section`, `GeneralSection` and `Profile` are for others; the rest serves them.
"""
