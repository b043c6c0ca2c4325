"""Events are followed back to what touched, let go of or moved an object, and to the task that did it."""

from __future__ import annotations

from support.made_tables import MadeTables, placed_box

from hetwin_core.episodes.asking.asked import AskedTables
from hetwin_core.episodes.asking.terms import event
from hetwin_core.episodes.tables.rows import Happening


def chain(made: MadeTables, name: str) -> list[str]:
    """The causes of the last event of a name, as short texts."""
    episode = AskedTables(made.made())
    causes = episode.causes(episode.occurs(event(name))[-1])
    return [f"{c.name} {c.time_ns / 1e9:g}" if isinstance(c, Happening) else c.id for c in causes]


def test_a_touch_in_a_task() -> None:
    assert chain(placed_box(), "fell") == ["collision 7.9", "retreat.1", "bring.1"]
    assert chain(placed_box(), "loc_change") == ["collision 7.9", "retreat.1", "bring.1"]


def test_the_task_that_names_the_object_before_another() -> None:
    made = placed_box()
    made.did("look.1", 2.0, 2.9, parent="bring.1", object="cup1")
    assert chain(made, "pick_up") == ["pick_up.1", "bring.1"]


def test_an_object_that_was_pushed_by_another() -> None:
    made = placed_box()
    made.happened("collision", 8.3, a="cup1", b="cup2")
    made.happened("toppled", 8.5, "robot_health", object="cup1")
    assert chain(made, "toppled") == ["collision 8.3", "collision 7.9", "retreat.1", "bring.1"]


def test_an_object_that_was_let_go() -> None:
    made = placed_box()
    made.happened("grip_lost", 4.0, "grasp", object="box", hand="right_hand")
    made.happened("loc_change", 4.2, object="box")
    assert chain(made, "loc_change") == ["collision 7.9", "retreat.1", "bring.1"]
    made.happened("left_the_world", 4.9, "robot_health", object="box")
    assert chain(made, "left_the_world") == ["grip_lost 4", "place.1", "bring.1"]


def test_what_lies_long_before_is_no_cause() -> None:
    made = placed_box()
    made.happened("left_the_world", 9.99, "robot_health", object="cup2")
    assert chain(made, "left_the_world") == ["bring.1"] or chain(made, "left_the_world") == []


def test_what_stands_still_pushes_nothing() -> None:
    made = placed_box()
    made.happened("collision", 8.4, a="cup2", b="table")
    made.happened("toppled", 8.5, "robot_health", object="cup2")
    assert chain(made, "toppled")[0] == "collision 7.9"


def test_a_report_may_say_when_it_began() -> None:
    made = placed_box()
    made.happened("toppled", 9.95, "robot_health", object="cup2", **{"from": 8.2})
    assert chain(made, "toppled")[0] == "collision 7.9"
