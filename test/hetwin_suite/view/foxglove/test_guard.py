"""Who may connect to a run by Foxglove's protocol."""

from __future__ import annotations

import pytest

from hetwin_suite.view.foxglove.guard import refusal

HERE = "127.0.0.1:8765"


@pytest.mark.parametrize(
    "headers",
    [
        {"host": HERE},
        {"host": "localhost:8765", "origin": "file://"},
        {"host": "[::1]:8765", "origin": "http://localhost:8080"},
        {"host": HERE, "origin": "https://app.foxglove.dev"},
        {"host": HERE, "origin": "https://lichtblick-suite.github.io"},
    ],
)
def test_tools_and_pages_of_this_machine_may(headers: dict[str, str]) -> None:
    assert refusal(headers) is None


@pytest.mark.parametrize(
    ("headers", "says"),
    [
        ({"host": HERE, "origin": "http://evil.example"}, "evil.example"),
        ({"host": HERE, "origin": "https://foxglove.dev.evil.example"}, "evil.example"),
        ({"host": HERE, "origin": "https://notfoxglove.dev"}, "notfoxglove"),
        ({"host": HERE, "origin": "http://app.foxglove.dev"}, "app.foxglove.dev"),
        ({"host": HERE, "origin": "null"}, "null"),
        ({"host": "evil.example:8765"}, "host"),
        ({"host": "[::1"}, "host"),
        ({"host": HERE, "origin": "https://[::1"}, "may not connect"),
        ({}, "host"),
    ],
)
def test_all_other_pages_and_hosts_may_not(headers: dict[str, str], says: str) -> None:
    assert says in (refusal(headers) or "")
