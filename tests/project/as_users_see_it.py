"""What type checkers and editors know of lissom; mypy reads this file with the package, nothing runs it.

A line that must be refused says so by `type: ignore`: mypy complains of those that are not needed.
"""

from typing import assert_type

import numpy as np
import xarray as xr

import lissom
from lissom.model import Encoder


def functions() -> None:
    assert_type(lissom.load("ella"), lissom.Robot)
    assert_type(lissom.load("ella").compile(), lissom.Model)
    assert_type(lissom.forward_dynamics("ella", [], []), np.ndarray)
    assert_type(lissom.forward_dynamics_batch("ella", [], []), np.ndarray)
    assert_type(lissom.simulate_batch("ella", {"gravity.2": [-9.81, -1.62]}, 1.0), xr.Dataset)
    assert_type(lissom.static_equilibrium("ella"), lissom.analysis.Equilibrium)
    assert_type(lissom.fit("ella", ["links.upper.beam.length"], {"data": "run.csv"}), lissom.identify.Fit)
    assert_type(lissom.sensitivity("ella", "links.upper.beam.length", 1.0), lissom.simulation.Sensitivity)


def arguments() -> None:
    load = lissom.Load(link="forearm", at=0.5)
    run = lissom.simulate(
        "ella", 1.0, start={"elbow": 0.5}, loads=[load], sensors=[Encoder(joint="elbow")], method="radau", rtol=1e-8
    )
    assert_type(run, lissom.Trajectory)
    lissom.simulate("ella", 1.0, controller=lambda t, q, v: -v)
    lissom.simulate("ella", 1.0, start="equilibrium", rate=100.0)
    lissom.simulate("ella", 1.0, methd="radau")  # type: ignore[call-arg]
    lissom.simulate("ella", 1.0, loads=3.0)  # type: ignore[arg-type]
    lissom.simulate_batch("ella", {"gravity.2": [-9.81]}, rtoll=1e-8)  # type: ignore[call-arg]
    Encoder(joint="elbow", resolutoin=1e-6)  # type: ignore[call-arg]
