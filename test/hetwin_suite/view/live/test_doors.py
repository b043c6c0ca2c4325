"""Only this machine's own page comes in, or who has the token."""

from __future__ import annotations

import re
import socket

import pytest

from hetwin_suite.view.live.doors import AccessRules


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1:8770", None),
        ("localhost:9000", "http://localhost:9000"),  # through a tunnel
        ("[::1]:8770", "http://[::1]:8770"),
        ("LocalHost:8770", "http://localhost:8770"),
    ],
)
def test_its_own_page_comes_in(host: str, origin: str | None) -> None:
    headers = {"Host": host} | ({} if origin is None else {"Origin": origin})
    doors = AccessRules.of("127.0.0.1")
    assert doors.refusal(f"/live?token={doors.token}", headers) is None


@pytest.mark.parametrize("query", ["", "?token=", "?token=guessed"])
def test_another_user_of_this_machine_does_not_come_in(query: str) -> None:
    refusal = AccessRules.of("127.0.0.1").refusal(f"/live{query}", {"Host": "127.0.0.1:8770"})
    assert refusal == "the address lacks the right token"


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        ({"Host": "evil.example:8770"}, "this host is not served: evil.example"),
        ({}, "none was named"),
        ({"Host": "127.0.0.1.evil.example"}, "not served"),
        ({"Host": "[::1"}, "not served"),
        (
            {"Host": "127.0.0.1:8770", "Origin": "http://evil.example"},
            "pages of http://evil.example may not connect",
        ),
        ({"Host": "127.0.0.1:8770", "Origin": "http://127.0.0.1:3000"}, "may not connect"),
        ({"Host": "127.0.0.1:8770", "Origin": "http://localhost:8770"}, "may not connect"),
        ({"Host": "127.0.0.1:8770", "Origin": "null"}, "pages of null may not connect"),
        ({"Host": "127.0.0.1:8770", "Origin": "http://[::1"}, "may not connect"),
        ({"Host": "127.0.0.1:8770", "Origin": "file://"}, "may not connect"),
        ({"Host": "127.0.0.1:8770", "Origin": "https://app.foxglove.dev"}, "may not connect"),
    ],
)
def test_foreign_pages_and_names_do_not(headers: dict[str, str], words: str) -> None:
    doors = AccessRules.of("127.0.0.1")
    refusal = doors.refusal(f"/live?token={doors.token}", headers)
    assert refusal is not None
    assert words in refusal


def test_from_elsewhere_one_needs_the_token() -> None:
    doors = AccessRules.of("0.0.0.0")
    address = doors.address(80)
    match = re.fullmatch(rf"http://{socket.gethostname()}:80/\?token=([\w-]{{20,}})", address)
    assert match is not None
    path = f"/live?token={match[1]}"
    assert doors.refusal(path, {"Host": "192.168.0.7:80"}) is None
    assert doors.refusal(path, {"Host": socket.gethostname()}) is None
    for wrong in ("/live", "/live?token=", "/live?token=" + "x" * len(match[1]), "/live?token=é"):
        assert doors.refusal(wrong, {"Host": "192.168.0.7:80"}) == (
            "the address lacks the right token"
        )
    refusal = doors.refusal(path, {"Host": "evil.example"})
    assert refusal == "this host is not served: evil.example"
    assert AccessRules.of("0.0.0.0").token != doors.token


def test_a_named_address_is_served_under_its_name() -> None:
    doors = AccessRules.of("192.168.0.7")
    path = f"/?token={doors.token}"
    assert doors.refusal(path, {"Host": "192.168.0.7:80"}) is None
    assert doors.refusal(path, {"Host": "192.168.0.8:80"}) is not None


def test_each_server_has_a_token_of_its_own() -> None:
    for host, named in (("127.0.0.1", "127.0.0.1"), ("::1", r"\[::1\]")):
        first, second = (AccessRules.of(host).address(80) for _ in range(2))
        assert re.fullmatch(rf"http://{named}:80/\?token=[\w-]{{20,}}", first)
        assert first != second


def test_tools_connect_to_what_the_user_names() -> None:
    doors = AccessRules.of("127.0.0.1", tools=("foxglove.dev",))
    headers = {"Host": "127.0.0.1:8765", "Origin": "https://app.foxglove.dev"}
    assert doors.refusal("/", headers) is None
