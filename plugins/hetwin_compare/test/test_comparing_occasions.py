"""Where the occasions of two runs part."""

from __future__ import annotations

from support.compared import side, stepped
from support.made_tables import MadeTables, ns

from hetwin_compare.comparison import Side
from hetwin_compare.happenings import disagreements, parting_of_occasions
from hetwin_core.episodes.tables.rows import Interval

ALL = Interval(0, ns(10.0))


def run(*held: tuple[str, str, str, float, float | None], can: bool = False) -> Side:
    made = MadeTables()
    for fluent, a, b, begin, end in held:
        made.held(fluent, a, b, (begin, end))
    return side(made, can=stepped(made) if can else None)


def found(here: Side, there: Side) -> list[tuple[str, float]]:
    return [(item.words(), item.span.from_ns / 1e9) for item in disagreements(here, there, ALL)]


def test_what_holds_in_one_run_alone() -> None:
    here = run(("on", "box", "table", 0.0, 2.5), ("on", "box", "tray", 5.8, None))
    there = run(("on", "box", "table", 0.0, 2.5), ("on", "box", "table", 6.0, None))
    assert found(here, there) == [
        ("only here: on(box, tray)", 5.8),
        ("only there: on(box, table)", 6.0),
    ]
    parting = parting_of_occasions(disagreements(here, there, ALL))
    assert parting is not None
    assert (parting.time_ns, parting.entities) == (ns(5.8), ("box", "tray"))
    assert parting.here == {"fluent": "on", "a": "box", "b": "tray", "from": 5.8, "to": 10.0}
    assert parting.there is None
    assert parting_of_occasions([]) is None


def test_gaps_and_lags_below_the_tolerance_are_no_difference() -> None:
    here = run(("contact", "box", "palm", 2.0, 4.0))
    there = run(("contact", "box", "palm", 2.09, 3.0), ("contact", "box", "palm", 3.05, 4.08))
    assert not found(here, there)
    assert found(here, run(("contact", "box", "palm", 2.2, 4.0))) == [
        ("only here: contact(box, palm), for 0.20 s", 2.0)
    ]


def test_what_differs_in_the_first_state_is_taken_off() -> None:
    here, there = run(("on", "box", "table", 0.0, 3.0)), run(("on", "box", "tray", 0.0, 3.0))
    assert not found(here, there)
    back = run(("on", "box", "tray", 0.0, 3.0), ("on", "box", "tray", 5.0, None))
    assert found(here, back) == [("only there: on(box, tray)", 5.0)]


def test_what_one_log_cannot_know_and_what_follows_from_motion_is_not_compared() -> None:
    assert not found(run(("connected", "box", "tray", 2.0, 4.0)), run())
    assert not found(run(("moving", "box", "", 2.0, 4.0), ("loc", "box", "", 0.0, 2.0)), run())


def test_an_object_of_one_run_alone() -> None:
    """It has no part in the other run: what changes about it is a difference, what does not is given."""
    assert not found(run(), run(("on", "can", "table", 0.1, None), can=True))
    falls = run(("on", "can", "table", 0.0, 7.0), ("contact", "can", "palm", 6.9, 7.1), can=True)
    assert found(run(), falls) == [
        ("only there: contact(can, palm), for 0.20 s", 6.9),
        ("only there: on(can, table) ends", 7.0),
    ]
