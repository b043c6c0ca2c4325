"""Concerns are folded from events, one per thing, in whatever order these come."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.random_examples import examples

from hetwin_core.ensemble.conductor.reporting.concerns import (
    NewConcerns,
    Severity,
    Verdict,
    concerns_of,
    run_concerns,
    verdict_of,
)
from hetwin_core.ensemble.events import Event, EventKind, Json
from hetwin_core.ensemble.tasks import TaskFields, task_event

END_NS = 10_000_000_000


def event(at: float, severity: str, name: str = "link_touches", **arguments: Json) -> Event:
    given = {"severity": severity, "link": "forearm", "partner": "table", **arguments}
    return Event(name, round(at * 1e9), source="robot_health", arguments=given)


def over(at: float, severity: str, begun: float, **arguments: Json) -> Event:
    return event(at, severity, **{"from": begun, "to": at, **arguments})


def test_beginning_worsening_and_end_are_one_occurrence() -> None:
    events = [
        event(1.0, "note", depth=0.001),
        event(1.5, "warning", depth=0.01, **{"from": 1.0}),
        over(2.0, "warning", 1.0, depth=0.012),
    ]
    (concern,) = concerns_of(events, END_NS)
    assert concern.row() == {
        "name": "link_touches",
        "severity": "warning",
        "from": 1.0,
        "to": 2.0,
        "arguments": {"link": "forearm", "partner": "table", "depth": 0.012},
        "text": "forearm touches table and is 1.2 cm inside",
        "count": 1,
    }


def test_a_drop_that_an_observer_of_hands_reports_is_a_concern_if_it_has_a_severity() -> None:
    said: dict[str, Json] = {
        "object": "box",
        "hand": "clamp",
        "height": 0.236,
        "from": 5.69,
        "to": 6.19,
    }
    lost = Event(
        "dropped", 6_190_000_000, source="handling", arguments={**said, "severity": "warning"}
    )
    (concern,) = concerns_of([lost], END_NS)
    assert concern.row() == {
        "name": "dropped",
        "severity": "warning",
        "from": 5.69,
        "to": 6.19,
        "arguments": {"object": "box", "hand": "clamp", "height": 0.236},
        "text": "box dropped by clamp, and fell by 23.6 cm",
        "count": 1,
    }
    assert concerns_of([Event("dropped", 0, source="handling", arguments=said)], END_NS) == ()


def test_what_has_not_ended_lasts_to_the_end_of_the_run() -> None:
    (concern,) = concerns_of([event(1.0, "note")], END_NS)
    assert (concern.from_ns, concern.to_ns) == (1_000_000_000, END_NS)


def test_repeated_occurrences_are_counted_and_the_worst_one_speaks() -> None:
    events = [over(t + 0.5, "note", t, depth=0.001 * t) for t in (1.0, 2.0, 4.0)]
    events.append(over(3.5, "absurd", 3.0, depth=0.05))
    (concern,) = concerns_of(events, END_NS)
    assert (concern.count, concern.severity) == (4, Severity.ABSURD)
    assert concern.arguments["depth"] == 0.05
    assert (concern.from_ns, concern.to_ns) == (1_000_000_000, 4_500_000_000)


def test_different_texts_are_different_concerns_and_the_worst_comes_first() -> None:
    events = [
        event(1.0, "note", partner="wall"),
        event(3.0, "absurd", partner="floor"),
        event(2.0, "note", partner="table"),
    ]
    found = concerns_of(events, END_NS)
    assert [c.arguments["partner"] for c in found] == ["floor", "wall", "table"]


def test_events_of_others_are_no_concerns() -> None:
    others = [
        Event("link_touches", 0, source="someone", arguments={"severity": "absurd"}),
        Event("pick", 0, EventKind.ACTION, "robot", arguments={"phase": "begin"}),
        Event("link_touches", 0, source="robot_health", arguments={"severity": "terrible"}),
        Event("link_touches", 0, source="robot_health"),
    ]
    assert concerns_of(others, END_NS) == ()


def test_the_failure_of_the_observer_is_a_concern() -> None:
    rows = [{"model": "robot_health", "time": 2.5}, {"model": "grasp", "time": 1.0}]
    (concern,) = run_concerns([], rows, END_NS)
    assert (concern.name, concern.severity) == ("not_watched", Severity.WARNING)
    assert (concern.from_ns, concern.to_ns) == (2_500_000_000, END_NS)


def test_the_verdict_is_that_of_the_worst() -> None:
    note, warning, absurd = Severity
    assert verdict_of([]) is Verdict.FINE
    assert verdict_of([note], unseen=True) is Verdict.UNCHECKED
    assert verdict_of([warning], unseen=True) is Verdict.DOUBTFUL
    assert verdict_of([absurd], ended="failed") is Verdict.FAILED
    assert verdict_of([], ended="stopped") is Verdict.STOPPED
    assert verdict_of([], ended="recording") is Verdict.FINE
    assert verdict_of([note, note]) is Verdict.FINE
    assert verdict_of([note, warning]) is Verdict.DOUBTFUL
    assert verdict_of([warning, absurd, note]) is Verdict.ABSURD


def test_a_concern_is_shown_when_it_begins_and_when_it_is_worse() -> None:
    shown = NewConcerns()
    steps = [
        (event(1.0, "note"), True),
        (over(1.5, "note", 1.0), False),
        (event(2.0, "note"), False),
        (event(2.1, "absurd", **{"from": 2.0}), True),
        (event(2.2, "warning", **{"from": 2.0}), False),
        (event(2.2, "warning", partner="wall"), True),
    ]
    assert [shown.is_new(e) for e, _ in steps] == [new for _, new in steps]


SEVERITIES = st.sampled_from([s.value for s in Severity])
STARTS = st.integers(0, 9)


@st.composite
def occurrences(draw: st.DrawFn) -> list[Event]:
    """Events of one occurrence, which begins at a whole second."""
    begun = float(draw(STARTS))
    partner = draw(st.sampled_from(["table", "wall"]))
    depth = draw(st.floats(0.0, 1.0))
    found = [event(begun, draw(SEVERITIES), partner=partner, depth=depth)]
    if draw(st.booleans()):
        found.append(over(begun + 0.5, draw(SEVERITIES), begun, partner=partner, depth=depth))
    return found


@examples(100)
@given(st.lists(occurrences(), max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_the_events_does_not_matter(groups: list[list[Event]], random: object) -> None:
    events = [e for group in groups for e in group]
    shuffled = list(events)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert concerns_of(events, END_NS) == concerns_of(shuffled, END_NS)


@examples(100)
@given(st.lists(occurrences(), max_size=8))
def test_counts_and_severities_are_those_of_the_occurrences(groups: list[list[Event]]) -> None:
    found = concerns_of([e for group in groups for e in group], END_NS)
    begun = {(g[0].arguments["partner"], g[0].time_ns) for g in groups}
    assert sum(concern.count for concern in found) == len(begun)
    worst = max(
        (Severity(str(e.arguments["severity"])) for g in groups for e in g), key=rank, default=None
    )
    assert max((c.severity for c in found), key=rank, default=None) == worst
    for concern in found:
        assert 0 <= concern.from_ns <= concern.to_ns <= END_NS


def rank(severity: Severity) -> int:
    return severity.rank


def test_a_failed_task_is_a_concern_unless_it_is_part_of_another() -> None:
    def task(name: str, status: str, at: float, parent: str = "", reason: str = "") -> Event:
        fields = TaskFields(name, parent, status=status, reason=reason)
        return task_event(fields, round(at * 1e9), "robot")

    events = [
        task("clear", "active", 0.0),
        task("pick", "failed", 1.0, "clear"),
        task("clear", "failed", 2.0, reason="out of reach"),
        task("wipe", "failed", 3.0),
        task("wipe", "done", 4.0),
    ]
    (found,) = run_concerns(events, (), END_NS)
    assert (found.severity, found.from_ns) == (Severity.WARNING, 2_000_000_000)
    assert found.text == "the task clear failed: out of reach"
