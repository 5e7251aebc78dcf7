"""Forward Euler, order 1: the method of Yaqubi et al. 2026 (Table 1). For comparison; it needs very small steps."""

import numpy as np

from lissom.simulation.integrators.explicit_runge_kutta import Tableau

TABLEAU = Tableau(
    name="euler",
    reference="L. Euler, Institutionum calculi integralis, vol. 1, 1768, section 650",
    order=1,
    A=np.zeros((1, 1)),
    b=np.ones(1),
    c=np.zeros(1),
)
