"""Linear dynamics of flexible arms by dual screws (Cibicik and Egeland 2021).

The real part of a screw is that of the rigid motion, its dual part what elastic deflections add to first order.
"""

from lissom.theory.dual_screws.formulation import DualScrew

__all__ = ["DualScrew"]
