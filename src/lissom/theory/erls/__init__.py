"""Equivalent rigid-link system with component modes, after Vidoni et al. (2017).

Each link has rigid and elastic modal coordinates; an ordinary chain of rigid frames carries them; compatibility at the
joints gives the rigid coordinates from the elastic ones. `Erls(model)` is the formulation `erls` of `lissom.theory`;
`Chain` and `System` take links of any shape.
"""

from lissom.theory.erls.build import chain
from lissom.theory.erls.chain import Chain, Node
from lissom.theory.erls.formulation import Erls
from lissom.theory.erls.link import ErlsLink
from lissom.theory.erls.modes import ComponentModes, component_modes
from lissom.theory.erls.run import Run, balance, simulate
from lissom.theory.erls.system import State, System, compatibility_matrix

__all__ = [
    "Chain",
    "ComponentModes",
    "Erls",
    "ErlsLink",
    "Node",
    "Run",
    "State",
    "System",
    "balance",
    "chain",
    "compatibility_matrix",
    "component_modes",
    "simulate",
]
