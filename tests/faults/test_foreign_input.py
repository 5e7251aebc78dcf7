"""Input that used to end in exceptions of other libraries, in hangs or in crashes: each is one message now."""

import os
import socket
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom
from lissom.beam.sections import plane_shape
from lissom.cli import app
from lissom.control import Reference
from lissom.errors import LissomError
from lissom.fem.imported_matrices import read_matrix
from lissom.scenario import Scenario

LINK = {"name": "a", "joint": {"name": "j", "type": "revolute", "axis": [0, 1, 0]}}
BEAM = {"length": 1, "section": {"rhoA": 1, "EA": 1e7, "EIy": 100, "EIz": 100, "GJ": 80, "Jx": 1e-3}, "modes": {"z": 1}}


def robot(**link):
    return {"lissom": 1, "name": "x", "links": [LINK | link]}


def test_an_inline_robot_of_an_unknown_shape_with_changes():
    wrong = robot(beam={"length": 1, "material": "steel", "section": {"shape": "hexagon", "width": 0.1}})
    with pytest.raises(LissomError, match=r"robot\.links\.a\.beam\.section\.shape = 'hexagon': is unknown"):
        Scenario.from_dict({"robot": wrong, "duration": 1, "change": {"links.a.beam.length": 2}})


def test_a_count_is_not_derived_by():
    with pytest.raises(LissomError, match=r"links\.a\.beam\.modes\.z = 1j: must be a whole number"):
        lissom.Robot.from_dict(robot(beam=BEAM)).with_value("links.a.beam.modes.z", 1j).compile()


def test_the_tip_of_a_link_with_a_payload_is_derived_by():
    body = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [0.01, 0.01, 0.01], "tip": [1, 0, 0.1]}
    arm = lissom.Robot.from_dict(robot(body=body, payload={"mass": 2.0}))
    made = arm.with_value("links.a.body.tip.2", 0.1 + 1e-20j).compile()
    assert made.arrays.tree.parent.shape == arm.compile().arrays.tree.parent.shape


def test_poissons_ratio_of_a_polygon_is_derived_by():
    corners = np.array([[0, 0], [0.05, 0], [0.05, 0.01], [0.02, 0.01], [0.02, 0.06], [0, 0.06]])

    def values(nu):
        found = plane_shape.solve(corners, [], nu)
        return np.concatenate([np.ravel(found.shear), np.ravel(found.shear_centre), [found.torsion]])

    h = 1e-5
    slopes = (values(0.3 + h) - values(0.3 - h)) / (2 * h)
    np.testing.assert_allclose(np.imag(values(0.3 + 1e-20j)) / 1e-20, slopes, rtol=1e-6, atol=1e-9)


MATRICES = {
    "pattern": ("coordinate pattern symmetric\n1 1 1\n1 1 2.5\n", "its numbers are pattern"),
    "huge": ("coordinate real symmetric\n18 18 999999999999\n1 1 2.5\n", "says 999999999999 entries and holds 1"),
    "short": ("coordinate real general\n2 2 2\n1 1 2.5\n", "says 2 entries and holds 1"),
    "outside": ("coordinate real general\n2 2 1\n3 1 2.5\n", "outside of 2 by 2"),
    "complex": ("coordinate complex general\n1 1 1\n1 1 2.5 1\n", "its numbers are complex"),
    "no sizes": ("array real general\nx\n", "invalid literal"),
    "words": ("array real general\n1 1\nx\n", "could not convert"),
}


@pytest.mark.parametrize("name", MATRICES)
def test_matrices_that_are_none(name, tmp_path):
    content, message = MATRICES[name]
    (tmp_path / "m.mtx").write_text(f"%%MatrixMarket matrix {content}")
    with pytest.raises(LissomError, match=f"m.mtx: cannot be read as a matrix .*{message}"):
        read_matrix(tmp_path / "m.mtx")


@pytest.mark.parametrize("symmetry", ["symmetric", "general"])
@pytest.mark.parametrize("dense", [False, True])
def test_matrices_are_read_as_scipy_writes_them(symmetry, dense, tmp_path):
    from scipy.io import mmwrite
    from scipy.sparse import coo_array

    A = np.round(np.random.default_rng(0).normal(size=(5, 5)), 1)
    A = A + A.T if symmetry == "symmetric" else A
    mmwrite(tmp_path / "m.mtx", A if dense else coo_array(A), comment="a comment\nof two lines", symmetry=symmetry)
    np.testing.assert_allclose(read_matrix(tmp_path / "m.mtx").toarray(), A, rtol=1e-14)


def test_archives_that_are_none(tmp_path):
    (tmp_path / "m.npz").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(LissomError, match="cannot be read as a matrix"):
        read_matrix(tmp_path / "m.npz")
    np.savez(
        tmp_path / "m.npz", format=b"csr", shape=[2, 2], data=[1.0], indices=np.array([9]), indptr=np.array([0, 1, 1])
    )
    with pytest.raises(LissomError, match="cannot be read as a matrix"):
        read_matrix(tmp_path / "m.npz")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
@pytest.mark.parametrize("kind", ["pipe", "/dev/zero"])
def test_a_section_in_a_pipe_or_a_device(kind, tmp_path):
    path = kind
    if kind == "pipe":
        path = str(tmp_path / "pipe")
        os.mkfifo(path)
    with pytest.raises(LissomError, match="is a pipe or a device; give a file"):
        lissom.Robot.from_dict(robot(beam=BEAM | {"section": {"file": path, "format": "vabs"}}))


def test_names_do_not_leave_the_comments_of_exported_code():
    from lissom.export.c.sources.prototypes import in_comment

    assert "*/" not in in_comment("*/int system();static void z(){}/*")
    assert in_comment("arm") == "arm"


def test_prototypes_of_long_names_keep_their_words():
    from types import SimpleNamespace

    from lissom.export.c.sources.prototypes import prototype

    name = "two_link_arm_with_elastic_joints_2024_and_a_name_that_goes_on_and_on"
    inputs = [SimpleNamespace(name="q", size=f"{name.upper()}_NQ"), SimpleNamespace(name="t", size=None)]
    signature = SimpleNamespace(name="coordinates_of_all_its_tips", inputs=inputs, outputs=inputs[:1])
    text = prototype(SimpleNamespace(name=name), signature)
    assert f"{name}_coordinates_of_all_its_tips(" in text
    assert f"{name.upper()}_NQ]" in text


FILES = {
    "study": (
        "scenario: ella\nvary: {duration: [0.1, 0.2]}\noutputs: [peak |deflection.upper|]\n",
        r"ok \(study study: 2 runs",
    ),
    "wrong study": ("scenario: ella\nvary: {durations: [1, 2]}\noutputs: [peak torque.elbow]\n", "durations"),
    "no study": ("scenario: ella\nvary: {duration: [1]}\noutput: [peak torque.elbow]\n", r"output = .*unknown field"),
    "wrong fit": ("robot: ella\nparameters: {}\nrecord: []\n", r"record = .*unknown field"),
    "wrong task": ("scenario: ella\nsizes: {}\nlimit: {}\n", r"limit = .*unknown field"),
}


@pytest.mark.parametrize("name", FILES)
def test_files_of_studies_fits_and_tasks_are_checked_as_what_they_are(name, tmp_path, monkeypatch):
    content, message = FILES[name]
    monkeypatch.chdir(tmp_path)
    Path("study.yaml").write_text(content)
    result = CliRunner().invoke(app, ["check", "study.yaml"])
    assert result.exit_code == (0 if "ok" in message else 1), result.stderr
    import re

    assert re.search(message, result.output)


def test_rates_that_are_too_low_for_state_feedback():
    from lissom.control.design.regulator_equations import riccati

    with pytest.raises(LissomError, match="raise the rate"):
        riccati(np.array([[1e12]]), np.eye(1), np.eye(1), np.eye(1), "feedback")


def test_the_page_of_a_study_does_not_wait_for_silent_visitors(monkeypatch):
    from http.server import BaseHTTPRequestHandler
    from threading import Thread

    from lissom.view.pages import study_page

    class Handler(BaseHTTPRequestHandler):
        timeout = 30.0

        def do_GET(self):
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    monkeypatch.setattr(study_page, "VISITORS", 5)
    server = study_page._Server(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        silent = [socket.create_connection(server.server_address) for _ in range(20)]
        deadline = time.monotonic() + 20
        while len(server._open) > 5 and time.monotonic() < deadline:
            time.sleep(0.01)
        with socket.create_connection(server.server_address) as visitor:
            visitor.sendall(b"GET / HTTP/1.0\r\n\r\n")
            visitor.settimeout(20)
            assert visitor.recv(100).startswith(b"HTTP/1.0 200")
        assert len(server._open) <= 5
        for each in silent:
            each.close()
    finally:
        server.shutdown()
        server.server_close()
    handler = study_page._handler(None)
    assert handler.timeout
    assert handler.timeout < 60


@pytest.mark.parametrize("thing", [{"links": []}, 3, None, ["ella"], b"ella"])
def test_what_is_no_name_of_a_robot(thing):
    with pytest.raises(LissomError, match="not a name or a path; "):
        lissom.load(thing)


def test_the_number_of_an_open_file_is_no_path(tmp_path):
    """Whoever opens a file by number closes it after use: standard output, with 1."""
    with (tmp_path / "run.nc").open("w") as other:
        with pytest.raises(TypeError, match="not int"):
            lissom.Trajectory.load(other.fileno())
        other.write("still open")
        other.flush()


@pytest.fixture(scope="module")
def short():
    return lissom.simulate("ella", 0.01, progress=False)


HUGE = 10**400
NAMES = (np.array(["elbow", "shoulder"]), np.array([]), None, ["elbow"])
ODD = {
    "a whole number no float holds": lambda run: lissom.mass_matrix(run.model, [HUGE] * run.model.nq),
    "such a number as a time": lambda run: run.state(HUGE),
    "such a number as a value": lambda run: Reference.from_samples([0, 1], [0, HUGE]),
    "text as a time": lambda run: run.state("1 s"),
    "text as places": lambda run: run.stress("forearm", "tip"),
    "no places": lambda run: run.section_forces("forearm", []),
    "places without end": lambda run: run.stress("forearm", 10**19),
    "places in rows": lambda run: run.stress("forearm", [[0.1, 0.2]]),
    "text as frequencies": lambda run: lissom.frequency_response("ella", frequencies="5 Hz"),
    "no outputs": lambda run: lissom.linearise("ella", outputs=[]),
    "samples beyond the last": lambda run: run.energies_at(97),
    "samples by halves": lambda run: run.energies_at([0.5]),
    "no start": lambda run: lissom.simulate("ella", 0.01, start=(), progress=False),
    "values by no names": lambda run: lissom.close_loops("five-bar", {None: 1}),
    **{
        f"{name!r} as a {kind}": lambda run, kind=kind, name=name: getattr(run.model, kind)(name)
        for kind in ("link", "joint", "row")
        for name in NAMES
    },
    **{f"{name!r} as the joint of a wrench": lambda run, name=name: run.wrench(name) for name in NAMES},
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_arguments_are_refused_in_words(odd, short):
    with pytest.raises(LissomError):
        ODD[odd](short)


def test_no_times_and_negative_samples_are_taken(short):
    q, v = short.state([])
    assert q.shape == (0, short.model.nq) and v.shape == (0, short.model.nv)
    np.testing.assert_array_equal(short.energies_at(np.array([-1])), short.energies[-1:])


@pytest.mark.parametrize("angle", [1e300, -2e9])
def test_angles_that_numbers_cannot_tell_apart_are_refused(angle):
    """A pendulum there would stand still: what a step adds is lost in rounding."""
    for call in (lissom.close_loops, lissom.natural_modes):
        with pytest.raises(LissomError, match="so large that small motions are lost in rounding; give 1e\\+09 at most"):
            call("five-bar", {"left-motor": angle})
    with pytest.raises(LissomError, match="small motions are lost"):
        lissom.simulate("ella", 0.01, start={"elbow": angle}, progress=False)


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1.0, 1e200, 1e300])
def test_quaternions_of_any_size_are_directions(size):
    model = lissom.load("satellite-two-arm").compile()
    turn = lissom.dynamics.configuration(model, {"base": [size, 0, 0, -size, 0, 0, 0]})[:4]
    np.testing.assert_allclose(turn, np.sqrt([0.5, 0, 0, 0.5]) * [1, 1, 1, -1], atol=1e-9)
