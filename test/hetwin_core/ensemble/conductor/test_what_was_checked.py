"""What a run has checked is folded from its observer's events, whatever else happened."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.random_examples import examples

from hetwin_core.ensemble.conductor.reporting.concerns import Concern, Severity
from hetwin_core.ensemble.conductor.reporting.coverage import (
    Claim,
    CoverageRow,
    coverage_event,
    coverage_of,
    ended_early,
    is_coverage,
    unseen,
)
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.tasks import TaskFields, task_event

END_NS = 10_000_000_000
S = 1_000_000_000


def said(at: float, checked: bool, **more: Any) -> Event:
    event = coverage_event(CoverageRow(Claim.GRIP, "hand", checked, **more), round(at * S))
    return Event(event.name, event.time_ns, EventKind.MODEL, "robot_health", 0, event.arguments)


def only(*events: Event, concerns: tuple[Concern, ...] = ()) -> CoverageRow:
    (found,) = coverage_of(events, concerns, 0, END_NS)
    return found


def test_what_is_checked_from_the_start_is_checked_to_the_end() -> None:
    found = only(said(0.0, True, sources=("fingers",), of=("left", "right")))
    assert found == CoverageRow(
        Claim.GRIP, "hand", True, True, ("fingers",), ("left", "right"), ((0, END_NS),)
    )
    assert not found.unseen


def test_what_was_not_checked_for_a_while_is_not_checked() -> None:
    found = only(
        said(0.0, True), said(2.0, False, why="no samples"), said(3.0, True), said(5.0, True)
    )
    assert (found.checked, found.holds, found.why) == (False, True, "no samples")
    assert found.spans == ((0, 2 * S), (3 * S, END_NS))
    assert found.unseen


def test_what_was_never_checked_neither_holds_nor_fails() -> None:
    found = only(said(0.0, False, why="no shapes", matters=False))
    assert (found.checked, found.holds, found.spans) == (False, None, ())
    assert not found.unseen


def test_a_serious_concern_about_it_lets_it_not_hold() -> None:
    def touched(severity: Severity, name: str = "link_touches") -> tuple[Concern, ...]:
        return (Concern(name, severity, 0, 1, {"link": "arm"}, 1),)

    event = coverage_event(CoverageRow(Claim.TOUCH, "arm", True), 0)
    event = Event(event.name, 0, EventKind.MODEL, "robot_health", 0, event.arguments)
    assert only(event, concerns=touched(Severity.NOTE)).holds is True
    assert only(event, concerns=touched(Severity.WARNING)).holds is False
    assert only(event, concerns=touched(Severity.ABSURD, "gap")).holds is True


def test_a_concern_about_one_object_says_nothing_of_another() -> None:
    events = [coverage_event(CoverageRow(Claim.DROP, name, True), 0) for name in ("box", "can")]
    events = [Event(e.name, 0, EventKind.MODEL, "robot_health", 0, e.arguments) for e in events]
    fell = Concern("fell", Severity.WARNING, 0, 1, {"object": "box"}, 1)
    found = coverage_of(events, (fell,), 0, END_NS)
    assert [(one.subject, one.holds) for one in found] == [("box", False), ("can", True)]


def test_tasks_are_claims_of_the_program() -> None:
    def task(at: float, name: str, status: str, parent: str = "") -> Event:
        return task_event(TaskFields(name, parent, status=status), round(at * S), "robot")

    events = [
        task(0.0, "clear", "active"),
        task(1.0, "pick", "active", "clear"),
        task(2.0, "pick", "failed", "clear"),
        task(3.0, "clear", "failed"),
        task(4.0, "wipe", "done"),
        task(5.0, "rest", "active"),
    ]
    found = coverage_of(events, (), 0, END_NS)
    assert [(one.subject, one.checked, one.holds) for one in found] == [
        ("clear", True, False),
        ("wipe", True, True),
        ("rest", False, None),
    ]
    assert not unseen(found)


def test_a_run_that_nobody_watched_was_not_seen() -> None:
    assert unseen(())


def test_events_of_others_with_this_name_are_no_coverage() -> None:
    event = coverage_event(CoverageRow(Claim.GRIP, "hand", True), 0)
    assert not is_coverage(Event(event.name, 0, EventKind.MODEL, "tank", 0, event.arguments))
    assert coverage_of([event], (), 0, END_NS) == ()


CHANGES = st.lists(st.tuples(st.integers(0, 100), st.booleans()), min_size=1, max_size=12)


@given(CHANGES)
@examples(200)
def test_spans_are_apart_in_order_and_within_the_run(changes: list[tuple[int, bool]]) -> None:
    found = only(*(said(at / 10, checked) for at, checked in changes))
    times = [time for span in found.spans for time in span]
    assert times == sorted(set(times))
    assert all(0 <= time <= END_NS for time in times)
    assert found.checked == all(checked for _, checked in changes)
    assert (found.holds is None) == (not found.spans)


def test_time_is_not_checked_where_the_recording_ended_before_what_was_asked_for() -> None:
    time, grip = (CoverageRow(claim, "arm", True, True) for claim in (Claim.TIME, Claim.GRIP))
    late, same = ended_early((time, grip), END_NS, END_NS + 2 * S)
    assert (late.checked, late.holds, late.unseen) == (False, None, True)
    assert late.why == "the recording ended at 10.00 s, before the 12.00 s that were asked for"
    assert same == grip
