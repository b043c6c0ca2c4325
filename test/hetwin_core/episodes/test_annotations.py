"""Pairing the beginnings and ends of actions."""

from __future__ import annotations

from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.episodes.derived import Annotation, pair_annotations


def action(name: str, time_ns: int, phase: str, **arguments: str) -> Event:
    return Event(name, time_ns, EventKind.ACTION, arguments={"phase": phase, **arguments})


def test_equal_arguments_are_paired_first() -> None:
    found = pair_annotations(
        [
            action("move_hand", 1, "begin", hand="left"),
            action("move_hand", 2, "begin", hand="right"),
            action("move_hand", 3, "end", hand="left"),
            action("move_hand", 4, "end", hand="right"),
        ],
        0,
        9,
    )
    assert [(a.begin_ns, a.end_ns, a.arguments) for a in found] == [
        (1, 3, {"hand": "left"}),
        (2, 4, {"hand": "right"}),
    ]


def test_without_equal_arguments_the_newest_of_the_same_operation_ends() -> None:
    found = pair_annotations(
        [
            action("reach", 1, "begin", to="box"),
            action("reach", 2, "begin", to="cup"),
            action("lift", 3, "end"),
            action("reach", 4, "end"),
        ],
        0,
        9,
    )
    assert found == [
        Annotation("lift", 0, 3, {}, open_begin=True),
        Annotation("reach", 1, 9, {"to": "box"}, open_end=True),
        Annotation("reach", 2, 4, {"to": "cup"}),
    ]


def test_an_instant_begins_and_ends_at_once() -> None:
    assert pair_annotations([action("beep", 5, "instant")], 0, 9) == [Annotation("beep", 5, 5, {})]


def test_what_is_announced_has_not_begun() -> None:
    events = [action("move", 2, "announced"), action("move", 4, "begin"), action("move", 6, "end")]
    assert pair_annotations(events, 0, 9) == [Annotation("move", 4, 6, {})]


def test_phases_of_two_robots_are_not_paired() -> None:
    events = [
        action("reach", 1, "begin", robot="left"),
        action("reach", 2, "begin", robot="right"),
        action("reach", 3, "end", robot="left", hand="one"),
        action("reach", 4, "end", robot="right", hand="two"),
    ]
    paired = pair_annotations(events, 0, 10)
    assert [(p.arguments["robot"], p.begin_ns, p.end_ns) for p in paired] == [
        ("left", 1, 3),
        ("right", 2, 4),
    ]
