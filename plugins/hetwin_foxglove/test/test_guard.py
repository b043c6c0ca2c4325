"""Who may connect to a run by Foxglove's protocol."""

from __future__ import annotations

import pytest

from hetwin_foxglove.guard import DOORS, _headers

HERE = "127.0.0.1:8765"


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": HERE},
        {"Host": "localhost:8765", "Origin": "file://"},
        {"Host": "[::1]:8765", "Origin": "http://localhost:8080"},
        {"Host": HERE, "Origin": "https://app.foxglove.dev"},
        {"Host": HERE, "Origin": "https://lichtblick-suite.github.io"},
    ],
)
def test_tools_and_pages_of_this_machine_may(headers: dict[str, str]) -> None:
    assert DOORS.refusal("", headers) is None


@pytest.mark.parametrize(
    ("headers", "says"),
    [
        ({"Host": HERE, "Origin": "http://evil.example"}, "evil.example"),
        ({"Host": HERE, "Origin": "https://foxglove.dev.evil.example"}, "evil.example"),
        ({"Host": HERE, "Origin": "https://notfoxglove.dev"}, "notfoxglove"),
        ({"Host": HERE, "Origin": "http://app.foxglove.dev"}, "app.foxglove.dev"),
        ({"Host": HERE, "Origin": "null"}, "null"),
        ({"Host": "evil.example:8765"}, "host"),
        ({"Host": "[::1"}, "host"),
        ({"Host": HERE, "Origin": "https://[::1"}, "may not connect"),
        ({"Host": HERE, "Origin": "http://file://"}, "may not connect"),
        ({}, "host"),
    ],
)
def test_all_other_pages_and_hosts_may_not(headers: dict[str, str], says: str) -> None:
    assert says in (DOORS.refusal("", headers) or "")


def test_headers_are_read_in_any_case() -> None:
    request = b"GET / HTTP/1.1\r\nhost: evil.example\r\nORIGIN: http://evil.example\r\n\r\n"
    assert _headers(request) == {"Host": "evil.example", "Origin": "http://evil.example"}
