"""What lasts has an event when it begins, when it is much worse, and when it is over."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from support.random_examples import examples

from hetwin_core.ensemble.conductor.reporting.concerns import Severity, concerns_of
from hetwin_core.ensemble.events import Event
from model_nodes.robot_health.lasting import Found, LastingFindings

STEP_NS = 20_000_000
NOTE, WARNING, ABSURD = Severity


def found(measure: float, severity: Severity = NOTE) -> Found:
    return Found(severity, measure, {"thing": "a", "depth": measure})


def follow(
    lasting: LastingFindings, *measures: float | None
) -> list[tuple[int, dict[str, object]]]:
    """Step number and arguments of each event; None: nothing is found in that step."""
    events: list[Event] = []
    for step, measure in enumerate(measures):
        now = {} if measure is None else {("a",): found(measure)}
        events += lasting.update(step * STEP_NS, now)
    return [(e.time_ns // STEP_NS, dict(e.arguments)) for e in events]


def test_beginning_and_end_carry_the_time_and_the_worst() -> None:
    none = [None] * 7
    events = follow(LastingFindings("odd"), None, 1.0, 1.5, 1.2, *none)
    assert events == [
        (1, {"severity": "note", "thing": "a", "depth": 1.0}),
        (3, {"severity": "note", "thing": "a", "depth": 1.5, "from": 0.02, "to": 0.06}),
    ]


def test_a_short_absence_changes_nothing() -> None:
    events = follow(LastingFindings("odd", hold_ns=2 * STEP_NS), 1.0, None, 1.0, None, 1.0)
    assert [step for step, _ in events] == [0]


def test_what_returns_after_longer_has_begun_again() -> None:
    events = follow(LastingFindings("odd", hold_ns=STEP_NS), 1.0, None, None, 1.0)
    assert [(step, "to" in a) for step, a in events] == [(0, False), (0, True), (3, False)]


def test_twice_as_bad_is_worth_an_event() -> None:
    events = follow(LastingFindings("odd"), 1.0, 1.9, 2.0, 3.9, 4.0)
    assert [(step, a["depth"], a.get("from")) for step, a in events] == [
        (0, 1.0, None),
        (2, 2.0, 0.0),
        (4, 4.0, 0.0),
    ]


def test_a_worse_severity_is_worth_an_event() -> None:
    lasting = LastingFindings("odd")
    lasting.update(0, {("a",): found(1.0)})
    (event,) = lasting.update(STEP_NS, {("a",): found(1.1, ABSURD)})
    assert event.arguments["severity"] == "absurd"
    assert lasting.update(2 * STEP_NS, {("a",): found(1.2, WARNING)}) == []


def test_what_is_shorter_than_the_delay_is_no_event() -> None:
    none = [None] * 7
    assert follow(LastingFindings("odd", delay_ns=2 * STEP_NS), 1.0, 1.0, *none) == []


def test_after_the_delay_the_event_has_the_time_of_the_beginning() -> None:
    events = follow(LastingFindings("odd", delay_ns=2 * STEP_NS), None, 1.0, 1.3, 1.2)
    assert [(step, a["depth"]) for step, a in events] == [(1, 1.3)]


def test_things_are_followed_apart() -> None:
    lasting = LastingFindings("odd")
    other = Found(NOTE, 1.0, {"thing": "b"})
    events = lasting.update(0, {("a",): found(1.0), ("b",): other})
    assert [e.arguments["thing"] for e in events] == ["a", "b"]


@examples(100)
@given(st.lists(st.none() | st.floats(0.1, 50.0), max_size=60))
def test_events_fold_to_one_concern_that_knows_the_worst(measures: list[float | None]) -> None:
    lasting = LastingFindings("odd", hold_ns=2 * STEP_NS)
    events: list[Event] = []
    for step, measure in enumerate([*measures, None, None, None]):
        now = {} if measure is None else {("a",): found(measure)}
        events += lasting.update(step * STEP_NS, now)
    named = [Event(e.name, e.time_ns, source="robot_health", arguments=e.arguments) for e in events]
    concerns = concerns_of(named, len(measures) * STEP_NS)
    present = [step for step, measure in enumerate(measures) if measure is not None]
    assert len(concerns) == bool(present)
    for concern in concerns:
        gaps = [b - a for a, b in pairwise(present)]
        assert concern.count == 1 + sum(gap > 2 for gap in gaps)
        assert concern.from_ns == present[0] * STEP_NS
        assert concern.to_ns == present[-1] * STEP_NS
        assert concern.arguments["depth"] in measures
