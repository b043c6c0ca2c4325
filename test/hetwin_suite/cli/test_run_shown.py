"""`hetwin run --show`: what it prints and refuses, and that the run is the same however many look at it."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from importlib import util
from pathlib import Path
from typing import IO, Any

import pytest
from support.falling_ball import falling_ball
from support.hetwin_command import hetwin
from support.warm_starts import WarmProcess

connecting = pytest.importorskip("websockets.sync.client")

TESTS = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def ball(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scenario that starts fast."""
    return falling_ball(tmp_path_factory.mktemp("ball"), "mujoco")


@pytest.fixture
def run(ball: Path, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A run that is shown, and held before its first step."""
    command = [
        sys.executable,
        "-m",
        "hetwin_suite.cli.command",
        "run",
        str(ball),
        "--show",
        "--hold",
    ]
    options = ["--port", "0", "--no-browser", "--no-page", "--out", str(tmp_path / "shown")]
    process = WarmProcess(
        [*command, *options, "--duration", "0.5"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )
    yield process
    if process.poll() is None:
        process.kill()
    process.communicate()


def address(out: IO[str] | None) -> str:
    """The address that a run prints first."""
    assert out is not None
    found = re.fullmatch(
        r"the run is shown at (http://127\.0\.0\.1:\d+/\?token=[\w-]+)\n", out.readline()
    )
    assert found is not None
    return found[1]


def live(address: str) -> str:
    """Where the page of an address connects to."""
    return address.replace("http:", "ws:").replace("/?", "/live?")


def summary(folder: Path) -> Any:
    """How a run went."""
    return json.loads((folder / "summary.json").read_text())


def until(page: Any, kind: str, **fields: object) -> dict[str, Any]:
    """Read messages up to one of a kind with these fields."""
    while True:
        data = page.recv(timeout=60)
        if isinstance(data, str):
            message: dict[str, Any] = json.loads(data)
            if message["kind"] == kind and fields.items() <= message.items():
                return message


def test_the_digest_is_the_same_with_three_pages_one_of_which_reads_nothing(
    run: subprocess.Popen[str], ball: Path, tmp_path: Path
) -> None:
    url = live(address(run.stdout))
    with ExitStack() as pages:
        first, second = (
            pages.enter_context(connecting.connect(url, max_size=None)) for _ in range(2)
        )
        port = int(url.split(":")[2].partition("/")[0])
        silent = pages.enter_context(socket.create_connection(("127.0.0.1", port)))
        silent.sendall(
            f"GET {url[url.index('/live') :]} HTTP/1.1\r\nHost: localhost\r\n".encode()
            + b"Upgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        assert isinstance(first.recv(timeout=60), bytes)  # the scene, so that there is a run
        for number, deed in enumerate(({"do": "step", "steps": 10}, {"do": "go_on"})):
            first.send(json.dumps(deed | {"id": number}))
            assert until(first, "replied", id=number)["refused"] is None
        over = until(second, "over")
    assert over["ended"] == "recording"
    assert run.wait(60) == 0
    alone = tmp_path / "alone"
    said = hetwin("run", ball, "--no-page", "--out", alone, "--duration", "0.5")
    assert said.code == 0, said.err
    shown = summary(tmp_path / "shown")
    assert shown["digest"] == summary(alone)["digest"]
    assert shown["deterministic"]
    assert run.stderr is not None
    assert "Traceback" not in run.stderr.read()


def test_a_page_that_dies_is_not_missed(run: subprocess.Popen[str]) -> None:
    url = live(address(run.stdout))
    with connecting.connect(url, max_size=None) as page:
        page.recv(timeout=60)
        page.send('{"do": "go_on", "id": 1}')
        assert until(page, "replied", id=1)["refused"] is None  # else it may die before it was read
        page.socket.close()
        with suppress(Exception):
            page.close()
    assert run.wait(60) == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--hold"], "nothing could continue the run"),
        (["--pace", "0"], "the pace is invalid"),
        (["--pace", "nan"], "the pace is invalid"),
        (["--pace", "-1"], "the pace is invalid"),
        (["--show", "--host", "no.such.host.invalid"], "the page cannot be served there"),
    ],
)
def test_what_cannot_be_is_bad_input(ball: Path, options: list[str], words: str) -> None:
    said = hetwin("run", ball, *options)
    assert said.code == 2
    assert words in said.err


def test_a_taken_port_is_bad_input(ball: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = hetwin("run", ball, "--show", "--port", str(taken.getsockname()[1]))
    assert said.code == 2
    assert "--port" in said.err


def test_without_the_extra_it_is_named(ball: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = util.find_spec
    monkeypatch.setattr(
        "hetwin_suite.view.live.doors.find_spec",
        lambda name: None if name == "websockets" else find(name),
    )
    said = hetwin("run", ball, "--show")
    assert said.code == 2
    assert "hetwin-suite[view]" in said.err


def test_a_live_robot_is_not_held(ball: Path) -> None:
    said = hetwin(
        "run", ball, "--source", "live", "--show", "--hold", "--no-browser", "--port", "0"
    )
    assert said.code == 2
    assert "--hold" in said.err
    assert "the robot does not wait" in said.err
