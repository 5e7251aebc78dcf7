"""Studies on a real Dask cluster of two worker processes on this machine."""

import os
import signal
import threading
import time

import pytest
from small_study import GIVEN, PARTIAL, contents

from lissom.errors import LissomError
from lissom.study import Study

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
    assert by_address.complete and by_client.complete
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


def test_an_address_where_no_cluster_is(study, tmp_path, monkeypatch):
    monkeypatch.setattr("lissom.study.execute.WAIT", 0.5)
    with pytest.raises(LissomError, match=r"cluster = 'tcp://127.0.0.1:9': no Dask scheduler answers there"):
        study.run(tmp_path / "none.zarr", cluster="tcp://127.0.0.1:9", progress=False)
