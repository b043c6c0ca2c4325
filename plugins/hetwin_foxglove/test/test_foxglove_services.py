"""Requests that come as JSON."""

from __future__ import annotations

import pytest

from hetwin_foxglove.services import read_request, service_schemas


def test_fields_that_are_missing_are_empty() -> None:
    schema, _ = service_schemas("ControlRun")
    read = read_request(b'{"command": "step", "steps": 40}', schema)
    assert read == {"command": "step", "steps": 40, "pace": 0.0, "run": ""}


@pytest.mark.parametrize(
    ("payload", "says"),
    [
        (b"{", "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"[]", "expected a JSON object"),
        (b'{"speed": 2}', "no such field: speed; expected command, steps, pace"),
        (b'{"command": 4}', "command is 4; expected a text"),
        (b'{"steps": "many"}', "steps is 'many'; expected a whole number"),
        (b'{"pace": true}', "pace is True; expected a number"),
    ],
)
def test_what_is_no_request_is_said(payload: bytes, says: str) -> None:
    schema, _ = service_schemas("ControlRun")
    with pytest.raises(ValueError, match=says):
        read_request(payload, schema)


def test_the_response_has_the_simulated_time() -> None:
    _, response = service_schemas("ControlRun")
    assert response["properties"]["time"]["properties"] == {
        "sec": {"type": "integer"},
        "nanosec": {"type": "integer"},
    }
