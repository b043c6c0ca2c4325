"""A trigger on an attribute or a topic with a comparison wakes when the comparison becomes true."""

from __future__ import annotations

import pytest
from support.small_ensemble import HEADER, Outcome, run

from hetwin_core.ensemble.events import Event, EventKind

LEVELS = """
scenario: levels
rate: 100
models:
  gauge: {type: "support.small_ensemble:Gauge", main: true, parameters: {levels: [0, 2, 3, 1, 2, 2, 0, 5]}}
triggers:
  - name: t
    on: {attribute: level, entity: tank, COMPARISON}
    do: [{raise: {event: woken, arguments: {value: $event.value}}}]
"""


@pytest.mark.parametrize(
    ("comparison", "woken"),
    [
        ("above: 1.5", [(0.02, 2.0), (0.05, 2.0), (0.08, 5.0)]),
        ("below: 0.5", [(0.01, 0.0), (0.07, 0.0)]),
        ("equals: 2", [(0.02, 2.0), (0.05, 2.0)]),
        ("above: 7", []),
    ],
)
def test_rising_edges_of_an_attribute(comparison: str, woken: list[tuple[float, float]]) -> None:
    outcome = run(LEVELS.replace("COMPARISON", comparison), duration=1.0)
    events = [e for e in outcome.record.events if e.name == "woken"]
    assert [(e.time_ns / 1e9, e.arguments["value"]) for e in events] == woken


def test_another_number_of_the_attribute() -> None:
    text = HEADER + (
        "triggers: [{name: t, on: {attribute: pose, entity: ball, index: 2, below: 0.99},"
        " do: [{raise: {event: woken}}]}]\n"
    )
    events = run(text).record.events
    assert [e.name for e in events] == ["woken"]


TOPIC = (
    HEADER
    + """
triggers:
  - {name: t, on: {topic: /door, REST}, do: [{raise: {event: woken, arguments: {by: $event.source}}}]}
"""
)


def told(rest: str, *values: object) -> Outcome:
    """A run in which the topic says these values, one after the other."""
    events = [
        Event("/door", 1000 * i, EventKind.TOPIC, "bag", arguments={"data": v, "a": {"b": v}})  # type: ignore[dict-item]
        for i, v in enumerate(values)
    ]
    text = TOPIC.replace(", REST", rest and f", {rest}")
    return run(text, Event("/other", 0, EventKind.TOPIC, arguments={"data": 9}), *events)


@pytest.mark.parametrize(
    ("rest", "values", "count"),
    [
        ("", (1, 1, 0), 3),
        ("above: 0.5", (0, 1, 2, 0, 1), 2),
        ("equals: open", ("open", "open", "shut", "open"), 2),
        ("equals: true", (True, False, True), 2),
        ("field: a.b, above: 0.5", (0, 1), 1),
        ("field: a.c, above: 0.5", (0, 1), 0),
        ("field: data.x, above: 0.5", (0, 1), 0),
    ],
)
def test_topics(rest: str, values: tuple[object, ...], count: int) -> None:
    outcome = told(rest, *values)
    assert outcome.summary.error is None
    assert outcome.names().count("woken") == count
    assert outcome.names().count("/door") == len(values)


def test_what_cannot_be_compared_fails_the_run() -> None:
    error = told("above: 0.5", "open").summary.error
    assert error is not None
    assert (error["model"], error["call"]) == ("trigger t", "on")
    assert "/door.data is 'open'; expected a number" in str(error["reason"])
