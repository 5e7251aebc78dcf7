"""What formulations of trees are joined with: loads, elements, contacts, loops and prescribed joints.

A formulation says by a `FrameKernel` where frames on its links are, how they move with its coordinates, and how they
drift. `ConnectedFormulation` puts forces on them and holds them together, all of it compiled.
"""
