"""Measured curves in the plots and the report of a run: a table with names and units over its columns.

Measurement
"""

from pathlib import Path

import numpy as np

import lissom

run = lissom.simulate("ella", 0.4, progress=False)
rng = np.random.default_rng(1)
elbow = np.degrees(run["elbow"].values) + rng.normal(0, 0.05, len(run.time))  # a bench would write this
rows = [f"{1e3 * t:g},{angle:.4f}" for t, angle in zip(run.time, elbow)]
Path("bench.csv").write_text("\n".join(["time [ms],elbow [deg]", *rows]))

run.units = "deg, mm"
beside = run.beside(bench="bench.csv")
beside.report("report.html", title="Bench and model")
figure = beside.plot("joints")
(bench,) = beside.others
assert np.abs(bench.curve("position.elbow") - run["elbow"].values).max() < np.radians(0.3)
