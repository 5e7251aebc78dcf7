"""The script that gives the tests of pages their browser asks the package manager; without one it says so."""

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

    def run(*there, user=0, code=0):
        for name in there:
            program(name, f'echo "{name} $*" >> {tmp_path}/calls; exit {code}')
        program("id", f"echo {user}")
        program("env", 'while case $1 in *=*) true;; *) false;; esac; do shift; done; exec "$@"')
        done = subprocess.run(["/bin/sh", SCRIPT], capture_output=True, text=True, env={"PATH": str(tmp_path)})
        calls = (tmp_path / "calls").read_text().splitlines() if (tmp_path / "calls").exists() else []
        return done.returncode, done.stdout + done.stderr, calls

    return run


@pytest.mark.parametrize("name", NAMES)
def test_a_browser_that_is_there_is_taken(run, name):
    assert run(name, *MANAGERS) == (0, "", [])


@pytest.mark.parametrize("manager", MANAGERS)
def test_a_missing_browser_is_installed_by_the_package_manager(run, manager):
    code, said, calls = run(manager)
    assert code == 0
    assert said == "installing chromium for the tests of pages\n"
    assert calls[-1].startswith(f"{manager} ")
    assert "chromium" in calls[-1]


def test_without_a_package_manager_it_says_that_tests_are_skipped(run):
    code, said, calls = run()
    assert code == 0
    assert not calls
    assert said == "no Chromium, and no package manager that could install it: the tests of pages will be skipped\n"


def test_without_the_right_to_install_it_says_who_can(run):
    code, said, calls = run("apt-get", user=1000)
    assert code == 0
    assert not calls
    assert "no right to install it" in said
    assert "apt-get install chromium" in said


def test_an_installation_that_fails_is_an_error(run):
    code, said, _ = run("apt-get", code=100)
    assert code == 1
    assert "apt-get could not install chromium" in said
