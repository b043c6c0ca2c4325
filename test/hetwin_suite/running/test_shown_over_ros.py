"""A run over ROS 2 on a page that its command serves."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.ros_runs import IN_PROCESS, finish, run, running, toy
from support.waiting import wait_until

websockets = pytest.importorskip("websockets.sync.client")

SHOWN = ("--show", "--no-browser", "--port", "0", "--hold")


def socket_of(process: subprocess.Popen[str]) -> str:
    """Where the page's socket is, with its token, from the first line that the command prints."""
    assert process.stderr is not None
    line = process.stderr.readline()
    found = re.search(r"shown at http://(127\.0\.0\.1:\d+)/(\?token=\S+)", line)
    assert found is not None, line
    return f"ws://{found[1]}/live{found[2]}"


class Page:
    """What a page is told."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self.told: list[dict[str, Any]] = []

    def ask(self, **deed: object) -> str | None:
        """Do something; returns why it was refused."""
        number = len(self.told)
        self._socket.send(json.dumps({**deed, "id": number}))
        return self.until("replied", number)["refused"]  # type: ignore[no-any-return]

    def until(self, kind: str, number: int | None = None) -> dict[str, Any]:
        """Listen until a message comes."""
        found: list[dict[str, Any]] = []

        def look() -> bool:
            message = self._socket.recv(timeout=60)
            told = {"kind": "binary"} if isinstance(message, bytes) else json.loads(message)
            self.told.append(told)
            if told["kind"] == kind and (number is None or told.get("id") == number):
                found.append(told)
            return bool(found)

        wait_until(look, f"a message {kind}", period_s=0.0)
        return found[0]


def test_it_waits_for_its_page_and_has_the_digest_of_a_run_without(tmp_path: Path) -> None:
    scenario = toy(tmp_path)
    with running(scenario, tmp_path / "shown", *SHOWN, *IN_PROCESS) as (process, _):
        with websockets.connect(socket_of(process), max_size=None) as socket:
            page = Page(socket)
            page.until("binary")  # the scene
            assert page.ask(do="step", steps=40) is None
            assert "already" in (
                page.ask(do="hand_over", entity="ball", attribute="pose", model="physics") or ""
            )
            assert page.ask(do="go_on") is None
            over = page.until("over")
        ended = finish(process)
    assert ended.code == 0, ended.err
    assert over["ended"] == "recording"
    plain = run(scenario, tmp_path / "plain", transport="local")
    assert ended.json["digest"] == plain.json["digest"]
    assert ended.json["deterministic"]
    events = json.loads((tmp_path / "shown" / "summary.json").read_text())["events"]
    assert [e["name"] for e in events if e["source"] == "by hand"][-2:] == ["stepped", "went_on"]
