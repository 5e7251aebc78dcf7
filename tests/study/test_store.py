"""Studies in stores: the same whoever computes them, whatever happens meanwhile."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from small_study import GIVEN, MASS, contents

import lissom
from lissom.errors import LissomError
from lissom.files import NotWritten
from lissom.study import Study
from lissom.study.execution.study_execution import compute_piece
from lissom.study.plan.run_plan import Runs
from lissom.study.store.zarr_store import Store


@pytest.fixture
def study():
    return Study.from_dict(GIVEN)


def test_a_study_survives_its_own_data(study):
    again = Study.from_dict(json.loads(json.dumps(study.to_dict())))
    assert again.to_dict() == study.to_dict()
    assert again.variations == study.variations


def test_results_equal_single_runs(study, tmp_path):
    results = study.run(tmp_path / "s.zarr", cores=1, progress=False)
    assert results.complete
    assert results.finished == 48
    data = results.data
    for k in (0, 17, 47):
        run = results.trajectory(k, progress=False)
        assert data["low"][k] == run.tip("rod").values[:, 1].min()
        np.testing.assert_array_equal(data["angle"][k], run["pin"])
        assert data[MASS][k] == study.variations.columns[MASS][k]
    assert data["pull"].attrs["units"] == "N"
    np.testing.assert_allclose(data["time"], np.arange(11) / 50)
    assert "pull" in str(results)
    assert "48 runs" in str(results)


def test_processes_and_one_process_write_the_same_store(study, tmp_path):
    study.run(tmp_path / "one.zarr", cores=1, progress=False)
    study.run(tmp_path / "two.zarr", cores=2, progress=False)
    assert contents(tmp_path / "one.zarr") == contents(tmp_path / "two.zarr")


def test_another_study_in_the_place_of_one_that_was_deleted_is_computed_as_it_is(study, tmp_path):
    study.run(tmp_path / "s.zarr", cores=2, progress=False)
    shutil.rmtree(tmp_path / "s.zarr")
    other = Study.from_dict(GIVEN | {"vary": {MASS: {"from": 3, "to": 4}}})
    other.run(tmp_path / "s.zarr", cores=2, progress=False)  # by the same processes
    other.run(tmp_path / "alone.zarr", cores=1, progress=False)
    assert contents(tmp_path / "s.zarr") == contents(tmp_path / "alone.zarr")


def test_what_is_stored_is_not_computed_again(study, tmp_path, monkeypatch):
    Store(tmp_path / "s.zarr").create(study)
    for piece in (0, 5, 11):
        compute_piece(str(tmp_path / "s.zarr"), piece)
    computed = []
    real = Runs.compute
    monkeypatch.setattr(Runs, "compute", lambda self, rows, *more: computed.extend(rows) or real(self, rows, *more))
    study.run(tmp_path / "s.zarr", cores=1, progress=False)
    assert sorted(computed) == [k for k in range(48) if k // 4 not in (0, 5, 11)]
    study.run(tmp_path / "s.zarr", cores=1, progress=False)
    assert compute_piece(str(tmp_path / "s.zarr"), 5) == 4  # asked for again, as where a worker is lost after it wrote
    assert len(computed) == 36


@pytest.mark.parametrize("lanes", [True, False])
def test_whether_runs_share_lanes_is_decided_once(study, tmp_path, monkeypatch, lanes):
    """Their digits depend on it, and another machine that goes on may have other kernels at hand."""
    monkeypatch.setattr("lissom.study.plan.run_plan.worth", lambda runs: lanes)
    Store(tmp_path / "s.zarr").create(study)
    monkeypatch.setattr("lissom.study.plan.run_plan.worth", lambda runs: not lanes)
    assert Store(tmp_path / "s.zarr").runs().in_packs is lanes


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("sampling", "seed"), 4, "sampling.seed (3, now 4)"),
        (("chunk",), 8, "chunk (4, now 8)"),
        (("outputs", "low"), "most tip_position.rod.y", "outputs.low"),
        (("scenario", "robot", "links", 0, "body", "mass"), 1.5, "scenario.robot.links.0.body.mass (1, now 1.5)"),
        (("scenario", "duration"), 0.3, "scenario.duration (0.2, now 0.3)"),
    ],
)
def test_another_study_is_refused_with_what_differs(study, tmp_path, path, value, told):
    Store(tmp_path / "s.zarr").create(study)
    before = contents(tmp_path / "s.zarr")
    given = json.loads(json.dumps(study.to_dict()))
    *inner, last = path
    place = given
    for key in inner:
        place = place[key]
    place[last] = value
    with pytest.raises(LissomError, match="holds another study") as error:
        Study.from_dict(given).run(tmp_path / "s.zarr", progress=False)
    assert told in str(error.value)
    assert contents(tmp_path / "s.zarr") == before


def test_another_version_is_refused(study, tmp_path, monkeypatch):
    Store(tmp_path / "s.zarr").create(study)
    monkeypatch.setattr("lissom.study.store.zarr_store.__version__", "99.0")
    with pytest.raises(LissomError, match=r"version \('.*', now '99.0'\)"):
        study.run(tmp_path / "s.zarr", progress=False)


def test_a_folder_with_something_else_stays_as_it_is(study, tmp_path):
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "one.txt").write_text("dear")
    with pytest.raises(LissomError, match="holds something else"):
        study.run(tmp_path / "letters", progress=False)
    assert contents(tmp_path / "letters") == {"one.txt": b"dear"}
    with pytest.raises(LissomError, match="is a file"):
        study.run(tmp_path / "letters" / "one.txt", progress=False)
    with pytest.raises(LissomError, match="there is no study in"):
        lissom.study.open_results(tmp_path / "letters")


def test_a_full_disk_is_told_and_loses_nothing(study, tmp_path, monkeypatch):
    Store(tmp_path / "s.zarr").create(study)
    compute_piece(str(tmp_path / "s.zarr"), 0)
    before = contents(tmp_path / "s.zarr")

    def full(self, *_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("zarr.Array.__setitem__", full)
    with pytest.raises(NotWritten, match="no space left on device; what was stored before is whole"):
        study.run(tmp_path / "s.zarr", cores=1, progress=False)
    assert contents(tmp_path / "s.zarr") == before


def test_a_disk_that_is_full_from_the_start_is_told(study, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("zarr.Group.create_array", full)
    with pytest.raises(NotWritten, match="no space left on device"):
        study.run(tmp_path / "s.zarr", cores=1, progress=False)
    monkeypatch.undo()
    assert study.run(tmp_path / "s.zarr", cores=1, progress=False).complete


@pytest.mark.parametrize("address", ["nonsense://study", "lakefs://bucket/study"])
def test_a_place_that_nobody_can_write_to_is_refused(study, address):
    for ask in (lambda: study.run(address, cores=1, progress=False), lambda: lissom.study.open_results(address)):
        with pytest.raises(LissomError, match=r"store = .* cannot be written to from here"):
            ask()


def test_stores_elsewhere_by_fsspec(study):
    results = study.run("memory://study-in-memory", cores=1, progress=False)
    assert results.complete
    assert np.isfinite(results.data["low"]).all()


SCRIPT = """
import sys, lissom.study as s
s.load(sys.argv[1]).run(sys.argv[2], cores=2, progress=False)
"""


def begin(file, store):
    return subprocess.Popen([sys.executable, "-c", SCRIPT, str(file), str(store)], start_new_session=True)


def kill_at_random(tmp_path, study, times, seed):
    """The coordinator killed in the middle so many times, then left alone; every piece's writing time is noted.

    Returns how many times it was still at work.
    """
    file, store = tmp_path / "study.yaml", tmp_path / "killed.zarr"
    file.write_text(json.dumps(study.to_dict() | {"chunk": 1}))
    draw = np.random.default_rng(seed)
    written: dict[str, float] = {}
    killed = 0

    def marks():
        """One mark for each stored piece; a mark that is just being written still has a longer name."""
        return [mark for mark in store.glob("stored/*") if mark.name.isdigit()]

    def look():
        for mark in marks():
            when = mark.stat().st_mtime_ns
            assert written.setdefault(mark.name, when) == when, f"piece {mark.name} was stored twice"

    for _ in range(times):
        process = begin(file, store)
        wanted = len(written) + int(draw.integers(0, 3))
        while process.poll() is None and len(marks()) < wanted:
            time.sleep(0.01)
        time.sleep(float(draw.uniform(0, 0.1)))
        killed += process.poll() is None
        process.kill()
        process.wait()
        look()
    again = lissom.study.load(file)
    assert again.run(store, cores=1, progress=False).complete
    look()
    assert again.run(tmp_path / "whole.zarr", cores=1, progress=False).complete
    assert contents(store) == contents(tmp_path / "whole.zarr")
    return killed


def test_a_coordinator_that_is_killed_loses_and_repeats_nothing(study, tmp_path):
    assert kill_at_random(tmp_path, study, times=2, seed=0) > 0


@pytest.mark.slow
def test_a_coordinator_that_is_killed_twenty_times(study, tmp_path):
    data = study.to_dict()
    longer = lissom.study.Study.from_dict(data | {"sampling": data["sampling"] | {"runs": 400}})
    assert kill_at_random(tmp_path, longer, times=20, seed=1) == 20


def test_workers_end_with_their_coordinator(tmp_path):
    made = "from lissom.study.execution.process_pool import Process; p = Process(); print(p.pid, flush=True)"
    script = f"{made}; import time; time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    worker = int(process.stdout.readline())
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    for _ in range(1000):
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        if Path(f"/proc/{worker}/stat").exists() and Path(f"/proc/{worker}/stat").read_text().split()[2] == "Z":
            return  # ended, and nobody has asked yet
        time.sleep(0.01)
    os.kill(worker, signal.SIGKILL)
    pytest.fail("the worker lives on")


BEGIN = """
import json, os, sys
import zarr
from lissom.study import Study
from lissom.study.store.zarr_store import Store
study = Study.from_dict(json.loads(sys.argv[1]))
study.runs, study.variations
waiting, gate = os.pipe()
begun = []
for piece in range(4):
    child = os.fork()
    if child:
        begun.append(child)
        continue
    os.close(gate)
    os.read(waiting, 1)  # until all are there
    store = Store(sys.argv[2])
    store.create(study)
    store._array("stored")[piece] = 1
    os._exit(0)
os.close(gate)
assert [os.waitpid(child, 0)[1] for child in begun] == [0] * 4
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")
def test_of_several_processes_that_begin_a_store_one_makes_it_and_none_empties_it(study, tmp_path):
    store = tmp_path / "s.zarr"
    subprocess.run([sys.executable, "-c", BEGIN, json.dumps(study.to_dict()), str(store)], check=True)
    assert not set(Store(store).missing()) & {0, 1, 2, 3}
    assert [path.name for path in tmp_path.iterdir()] == ["s.zarr"]  # nothing is left beside it


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A store with one piece in it."""
    store = tmp_path_factory.mktemp("begun") / "s.zarr"
    Store(store).create(Study.from_dict(GIVEN))
    compute_piece(str(store), 0)
    return store


@pytest.mark.parametrize("file", [".zattrs", ".zgroup", "stored/.zarray", "status/.zarray", "low/.zarray", "low/0"])
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"7", bytes(range(256))])
def test_a_damaged_store_is_one_message_and_stays_as_it_is(study, begun, tmp_path, file, content):
    store = shutil.copytree(begun, tmp_path / "s.zarr")
    (store / file).write_bytes(content)
    with pytest.raises(LissomError, match=r"s\.zarr"):
        lissom.study.open_results(store).to_dict()
    if not file.startswith("low"):
        before = contents(store)
        with pytest.raises(LissomError, match=r"s\.zarr"):
            study.run(store, cores=1, progress=False)
        assert contents(store) == before


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A store that is complete."""
    place = tmp_path_factory.mktemp("whole") / "s.zarr"
    Study.from_dict(GIVEN).run(place, cores=1, progress=False)
    return place


def pieces_of(place, name):
    return sorted(file for file in (place / name).iterdir() if not file.name.startswith("."))


@pytest.mark.parametrize("name", ["low", "angle", "status", "cause", "stored", MASS])
@pytest.mark.parametrize("damage", ["gone", "empty", "cut", "flipped"])
def test_a_file_that_was_lost_or_changed_is_told_and_computed_again(name, damage, study, whole, tmp_path):
    place = tmp_path / "s.zarr"
    shutil.copytree(whole, place)
    file = pieces_of(place, name)[-1]
    data = bytearray(file.read_bytes())
    data[-1] ^= 8
    file.write_bytes({"gone": b"", "empty": b"", "cut": data[:-3], "flipped": data}[damage])
    if damage == "gone":
        file.unlink()
    if name not in ("stored", MASS):
        with pytest.raises(LissomError, match=r"has lost the file|cannot be read"):
            lissom.study.open_results(place).values(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = study.run(place, cores=1, progress=False)
    assert results.complete
    assert contents(place) == contents(whole)
    assert Store(place).find_damaged() == {}


def test_random_changes_of_bytes_never_give_other_numbers(study, whole, tmp_path):
    place = tmp_path / "s.zarr"
    shutil.copytree(whole, place)
    good = {name: lissom.study.open_results(whole).values(name) for name in ("low", "angle", "status")}
    rng = np.random.default_rng(0)
    for _ in range(60):
        name = rng.choice(["low", "angle", "status"])
        file = rng.choice(pieces_of(place, name))
        before = file.read_bytes()
        data = bytearray(before)
        data[rng.integers(len(data))] ^= 1 << rng.integers(8)
        file.write_bytes(data)
        try:
            found = lissom.study.open_results(place).values(name)
        except LissomError:
            found = None
        assert found is None or np.array_equal(found, good[name], equal_nan=True)
        file.write_bytes(before)


def test_a_study_whose_files_were_edited_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    times = np.linspace(0, 0.2, 5)
    table = "\n".join(["t,pin", *(f"{t},{t}" for t in times)])
    Path("ref.csv").write_text(table)
    robot = lissom.Robot.from_dict(GIVEN["scenario"]["robot"]).to_dict()
    joint = robot["links"][0]["joint"].get("name", robot["links"][0]["name"])
    Path("ref.csv").write_text(table.replace("pin", joint))
    reference = {"type": "csv", "path": "ref.csv"}
    control = {"type": "pd", "gains": {joint: {"p": 1.0, "d": 0.1}}, "reference": reference}
    asked = Study.from_dict(GIVEN | {"scenario": GIVEN["scenario"] | {"control": control}})
    store = Store("s.zarr")
    store.create(asked)
    store.check_same(asked)
    Path("ref.csv").write_text(table.replace("pin", joint).replace("0.1,", "0.1,9"))
    with pytest.raises(LissomError, match=r"other contents of .*ref\.csv; put them back"):
        asked.run("s.zarr", cores=1, progress=False)
    with pytest.raises(LissomError, match=r"other contents of .*ref\.csv"):
        compute_piece(store.anywhere, 0)


def test_pieces_have_at_least_one_run():
    with pytest.raises(LissomError, match="chunk = 0: is too small"):
        Study.from_dict(GIVEN | {"chunk": 0})


def test_a_study_none_of_whose_runs_can_be_made_is_told_after_a_few(monkeypatch):
    wrong = GIVEN["scenario"] | {"loads": [{"link": "nowhere", "force": [0, 0, 1]}]}
    many = {"type": "sobol", "runs": 2048, "seed": 3}
    runs = Study.from_dict(GIVEN | {"scenario": wrong, "sampling": many}).runs
    tried = []
    prepared = Runs._prepare
    monkeypatch.setattr(Runs, "_prepare", lambda self, run: tried.append(run) or prepared(self, run))
    with pytest.raises(LissomError, match=r"none of \d+ runs tried can be made; the first says: .*nowhere"):
        runs.check()
    assert len(tried) <= 100
