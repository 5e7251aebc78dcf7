"""The server of the live page: ports, addresses, and what the command refuses to show."""

import socket

import pytest

from lissom.errors import LissomError

pytest.importorskip("viser", reason="needs the package viser: pip install lissom[view]")

from lissom.view.live.server import free_port, is_loopback, open_server


def test_a_taken_port_is_told_and_another_one_picked():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        told = []
        server, address = open_server(port=port, say=told.append)
        try:
            assert told == [f"port {port} is taken; using {server.get_port()}"]
            assert address.startswith(f"http://127.0.0.1:{server.get_port()}/")
            assert server.get_port() != port
        finally:
            server.stop()


def test_other_addresses_need_a_flag_and_are_warned_of():
    with pytest.raises(LissomError, match="--remote"):
        open_server("0.0.0.0", 0)
    told = []
    server, _ = open_server("0.0.0.0", 0, remote=True, say=told.append)
    server.stop()
    assert len(told) == 1
    assert told[0].startswith("warning:")
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")
    assert is_loopback("localhost")
    assert not is_loopback("0.0.0.0")
    assert not is_loopback("192.168.0.1")
    assert not is_loopback("example.org")


def test_ports_and_hosts_that_cannot_be_are_one_message():
    with pytest.raises(LissomError, match="0 to 65535"):
        free_port("127.0.0.1", 70000)
    with pytest.raises(LissomError, match="not an address of this machine"):
        free_port("203.0.113.7", 8080)


def test_the_command_refuses_what_it_cannot_show(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from lissom.cli import app as commands

    monkeypatch.chdir(tmp_path)
    for arguments, message in (
        (["view"], "there is no folder out/ yet"),
        (["view", "."], "no recorded run"),
        (["view", "nowhere.nc"], "no such file"),
    ):
        result = CliRunner().invoke(commands, [*arguments, "--no-browser"])
        assert result.exit_code == 1
        assert message in result.stderr
