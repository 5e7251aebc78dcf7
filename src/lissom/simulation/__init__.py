"""Simulation: integrators, the time loop, and its result, the Trajectory. Names load when they are first used."""

from typing import TYPE_CHECKING

from lissom import lazy

if TYPE_CHECKING:
    from lissom.simulation.ending import Ending
    from lissom.simulation.loads import Load
    from lissom.simulation.main import simulate
    from lissom.simulation.payload import Payload
    from lissom.simulation.raw import Event
    from lissom.simulation.settings import RunSettings
    from lissom.simulation.telling import SimulationWarning
    from lissom.simulation.trajectory import Trajectory

__all__ = ["Ending", "Event", "Load", "Payload", "RunSettings", "SimulationWarning", "Trajectory", "simulate"]

__getattr__, __dir__ = lazy.names(
    __name__,
    {
        "lissom.simulation.ending": ("Ending",),
        "lissom.simulation.loads": ("Load",),
        "lissom.simulation.main": ("simulate",),
        "lissom.simulation.payload": ("Payload",),
        "lissom.simulation.raw": ("Event",),
        "lissom.simulation.settings": ("RunSettings",),
        "lissom.simulation.telling": ("SimulationWarning",),
        "lissom.simulation.trajectory": ("Trajectory",),
    },
)
