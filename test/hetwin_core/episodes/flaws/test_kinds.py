"""Each kind of flaw is found in an episode that has it, once, with its time, its entities and its task."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from support.flawed_tables import BOX, HAND, dropped, fetched, knocked
from support.made_tables import MadeTables

from hetwin_core.episodes.flaws.find import flaws_in
from hetwin_core.episodes.tables.rows import Status

HERE = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
AWAY = (0.3, *HERE[1:])


class Expected(NamedTuple):
    """What must be found."""

    kind: str
    begin: float
    entities: set[str]
    task: str | None


def wrong_order() -> MadeTables:
    made = fetched()
    made.did("wipe.1", 4.0, 4.5, after=("place.1",), object="cup1")
    return made


def wrong_object() -> MadeTables:
    made = fetched()
    made.did("take.2", 9.0, 10.0, object="cup1", **HAND)
    made.held("held", "cup2", "right_hand", (9.5, None))
    return made


def grasp_lost() -> MadeTables:
    made = MadeTables(end=12.0)
    made.held("loc", "box", "", (0.0, 2.5), (4.6, None))
    made.held("held", "box", "right_hand", (2.2, 4.0))
    made.held("on", "box", "table", (0.0, 2.5), (4.5, None))
    made.happened("fell", 4.1, "robot_health", object="box", height=0.3)
    made.did("carry.1", 2.6, 5.0, **BOX)
    return made


def fell_from(made: MadeTables, begin: float, **more: object) -> MadeTables:
    """The box falls from the hand from a time on [s]."""
    said = {"object": "box", "hand": "right_hand", "height": 0.3, "from": begin, "to": begin + 0.4}
    made.happened("dropped", begin + 0.4, "handling", **said, **more)
    return made


def slipped_while_placing() -> MadeTables:
    """The task may let go of the box, but the hand did not open."""
    return fell_from(dropped(), 6.0, severity="warning")


def dropped_without_tasks() -> MadeTables:
    made = grasp_lost()
    made.tasks.clear()
    return fell_from(made, 4.0, severity="warning")


def let_fall_while_carrying() -> MadeTables:
    made = fetched()
    return fell_from(made, 4.0)


def carrying_collision() -> MadeTables:
    made = fetched()
    made.happened(
        *("link_touches", 4.0, "robot_health"), link="palm", partner="table", severity="warning"
    )
    return made


def stale_belief() -> MadeTables:
    made = fetched()
    made.believed("loc", "box", "", *((t / 10, (t + 1) / 10, HERE) for t in range(25)))
    made.believed("loc", "box", "", (2.5, 5.0, HERE), (5.0, 12.0, AWAY))
    made.erred("loc", "box", 3.0, 5.0, 0.3)
    return made


def incorrect_belief() -> MadeTables:
    made = fetched()
    made.believed("loc", "box", "", (0.0, 3.0, HERE), (3.0, 5.0, AWAY), (5.0, 12.0, HERE))
    made.erred("loc", "box", 3.0, 5.0, 0.3)
    return made


def taken_for_another() -> MadeTables:
    made = fetched()
    made.believed("loc", "box", "", (3.0, 5.0, HERE), origin="percept")
    made.erred("loc", "box", 3.0, 5.0, 0.3)
    for name in ("tray", "cup2"):  # so that only cup1 stands at the origin
        made.paths[name] = np.tile([1.0, 0.0, 0.0], (len(made.times), 1))
    return made


def left_where_another_stays() -> MadeTables:
    """The box was perceived where it stood, beside cup1, and has gone since."""
    made = taken_for_another()
    made.beliefs = [row for row in made.beliefs if row.origin != "percept"]
    made.believed("loc", "box", "", (1.0, 5.0, HERE), origin="percept")
    return made


def failed_navigation() -> MadeTables:
    made = MadeTables(end=12.0)
    goal = 'loc("arm", {"near": [3.0, 2.0, 0.0], "within": 0.1})'
    made.did("navigate.1", 1.0, 5.0, goal=goal)
    made.believed("loc", "arm", "", (0.0, 12.0, (3.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0)))
    return made


def undone() -> MadeTables:
    made = fetched()
    made.occasions = [r for r in made.occasions if (r.fluent, r.b) != ("on", "tray")]
    made.occasions = [r for r in made.occasions if (r.fluent, r.a) != ("loc", "box")]
    made.held("on", "box", "tray", (5.8, 8.1))
    made.held("loc", "box", "", (0.0, 2.5), (6.1, 8.1), (9.0, None))
    made.held("on", "box", "table", (8.9, None))
    made.held("contact", "box", "palm", (8.0, 8.2))
    made.happened("fell", 8.3, "robot_health", object="box", height=0.1)
    return made


def spilled() -> MadeTables:
    made = fetched()
    for time in (4.0, 4.1):
        made.happened("spilled", time, "water", cup="cup1", count=3)
    return made


def overlooked() -> MadeTables:
    made = fetched()
    made.did("look.1", 9.0, 11.0)
    made.held("visible", "cup1", "", (9.5, 10.5))
    made.held("visible", "cup2", "", (9.5, 10.5))
    made.happened("perceived", 10.0, object="cup1", confidence=0.9)
    return made


def unachieved() -> MadeTables:
    made = fetched()
    made.did("stack.1", 9.0, 10.0, goal='on("cup1", "cup2")')
    return made


def let_fall_onto_its_goal() -> MadeTables:
    """The hand opens 30 cm above the tray: the box lands on it as it should, and no observer reports a drop."""
    made = fetched()
    made.tasks.clear()
    made.did("release.1", 5.5, 7.0, goal='on("box", "tray")', **BOX)
    made.occasions = [r for r in made.occasions if r.a != "box" or r.fluent in ("loc", "held")]
    made.held("contact", "box", "fingertip", (2.0, 5.9))
    made.held("contact", "box", "tray", (6.15, None))
    made.held("on", "box", "tray", (6.2, None))
    seconds = np.array(made.times) / 1e9
    fallen = np.minimum(np.maximum(seconds - 5.9, 0.0) ** 2 * 4.905, 0.3)
    path = np.zeros((len(seconds), 3))
    path[:, 2] = 1.0 - fallen
    made.paths["box"] = path
    return made


def failed_and_given_up() -> MadeTables:
    made = fetched()
    made.did("serve.1", 8.0, 10.0, goal='on("cup1", "tray")', status=Status.FAILED)
    made.did("reach.1", 8.5, 9.9, parent="serve.1", object="cup1", status=Status.FAILED)
    return made


@pytest.mark.parametrize(
    ("story", "expected"),
    [
        (wrong_order, Expected("wrong_order", 4.0, {"box", "cup1"}, "wipe.1")),
        (wrong_object, Expected("wrong_object", 9.5, {"cup1", "cup2"}, "take.2")),
        (grasp_lost, Expected("grasp_lost", 4.0, {"box"}, "carry.1")),
        (slipped_while_placing, Expected("dropped", 6.0, {"box"}, "place.1")),
        (dropped_without_tasks, Expected("dropped", 4.0, {"box"}, None)),
        (let_fall_while_carrying, Expected("dropped", 4.0, {"box"}, "carry.1")),
        (carrying_collision, Expected("carrying_collision", 4.0, {"palm", "table"}, "carry.1")),
        (lambda: knocked(), Expected("knocked_over", 7.0, {"cup2"}, "retreat.1")),
        (
            lambda: knocked("box", at=4.0),
            Expected("knocked_over", 4.0, {"cup2", "box"}, "carry.1"),
        ),
        (
            lambda: knocked(toppled=False),
            Expected("unexpected_event", 7.0, {"cup2", "fingertip"}, "retreat.1"),
        ),
        (
            lambda: dropped(touched="tray"),
            Expected("unstable_support", 6.0, {"box", "tray"}, "place.1"),
        ),
        (stale_belief, Expected("stale_belief", 3.0, {"box"}, "carry.1")),
        (incorrect_belief, Expected("incorrect_belief", 3.0, {"box"}, "carry.1")),
        (taken_for_another, Expected("wrong_object", 3.0, {"box", "cup1"}, "carry.1")),
        (left_where_another_stays, Expected("stale_belief", 3.0, {"box"}, "carry.1")),
        (failed_navigation, Expected("failed_navigation", 5.0, {"arm"}, "navigate.1")),
        (undone, Expected("goal_undone", 8.0, {"box", "tray"}, "retreat.1")),
        (spilled, Expected("spilled", 4.0, {"cup1"}, "carry.1")),
        (overlooked, Expected("overlooked", 9.5, {"cup2"}, "look.1")),
        (failed_and_given_up, Expected("task_failed", 9.9, {"cup1"}, "reach.1")),
        (let_fall_onto_its_goal, Expected("dropped", 5.9, {"box", "right_hand"}, "release.1")),
        (unachieved, Expected("unachieved", 10.0, {"cup1", "cup2"}, "stack.1")),
    ],
    ids=lambda value: value.kind if isinstance(value, Expected) else "",
)
def test_it_is_found(story: Callable[[], MadeTables], expected: Expected) -> None:
    first, *others = flaws_in(story().made())
    found = Expected(
        first.kind, first.span.from_ns / 1e9, expected.entities & {*first.entities}, first.task
    )
    assert found == expected
    assert first.evidence
    assert all(any(cause.flaw == 0 for cause in other.caused_by) for other in others), others


def test_a_good_episode_has_none() -> None:
    assert flaws_in(fetched().made()) == []


def test_a_drop_that_a_task_means_is_none() -> None:
    made = fetched()
    made.did("drop.1", 7.0, 8.0, **BOX)
    assert flaws_in(fell_from(made, 7.5).made()) == []


def test_a_task_that_is_done_after_it_failed_is_no_flaw() -> None:
    made = failed_and_given_up()
    made.did("serve.2", 10.0, 11.0, goal='on("cup1", "tray")')
    made.held("on", "cup1", "tray", (10.9, None))
    assert [flaw for flaw in flaws_in(made.made()) if flaw.kind == "task_failed"] == []


def test_the_entities_of_a_flaw_are_none_of_its_goals_keys() -> None:
    (flaw,) = (f for f in flaws_in(failed_navigation().made()) if f.kind == "failed_navigation")
    assert flaw.to_json()["entities"] == ["arm"]


def test_what_is_dropped_is_told_once_and_after_the_lost_grasp() -> None:
    lost, dropped_then = flaws_in(fell_from(grasp_lost(), 4.0, severity="warning").made())
    assert (lost.kind, dropped_then.kind) == ("grasp_lost", "dropped")
    assert dropped_then.text.startswith(
        "right_hand dropped box by 30 cm at 4.00 s, which was not meant"
    )


def test_what_misses_its_place_is_one_flaw_of_the_task_from_the_fall_on() -> None:
    (flaw,) = flaws_in(dropped().made())
    assert (flaw.kind, flaw.task) == ("unachieved", "place.1")
    assert (flaw.span.from_ns, flaw.span.to_ns) == (6_000_000_000, 6_500_000_000)
    assert "box was lost at 6" in flaw.text


def test_a_belief_that_follows_the_world_late_is_none() -> None:
    made = fetched()
    made.believed("loc", "box", "", *((t / 2, (t + 1) / 2, HERE) for t in range(24)))
    made.held("moving", "box", "", (2.5, 6.0))
    made.erred("loc", "box", 3.1, 4.1, 0.1)  # two of its periods of half a second
    assert flaws_in(made.made()) == []


def test_what_stood_for_a_while_leaves_its_support_when_it_stands_on_it_no_more() -> None:
    made = dropped(touched="tray")
    made.held("on", "box", "tray", (5.9, 6.3))
    flaw, *_ = flaws_in(made.made())
    assert (flaw.kind, flaw.span.from_ns) == ("unstable_support", 6_300_000_000)


def test_a_cancelled_task_need_not_reach_its_goal() -> None:
    made = fetched()
    made.did("stack.1", 9.0, 10.0, goal='on("cup1", "cup2")', status=Status.CANCELLED)
    assert flaws_in(made.made()) == []


def test_what_the_scenario_expects_is_none() -> None:
    made = knocked(toppled=False)
    made.expects["retreat"] = ('collision(hand, "cup2")', "collision_end", 'loc_change("cup2")')
    assert flaws_in(made.made()) == []


def test_what_a_later_task_takes_on_purpose_is_not_undone() -> None:
    made = fetched()
    made.occasions = [r for r in made.occasions if (r.fluent, r.b) != ("on", "tray")]
    made.held("on", "box", "tray", (5.8, 10.5))
    made.held("held", "box", "right_hand", (10.2, None))
    made.did("pick_up.2", 9.5, 12.0, goal='held("box", "right_hand")', **BOX)
    assert flaws_in(made.made()) == []


def test_what_a_hand_has_taken_and_put_down_since_has_no_earlier_cause() -> None:
    made = dropped()
    made.end = 40.0
    made.occasions = [row for row in made.occasions if row.span.from_ns < 6_900_000_000]
    made.held("loc", "box", "", (7.0, 20.0), (24.0, 30.0))
    made.held("held", "box", "right_hand", (19.0, 24.0))
    made.did("stack.1", 29.0, 30.0, goal='on("box", "cup1")')
    first, last = flaws_in(made.made())
    assert (first.kind, last.kind) == ("unachieved", "unachieved")
    assert [cause.kind for cause in last.caused_by] == ["task"]


def test_what_a_task_without_a_goal_was_to_lift_must_at_least_move() -> None:
    made = MadeTables(end=12.0)
    made.held("loc", "box", "", (0.0, None))
    made.did("lift.1", 2.0, 4.0, **BOX)
    (flaw,) = flaws_in(made.made())
    assert (flaw.kind, flaw.task, flaw.span.from_ns) == ("unachieved", "lift.1", 4_000_000_000)
    assert 'held("box") did not hold' in flaw.text
