"""What tasks may cause: by operation, by what they name, and by what they are a part of."""

from __future__ import annotations

import pytest
from support.made_tables import MadeTables, ns

from hetwin_core.ensemble.events import RELEASING_OPERATIONS
from hetwin_core.ensemble.expressions.expression import EventPattern
from hetwin_core.episodes.expecting import Expectations
from hetwin_core.episodes.expecting.expectations import ANY_OPERATION, default_expectations

TOUCH = {"a": "fingertip", "b": "box"}


def expects(made: MadeTables, name: str, time: float, **arguments: str) -> bool | None:
    """Whether an event was expected."""
    return Expectations(made.made()).expects(name, arguments, ns(time))


def test_a_hand_may_touch_what_its_task_names_and_nothing_else() -> None:
    made = MadeTables()
    made.did("grasp.1", 1.0, 3.0, object="box", hand="right_hand")
    assert expects(made, "collision", 2.0, a="fingertip", b="box")
    assert expects(made, "collision", 2.0, a="box", b="palm")
    assert expects(made, "collision", 2.0, a="fingertip", b="cup1") is False
    assert expects(made, "collision", 2.0, a="base_link", b="box") is False  # it is no hand's link


def test_what_a_task_does_shows_a_little_before_and_after_it() -> None:
    made = MadeTables()
    made.did("grasp.1", 1.0, 3.0, object="box")
    known = [expects(made, "collision", time, **TOUCH) for time in (0.7, 0.9, 3.4, 3.6)]
    assert known == [None, True, True, None]


def test_the_goal_and_the_task_above_say_what_a_part_is_about() -> None:
    made = MadeTables()
    made.did("fetch.1", 0.0, 9.0, goal='on("cup1", "tray")')
    made.did("grasp.1", 1.0, 3.0, parent="fetch.1")
    made.did("place.1", 4.0, 6.0, parent="fetch.1")
    assert expects(made, "collision", 2.0, a="fingertip", b="cup1")
    assert expects(made, "collision", 2.0, a="fingertip", b="cup2") is False
    assert expects(made, "set_down", 5.0, object="cup1", support="tray")
    assert expects(made, "set_down", 5.0, object="cup1", support="table") is False


@pytest.mark.parametrize(("operation", "expected"), [("retreat", False), ("fiddle", True)])
def test_an_operation_of_another_name_may_do_more(operation: str, expected: bool) -> None:
    made = MadeTables()
    made.did(f"{operation}.1", 1.0, 3.0, object="box", hand="right_hand")
    assert expects(made, "collision", 2.0, **TOUCH) is expected


def test_a_scenario_replaces_what_an_operation_may_do() -> None:
    made = MadeTables()
    made.expects["retreat"] = ('collision("palm", "cup*")', "spilled")
    made.did("retreat.1", 1.0, 3.0)
    assert expects(made, "collision", 2.0, a="cup2", b="palm")
    assert expects(made, "collision", 2.0, a="cup2", b="fingertip") is False
    assert expects(made, "spilled", 2.0, cup="cup1")
    assert expects(made, "collision_end", 2.0, **TOUCH) is False


def test_the_defaults_are_events_as_scenarios_have_them_and_name_what_lets_go() -> None:
    defaults = default_expectations()
    for texts in defaults.values():
        assert texts
        for text in texts:
            EventPattern.from_text(text)
    assert RELEASING_OPERATIONS | {ANY_OPERATION} <= defaults.keys()
    assert "dropped(object)" in defaults["open_gripper"]
    assert "dropped(object)" not in defaults["give"]
