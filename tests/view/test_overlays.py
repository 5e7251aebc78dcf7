"""Other runs and measured data stand beside a run in its plots and pages."""

import numpy as np
import pandas as pd
import pytest
from sample_runs import ella_run, satellite_run

from lissom.errors import LissomError
from lissom.view.figures.overlays import finished, with_measured
from lissom.view.figures.run_charts import deflection_chart, joint_charts, torque_charts
from lissom.view.pages import run_report


def curves(charts):
    return {curve.name: curve for chart in charts for curve in chart.series}


def test_a_run_beside_itself_gives_the_same_curves():
    run = ella_run()
    both = run.beside(again=run)
    for make in (joint_charts, torque_charts, deflection_chart):
        found = curves(finished(both, make(both)))
        solid = {name: curve for name, curve in found.items() if not curve.dashed}
        for name, curve in solid.items():
            np.testing.assert_allclose(found[f"{name}, again"].values, curve.values, rtol=1e-12, atol=1e-12)


def test_measured_columns_are_matched_by_name_and_unit(tmp_path):
    run = ella_run()
    time = run.time
    table = pd.DataFrame(
        {
            "time [ms]": 1e3 * time,
            "elbow [deg]": np.degrees(np.interp(time, run.time, run["elbow"].values)) + 1.0,
            "deflection.upper.y [mm]": 1e3 * np.interp(time, run.time, run.deflection("upper").values[:, 1]),
            "room temperature": 20.0,
        }
    )
    table.to_csv(tmp_path / "bench.csv", index=False)
    with pytest.warns(UserWarning, match="left out: room temperature"):
        both = run.beside(bench=tmp_path / "bench.csv")
    found = curves(finished(both, joint_charts(both)))
    off = found["elbow, bench"].values - found["elbow"].values
    assert np.nanmax(np.abs(off - np.pi / 180)) < 1e-9
    further = with_measured(both, joint_charts(both))[-1]
    assert further.title == "deflection.upper.y"
    (own, measured) = finished(both, [further])[0].series
    assert np.nanmax(np.abs(own.values - measured.values)) < 1e-9 * np.abs(own.values).max()
    assert "bench" in run_report.report(both)


def test_exported_tables_stand_beside_their_run(tmp_path):
    run = ella_run()
    run.to_csv(tmp_path / "run.csv", units=["kN", "mm", "deg"])
    both = run.beside(saved=tmp_path / "run.csv")
    found = curves(finished(both, joint_charts(both)))
    np.testing.assert_allclose(found["elbow, saved"].values, found["elbow"].values, atol=1e-9)


def test_what_cannot_stand_beside_a_run_is_told(tmp_path):
    run = ella_run()
    (tmp_path / "none.csv").write_text("time,strain\n0,1\n1,2\n")
    with pytest.raises(LissomError, match=r"none.csv.*none of its columns \(strain\)"):
        run.beside(x=tmp_path / "none.csv")
    (tmp_path / "untimed.csv").write_text("elbow,shoulder\n0,1\n1,2\n")
    with pytest.raises(LissomError, match="no column of times"):
        run.beside(x=tmp_path / "untimed.csv")
    (tmp_path / "unit.csv").write_text("time,elbow [kN]\n0,1\n1,2\n")
    with pytest.raises(LissomError, match=r"a unit that position\.elbow cannot have"):
        run.beside(x=tmp_path / "unit.csv")
    with pytest.raises(LissomError, match="must be a run"):
        run.beside(x=5)


def test_runs_of_other_robots_share_what_has_the_same_name():
    run = ella_run()
    both = run.beside(other=satellite_run())
    assert not [curve for curve in curves(finished(both, torque_charts(both))).values() if "other" in curve.name]
