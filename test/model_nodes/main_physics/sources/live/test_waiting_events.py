"""Events of a live robot wait until the run comes to them; skipped time makes later ones earlier."""

from __future__ import annotations

from hetwin_core.ensemble.events import Event
from model_nodes.main_physics.sources.live.readers import EventQueue

EPOCH = 1_000


def event(name: str, time_ns: int, source: str = "robot") -> Event:
    return Event(name, time_ns, source=source)


def test_they_are_due_by_time_and_numbered_by_their_source() -> None:
    waiting = EventQueue()
    waiting.add([event("over", 900), event("late", 1_300), event("soon", 1_100)])
    waiting.set_epoch(EPOCH)
    waiting.add_own(100, "own", {"seconds": 1.0})
    assert len([*waiting]) == 3
    assert waiting.first_ns == 1_100
    assert [one.name for one in waiting.due(99)] == []
    found = waiting.due(100)
    assert [(one.name, one.time_ns) for one in found] == [("soon", 100), ("own", 100)]
    assert [one.sequence for one in waiting.due(300)] == [found[0].sequence + 1]
    assert not [*waiting]


def test_skipped_time_is_left_out() -> None:
    waiting = EventQueue()
    waiting.set_epoch(EPOCH)
    waiting.add([event("before", 1_100), event("within", 1_250), event("after", 1_600)])
    waiting.skip(200, 300)
    assert [(one.name, one.time_ns) for one in waiting.due(1_000)] == [
        ("before", 100),
        ("within", 200),
        ("after", 300),
    ]
