"""The records of result quantities: name, axes, unit, how each follows from a run; the standard ones among them.

`register_quantity` and `register_axis` are public; `run_quantities.quantities` computes what is registered.
"""

from lissom.results.registry import standard_quantities as standard_quantities
