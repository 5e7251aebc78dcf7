"""Work divided among processes."""

import os

import pytest

from lissom.cli.printing.figure_files import divided


def test_every_name_is_done_once(tmp_path):
    def note(names):
        for name in names:
            (tmp_path / name).touch(exist_ok=False)

    divided(note, [f"{k}" for k in range(7)])
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{k}" for k in range(7)]


def test_what_a_process_leaves_undone_is_done_here(tmp_path):
    here = os.getpid()

    def note(names):
        if os.getpid() != here:
            raise ValueError("no room")
        for name in names:
            (tmp_path / name).touch(exist_ok=False)

    divided(note, "abcdef")
    assert sorted(path.name for path in tmp_path.iterdir()) == [*"abcdef"]


def test_a_failure_everywhere_is_told():
    def fail(names):
        raise ValueError("no room")

    with pytest.raises(ValueError, match="no room"):
        divided(fail, "abc")
