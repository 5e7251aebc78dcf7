"""Studies on a real Dask cluster of two worker processes on this machine."""

import os
import signal
import socket
import threading
import time
import warnings

import pytest
from small_study import GIVEN, PARTIAL, contents

import lissom
from lissom.errors import LissomError
from lissom.study import Study
from lissom.study.execution.dask_cluster import on_cluster

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as made:
        yield made


@pytest.fixture(scope="module")
def study():
    return Study.from_dict(GIVEN | {"sampling": {"type": "sobol", "runs": 16, "seed": 3}})


def test_a_cluster_writes_the_same_store(cluster, study, tmp_path):
    by_address = study.run(tmp_path / "address.zarr", cluster=cluster.scheduler_address, progress=False)
    with distributed.Client(cluster, set_as_default=False) as client:
        by_client = study.run(tmp_path / "client.zarr", cluster=client, progress=False)
    assert by_address.complete
    assert by_client.complete
    study.run(tmp_path / "here.zarr", cores=1, progress=False)
    assert contents(tmp_path / "address.zarr") == contents(tmp_path / "here.zarr")
    assert contents(tmp_path / "client.zarr") == contents(tmp_path / "here.zarr")


def test_a_worker_that_is_killed_loses_and_repeats_nothing(cluster, study, tmp_path):
    many = Study.from_dict(study.to_dict() | {"chunk": 1})
    store = tmp_path / "killed.zarr"
    killed = threading.Event()
    first: dict[str, int] = {}

    def kill_one():
        while len(list(store.glob("stored/[0-9]*"))) < 5:
            time.sleep(0.005)
        marks = [mark for mark in store.glob("stored/[0-9]*") if mark.suffix != PARTIAL]
        first.update({mark.name: mark.stat().st_mtime_ns for mark in marks})
        os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
        killed.set()

    thread = threading.Thread(target=kill_one, daemon=True)
    thread.start()
    assert many.run(store, cluster=cluster.scheduler_address, progress=False).complete
    assert killed.wait(10), "the study was over before the worker was killed"
    for name, when in first.items():
        assert (store / "stored" / name).stat().st_mtime_ns == when, f"piece {name} was stored twice"
    many.run(tmp_path / "here.zarr", cores=1, progress=False)
    assert contents(store) == contents(tmp_path / "here.zarr")


def test_workers_write_to_the_same_store_from_any_folder(cluster, study, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert study.run("here.zarr", cluster=cluster.scheduler_address, progress=False).complete
    assert (tmp_path / "here.zarr" / "stored").is_dir()


def test_threads_of_one_worker_do_not_share_memory(tmp_path):
    """A worker of Dask has as many threads as there are cores, unless told otherwise."""
    changes = [("duration", 0.5), *((f"links.{name}.beam.modes.z", 1) for name in ("upper", "forearm"))]
    study = Study(
        scenario=lissom.scenario.load("ella").with_values(changes),
        vary={"links.forearm.beam.masses.0.mass": {"from": 0.5, "to": 3, "points": 32}},
        outputs={"sag": "peak |deflection.upper|", "end": "last position.elbow"},
        chunk=1,
    )
    one, four = tmp_path / "one.zarr", tmp_path / "four.zarr"
    study.run(one, cores=1, progress=False)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=4, processes=True, dashboard_address=None, silence_logs=50
    ) as threads:
        study.run(four, cluster=threads.scheduler_address, progress=False)
    assert contents(four) == contents(one)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense", "tls://127.0.0.1:9"])
def test_an_address_where_no_cluster_is(study, tmp_path, monkeypatch, address):
    monkeypatch.setattr("lissom.study.execution.dask_cluster.WAIT", 0.5)
    with pytest.raises(LissomError, match=rf"cluster = '{address}': no Dask scheduler answers there"):
        study.run(tmp_path / "none.zarr", cluster=address, progress=False)
    assert not (tmp_path / "none.zarr").exists()


def test_an_address_where_something_else_listens(study, tmp_path, monkeypatch):
    monkeypatch.setattr("lissom.study.execution.dask_cluster.WAIT", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        begun = time.monotonic()
        with pytest.raises(LissomError, match="no Dask scheduler answers there"):
            study.run(tmp_path / "none.zarr", cluster=f"tcp://127.0.0.1:{silent.getsockname()[1]}", progress=False)
        assert time.monotonic() < begun + 10


def test_a_cluster_without_workers_is_told_and_begins_with_the_first(study, tmp_path, monkeypatch):
    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None, silence_logs=50) as empty:
        tell = warnings.warn

        def told(*given, **options):
            empty.scale(1)  # the first worker comes once that none is there has been told
            tell(*given, **options)

        monkeypatch.setattr(warnings, "warn", told)
        with pytest.warns(UserWarning, match="has no workers yet"):
            assert study.run(tmp_path / "s.zarr", cluster=empty.scheduler_address, progress=False).complete


def test_a_scheduler_that_is_lost_is_one_message():
    class Lost:
        scheduler = None

        def scheduler_info(self, **_):
            raise distributed.comm.CommClosedError("connection reset")

    with pytest.raises(LissomError, match=r"the cluster gave up \(connection reset\); what is stored is whole"):
        list(on_cluster(int, [1], Lost()))
