"""The page of a run is served to this machine, and nothing that its visitors do reaches further than it should."""

from __future__ import annotations

import http.client
import json
import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any
from urllib.parse import urlsplit

import pytest
from support.shown_runs import ShownRun
from support.waiting import wait_until

websockets = pytest.importorskip("websockets.sync.client")

from websockets.exceptions import ConnectionClosed, InvalidStatus  # noqa: E402

from hetwin_core.ensemble.errors import BadInput  # noqa: E402
from hetwin_suite.view.live.feed import RunEnd  # noqa: E402
from hetwin_suite.view.live.server import MAX_PAGES, LiveServer  # noqa: E402

OVER = RunEnd("recording", "recording", deterministic=True, folder="runs/small")


class Served:
    """A held run that is served."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.run = ShownRun()
        self.lines: list[str] = []
        self.server = LiveServer(
            *(self.run.live, self.run.live), host=host, port=0, complain=self.lines.append
        )
        address = urlsplit(self.server.address)
        assert address.port is not None
        self.port, self.query = address.port, address.query

    def connect(self, **options: Any) -> Any:
        """Open a page's connection."""
        options.setdefault("max_size", None)
        url = f"ws://127.0.0.1:{self.port}/live?{self.query}"
        return websockets.connect(url, **options)

    def get(
        self, path: str = "/", query: str | None = None, **headers: str
    ) -> tuple[int, str, dict[str, str]]:
        """Status, text and headers of a response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(
                "GET", f"{path}?{self.query if query is None else query}", headers=headers
            )
            response = connection.getresponse()
            return response.status, response.read().decode(), dict(response.getheaders())
        finally:
            connection.close()

    def end(self) -> Any:
        """Let the run go on to its end; returns its summary."""
        summary = self.run.end()
        self.run.live.end(OVER)
        return summary


@pytest.fixture
def served() -> Iterator[Served]:
    """A served run, which ends with the test."""
    it = Served()
    yield it
    it.end()
    it.server.close()


class Page:
    """What a page keeps of what it is sent."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.said: list[dict[str, Any]] = []
        self.states: list[tuple[str, float]] = []
        self.scenes = 0

    def hear(self) -> None:
        """Take in one message."""
        data = self.socket.recv(timeout=60)
        if isinstance(data, str):
            self.said.append(json.loads(data))
            return
        kind, phase, time = struct.unpack_from("<IId", data)
        if kind == 2:
            self.scenes += 1
        else:
            phases = ("waiting", "paused", "running", "over")
            self.states.append((phases[phase], time))

    def hear_until_closed(self) -> None:
        """Take in all that comes."""
        with suppress(ConnectionClosed):
            while True:
                self.hear()

    def ask(self, number: int, **deed: Any) -> dict[str, Any]:
        """Ask for something; returns the reply."""
        self.socket.send(json.dumps({"id": number, **deed}))
        while True:
            for said in self.said:
                if said.get("id") == number:
                    return said
            self.hear()


def test_there_is_one_page(served: Served) -> None:
    status, text, headers = served.get()
    assert status == 200
    assert 'id="hetwin" data-state="waiting"' in text
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert served.get("/page.js")[0] == 404
    assert served.get("/live")[0] == 426  # no web socket was asked for


def test_it_shows_and_obeys(served: Served) -> None:
    with served.connect(origin=f"http://127.0.0.1:{served.port}") as connection:
        page = Page(connection)
        page.hear()
        page.hear()
        assert page.scenes == 1
        assert page.states == [("paused", 0.0)]
        assert page.ask(1, do="step", steps=4)["refused"] is None
        while page.states[-1] != ("paused", 0.04):
            page.hear()
        asked = {"do": "hand_over", "entity": "ball", "attribute": "pose"}
        assert page.ask(2, **asked, model="watcher")["refused"] is None
        refused = page.ask(3, **asked, model="watcher")["refused"]
        assert refused == "watcher is responsible for ball.pose already"
        assert page.ask(4, do="go_on")["refused"] is None
        served.end()
        page.hear_until_closed()
    assert page.states[-1][1] == pytest.approx(0.2)
    last = page.said[-1]
    assert (last["kind"], last["ended"], last["folder"]) == ("over", "recording", "runs/small")
    rows = [row for said in page.said if said["kind"] == "happened" for row in said["rows"]]
    (handover,) = [row for row in rows if row["kind"] == "handover"]
    assert handover["name"] == "ball.pose"
    assert handover["more"]["to"] == "watcher"


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "http://evil.example"}, {"Host": "evil.example"}, {"Origin": "null"}],
)
def test_foreign_requests_are_refused(served: Served, headers: dict[str, str]) -> None:
    assert served.get("/", **headers)[0] == 403
    options = {"additional_headers": headers}
    if "Origin" in headers:
        options = {"origin": headers["Origin"]}
        with pytest.raises(InvalidStatus) as refused, served.connect(**options):
            pass
        assert refused.value.response.status_code == 403


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("{", "must be a JSON object"),
        ("[" * 4000, "must be a JSON object"),
        (b"\x00\x01", "must be a JSON object"),
        ('{"do": "format"}', "'do' must be one of"),
        ('{"do": "step", "steps": -1}', "'steps' must be"),
        ('{"do": "pause", "id": "x"}', "'id' must be a whole number"),
    ],
)
def test_a_wrong_message_is_the_last_one(served: Served, message: str | bytes, words: str) -> None:
    for _ in range(2):
        with served.connect() as connection:
            connection.send(message)
            page = Page(connection)
            page.hear_until_closed()
            assert connection.close_code == 1008
            assert words in connection.close_reason
    wait_until(lambda: served.lines, "a line about it")
    assert len(served.lines) == 1
    assert words in served.lines[0]
    assert served.end().deterministic


def test_who_reads_nothing_delays_nobody(served: Served) -> None:
    with socket.create_connection(("127.0.0.1", served.port)) as silent:
        silent.sendall(
            f"GET /live?{served.query} HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode()
            + b"Upgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        with served.connect() as connection:
            page = Page(connection)
            assert page.ask(1, do="step", steps=1)["refused"] is None
            served.end()
            page.hear_until_closed()
        assert page.said[-1]["kind"] == "over"
    assert not served.lines


def test_too_many_pages_are_refused(served: Served) -> None:
    with ExitStack() as pages:
        for _ in range(MAX_PAGES):
            pages.enter_context(served.connect()).recv(timeout=60)
        with pytest.raises(InvalidStatus) as refused, served.connect():
            pass
        assert refused.value.response.status_code == 503


def test_from_other_machines_one_needs_the_token() -> None:
    served = Served("0.0.0.0")
    try:
        assert served.get("/", query="")[0] == 403
        assert served.get("/")[0] == 200
        with served.connect() as connection:
            assert isinstance(connection.recv(timeout=60), bytes)
        served.query = "token=guessed"
        with pytest.raises(InvalidStatus), served.connect():
            pass
    finally:
        served.end()
        served.server.close()


def test_a_taken_port_is_bad_input(served: Served) -> None:
    with pytest.raises(BadInput, match="cannot be served there") as error:
        LiveServer(
            *(served.run.live, served.run.live),
            host="127.0.0.1",
            port=served.port,
            complain=print,
        )
    assert error.value.where == "--port"
