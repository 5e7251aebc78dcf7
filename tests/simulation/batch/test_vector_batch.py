"""Runs in lanes of vector registers: each is as exact as its run alone."""

from dataclasses import replace

import numpy as np
import pytest

import lissom
from lissom.dynamics.sensing import sensors_of
from lissom.kernel.packs import LANES
from lissom.scenario.prepare import prepare
from lissom.simulation.batch.rerun import Rerun
from lissom.simulation.batch.vector_batch import VectorBatch, eligible
from lissom.simulation.batch.vector_results import LaneRun
from lissom.simulation.integrators.error_scales import pace
from lissom.simulation.postprocess import Wanted, observe_run
from lissom.simulation.stepping.time_loop import simulate_raw

FEW = {"y": 2, "z": 2, "torsion": 1, "axial": 0}
UPPER, MASS = "links.upper.beam", "links.forearm.beam.masses.0.mass"
ELLA = [
    [(MASS, 0.7)],
    [(MASS, 2.9), (f"{UPPER}.section.EIz", 2000.0)],
    [(f"{UPPER}.length", 1.1)],
    [("start.elbow", 0.2), ("start.shoulder.rate", 0.1)],
    [("control.gains.elbow.p", 500.0), ("control.gains.shoulder.d", 150.0)],
    [("control.reference.to.elbow", 0.1)],
    [(f"{UPPER}.damping", 0.02)],
]
OTHERS = {
    "canadarm2": [[], [("start.shoulder", 1.0)], [("start.elbow", -1.1)], [("start.shoulder.rate", 0.2)]],
    "dual-screw-arm": [
        [],
        [("control.gains.joint2.p", 500.0)],
        [("control.reference.points.1.joint2", 0.8)],
        [("start.joint3", 2.0), ("duration", 0.7)],
    ],
}


def ella(*changes):
    base = lissom.scenario.load("ella").with_values([("duration", 0.4), ("output.rate", 100)])
    few = [(f"links.{link}.beam.modes", FEW) for link in ("upper", "forearm")]
    return base.with_values(few).with_values(changes)


def prepared(scenario):
    one = prepare(scenario)
    assert eligible(of(one))
    return one


def batch_of(one, **settings):
    series = Rerun(
        one.model,
        one.settings.model_copy(update={"audit": False} | settings),
        **(one.drive | {"sensors": sensors_of(one.model, one.sensors)}),
    )
    return VectorBatch(series, series.begin())


def alone(one):
    return simulate_raw(one.model, one.settings.model_copy(update={"audit": False}), **one.drive)


def of(one):
    return LaneRun(one.model, one.controller, one.start, one.settings.duration)


def error(found, one, exact):
    """Largest error of a run, in what a step may err by: the integrator's own measure of it."""
    s = one.settings
    allowed = {"q": np.full(one.model.nq, s.absolute_error), "v": s.absolute_error * pace(one.model, one.start[0])}
    return {
        name: np.max(
            np.abs(getattr(found, name) - getattr(exact, name))
            / (least + s.rtol * np.abs(getattr(exact, name)).max(axis=0))
        )
        for name, least in allowed.items()
    }


def assert_as_exact(found, one):
    """In lanes as alone, a run is as near to the converged one as its steps promise.

    Each step may err by one unit, and the errors of a damped motion add up at most; steps of a pack are as short as the
    lane allows that asks for the shortest, so it has more of them, and the same promise holds for every lane.
    """
    expected = alone(one)
    np.testing.assert_array_equal(found.time, expected.time)
    exact = simulate_raw(
        one.model, one.settings.model_copy(update={"audit": False, "rtol": 1e-10, "atol": 1e-12}), **one.drive
    )
    for raw in (found, expected):
        for name, size in error(raw, one, exact).items():
            assert size < raw.steps, name
    assert found.status == expected.status == "finished"


@pytest.fixture(scope="module")
def ones():
    return [prepared(ella(*changes)) for changes in ELLA]


@pytest.fixture(scope="module")
def batch(ones):
    return batch_of(ones[0])


def test_lanes_equal_runs_alone(ones, batch):
    """Parameters, starts, references and gains differ; the pack is not full."""
    assert len(ones) < LANES
    assert all(batch.fits(of(one)) for one in ones)
    for found, one in zip(batch.run([of(one) for one in ones]).raws(), ones, strict=True):
        assert found.method == "radau"
        assert_as_exact(found, one)


def test_the_same_pack_again_gives_the_same_bits(ones, batch):
    first = batch.run([of(one) for one in ones]).raws()
    batch.run([of(one) for one in ones[::-1]])
    again = batch.run([of(one) for one in ones]).raws()
    for a, b in zip(first, again, strict=True):
        for name in ("q", "v", "a", "tau"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def test_a_lane_that_fails_is_left_to_be_computed_alone_and_the_others_go_on(ones, batch):
    bad = prepared(ella(("start.elbow.rate", 2e6)))  # diverges
    found = batch.run([of(ones[0]), of(bad), of(ones[1])]).raws()
    assert found[1] is None
    assert_as_exact(found[0], ones[0])
    assert_as_exact(found[2], ones[1])


def test_lanes_that_are_not_filled_do_not_repeat_one_that_fails(ones, batch):
    """The last run of a pack fails, at its start or on the way."""
    for changes in ([("start.elbow.rate", 2e6)], [(f"{UPPER}.section.EIz", 1.0)]):
        bad = prepared(ella(*changes))
        found = batch.run([of(ones[0]), of(ones[1]), of(bad)]).raws()
        assert found[2] is None
        for raw, one in zip(found, ones[:2], strict=False):
            assert_as_exact(raw, one)
            assert raw.steps < 300


def test_a_lane_that_crawls_does_not_hold_the_others_back(ones, batch):
    """A beam so soft that its steps become ever shorter, until the motion diverges."""
    soft = prepared(ella((f"{UPPER}.section.EIz", 1.0)))
    steps = [raw.steps for raw in batch.run([of(one) for one in ones[:3]]).raws()]
    found = batch.run([of(ones[0]), of(soft), of(ones[1]), of(ones[2])]).raws()
    assert found[1] is None
    assert found[0].steps < 5 * steps[0]  # until it is noticed; 17 times as many otherwise
    for raw, one in zip((found[0], *found[2:]), ones, strict=False):
        assert_as_exact(raw, one)


def test_equal_lanes_take_the_steps_of_the_run_alone(ones):
    """With one run in all lanes nothing holds the pack back: steps and results are those of the run alone."""
    one = ones[0]
    found, expected = batch_of(one).run([of(one)]).raws()[0], alone(one)
    assert (found.steps, found.rejected) == (expected.steps, expected.rejected)
    np.testing.assert_allclose(found.q, expected.q, rtol=0, atol=1e-9 * np.abs(expected.q).max())


@pytest.mark.parametrize("name", OTHERS)
def test_lanes_equal_runs_alone_on_other_arms(name):
    """Elastic gears, jumps of the set-point, starts; steps begin anew where forces jump."""
    settings = [("duration", 0.7), ("output.rate", 50), ("method", "radau")]
    base = lissom.scenario.load(name).with_values(settings)
    others = [prepared(base.with_values(changes)) for changes in OTHERS[name]]
    batch = batch_of(others[0])
    assert all(batch.fits(of(one)) for one in others)
    for found, one in zip(batch.run([of(one) for one in others]).raws(), others, strict=True):
        assert_as_exact(found, one)


def lasting(one, duration):
    return replace(one, settings=one.settings.model_copy(update={"duration": duration}))


def streamed(batch, runs):
    """What comes of runs that pass through a batch."""
    found = [None] * len(runs)
    for ran in batch.stream([of(one) for one in runs]):
        found = [new or old for new, old in zip(ran.raws(), found, strict=True)]
    return found


def test_runs_of_different_durations_share_a_pack(ones, batch):
    """Shorter and longer than the batch was made for, on and off the grid of outputs; all begin together."""
    mixed = [lasting(one, d) for one, d in zip(ones, (0.4, 0.6, 0.25, 0.1037, 0.4, 0.017, 0.333), strict=True)]
    found = streamed(batch, mixed)
    assert len({raw.steps for raw in found}) > 1
    for raw, one in zip(found, mixed, strict=True):
        assert_as_exact(raw, one)
        assert raw.settings.duration == one.settings.duration


def test_packs_follow_one_another_and_a_run_that_fails_leaves_no_trace(ones, batch):
    """Off the grid of outputs, more runs than lanes; one run diverges."""
    durations = np.random.default_rng(1).uniform(0.05, 0.5, 3 * len(ones))
    mixed = [lasting(one, float(d)) for one, d in zip(3 * ones, durations, strict=True)]
    bad = prepared(ella(("start.elbow.rate", 2e6)))
    found = streamed(batch, [*mixed[:12], bad, *mixed[12:]])
    assert found.pop(12) is None
    for raw, one in zip(found, mixed, strict=True):
        assert_as_exact(raw, one)
    again = streamed(batch, [*mixed[:12], bad, *mixed[12:]])
    again.pop(12)
    for a, b in zip(found, again, strict=True):
        np.testing.assert_array_equal(a.q, b.q)


def test_jumps_come_at_the_time_of_each_run():
    """Set-points of the dual-screw arm jump, while other runs of the pack have ended or go on."""
    settings = [("duration", 0.7), ("output.rate", 50), ("method", "radau")]
    base = lissom.scenario.load("dual-screw-arm").with_values(settings)
    some = [prepared(base.with_values(changes)) for changes in OTHERS["dual-screw-arm"]]
    mixed = [lasting(some[k % 4], 0.7 - 0.04 * k) for k in range(12)]
    for raw, one in zip(streamed(batch_of(some[0]), mixed), mixed, strict=True):
        assert_as_exact(raw, one)


def test_a_run_without_a_sensible_begin_leaves_its_lane_to_the_next(ones, batch):
    bad = prepared(ella(("start.elbow.rate", 2e6)))
    mixed = [ones[0], bad, *ones[1:], ones[0]]
    packs = [ran.numbers for ran in batch.stream([of(one) for one in mixed])]
    assert [sorted(pack) for pack in packs] == [[0, 2, 3, 4, 5, 6, 7, 8]]


def test_references_of_other_durations_share_a_pack(ones, batch):
    """Their pieces end at other times."""
    mixed = [prepared(ella(("control.reference.duration", d))) for d in (0.2, 0.3, 0.37)]
    assert all(batch.fits(of(one)) for one in mixed)
    found = streamed(batch, [ones[0], *mixed])
    for raw, one in zip(found[1:], mixed, strict=True):
        assert_as_exact(raw, one)


def test_what_does_not_fit_is_told(ones, batch):
    for changes in ([(f"{UPPER}.modes", FEW | {"y": 3})], [("control", None)]):
        assert not batch.fits(of(prepare(ella(*changes))))
    for changes in ([("control.saturation", 20.0)], [("control.gravity_compensation", True)]):
        one = prepare(ella(*changes))
        assert not eligible(of(one))


def test_lanes_take_the_numbers_of_the_next_pack_alone(ones, batch):
    """Whatever stood in a lane before: other tables, laws and starts, a lane that was lost, lanes that were idle."""
    fresh = [batch_of(ones[0]).run([of(ones[k]), of(ones[4])]).raws() for k in (2, 0)]
    batch.run([of(one) for one in ones])
    batch.run([of(ones[1]), of(prepared(ella(("start.elbow.rate", 2e6)))), of(ones[3])])
    for k, expected in zip((2, 0), fresh, strict=True):
        for found, same in zip(batch.run([of(ones[k]), of(ones[4])]).raws(), expected, strict=True):
            for name in ("q", "v", "a", "tau"):
                np.testing.assert_array_equal(getattr(found, name), getattr(same, name))


def test_deflections_tips_and_wrenches_of_a_pack_are_those_of_its_runs(ones, batch):
    """Links of two lengths; one lane is lost."""
    bad = prepared(ella(("start.elbow.rate", 2e6)))
    ran = batch.run([of(ones[1]), of(bad), of(ones[2])])
    deflections, tips, wrenches = ran.deflections(), ran.tips(), ran.wrenches()
    assert ran.numbers == [0, 2]
    assert len(deflections) == len(wrenches) == 2
    for k, number in enumerate(ran.numbers):
        expected = observe_run(ran.raw(number), Wanted.FORCES)
        np.testing.assert_allclose(deflections[k], expected.deflection, rtol=0, atol=1e-13)
        np.testing.assert_allclose(tips[k], expected.tip_position, rtol=0, atol=1e-13)
        np.testing.assert_allclose(wrenches[k], expected.wrench, rtol=0, atol=1e-12 * np.abs(expected.wrench).max())
