"""Runs of a batch in lanes: the same results to tolerance, the same endings and causes, whoever computes them."""

import pickle

import numpy as np
import pytest

import lissom
from lissom.kernel.packs import LANES
from lissom.study.execution import vector_runs
from lissom.study.execution.batch import portions
from lissom.study.plan import run_plan as of_runs
from lissom.study.plan.kept_quantities import quantities
from lissom.study.plan.run_plan import Runs
from lissom.study.plan.sampling import Variations

MASS = "links.forearm.beam.masses.0.mass"
OUTPUTS = ["peak |deflection.upper|", "position.elbow", "last tip_position.forearm.z", "frequency.1"]


@pytest.fixture(scope="module")
def some():
    """Twenty runs, of which one is refused and one diverges."""
    few = {"y": 2, "z": 2, "torsion": 1, "axial": 0}
    base = lissom.scenario.load("ella").with_values([("duration", 0.3), ("output.rate", 100)])
    base = base.with_values([(f"links.{link}.beam.modes", few) for link in ("upper", "forearm")])
    mass, rate = np.linspace(0.5, 3.0, 20), np.zeros(20)
    mass[3], rate[12] = -1.0, 2e6
    return base, Variations.of({MASS: mass.tolist(), "start.elbow.rate": rate.tolist()})


def computed(some, monkeypatch, lanes, rows=range(20)):
    monkeypatch.setattr(of_runs, "worth", lambda count: lanes)
    runs = Runs(*some, quantities(OUTPUTS))
    return runs.compute(rows), runs


def test_runs_in_lanes_give_what_runs_alone_do(some, monkeypatch):
    alone, _ = computed(some, monkeypatch, False)
    found, runs = computed(some, monkeypatch, True)
    assert vars(runs)["_together"]._batch is not None  # lanes were used
    np.testing.assert_array_equal(found.status, alone.status)
    assert found.cause == alone.cause
    assert found.cause[3]
    assert found.cause[12]
    assert set(found.status) == {0, found.status[3], found.status[12]}
    assert len(set(found.status)) == 3
    for name, values in alone.values.items():
        np.testing.assert_allclose(found.values[name], values, rtol=1e-4, atol=1e-6, err_msg=name)


def test_gains_references_and_loads_may_differ(some, monkeypatch):
    """Runs of one pack whose controllers differ; those with a load are computed alone, in the same batch."""
    base, _ = some
    load = [{"link": "forearm", "force": [0.0, 0.0, -20.0]}]
    columns = {
        "control.gains.elbow.p": np.linspace(400.0, 900.0, 8).tolist(),
        "control.reference.to.elbow": np.linspace(0.1, 0.4, 8).tolist(),
        "loads": [load if k in (2, 5) else [] for k in range(8)],
    }
    varied = base, Variations.of(columns)
    found, runs = computed(varied, monkeypatch, True, range(8))
    alone, _ = computed(varied, monkeypatch, False, range(8))
    assert vars(runs)["_together"]._batch is not None
    assert not found.status.any()
    for name, values in alone.values.items():
        np.testing.assert_allclose(found.values[name], values, rtol=1e-4, atol=1e-6, err_msg=name)
        if name == OUTPUTS[0]:
            np.testing.assert_array_equal(found.values[name][[2, 5]], values[[2, 5]])


def counted(monkeypatch):
    """How many runs come through lanes from now on."""
    found = []
    whole = of_runs.Runs._measure_pack

    def noted(self, ran, at, piece):
        found.extend(at)
        whole(self, ran, at, piece)

    monkeypatch.setattr(of_runs.Runs, "_measure_pack", noted)
    return found


def test_runs_of_all_durations_share_packs_and_those_of_other_tolerances_do_not(some, monkeypatch):
    """Interleaved, so that runs of all kinds are among any eight; one kind is too rare for a pack."""
    base, _ = some
    columns = {
        MASS: np.linspace(0.5, 3.0, 16).tolist(),
        "duration": [(0.3, 0.12, 0.2034)[k % 3] for k in range(16)],
        "rtol": [1e-4 if k == 4 else 1e-6 for k in range(16)],
    }
    texts = ["last position.elbow", "peak velocity.shoulder", "peak |wrench.elbow.torque|", "peak |deflection.upper|"]
    kept, values, in_lanes = quantities(texts), {}, counted(monkeypatch)
    for lanes in (False, True):
        monkeypatch.setattr(of_runs, "worth", lambda count, lanes=lanes: lanes)
        runs = Runs(base, Variations.of(columns), kept)
        values[lanes] = runs.compute(range(16)).values
    assert sorted(in_lanes) == [k for k in range(16) if k != 4]
    for name, expected in values[False].items():
        np.testing.assert_allclose(values[True][name], expected, rtol=1e-4, atol=1e-6, err_msg=name)
        assert values[True][name][4] == expected[4]  # computed alone


def test_the_longest_motions_come_first_and_runs_keep_their_places(some, monkeypatch):
    base, _ = some
    monkeypatch.setattr(of_runs, "worth", lambda count: True)
    durations = [0.1, 0.3, 0.2, 0.3]
    runs = Runs(base, Variations.of({"duration": durations}), quantities(["last position.elbow"]))
    assert runs.order(range(4)) == [1, 3, 2, 0]
    assert runs.order([3, 2]) == [0, 1]
    texts = Runs(base, Variations.of({"duration": ["100 ms", "0.3 s"]}), quantities(["last position.elbow"]))
    assert texts.order(range(2)) == [0, 1]
    for row, value in enumerate(runs.compute(range(4)).values["last position.elbow"]):
        alone = runs.trajectory(row, progress=False)["elbow"][-1]
        np.testing.assert_allclose(value, alone, rtol=1e-4, atol=1e-6)


def test_durations_that_differ_give_the_same_digits_on_any_number_of_cores(some, monkeypatch):
    """By `simulate_batch`, with runs that fail; and in streams of other sizes the same to tolerance."""
    base, _ = some
    rng, rate = np.random.default_rng(2), np.zeros(80)
    rate[[5, 40, 41]] = 2e6
    columns = {MASS: rng.uniform(0.5, 3.0, 80), "duration": rng.uniform(0.05, 0.3, 80), "start.elbow.rate": rate}
    monkeypatch.setattr(vector_runs, "at_hand", lambda: True)
    whole = [
        lissom.simulate_batch(base, columns, outputs=OUTPUTS[::2], cores=cores, progress=False) for cores in (1, 2)
    ]
    runs = Runs(base, Variations.of(columns), quantities(OUTPUTS[::2]))
    pieces = [runs.compute(range(80), stream) for stream in (vector_runs.AT_ONCE, 2 * LANES)]
    for name in OUTPUTS[::2]:
        found = whole[0][name].values
        np.testing.assert_array_equal(found, whole[1][name].values, err_msg=name)
        assert np.flatnonzero(np.isnan(found)).tolist() == [5, 40, 41]
        for piece in pieces:
            np.testing.assert_allclose(piece.values[name], found, rtol=1e-4, atol=1e-6, err_msg=name)
            assert np.flatnonzero(piece.status).tolist() == [5, 40, 41]
            assert piece.cause[40]
    assert (whole[0].status.values == whole[1].status.values).all()


@pytest.mark.parametrize(
    "outputs",
    [
        ["peak |deflection.upper|", "rms velocity.elbow"],
        ["eta", "torque.elbow"],
        ["peak |wrench.elbow.torque|", "rms wrench.shoulder.force", "last deflection.forearm.y"],
        ["tip_position.forearm", "last tip_position.upper.z", "mass", "frequency.1"],
    ],
)
def test_packs_measured_at_once_give_what_their_runs_do(outputs, some, monkeypatch):
    """Histories and reductions of a pack of which one run is refused and one diverges."""
    monkeypatch.setattr(of_runs, "worth", lambda count: True)
    whole, single = (Runs(*some, quantities(outputs)) for _ in range(2))
    found = whole.compute(range(20))
    monkeypatch.setattr(of_runs, "_in_packs", lambda names: False)
    expected = single.compute(range(20))
    assert found.cause == expected.cause
    for name, values in expected.values.items():
        assert np.isnan(values[3]).all()
        np.testing.assert_allclose(found.values[name], values, rtol=1e-13, atol=1e-15, err_msg=name)


def test_who_shares_a_pack_follows_from_the_rows(some, monkeypatch):
    """The same rows again, or packs of them by themselves, give the same digits."""
    whole, _ = computed(some, monkeypatch, True)
    again, _ = computed(some, monkeypatch, True)
    part, _ = computed(some, monkeypatch, True, range(8, 16))
    for name, values in whole.values.items():
        np.testing.assert_array_equal(again.values[name], values, err_msg=name)
        np.testing.assert_array_equal(part.values[name], values[8:16], err_msg=name)


def test_who_stands_in_a_lane_is_decided_by_the_first_run_of_all_in_every_process(some, monkeypatch):
    """Softer runs would choose an explicit method by themselves, and the process that begins with them for all."""
    base, _ = some
    section = "links.forearm.beam.section"
    scale, robot = np.repeat([1.0, 0.5], LANES), base.load_robot()
    columns = {path: (robot.value(path) * scale).tolist() for path in (f"{section}.EIy", f"{section}.EIz")}
    runs = Runs(base, Variations.of(columns), quantities(OUTPUTS))
    stiff, soft = (vector_runs.VectorRuns(runs._prepare(k))._fastest for k in (0, LANES))
    assert soft < stiff
    between = (soft + stiff) / 2
    monkeypatch.setattr(vector_runs, "recommend", lambda fastest, _: ("radau" if fastest > between else "dop853", ""))
    whole, _ = computed((base, runs.variations), monkeypatch, True, range(2 * LANES))
    in_lanes = counted(monkeypatch)
    part, _ = computed((base, runs.variations), monkeypatch, True, range(LANES, 2 * LANES))
    assert len(in_lanes) == LANES
    for name, values in whole.values.items():
        np.testing.assert_array_equal(part.values[name], values[LANES:], err_msg=name)


def test_what_belongs_to_a_process_is_not_sent_to_another(some, monkeypatch):
    """Runs are prepared from one that shares tables with them by identity, which none that was sent does."""
    _, runs = computed(some, monkeypatch, True)
    own = {"_base", "_bench", "_together"}
    assert own <= vars(runs).keys()
    assert own.isdisjoint(vars(pickle.loads(pickle.dumps(runs))))


@pytest.mark.parametrize("processes", [1, 2, 5, 16])
@pytest.mark.parametrize("count", [64, 70, 1000, 5000])
def test_who_shares_a_pack_does_not_depend_on_the_number_of_processes(count, processes):
    parts = portions(count, processes, packs=True)
    assert all(part.start % vector_runs.stream_of(count) == 0 for part in parts)
    assert [row for part in parts for row in part] == list(range(count))
    assert all(part.start % LANES == 0 for part in parts)
    assert len(parts) >= min(processes, count // LANES)  # nobody is idle


def test_few_runs_are_computed_one_by_one(monkeypatch):
    monkeypatch.setattr(vector_runs, "at_hand", lambda: True)
    assert vector_runs.worth(vector_runs.MANY)
    assert not vector_runs.worth(vector_runs.MANY - 1)
    monkeypatch.setattr(vector_runs, "at_hand", lambda: False)
    assert vector_runs.worth(vector_runs.WORTH)
    assert not vector_runs.worth(vector_runs.WORTH - 1)
