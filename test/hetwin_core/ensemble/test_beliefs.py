"""Beliefs as events, and back."""

from __future__ import annotations

import math

import pytest

from hetwin_core.ensemble.beliefs import (
    BeliefFields,
    belief_event,
    belief_fields,
    belief_problem,
    invalid_belief_event,
)
from hetwin_core.ensemble.events import EventKind, event_from_row, event_to_row

POSE = (0.4, 0.2, 0.8, 1.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    "fields",
    [
        BeliefFields("held", ("box", "gripper"), holds=False, origin="fingers"),
        BeliefFields(
            "loc", ("box",), frame="gripper", pose=POSE, confidence=0.25, origin="percept"
        ),
    ],
)
def test_a_belief_survives_as_event_and_as_row(fields: BeliefFields) -> None:
    event = belief_event(fields, 7, "/beliefs")
    assert (event.name, event.time_ns, event.kind) == (fields.fluent, 7, EventKind.BELIEF)
    assert belief_fields(event) == fields
    assert belief_fields(event_from_row(event_to_row(event))) == fields


def test_without_origin_it_came_from_its_topic() -> None:
    assert belief_fields(belief_event(BeliefFields("on", ("a", "b")), 0, "/b")).origin == "/b"


def test_quaternions_become_unit() -> None:
    event = belief_event(BeliefFields("loc", ("box",), pose=(0, 0, 0, 1.05, 0, 0, 0)), 0, "/b")
    assert belief_fields(event).pose[3] == 1.0


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        (BeliefFields("", ("box",)), "no fluent"),
        (BeliefFields("on", ()), "expected one entity, or two"),
        (BeliefFields("on", ("box", "")), "expected one entity, or two"),
        (BeliefFields("loc", ("box",)), "expected a pose of 7 numbers"),
        (BeliefFields("on", ("box", "tray"), pose=POSE), "loc has one"),
        (BeliefFields("loc", ("box",), pose=POSE[:6]), "a pose of 6 numbers"),
        (BeliefFields("loc", ("box",), pose=(math.nan, *POSE[1:])), "expected finite numbers"),
        (BeliefFields("loc", ("box",), pose=(0.0,) * 7), "norm 0; expected 1"),
        (BeliefFields("loc", ("box",), pose=POSE, confidence=93.0), "93.0; expected 0 to 1"),
        (BeliefFields("loc", ("box",), pose=POSE, confidence=math.nan), "nan; expected 0 to 1"),
    ],
)
def test_what_is_no_belief_is_refused_in_words(fields: BeliefFields, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        belief_event(fields, 0, "/beliefs")


def test_a_message_without_belief_says_why() -> None:
    assert (
        belief_problem(invalid_belief_event("message 3: no pose", 0, "/b")) == "message 3: no pose"
    )
    assert belief_problem(belief_event(BeliefFields("on", ("a", "b")), 0, "/b")) == ""
