"""The paper's own equations beside the ones that the formulation solves, for readers who follow the paper.

`coordinate_form` has its matrices in the coordinates Z = (omega, r'), `kinematics` its appendix A, `slips` what cannot
be right as it is printed.
"""

from lissom.theory.screw_pde.printed.coordinate_form import CoordinateForm

__all__ = ["CoordinateForm"]
