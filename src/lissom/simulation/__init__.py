"""Simulation: from a model, its inputs and a start to the record of a run. Names load when they are first used.

`simulate` (`run_simulation`) and `sensitivity` stand above the layer `results`, whose objects they return.
"""

from typing import TYPE_CHECKING

from lissom import lazy

if TYPE_CHECKING:
    from lissom.results.trajectory import Trajectory
    from lissom.simulation.inputs.loads import Load
    from lissom.simulation.inputs.payload import Payload
    from lissom.simulation.raw_run import Event
    from lissom.simulation.run_simulation import simulate
    from lissom.simulation.settings import RunSettings
    from lissom.simulation.status.run_ending import Ending
    from lissom.simulation.status.run_warnings import SimulationWarning

__all__ = ["Ending", "Event", "Load", "Payload", "RunSettings", "SimulationWarning", "Trajectory", "simulate"]

__getattr__, __dir__ = lazy.names(
    __name__,
    {
        "lissom.simulation.status.run_ending": ("Ending",),
        "lissom.simulation.inputs.loads": ("Load",),
        "lissom.simulation.run_simulation": ("simulate",),
        "lissom.simulation.inputs.payload": ("Payload",),
        "lissom.simulation.raw_run": ("Event",),
        "lissom.simulation.settings": ("RunSettings",),
        "lissom.simulation.status.run_warnings": ("SimulationWarning",),
        "lissom.results.trajectory": ("Trajectory",),
    },
)
