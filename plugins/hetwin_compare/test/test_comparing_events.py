"""Where the events of two runs part."""

from __future__ import annotations

from support.compared import side
from support.made_tables import MadeTables, ns

from hetwin_compare.comparison import Side
from hetwin_compare.happenings import (
    EventSplit,
    parting_of_event,
    split_events,
    split_words,
)
from hetwin_core.episodes.tables.rows import Interval

ALL = Interval(0, ns(10.0) + 1)


def run(*events: tuple[str, float, dict[str, str | float]], source: str = "handling") -> Side:
    made = MadeTables()
    for name, time, arguments in events:
        made.happened(name, time, source, **arguments)
    return side(made)


def split(here: Side, there: Side) -> list[EventSplit]:
    return split_events(here, there, ALL)


PUT_DOWN = ("put_down", 6.0, {"object": "box", "support": "tray"})


def test_the_same_about_the_same_time_is_the_same() -> None:
    late = ("put_down", 6.09, {"object": "box", "support": "tray", "force": 3.0})
    assert not split(run(PUT_DOWN), run(late))


def test_what_only_one_run_has() -> None:
    (found,) = split(run(("fell", 1.0, {"object": "cup1"}), PUT_DOWN), run(PUT_DOWN))
    assert found.there is None
    assert split_words(found) == "only here: cup1 fell"
    (found,) = split(run(PUT_DOWN), run(("fell", 1.0, {"object": "cup1"}), PUT_DOWN))
    parting = parting_of_event(found, run(), run())
    assert (parting.time_ns, parting.entities, parting.here) == (ns(1.0), ("cup1",), None)
    assert parting.there == {"name": "fell", "time": 1.0, "arguments": {"object": "cup1"}}


def test_other_arguments_are_shown_side_by_side() -> None:
    beside = ("put_down", 6.2, {"object": "box", "support": "table"})
    (found,) = split(run(PUT_DOWN), run(beside))
    assert found.here is not None
    assert found.there is not None
    parting = parting_of_event(found, run(), run())
    assert parting.entities == ("box", "tray", "table")
    told = {"name": "put_down", "time": 6.0, "arguments": dict(PUT_DOWN[2])}
    assert parting.here == told
    assert parting.there == {"name": "put_down", "time": 6.2, "arguments": dict(beside[2])}
    assert split_words(found) == ("here: box put down on tray; there: box put down on table")


def test_the_same_later_is_a_difference_from_the_earlier_time_on() -> None:
    (found,) = split(run(("put_down", 6.5, PUT_DOWN[2])), run(PUT_DOWN))
    assert found.time_ns == ns(6.0)
    assert split_words(found) == "box put down on tray, 0.50 s earlier there"


def test_the_second_of_two_is_missing() -> None:
    again = ("put_down", 8.0, PUT_DOWN[2])
    (found,) = split(run(PUT_DOWN, again), run(PUT_DOWN))
    assert found.time_ns == ns(8.0)


def test_edges_of_occasions_are_left_to_the_occasions() -> None:
    touch = ("collision", 2.0, {"a": "box", "b": "palm"})
    assert not split(run(touch, source="states"), run())
    assert split(run(touch, source="bumper"), run())
    assert split(run(("pick_up", 2.0, {"object": "box"}), source="states"), run())


def test_what_happens_after_the_other_has_ended_is_no_difference() -> None:
    assert not split_events(run(PUT_DOWN), run(), Interval(0, ns(5.0)))
