"""Messages of pages become deeds, or are none."""

from __future__ import annotations

from typing import Any

import pytest

from hetwin_suite.view.live.hands import (
    Control,
    HandOver,
    InvalidRequest,
    Pause,
    Raise,
    Resume,
    SetPace,
    Step,
    parse_control,
)


@pytest.mark.parametrize(
    ("message", "deed"),
    [
        ({"do": "pause"}, Pause()),
        ({"do": "go_on"}, Resume()),
        ({"do": "step", "steps": 40}, Step(40)),
        ({"do": "step", "steps": None}, Step(None)),
        ({"do": "pace", "factor": 2}, SetPace(2.0)),
        ({"do": "pace", "factor": None}, SetPace(None)),
        (
            {"do": "hand_over", "entity": "box", "attribute": "pose", "model": "physics"},
            HandOver("box", "pose", "physics"),
        ),
        (
            {"do": "raise", "event": "give_mission", "arguments": {"mission": 1}},
            Raise("give_mission", {"mission": 1}),
        ),
    ],
)
def test_messages_are_deeds(message: dict[str, Any], deed: Control) -> None:
    assert parse_control(message) == deed


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({}, "one of pause, go_on, step, pace, hand_over, raise"),
        ({"do": ["pause"]}, "one of"),
        ({"do": "step", "steps": 0}, "'steps' must be a whole number from 1"),
        ({"do": "step", "steps": True}, "'steps'"),
        ({"do": "step", "steps": 1.5}, "'steps'"),
        ({"do": "step", "steps": 10**9}, "'steps'"),
        ({"do": "pace", "factor": 0}, "'factor' must be a number above 0"),
        ({"do": "pace", "factor": float("nan")}, "'factor'"),
        ({"do": "pace", "factor": "fast"}, "'factor'"),
        ({"do": "hand_over", "entity": "box", "attribute": "pose"}, "'model' must be a name"),
        ({"do": "raise", "event": "x", "arguments": [1]}, "'arguments' must be an object"),
        ({"do": "raise", "arguments": {}}, "'event' must be a name"),
        ({"do": "hand_over", "entity": "", "attribute": "pose", "model": "x"}, "'entity'"),
        ({"do": "hand_over", "entity": "x" * 301, "attribute": "a", "model": "x"}, "'entity'"),
    ],
)
def test_other_messages_are_none(message: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidRequest, match=words):
        parse_control(message)
