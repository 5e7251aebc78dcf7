"""Error bars of a sample of the runs of a batch: those of each run by itself."""

import numpy as np
import pytest

import lissom
from lissom.errors import StudyError

MASS = "links.forearm.beam.masses.0.mass"
PEAK, LAST = "peak |deflection.upper|", "last position.elbow"


def test_outputs_of_some_runs_of_a_batch_have_error_bars():
    data = lissom.simulate_batch(
        "ella", {MASS: [0.5, 1.0, 1.5, 2.0, 2.5]}, 0.1, outputs=[PEAK, LAST], cores=1, trust=2, progress=False
    )
    errors = data[f"{PEAK} error"]
    assert np.isfinite(errors).values.tolist() == [True, False, False, False, True]
    assert errors.attrs["units"] == "m" and float(errors[4]) < 0.05 * float(data[PEAK][4])
    scenario = lissom.scenario.load("ella").with_values([(MASS, 2.5), ("duration", 0.1)])
    run = scenario.run(progress=False, trust=True)
    assert float(errors[4]) == pytest.approx(run.trust[PEAK].error, rel=0.1)
    fine = scenario.with_values([("rtol", 1e-9), ("output.rate", 5000)]).run(progress=False)
    true = np.linalg.norm(fine.deflection("upper").values, axis=1).max()
    assert abs(float(data[PEAK][4]) - true) < float(errors[4])


def test_a_number_of_runs_that_is_none_is_refused():
    with pytest.raises(StudyError, match="number of runs"):
        lissom.simulate_batch("ella", {MASS: [1.0]}, 0.01, outputs=[LAST], trust=-1, progress=False)
