"""Screw-theoretic PDE synthesis: links as twist and deformation equations, joints as wrenches that are unknowns.

After Yaqubi, Kitzinger, Müller, Gattringer and Mattila 2026 (arXiv:2601.16242).
"""

from lissom.theory.screw_pde.closure import Closure
from lissom.theory.screw_pde.formulation import ScrewPDE
from lissom.theory.screw_pde.integrate import integrate
from lissom.theory.screw_pde.load import Load
from lissom.theory.screw_pde.motion import IntegratedMotion
from lissom.theory.screw_pde.system import System
from lissom.theory.screw_pde.wellposed import Report, check

__all__ = ["Closure", "IntegratedMotion", "Load", "Report", "ScrewPDE", "System", "check", "integrate"]
