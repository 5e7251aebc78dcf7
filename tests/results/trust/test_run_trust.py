"""Error bars of runs: they cover what finer runs give, name what errors come from, and say where there is no limit."""

import json

import numpy as np
import pytest
from swinging_arm import arm, swing

import lissom
from lissom.errors import LissomError
from lissom.results.error_bars import Trust
from lissom.scenario.scenario_files import find


@pytest.fixture(scope="module")
def few_functions():
    """A swinging arm whose only function of bending is the shape under a force at the tip."""
    run = swing(arm())
    return run, lissom.trust(run, progress=False)


def test_error_bars_cover_what_a_much_finer_run_gives(few_functions):
    run, trust = few_functions
    fine = swing(arm("{y: 8}", "exact"), rtol=1e-10, rate=20_000).summary()
    true = {
        "peak |wrench.shoulder.force|": fine.joints[0].force.value,
        "peak |deflection.upper|": fine.links[0].deflection.value,
        "peak |rotation.upper|": fine.links[0].rotation.value,
        "final shoulder": fine.settling[0].final[0],
    }
    for name, value in true.items():
        bar = trust[name]
        assert abs(bar.value - value) <= bar.error, name
        assert bar.error < 0.2 * abs(value), name  # and they are of use
    assert run.trust == trust


def test_the_source_that_decides_is_named(few_functions):
    _, trust = few_functions
    assert trust["peak |deflection.upper|"].sources[0].kind == "functions"
    assert "upper" in trust["peak |deflection.upper|"].main_source
    assert "modes: {y: 4} in upper" in trust.remedy
    sampled = swing(arm("{y: 6}", "exact"), rtol=1e-8, rate=20)
    assert lissom.trust(sampled, progress=False)["final shoulder"].sources[0].kind == "sampling"


def test_the_table_shows_digits_that_are_trusted_alone(few_functions):
    run, trust = few_functions
    text = str(run.summary())
    assert "error mostly from" in text and "functions" in text and trust.remedy[:20] in text
    bar = trust["peak |deflection.upper|"].scaled(1e3, "mm")
    assert str(bar) in text and "±" in str(bar)
    plain = str(swing(arm()).summary())
    assert "±" not in plain and "error mostly from" not in plain


def test_error_bars_go_with_the_run_into_files(few_functions, tmp_path):
    run, trust = few_functions
    assert Trust.from_dict(json.loads(json.dumps(run.summary().to_dict()))["trust"]) == trust
    run.save(tmp_path / "run.nc")
    assert lissom.Trajectory.load(tmp_path / "run.nc").trust == trust


def test_runs_from_files_and_runs_that_failed_say_why_they_have_none(few_functions, tmp_path):
    run, _ = few_functions
    run.save(tmp_path / "run.nc")
    with pytest.raises(LissomError, match="simulate it again"):
        lissom.trust(lissom.Trajectory.load(tmp_path / "run.nc"))


def test_a_wrench_at_a_jump_has_no_limit():
    scenario = find("dual-screw-arm").scenario.with_value("duration", 0.6)
    trust = scenario.run(progress=False, trust=True).trust
    force = trust["peak |wrench.joint1.force|"]
    assert force.error == np.inf and "no limit" in force.limitless and "0.5 s" in force.limitless
    assert trust["peak |deflection.link3|"].relative < 0.1


def test_laws_states_and_functions_are_carried_to_other_functions():
    robot = arm("{y: 3, z: 1}")
    model = robot.compile()
    law = lissom.control.pd(model, {"shoulder": {"p": 2.0, "d": 0.05}}, [0.5])
    start = lissom.static_equilibrium(model, hold="joints")

    def held(t, q, v):
        return {"shoulder": 2.0 * (0.5 - q[0]) - 0.05 * v[0]}

    ends = []
    for controller in (law, held):
        run = lissom.simulate(robot, 0.1, controller=controller, start=start, progress=False, trust=True)
        assert not run.trust.notes
        assert run.trust["final shoulder"].relative < 1e-2
        ends.append(run.trust["final shoulder"].value)
    assert ends[0] == pytest.approx(ends[1], rel=1e-3)


def test_a_rigid_robot_has_errors_of_steps_and_outputs_alone():
    trust = find("rigid-7-axis").scenario.with_value("duration", 0.2).run(progress=False, trust=True).trust
    assert {source.kind for bar in trust for source in bar.sources if source.error} <= {"time", "sampling"}
    coarse = lissom.simulate(
        "rigid-7-axis", 0.5, method="radau", rtol=3e-2, rate=2000, progress=False, trust=True
    ).trust
    assert coarse["peak |wrench.joint2.torque|"].sources[0].kind == "time"


def test_a_channel_has_an_error_band_over_time(few_functions):
    _, trust = few_functions
    fine = swing(arm("{y: 8}", "exact"), rtol=1e-10)
    for channel in ("shoulder", "deflection.upper", "wrench.shoulder", "tip.hand"):
        band = trust.channel(channel)
        head, _, rest = channel.partition(".")
        true = getattr(fine, head)(rest) if rest else fine[channel]
        assert band.values.shape == band.error.shape == true.shape and band.unit
        assert np.mean(np.abs(band.values - true.values) <= band.error + 1e-9 * np.abs(true.values).max()) > 0.99
        assert band.largest < 0.2 * np.abs(true.values).max()
    with pytest.raises(LissomError, match="no channel"):
        trust.channel("sholder")


def test_figures_draw_error_bands_where_they_can_be_seen(few_functions):
    from lissom.view.figures.overlays import finished
    from lissom.view.figures.run_charts import deflection_chart, joint_charts

    coarse = lissom.simulate(arm(), 0.6, start={"shoulder": 0.4}, rtol=3e-2, progress=False)
    assert finished(coarse, joint_charts(coarse))[0].series[0].error is None
    lissom.trust(coarse, progress=False)
    angle = finished(coarse, joint_charts(coarse))[0].thinned(50).series[0]
    assert angle.error.shape == angle.values.shape and angle.error.max() > 0.002 * np.ptp(angle.values)
    bent = finished(coarse, deflection_chart(coarse))[0].series[0]  # mm
    band = coarse.trust.channel("deflection.upper")
    assert bent.error.max() == pytest.approx(1e3 * band.largest, rel=0.5)
    assert coarse.plot("deflection").axes[0].collections


def test_bands_are_there_where_they_were_measured_alone(few_functions, tmp_path):
    run, _ = few_functions
    run.save(tmp_path / "run.nc")
    with pytest.raises(LissomError, match="call it for a run again"):
        lissom.Trajectory.load(tmp_path / "run.nc").trust.channel("shoulder")
