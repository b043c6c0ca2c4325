"""Questions from Python, to tables that are made up; at random they agree with a naive reading, moment by moment."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.made_tables import MadeTables, placed_box

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.episodes.asking.answer import NotKnown
from hetwin_core.episodes.asking.asked import AskedTables
from hetwin_core.episodes.asking.terms import (
    ANY,
    Term,
    Variable,
    contact,
    event,
    held,
    loc,
    moving,
    on,
    state,
    supporting,
    visible,
)
from hetwin_core.episodes.asking.times import END, START, When, at, during, throughout

EPISODE = AskedTables(placed_box().made())


def test_a_moment() -> None:
    answer = EPISODE.holds(on("box", "tray"), at(END))
    assert answer.truth is True
    assert bool(answer)
    assert answer.seconds == [(5.8, 10.0)]
    assert [(row.table, row.row) for row in answer.evidence] == [("occasions", 7)]
    assert EPISODE.holds(on("box", "tray"), 5.7).truth is False
    assert EPISODE.holds(supporting("tray", "box"), 5.9).truth is True


def test_any_is_bound() -> None:
    answer = EPISODE.holds(on(ANY, "table"), at(START))
    assert [binding["a"] for binding in answer.bindings] == ["tray", "cup1", "cup2", "box"]
    assert EPISODE.holds(on(ANY, "table"), at(END)).bindings == ({"a": "tray"}, {"a": "cup1"})
    assert EPISODE.holds(on(ANY, "box"), during(START, END)).bindings == ()


def test_some_time_in_and_all_of() -> None:
    assert EPISODE.holds(held("box"), during(0, 10))
    assert not EPISODE.holds(held("box"), throughout(2.2, 6.0))
    assert EPISODE.holds(held("box"), throughout(2.2, 5.999))
    assert EPISODE.holds(held("box"), EPISODE.task("place")).truth is True
    answer = EPISODE.holds(held("box"), throughout(EPISODE.task("place.1")))
    assert (answer.truth, answer.seconds) == (False, [(2.6, 6.0)])


def test_composed() -> None:
    lost = EPISODE.where(~on(ANY, "table") | on("box", "tray"), during(1, 10))
    assert lost.seconds == [(5.8, 10.0)]
    still = EPISODE.where(held("box") & ~moving("box"))
    assert still.seconds == [(2.2, 2.4), (5.8, 6.0)]
    assert {row.row for row in still.evidence} == {5, 6}


def test_a_variable_is_the_same_entity_everywhere() -> None:
    x = Variable("x")
    both = EPISODE.where(on(x, "table") & contact(x, "right_hand"))
    assert both.bindings == ({"x": "cup2"}, {"x": "box"})
    assert both.seconds == [(2.0, 2.5), (7.9, 8.0)]
    free = EPISODE.holds(on("cup1", "table") & ~contact(x, "right_hand"), at(8.05))
    assert {"x": "cup1"} in free.bindings
    assert {"x": "cup2"} not in free.bindings


def test_hands_and_robots_stand_for_their_links() -> None:
    for name in ("right_hand", "arm", "robot", "palm"):
        assert EPISODE.holds(contact(name, "cup2"), 8.0)
    assert not EPISODE.holds(contact("base_link", "cup2"), 8.0)
    assert [e.time_ns for e in EPISODE.occurs(event("collision", "robot"))] == [
        2 * 10**9,
        79 * 10**8,
    ]
    assert EPISODE.value(loc("robot"), 3).value == [1.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0]


def test_what_was_not_recorded_is_not_known() -> None:
    answer = EPISODE.holds(visible("box"), 3)
    assert answer.truth is None
    with pytest.raises(NotKnown):
        bool(answer)
    assert EPISODE.holds(visible("box") & held("cup1"), 3).truth is False
    assert EPISODE.holds(visible("box") | held("box"), 3).truth is True


def test_a_growing_log_tells_what_it_knows() -> None:
    made = placed_box()
    made.finished = False
    episode = AskedTables(made.made())
    assert episode.holds(on("box", "tray"), 12).truth is None
    assert episode.holds(held("box"), during(5, 12)).truth is True
    assert episode.holds(held("cup1"), during(5, 12)).truth is None
    assert episode.holds(held("box"), throughout(5, 12)).truth is False
    assert episode.holds(on("box", "tray"), throughout(6, 12)).truth is None
    with pytest.raises(NotKnown):
        episode.occurs(event("fell"), during(5, 12))
    assert len(episode.occurs(event("fell"))) == 1


def test_a_time_that_was_rounded_up_is_the_end() -> None:
    assert EPISODE.holds(on("box", "tray"), at(10.0005)).truth is True
    assert EPISODE.holds(on("box", "tray"), throughout(6, 10.0005)).truth is True
    with pytest.raises(BadInput, match="outside of the episode"):
        EPISODE.holds(on("box", "tray"), at(10.002))


def test_a_term_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    episode = AskedTables(placed_box().made())
    term = on(ANY, "table") & ~held(ANY)
    before = [episode.holds(term, at(t)) for t in (1, 3, 9)]
    monkeypatch.setattr(episode.tables.occasions, "find", None)
    assert [episode.holds(term, at(t)) for t in (1, 3, 9)] == before
    assert [len(answer.evidence) for answer in before] == [4, 4, 2]


def test_places() -> None:
    assert EPISODE.holds(loc("box", near=[0.4, 0.2, 0.5], within=0.05), at(START))
    answer = EPISODE.where(loc("box", near=[0.5, 0.0], within=0.1))
    ((begin, end),) = answer.seconds
    assert begin == pytest.approx(5 - 0.1 / 0.0447, abs=0.02)
    assert end == pytest.approx(5 + 0.1 / 0.0447, abs=0.02)
    assert EPISODE.holds(loc("box", near="tray", within=0.68), 0)
    assert not EPISODE.holds(loc("box", near="tray", within=0.67), 0)
    turned = [0.4, 0.2, 0.5, 0.707, 0.0, 0.0, 0.707]
    assert not EPISODE.holds(loc("box", near=turned), 0)
    assert EPISODE.holds(loc("box", near=turned, turned=1.58), 0)


def test_conditions_on_the_state() -> None:
    answer = EPISODE.where(state('height("box") > h', h=0.7))
    assert answer.seconds == [(5.01, 10.0)]
    assert EPISODE.holds(state('height("box") > 0.7') & on("box", "tray"), at(6))
    with pytest.raises(BadInput, match="the scene has no bxo"):
        EPISODE.holds(state('height("bxo") > 0.7'), 1)
    with pytest.raises(BadInput, match="must be true or false"):
        EPISODE.holds(state('height("box")'), 1)


def test_beliefs() -> None:
    near = loc("box", near=[0.6, 0.2, 0.5])
    assert EPISODE.believed.holds(near, throughout(5, 8))
    assert not EPISODE.believed.holds(near, throughout(3, 8))
    assert EPISODE.believed.holds(held("box"), 3).truth is None
    assert EPISODE.incorrect_belief(loc("box")).seconds == [(1.0, 4.0)]
    assert EPISODE.incorrect_belief(loc("box"), at(5)).truth is False
    assert EPISODE.incorrect_belief(loc("cup1")).truth is None
    assert EPISODE.incorrect_belief(loc("box", near=[0.4, 0.2, 0.5], within=0.05)).seconds == [
        (0.84, 4.0)
    ]
    assert EPISODE.variable(loc("box"), at(3)).value == [0.4, 0.2, 0.5, 1.0, 0.0, 0.0, 0.0]
    assert [e.time_ns for e in EPISODE.believed.occurs(event("picked_up", "box"))] == [
        2_600_000_000
    ]


def test_percepts_make_visible() -> None:
    made = placed_box()
    made.happened("perceived", 3.0, object="cup1", confidence=0.9)
    episode = AskedTables(made.made())
    assert episode.believed.holds(visible("cup1"), during(2, 4))
    assert episode.believed.holds(visible("cup2"), during(2, 4)).truth is False
    assert episode.believed.holds(visible(ANY), during(2, 4)).bindings == ({"a": "cup1"},)


def test_tasks() -> None:
    place = EPISODE.task("place.1")
    above = EPISODE.supertask(place)
    assert above is not None
    assert above.id == "bring.1"
    assert EPISODE.supertask(above) is None
    assert EPISODE.holds(EPISODE.goal(place), at(6.5))
    assert [task.id for task in EPISODE.tasks("pick_up")] == ["pick_up.1"]
    assert EPISODE.variable("object", 3).value == "box"
    assert EPISODE.variable("object", 8).value is None
    with pytest.raises(BadInput, match="no goal"):
        EPISODE.goal(EPISODE.task("retreat"))
    assert EPISODE.expected(EPISODE.occurs(event("pick_up"))[0]) is True
    assert EPISODE.expected(EPISODE.occurs(event("fell"))[0]) is False


def test_counts() -> None:
    assert EPISODE.count(event("collision")) == 2
    assert EPISODE.count(on("box", ANY)) == 2


@pytest.mark.parametrize(
    ("term", "when", "says"),
    [
        (on("bxo", "tray"), at(1), "unknown entity.*'bxo'.*perhaps 'box'"),
        (event("onn", "box"), at(1), "unknown fluent.*perhaps 'on'"),
        (event("picked_up", "box"), at(1), "this is an event, not a fluent"),
        (event("on", "box", "tray", "table"), at(1), r"other arguments.*on\(a, b\)"),
        (on("box", "tray"), at(11), "outside of the episode; found '11 s'; expected 0 to 10 s"),
        (on("box", "tray"), during(-1, 5), "outside of the episode; found '-1 s'"),
        (on("box", "tray"), during(5, 4), "ends before it begins"),
        (on("box", "tray"), at(float("nan")), "not a time"),
        (on("box", "tray"), during(5), "needs two moments"),
    ],
)
def test_bad_input(term: Term, when: When, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        EPISODE.holds(term, when)


# ------------------------------------------------------------------ at random

NAMES = ("box", "cup1", "tray")
spans = st.lists(st.tuples(st.integers(0, 50), st.integers(1, 30)), max_size=4)
tables = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), spans), max_size=4)
terms = st.recursive(
    st.builds(on, st.sampled_from(NAMES), st.sampled_from((*NAMES, ANY)))
    | st.builds(contact, st.sampled_from((*NAMES, ANY)), st.sampled_from(NAMES)),
    lambda inner: (
        st.builds(lambda a, b: a & b, inner, inner)
        | st.builds(lambda a, b: a | b, inner, inner)
        | st.builds(lambda a: ~a, inner)
    ),
    max_leaves=4,
)


def naive(term: object, made: MadeTables, time: float) -> bool:
    """Whether a term is true, read off each row."""
    match str(type(term).__name__):
        case "Both":
            return naive(term.one, made, time) and naive(term.two, made, time)  # type: ignore[attr-defined]
        case "Either":
            return naive(term.one, made, time) or naive(term.two, made, time)  # type: ignore[attr-defined]
        case "Negation":
            return not naive(term.of, made, time)  # type: ignore[attr-defined]
    a, b = (None if isinstance(n, Variable) else n for n in term.arguments)  # type: ignore[attr-defined]
    for row in made.occasions:
        ends = made.end + 1 if not row.ended else row.span.to_ns / 1e9
        if row.fluent != term.name or not row.span.from_ns / 1e9 <= time < ends:  # type: ignore[attr-defined]
            continue
        orders = [(row.a, row.b), (row.b, row.a)] if row.fluent == "contact" else [(row.a, row.b)]
        if any((a in (None, x)) and (b in (None, y)) for x, y in orders):
            return True
    return False


@given(tables, tables, terms, st.integers(0, 100), st.integers(0, 100))
def test_it_agrees_with_a_naive_reading(
    standing: list[tuple[str, str, list[tuple[int, int]]]],
    touching: list[tuple[str, str, list[tuple[int, int]]]],
    term: Term,
    one: int,
    other: int,
) -> None:
    made = MadeTables()
    for fluent, rows in (("on", standing), ("contact", touching)):
        for a, b, times in rows:
            ends = [(s / 10, None if s + n >= 75 else (s + n) / 10) for s, n in times]
            made.held(fluent, a, b, *ends)
    episode = AskedTables(made.made())
    first, last = min(one, other) / 10, max(one, other) / 10
    moments = np.arange(min(one, other), max(one, other) + 1) / 10
    truths = [naive(term, made, float(moment)) for moment in moments]
    assert episode.holds(term, at(first)).truth is truths[0]
    assert episode.holds(term, during(first, last)).truth is any(truths)
    assert episode.holds(term, throughout(first, last)).truth is all(truths)
