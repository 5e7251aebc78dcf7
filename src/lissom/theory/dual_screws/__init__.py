"""Linear dynamics of flexible arms by dual screws (Cibicik and Egeland 2021): a real part for the rigid motion, a dual
part for what elastic deflections add to first order."""

from lissom.theory.dual_screws.formulation import DualScrew

__all__ = ["DualScrew"]
