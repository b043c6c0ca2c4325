"""A run whose command lets Foxglove connect to it."""

from __future__ import annotations

import re
import socket
import sys
from pathlib import Path

import pytest
from support.hetwin_command import refused
from support.ros_runs import finish, run, running, toy


def test_it_waits_for_its_client_and_has_the_digest_of_a_run_without(tmp_path: Path) -> None:
    pytest.importorskip("foxglove", reason="the extra foxglove is not installed")
    from foxglove_client import FoxgloveClient

    scenario = toy(tmp_path)
    arguments = ("--foxglove", "0", "--hold")
    with running(scenario, tmp_path / "shown", *arguments, transport="local") as (process, _):
        assert process.stderr is not None
        line = process.stderr.readline()
        address = re.search(r"ws://127\.0\.0\.1:\d+", line)
        assert address is not None, line
        with FoxgloveClient(address[0]) as client:
            client.until(lambda: client.rows("/hetwin/responsibilities"), "responsibilities")
            assert client.call("/hetwin/control", command="step", steps=40)["accepted"]
            assert client.call("/hetwin/control", command="go_on")["accepted"]
            ended = finish(process)
    assert ended.code == 0, ended.err
    plain = run(scenario, tmp_path / "plain", transport="local")
    assert ended.json["digest"] == plain.json["digest"]
    assert ended.json["deterministic"]


def test_a_port_that_is_taken_and_an_sdk_that_is_absent_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario, out = toy(tmp_path), tmp_path / "out"
    pytest.importorskip("foxglove", reason="the extra foxglove is not installed")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        words = ("run", scenario, "--out", out, "--foxglove", port)
        refused(tmp_path, *words, says=("cannot be listened on", port))
    monkeypatch.setitem(sys.modules, "foxglove", None)
    refused(
        tmp_path,
        *("run", scenario, "--out", out, "--foxglove", "0"),
        says=("Foxglove's SDK", 'pip install "hetwin-suite[foxglove]"'),
    )
