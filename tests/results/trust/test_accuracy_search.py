"""An accuracy that is asked for is met, told as what it takes, or refused with the reason."""

import pytest
from swinging_arm import arm, swing

import lissom
from lissom.errors import LissomError
from lissom.results.trust.accuracy_search import reach_accuracy
from lissom.scenario.scenario_files import find
from lissom.simulation.status.run_warnings import SimulationWarning

TOLD = "peak |wrench.shoulder.force|"


def test_an_accuracy_is_met_against_a_converged_run():
    run = swing(arm("{y: 1}"), accuracy=0.002)
    fine = swing(arm("{y: 10}", "exact"), rtol=1e-10, rate=20_000).summary()
    told, true = run.summary(), fine
    for mine, theirs in (
        (told.joints[0].force.value, true.joints[0].force.value),
        (told.links[0].deflection.value, true.links[0].deflection.value),
        (told.links[0].bow.value, true.links[0].bow.value),
    ):
        assert mine == pytest.approx(theirs, rel=0.002)
    plain = swing(arm("{y: 1}")).summary()  # which it was not before
    assert plain.links[0].bow.value != pytest.approx(true.links[0].bow.value, rel=0.01)
    assert run.info.accuracy["met"] and "accuracy of 0.2 % met by links.upper.beam.modes" in str(told)


def test_what_was_chosen_gives_the_same_run_again():
    run = swing(arm("{y: 1}"), accuracy=0.002)
    chosen = run.info.accuracy["chosen"]
    robot = arm("{y: 1}").with_values([(k, value) for k, value in chosen.items() if k.startswith("links")])
    rate = chosen.get("output.rate", 200)
    again = swing(robot, rate=rate, **{k: value for k, value in chosen.items() if k in ("rtol", "atol")})
    assert again.summary().links[0].bow.value == run.summary().links[0].bow.value


def test_what_is_good_enough_is_left_as_it_is():
    run = swing(arm("{y: 5}", "exact"), rate=2000, accuracy=0.05)
    assert run.info.accuracy["met"] and not run.info.accuracy["chosen"]


def test_a_number_without_a_limit_is_named_with_the_reason():
    scenario = find("dual-screw-arm").scenario.with_values([("duration", 0.6), ("accuracy", "20 %")])
    assert scenario.accuracy == 0.2
    with pytest.warns(SimulationWarning, match=r"not met: peak \|wrench.joint1.*no limit.*jump at 0.5 s"):
        run = scenario.run(progress=False)
    assert not run.info.accuracy["met"]
    assert not any("final" in name for name in run.info.accuracy["missed"])


def test_only_outputs_that_are_named_count():
    run = swing(arm("{y: 1}"), rate=2000)
    rough = reach_accuracy(run, 0.01, ["peak |deflection.upper|"], progress=False)
    assert rough.info.accuracy["met"] and not rough.info.accuracy["chosen"]
    with pytest.raises(LissomError, match="did you mean"):
        reach_accuracy(run, 0.01, ["peak |deflection.uper|"], progress=False)
    with pytest.raises(LissomError, match=r"0.01 or 1 %"):
        reach_accuracy(run, 2.0, progress=False)


@pytest.mark.parametrize("given", ["120 %", 1.5, 0, "-1 %", "much"])
def test_an_accuracy_that_is_none_is_refused(given):
    with pytest.raises(LissomError, match="accuracy"):
        lissom.scenario.Scenario.from_dict({"robot": "ella", "duration": 1.0, "accuracy": given})
