"""Results of runs: every quantity by name with axes and unit, section forces, summaries, files.

`Trajectory` is what users have in hand; it is made of a `RawRun` of the simulation. `register_quantity` adds a quantity
to the results of all runs.
"""

from lissom.lazy import names

__all__ = ["ResultQuantity", "RunData", "Trajectory", "register_axis", "register_quantity"]

__getattr__, __dir__ = names(
    __name__,
    {
        "lissom.results.registry.result_quantity": (
            "ResultQuantity",
            "RunData",
            "register_axis",
            "register_quantity",
        ),
        "lissom.results.trajectory": ("Trajectory",),
    },
)
