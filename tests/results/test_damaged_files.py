"""Result files with changed, missing and foreign bytes: never a wrong number, never a foreign exception."""

import h5py
import numpy as np
import pytest
from sample_runs import ella_run, satellite_run

import lissom
from lissom.results.trajectory import Trajectory

MUTATIONS = 100


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bytes of a healthy file."""
    path = tmp_path_factory.mktemp("whole") / "run.nc"
    ella_run().save(path)
    return path.read_bytes()


def flip(rng, data):
    data[rng.integers(len(data))] ^= 1 << rng.integers(8)


def scatter(rng, data):
    for at in rng.integers(0, len(data), rng.integers(1, 200)):
        data[at] = rng.integers(256)


def blank(rng, data):
    at = rng.integers(len(data))
    data[at : at + 4096] = bytes(len(data[at : at + 4096]))


def cut(rng, data):
    del data[rng.integers(len(data)) :]


def drop(rng, data):
    first, last = sorted(rng.integers(0, len(data), 2))
    del data[first:last]


def end(rng, data):
    data[-rng.integers(1, 40)] = rng.integers(256)


@pytest.mark.parametrize("seed", range(MUTATIONS))
def test_a_damaged_file_loads_as_it_was_or_says_which_part_is_gone(seed, whole, tmp_path):
    rng = np.random.default_rng(seed)
    data = bytearray(whole)
    (flip, scatter, blank, cut, drop, end)[seed % 6](rng, data)
    path = tmp_path / "run.nc"
    path.write_bytes(data)
    run = ella_run()
    try:
        back = Trajectory.load(path)
    except lissom.LissomError as error:
        assert str(path) in str(error)
    else:
        assert back.dataset.identical(run.dataset)
        assert back.info == run.info
    try:
        saved = Trajectory.rescue(path)
    except lissom.LissomError as error:
        assert str(path) in str(error)
    else:
        for name in saved.variables:
            assert np.array_equal(saved[name].values, run.dataset[name].values), name
        assert set(saved.attrs["damaged"]) - {"attributes"} == set(run.dataset.variables) - set(saved.variables)


def test_the_message_names_the_part_and_what_can_be_saved(whole, tmp_path):
    values = ella_run().dataset["wrench"].values.tobytes()
    at = whole.index(values)
    (tmp_path / "run.nc").write_bytes(whole[: at + 9] + b"\x55" + whole[at + 10 :])
    with pytest.raises(lissom.LissomError) as found:
        Trajectory.load(tmp_path / "run.nc")
    assert "run.nc is damaged: wrench: not as it was written. Its other 38 variables, such as" in str(found.value)
    assert "rescue" in str(found.value)
    saved = Trajectory.rescue(tmp_path / "run.nc")
    assert saved.attrs["damaged"] == ["wrench"]
    assert "position" in saved


def edited(path, change):
    """Change a file as another program would: what it holds, not its bytes."""
    with h5py.File(path, "r+") as file:
        del file.attrs["checksum"]
        change(file)


def text(**texts):
    return lambda file: file.attrs.update(texts)


def labels(file):
    file["link"][...] = np.array([list("abcdefgh")] * 3, "S1")[:, : file["link"].shape[1]]


FOREIGN = {
    "no robot": (lambda file: file.attrs.pop("robot"), "does not hold its robot"),
    "a robot of nonsense": (text(robot="links: 7"), "robot"),
    "another robot": (text(robot=lissom.load("spinup-beam").to_yaml()), "not that of the robot"),
    "info of another kind": (text(info='{"colour": 3}'), "info"),
    "info that is a number": (text(info="3"), "info"),
    "warnings of another kind": (text(warnings="[3]"), "warnings"),
    "a joint that is not there": (text(prescribed='["knee"]'), "prescribed"),
    "loads that are not there": (text(outside='{"loads": {"names": ["a"]}}'), "outside"),
    "no positions": (lambda file: file.pop("position"), "position: missing"),
    "other labels": (labels, "link: not that of"),
    "a text that is not as it was": (text(checksum="0", info="{}"), "are not as they were written"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_files_of_another_schema_are_refused_by_the_part_that_differs(name, whole, tmp_path):
    change, message = FOREIGN[name]
    (tmp_path / "run.nc").write_bytes(whole)
    edited(tmp_path / "run.nc", change)
    with pytest.raises(lissom.LissomError, match=message) as found:
        Trajectory.load(tmp_path / "run.nc")
    assert "run.nc" in str(found.value)


def test_a_page_shows_the_rest_of_a_folder(tmp_path, monkeypatch):
    pytest.importorskip("viser")
    from lissom.cli.commands.view import _find_runs
    from lissom.view.live.app import App
    from lissom.view.live.server import open_server

    for name in ("good", "bad"):
        satellite_run().save(tmp_path / f"{name}.nc")
    data = bytearray((tmp_path / "bad.nc").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "bad.nc").write_bytes(data)
    told = []
    monkeypatch.setattr(App, "_say", lambda self, text: told.append(text))
    server, _ = open_server(port=0)
    try:
        app = App(server, runs=dict(_find_runs(tmp_path)))  # the newest first: the damaged one
        assert app.activity is None
        assert len(told) == 1
        assert "bad.nc is damaged" in told[0]
        app.run_choice.value = "good.nc"
        app.choose()
        app.step(0.0, 0.0)
        assert app.activity is not None
        assert app.activity.run.model.robot == satellite_run().model.robot
    finally:
        server.stop()
