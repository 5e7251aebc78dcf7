"""The folder of a run: of many processes at once each gets its own, and files are whole whatever happens."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lissom.cli.printing.run_folder import DATA, SUMMARY, Folder
from lissom.files import NotWritten, write_whole

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

MANY = """
import os, sys
from pathlib import Path
from lissom.cli.printing.run_folder import Folder
from lissom.errors import LissomError
from lissom.files import write_whole


def tell(text):
    os.write(1, f"{text}\\n".encode())  # whole lines, whoever else writes


def at_once(work, count=20):
    "Run work(k) in that many processes, all started before any goes on."
    waiting, go = os.pipe()
    children = []
    for k in range(count):
        child = os.fork()
        if child == 0:
            os.close(go)
            os.read(waiting, 1)  # until the parent closes the pipe
            try:
                work(k)
            except LissomError as error:
                tell(f"error: {error}")
            finally:
                os._exit(0)
        children.append(child)
    os.close(go)
    for child in children:
        os.waitpid(child, 0)
"""


def many(work: str, folder: Path) -> list[str]:
    """What twenty processes print that do the same at the same time."""
    command = [sys.executable, "-c", f"{MANY}\n{work}"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert result.stderr == ""
    return result.stdout.splitlines()


@forks
def test_twenty_runs_at_once_get_twenty_folders(tmp_path: Path) -> None:
    """A folder that is still empty is taken all the same."""
    lines = many("at_once(lambda k: tell(Folder.claim(None, 'ella').path))", tmp_path)
    assert len(lines) == len(set(lines)) == 20
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(Path(line).name for line in lines)


@forks
def test_of_twenty_runs_into_one_folder_one_goes_on_and_the_others_are_told(tmp_path: Path) -> None:
    work = """
def work(k):
    try:
        folder = Folder.claim(Path("here"), "ella")
    except LissomError as error:
        write_whole(f"refused-{k}", "")
        raise
    with folder:
        while len(list(Path().glob("refused-*"))) < 19:
            pass
        tell("mine")
at_once(work)
"""
    lines = many(work, tmp_path)
    assert lines.count("mine") == 1
    assert len(lines) == 20
    refused = {line for line in lines if line != "mine"}
    assert refused == {"error: cannot write here: another run is writing to it; give another folder with --out"}


@forks
def test_twenty_writers_of_one_file_leave_the_whole_of_one(tmp_path: Path) -> None:
    many("at_once(lambda k: [write_whole('data', bytes([k]) * 500_000) for _ in range(3)])", tmp_path)
    content = (tmp_path / "data").read_bytes()
    assert len(content) == 500_000
    assert len(set(content)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


@forks
def test_a_run_that_is_killed_lets_its_folder_go(tmp_path: Path) -> None:
    code = f"{MANY}\nfolder = Folder.claim(Path('here'), '')\nprint(1, flush=True)\ninput()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"1\n"
        with pytest.raises(NotWritten, match="another run is writing"):
            Folder.claim(tmp_path / "here", "")
        os.kill(process.pid, signal.SIGKILL)
    with Folder.claim(tmp_path / "here", "") as folder:
        assert folder.path == tmp_path / "here"


def assert_whole(path: Path) -> None:
    content = path.read_bytes()
    assert len(content) == 3_000_000 == content.count(content[:1])


@forks
def test_a_reader_never_sees_a_part(tmp_path: Path) -> None:
    """Killed again and again while it writes; a part would be shorter, or of two kinds."""
    code = """
import sys
from lissom.files import write_whole
print(1, flush=True)
while True:
    for letter in b"ab":
        write_whole("data", bytes([letter]) * 3_000_000)
"""
    write_whole(tmp_path / "data", b"a" * 3_000_000)
    for _ in range(3):
        with subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"1\n"
            for _ in range(20):
                assert_whole(tmp_path / "data")
            hit = any(path.suffix == ".part" for path in tmp_path.iterdir())
            while not hit:  # die in the middle of a write
                hit = any(path.suffix == ".part" for path in tmp_path.iterdir())
            os.kill(process.pid, signal.SIGKILL)
        assert_whole(tmp_path / "data")


def test_a_new_folder_that_stays_empty_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Folder.claim(None, "ella") as folder:
        assert folder.path.is_dir()
    assert not folder.path.exists()
    with Folder.claim(None, "ella") as folder:
        folder.text("notes.txt", "kept")
    assert (folder.path / "notes.txt").read_text() == "kept"


def test_what_was_drawn_of_an_earlier_run_goes_and_other_files_stay(tmp_path: Path) -> None:
    (tmp_path / "figures").mkdir()
    old = ["figures/overview.png", "report.html", "motion.mp4", DATA, "../outside.png"]
    for name in [*old[:-1], "figures/my_own.png", "notes.txt"]:
        (tmp_path / name).write_text("old")
    outside = tmp_path.parent / "outside.png"
    outside.write_text("not ours")
    (tmp_path / SUMMARY).write_text(json.dumps({"files": old}))
    with Folder.claim(tmp_path, "") as folder:
        folder._clear()
    left = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file())
    assert left == sorted(["figures/my_own.png", "notes.txt", SUMMARY, DATA])
    assert outside.read_text() == "not ours"
    outside.unlink()


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"files": 3}', '{"files": [3]}', "\x00"], ids=repr)
def test_a_damaged_summary_of_an_earlier_run_is_no_obstacle(content: str, tmp_path: Path) -> None:
    (tmp_path / SUMMARY).write_text(content)
    with Folder.claim(tmp_path, "") as folder:
        folder._clear()


def test_a_file_keeps_its_permissions_and_a_new_one_has_the_usual(tmp_path: Path) -> None:
    write_whole(tmp_path / "data", "new")
    (tmp_path / "plain").write_text("")
    usual = (tmp_path / "plain").stat().st_mode
    assert (tmp_path / "data").stat().st_mode == usual
    (tmp_path / "data").chmod(0o640)
    write_whole(tmp_path / "data", "newer")
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o640


@forks
def test_a_pipe_is_written_to_as_it_is(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE) as reader:
        write_whole(tmp_path / "pipe", "through")
        assert reader.communicate(timeout=60)[0] == b"through"
    assert (tmp_path / "pipe").is_fifo()
