"""Who gets a browser for the tests of pages: root in containers, in CI or when it is asked for; others a hint."""

import os
import subprocess
from pathlib import Path

import pytest
from browser import NAMES

SCRIPT = Path(__file__).parent / "install-browser"
MANAGERS = ("apt-get", "dnf", "zypper", "pacman", "apk")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="a shell script")


@pytest.fixture
def run(tmp_path):
    """Runs the script where only some programs exist; each notes how it is called."""

    def program(name, text):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)

    def run(*there, user=0, code=0, asked=False, ci=False, container=False):
        for name in (*there, "sudo"):
            program(name, f'echo "{name} $*" >> {tmp_path}/calls; exit {code}')
        program("id", f"echo {user}")
        mark = tmp_path / "container"
        if container:
            mark.touch()
        environment = {"PATH": str(tmp_path), "CONTAINER_MARKS": str(mark)} | ({"CI": "true"} if ci else {})
        command = ["/bin/sh", SCRIPT, *(["asked"] if asked else [])]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        calls = (tmp_path / "calls").read_text().splitlines() if (tmp_path / "calls").exists() else []
        return done.returncode, done.stdout + done.stderr, calls

    return run


@pytest.mark.parametrize("name", NAMES)
def test_a_browser_that_is_there_is_taken(run, name):
    assert run(name, *MANAGERS, asked=True) == (0, "", [])


@pytest.mark.parametrize("manager", MANAGERS)
@pytest.mark.parametrize("where", ["asked", "ci", "container"])
def test_root_gets_a_missing_browser_when_asked_in_ci_and_in_containers(run, manager, where):
    code, said, calls = run(manager, **{where: True})
    assert code == 0
    assert said == "installing chromium for the tests of pages\n"
    assert calls[-1].startswith(f"{manager} ")
    assert "chromium" in calls[-1]


def test_a_machine_is_not_changed_unasked(run):
    code, said, calls = run("apt-get")
    assert (code, calls) == (0, [])
    assert "the tests of pages are skipped: make browser installs it" in said


@pytest.mark.parametrize("where", ["asked", "ci", "container"])
def test_nobody_becomes_root_for_it(run, where):
    code, said, calls = run("apt-get", user=1000, **{where: True})
    assert (code, calls) == (int(where == "asked"), [])
    assert "make browser as root, or apt-get install chromium" in said


def test_without_a_package_manager_it_says_that_tests_are_skipped(run):
    code, said, calls = run(ci=True)
    assert (code, calls) == (0, [])
    assert "the tests of pages are skipped: install it, or name it in LISSOM_CHROMIUM" in said


def test_an_installation_that_fails_is_an_error(run):
    code, said, _ = run("apt-get", code=100, asked=True)
    assert code == 1
    assert "apt-get could not install chromium" in said
