"""Picking up and setting down are judged when what decides them is known, not before."""

from __future__ import annotations

import pytest
from support.touching_run import layout

from hetwin_core.episodes.tables.deriving.book import Book, SceneIndex
from hetwin_core.episodes.tables.deriving.touching import HELD_ON_NS, Handling
from hetwin_core.episodes.tables.rows import BORNE

SECOND = 1_000_000_000
TICK = 10_000_000
LIFTED = SECOND


def told(let_go_ns: int | None, until_ns: int) -> list[tuple[str, int]]:
    """Events of a box that a hand holds from 0.9 s and lifts off the table at 1 s, state by state."""
    book = Book()
    handling = Handling(SceneIndex(layout()), book)
    on = book.begin_occasion(BORNE, "box", "table", 0)
    attached = book.begin_occasion("attached", "box", "finger", 9 * SECOND // 10)
    for now_ns in range(0, until_ns + 1, TICK):
        if now_ns == LIFTED:
            on.to_ns = now_ns
        if now_ns == let_go_ns:
            attached.to_ns = now_ns
        handling.update(now_ns)
    return [(event.name, event.time_ns) for event in book.happenings]


def test_what_stays_in_the_hand_is_picked_up_when_it_left_its_support() -> None:
    assert told(None, LIFTED + HELD_ON_NS - TICK) == [], "it may still slip"
    assert told(None, LIFTED + HELD_ON_NS) == [("pick_up", LIFTED)]
    assert told(2 * SECOND, 3 * SECOND) == [("pick_up", LIFTED)]


@pytest.mark.parametrize("held_ns", [0, TICK, HELD_ON_NS - TICK, HELD_ON_NS])
def test_what_slips_at_once_is_not_picked_up(held_ns: int) -> None:
    assert told(LIFTED + held_ns, 2 * SECOND) == []


def test_what_is_let_go_of_where_it_was_brought_is_set_down_when_it_rests() -> None:
    book = Book()
    handling = Handling(SceneIndex(layout()), book)
    held = book.begin_occasion("held", "box", "gripper", 0)
    book.begin_occasion(BORNE, "box", "tray", SECOND)
    handling.update(2 * SECOND)
    assert not book.happenings, "the hand has not let go"
    held.to_ns = 3 * SECOND
    handling.update(3 * SECOND + HELD_ON_NS - TICK)
    assert not book.happenings, "it may be taken off again"
    handling.update(3 * SECOND + HELD_ON_NS)
    (event,) = book.happenings
    assert (event.name, event.time_ns) == ("set_down", 3 * SECOND)
    assert event.arguments == {"object": "box", "support": "tray"}
